/*
 * A team of threads that does one piece of work after the other, together.
 *
 * The first member is the caller of together(); the others wait for it: a short while awake, then asleep, because
 * other processes may want the cores.
 */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    _Alignas(64) atomic_uint value; /* and nothing else in its cache line, which others wait for */
} Counter;

static int members = 1;
static void (*work)(int member);
static Counter called, done;

static void await(Counter *counter, unsigned value)
{
    for (unsigned tries = 0; atomic_load_explicit(&counter->value, memory_order_acquire) != value; tries++)
        if (tries > 20000)
            nanosleep(&(struct timespec){0, 50000}, NULL);
        else if (tries > 2000)
            sched_yield();
}

static void *member(void *number)
{
    for (unsigned call = 1;; call++) {
        await(&called, call);
        work((int)(intptr_t)number);
        atomic_fetch_add_explicit(&done.value, 1, memory_order_release);
    }
    return NULL;
}

static void gather(int count)
{
    pthread_t thread;
    for (int number = 1; number < count; number++) {
        if (pthread_create(&thread, NULL, member, (void *)(intptr_t)number)) {
            fprintf(stderr, "no more threads than %d can be had\n", number);
            exit(70);
        }
        pthread_detach(thread);
        members = number + 1;
    }
}

/* Let every member do the work, and return when all have done it. */
static void together(void (*piece)(int member))
{
    atomic_store(&done.value, 0);
    work = piece;
    atomic_fetch_add_explicit(&called.value, 1, memory_order_release);
    piece(0);
    await(&done, members - 1);
}
