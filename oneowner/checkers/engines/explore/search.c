/*
 * Breadth-first search over a model that was written by checkers/engines/compile/c.py and is included as MODEL.
 *
 * States are visited, numbered and judged in the order of the native search whatever the number of threads, so counts
 * and counterexamples are the same. Work is done in batches of states: all are expanded (by any thread), what they
 * lead to is looked up (each thread in its part of the set, in the order of discovery), what is new is numbered by
 * counting and then kept (by the thread that found it, before it expands some of the next batch). Full states are kept
 * for two levels; the way to a state is found by the links to where each was reached from.
 *
 * Arguments: the greatest number of states, of bytes, of seconds and of perturbations (-1: no limit), the number of
 * threads, the laws that end the search (one character each, 1 or 0: state laws, then step checks).
 * Prints one JSON object on standard output, and where it stands once a second on standard error.
 */

#include MODEL

#ifdef CLASSES /* only one state of each orbit is visited */
#include "orbits.h"
#endif
#include "states.h"
#include "team.h"
#include "tally.h"
#include "chunks.h"

#include <signal.h>
#include <unistd.h>

#define MOST (1ull << 31) /* states have 32-bit numbers */
#define CHUNKS 32         /* in a batch of several threads; one thread takes one at a time */

static Tally tallies[2 * MOST_THREADS]; /* of what each member expanded, then of what each kept */
static uint64_t distinct, max_states, max_bytes, capacity;
static Chunk *batches[2][CHUNKS], **chunks = batches[0], **numbered = batches[1];
static uint64_t batch_first, batch_last; /* the states of the level that are expanded */
static int chunk_count, numbered_count; /* what is numbered is still to be kept */
static Counter next_chunk;
static uint64_t part_size; /* that every part needs: they grow together, so that no thread waits for another */
static double started, level_started, max_seconds;
static volatile sig_atomic_t interrupted;
static pid_t driver;
static const char *stopped = ""; /* why the search ended early, in a word */

static void on_signal(int number) { (void)number; interrupted = 1; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void keep_own(int member)
{
    for (int at = 0; at < numbered_count; at++)
        if (numbered[at]->member == member) {
            keep(numbered[at], &tallies[members + member]);
            put_back(numbered[at]);
        }
}

static void keep_own_and_expand_some(int member)
{
    int at;
    keep_own(member);
    while ((at = (int)atomic_fetch_add(&next_chunk.value, 1)) < chunk_count) {
        chunks[at] = taken(member);
        chunks[at]->first = batch_first + (uint64_t)at * CHUNK;
        chunks[at]->last = chunks[at]->first + CHUNK < batch_last ? chunks[at]->first + CHUNK : batch_last;
        expand(chunks[at], &tallies[member], UINT64_MAX);
    }
}

static void look_up_part(int member)
{
    if (part_size > parts[member].size)
        resize(&parts[member], part_size);
    for (int at = 0; at < chunk_count; at++)
        look_up(chunks[at], member);
}

static void all(void (*piece)(int member))
{
    atomic_store(&next_chunk.value, 0);
    if (members > 1)
        together(piece);
    else
        piece(0);
}

/* The bytes that are held; tables once the parts have the sizes that they need. */
static uint64_t bytes(void)
{
    uint64_t sum = distinct * (sizeof *parents + sizeof *reached_by);
    sum += (level_count + following_count) * WORDS * sizeof *level;
    sum += members * (parts[0].size + (part_size > parts[0].size ? part_size : 0)) * sizeof(Key);
    return sum;
}

/* Make room in the parts for what the chunks lead to; 0: there may be no more memory. */
static int make_room(void)
{
    for (int part = 0; part < members; part++) {
        uint64_t more = 0;
        for (int at = 0; at < chunk_count; at++)
            more += chunks[at]->part_counts[part];
        if (size_for(&parts[part], more) > part_size)
            part_size = size_for(&parts[part], more);
    }
    return bytes() <= max_bytes;
}

/* Leave only so many new states in a chunk, and the step that finds one more, which is not kept. */
static void cut(Chunk *chunk, uint32_t most)
{
    uint32_t seen[MOST_THREADS] = {0}, news = 0, at = 0;
    while ((news += is_new(chunk, at, seen)) <= most)
        at++;
    chunk->count = at + 1;
    chunk->news = most;
}

/* Number what is new; 0: there are more states than there may be, and the last to be kept are marked. */
static int number_news(void)
{
    uint64_t sum = distinct;
    for (int at = 0; at < chunk_count; at++) {
        Chunk *chunk = chunks[at];
        chunk->base = sum;
        chunk->news = 0;
        for (int part = 0; part < members; part++)
            chunk->news += chunk->part_news[part];
        if (sum + chunk->news > max_states) {
            cut(chunk, max_states - sum);
            chunk_count = at + 1;
            return 0;
        }
        sum += chunk->news;
    }
    return 1;
}

static void make_room_to_keep(void)
{
    Chunk *last = chunks[chunk_count - 1];
    uint64_t end = (uint64_t)last->base + last->news;
    following_count = end - level_number - level_count;
    if (end > capacity) {
        capacity = capacity * 2 > end ? capacity * 2 : end;
        parents = grown(parents, capacity * sizeof *parents);
        reached_by = grown(reached_by, capacity * sizeof *reached_by);
    }
    if (following_count > following_capacity) {
        following_capacity = following_capacity * 2 > following_count ? following_capacity * 2 : following_count;
        following = grown(following, following_capacity * WORDS * sizeof *following);
    }
    distinct = end;
}

/* Hand the batch over to be kept, and have room for another. */
static void pass_on(void)
{
    Chunk **kept = numbered;
    make_room_to_keep();
    numbered = chunks, numbered_count = chunk_count;
    if (members > 1) /* one thread keeps all before it expands more, best where its cache is warm */
        chunks = kept;
}

static void keep_all(void)
{
    all(keep_own);
    numbered_count = 0;
}

/* Visit the states that the chunks name; 0: the search ends here. */
static int visit(void)
{
    static Tally before[MOST_THREADS];
    int fits;
    memcpy(before, tallies, members * sizeof *tallies);
    all(keep_own_and_expand_some);
    numbered_count = 0;
    for (int member = 0; member < members; member++)
        if (tallies[member].is_outside)
            stopped = "domain";
    if (!*stopped && !make_room())
        stopped = "memory";
    if (*stopped) {
        memcpy(tallies, before, members * sizeof *tallies);
        return 0;
    }
    all(look_up_part);
    fits = number_news();
    if (!fits) { /* count once more, up to the step that found one state too many */
        memcpy(tallies, before, members * sizeof *tallies);
        for (int at = 0; at < chunk_count; at++)
            expand(chunks[at], &tallies[0], chunks[at]->count);
        stopped = "states";
    }
    pass_on();
    return fits;
}

#include "print.h"

/* Why the search ends after a batch, in a word; empty: it goes on. */
static const char *reason_to_stop(void)
{
    if (getppid() != driver) /* nobody waits for the answer any more */
        exit(71);
    if (interrupted)
        return "interrupted";
    return max_seconds >= 0 && now() - started > max_seconds ? "time" : "";
}

/* Visit a level; 0: the search ends here. */
static int visit_level(void)
{
    static double last;
    uint64_t step = CHUNK * (members > 1 ? CHUNKS : 1);
    if (!last)
        last = started;
    for (batch_first = 0; batch_first < level_count && !*stopped; batch_first = batch_last) {
        batch_last = batch_first + step < level_count ? batch_first + step : level_count;
        chunk_count = (batch_last - batch_first + CHUNK - 1) / CHUNK;
        if (!visit())
            break;
        report(&last, batch_last);
        stopped = reason_to_stop();
    }
    keep_all();
    return !*stopped;
}

static void begin(void)
{
    Chunk *chunk = chunks[0] = taken(0);
    for (int i = 0; i < INITIAL; i++) {
        memcpy(chunk->bytes + (uint64_t)i * SLOTS, initial[i], SLOTS);
        pack(initial[i], chunk->packed + (uint64_t)i * WORDS);
        add(chunk, i, hash_of(chunk->packed + (uint64_t)i * WORDS));
        chunk->actions[i] = chunk->parents[i] = 0;
    }
    chunk->count = INITIAL;
    chunk_count = 1;
    make_room();
    all(look_up_part);
    number_news();
    pass_on();
    keep_all();
}

static int search(const char *ends)
{
    begin();
    for (;;) {
        uint64_t *states = level, room = level_capacity;
        level_number += level_count;
        level = following, level_count = following_count, level_capacity = following_capacity;
        following = states, following_count = 0, following_capacity = room;
        if (!level_count)
            return 1;
        level_started = now();
        if (!visit_level())
            return 0;
        if (following_count)
            depth++;
        for (int check = 0; check < CHECKS; check++)
            if (ends[check] == '1' && merged(tallies, 2 * members, check).broken)
                return 0;
    }
}

int main(int count, char **arguments)
{
    if (count != 7 || strlen(arguments[6]) != CHECKS)
        return 64;
    max_states = strtoull(arguments[1], NULL, 10); /* -1 is the greatest number */
    max_bytes = strtoull(arguments[2], NULL, 10);
    max_seconds = strtod(arguments[3], NULL);
    max_perturbations = atoi(arguments[4]);
    driver = getppid();
    if (max_states > MOST)
        max_states = MOST;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    started = now();
    gather(atoi(arguments[5]) < MOST_THREADS ? atoi(arguments[5]) : MOST_THREADS);
    for (int part = 0; part < members; part++)
        open_part(&parts[part]);
    for (int member = 0; member < members; member++)
        for (int count = members > 1 ? CHUNKS : 1; count; count--)
            open_chunk(member);
    print(search(arguments[6]));
    fflush(stdout);
    _exit(0); /* the other members wait for ever */
}
