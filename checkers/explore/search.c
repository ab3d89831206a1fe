/*
 * Breadth-first search over a model that was written by checkers/compile/c.py and is included as MODEL.
 *
 * States are visited, numbered and judged in the order of the native search whatever the number of threads, so counts
 * and counterexamples are the same. Work is done in batches of states: all are expanded (by any thread), what they
 * lead to is looked up (each thread in its part of the set, in the order of discovery), what is new is numbered by
 * counting and then kept (by any thread). Full states are kept for two levels; the way to a state is found by the
 * links to where each was reached from.
 *
 * Arguments: the greatest number of states, of bytes, of seconds (0: no limit) and of perturbations (-1: no limit),
 * the number of threads, the laws that end the search (one character each, 1 or 0: state laws, then step checks).
 * Prints one JSON object on standard output, and where it stands once a second on standard error.
 */

#include MODEL

#include "states.h"
#include "team.h"
#include "tally.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST (1ull << 31) /* states have 32-bit numbers */
#define CHUNK 64          /* states that a thread expands at a time */
#define AHEAD 8           /* look-ups that are prefetched */
#define CHUNKS 32         /* in a batch of several threads; one thread takes one at a time */

typedef struct {
    uint64_t first, last; /* the states of the level that are expanded here */
    uint32_t count, news, base;
    int member;       /* that expanded it, and so has it in its cache */
    uint8_t *bytes;   /* [count][SLOTS] */
    uint64_t *packed; /* [count][WORDS] */
    uint64_t *hashes;
    uint32_t *parents;
    uint16_t *actions;
    uint32_t part_counts[MOST_THREADS]; /* how many states belong to each part of the set, */
    uint32_t *in_part[MOST_THREADS];    /* which ones, */
    uint8_t *is_new[MOST_THREADS];      /* and whether the part did not know them: each thread writes to its own */
} Chunk;

static Chunk chunks[CHUNKS];
static int chunk_count;
static atomic_int next_chunk;
static Tally tallies[MOST_THREADS];
static uint64_t distinct, max_states, max_bytes;
static int max_perturbations, depth;
static uint32_t *parents; /* by number of state */
static uint16_t *reached_by;
static uint64_t capacity;
static uint64_t *level, *following; /* packed states */
static uint64_t level_count, level_capacity, following_count, following_capacity;
static uint32_t level_number; /* of the first state of the level */
static uint64_t part_sizes[MOST_THREADS];
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

static void *grown(void *old, uint64_t bytes)
{
    void *new = realloc(old, bytes);
    if (!new) {
        fprintf(stderr, "out of memory\n");
        exit(70);
    }
    return new;
}

static void open_chunk(Chunk *chunk)
{
    uint64_t most = CHUNK * (ACTIONS ? ACTIONS : 1) + INITIAL; /* what is not used is never touched */
    chunk->bytes = grown(NULL, most * SLOTS + 1);
    chunk->packed = grown(NULL, most * WORDS * sizeof *chunk->packed);
    chunk->hashes = grown(NULL, most * sizeof *chunk->hashes);
    chunk->parents = grown(NULL, most * sizeof *chunk->parents);
    chunk->actions = grown(NULL, most * sizeof *chunk->actions);
    for (int part = 0; part < members; part++) {
        chunk->in_part[part] = grown(NULL, most * sizeof *chunk->in_part[part]);
        chunk->is_new[part] = grown(NULL, most);
    }
}

static inline void add(Chunk *chunk, uint32_t at, uint64_t hash)
{
    int part = part_of(hash, members);
    chunk->hashes[at] = hash;
    chunk->in_part[part][chunk->part_counts[part]++] = at;
    if (members == 1) /* it will be looked up by this thread, and soon */
        prefetch(&parts[0], hash);
}

/* Expand the states of a chunk, and stop after *most* steps. */
static void expand(Chunk *chunk, Tally *tally, uint64_t most)
{
    uint8_t s[SLOTS + 1], u[SLOTS + 1], answers[STEP_CHECKS + 1];
    uint64_t r[WORDS];
    chunk->count = 0;
    memset(chunk->part_counts, 0, sizeof chunk->part_counts);
    for (uint64_t i = chunk->first; i < chunk->last; i++) {
        const uint64_t *p = level + i * WORDS;
        uint32_t number = level_number + i, before = chunk->count;
        unpack(p, s);
        for (int a = 0; a < ACTIONS; a++) {
            uint32_t at = chunk->count;
            uint8_t *t = chunk->bytes + (uint64_t)at * SLOTS;
            uint64_t *q = chunk->packed + (uint64_t)at * WORDS;
            int what = act[a](s, t, p, q);
            if (what == DISABLED)
                continue;
            if (what >= BEYOND) { /* the search goes on elsewhere */
                note_bound(tally, what - BEYOND, depth + 1, number, a);
                continue;
            }
            while (what == TAKEN && (what = normalise(t, u, q, r)) == TAKEN) {
                memcpy(t, u, SLOTS);
                memcpy(q, r, sizeof r);
            }
            if (what == OUTSIDE) {
                tally->is_outside = 1;
                continue;
            }
            if (max_perturbations >= 0 && perturbations(t) > max_perturbations)
                continue;
            tally->transitions++;
            tally->fired[a]++;
            judge[a](s, t, answers);
            for (int c = 0; c < check_count[a]; c++)
                note(&tally->outcomes[STATE_LAWS + checks[a][c]], answers[checks[a][c]], depth + 1, number, a, t);
            add(chunk, at, hash_of(q));
            chunk->parents[at] = number;
            chunk->actions[at] = a + 1;
            if (++chunk->count == most)
                return;
        }
        tally->terminal += chunk->count == before;
    }
}

/* Look up what a chunk leads to, in one part of the set. */
static void look_up(Chunk *chunk, int part)
{
    const uint32_t *in_part = chunk->in_part[part];
    uint32_t count = chunk->part_counts[part];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = chunk->hashes[in_part[i]];
        Key key = key_of(chunk->packed + (uint64_t)in_part[i] * WORDS, hash);
        if (members > 1 && i + AHEAD < count)
            prefetch(&parts[part], chunk->hashes[in_part[i + AHEAD]]);
        chunk->is_new[part][in_part[i]] = insert(&parts[part], &key, hash);
    }
}

static inline int is_new(const Chunk *chunk, uint32_t at)
{
    return chunk->is_new[part_of(chunk->hashes[at], members)][at];
}

/* Keep and judge the new states of a chunk, but no more than its news. */
static void keep(Chunk *chunk, Tally *tally)
{
    uint8_t answers[STATE_LAWS + 1];
    uint32_t number = chunk->base, end = chunk->base + chunk->news;
    uint64_t first = level_number + level_count;
    for (uint32_t i = 0; i < chunk->count && number < end; i++) {
        if (!is_new(chunk, i))
            continue;
        parents[number] = chunk->parents[i];
        reached_by[number] = chunk->actions[i];
        memcpy(following + (number - first) * WORDS, chunk->packed + (uint64_t)i * WORDS, WORDS * sizeof *following);
        judge_state(chunk->bytes + (uint64_t)i * SLOTS, answers);
        for (int law = 0; law < STATE_LAWS; law++)
            note(&tally->outcomes[law], answers[law], chunk->actions[i] ? depth + 1 : 0, number, -1,
                 chunk->bytes + (uint64_t)i * SLOTS);
        number++;
    }
}

static void expand_some(int member)
{
    int at;
    while ((at = atomic_fetch_add(&next_chunk, 1)) < chunk_count) {
        chunks[at].member = member;
        expand(&chunks[at], &tallies[member], UINT64_MAX);
    }
}

static void look_up_part(int member)
{
    if (part_sizes[member] > parts[member].size)
        resize(&parts[member], part_sizes[member]);
    for (int at = 0; at < chunk_count; at++)
        look_up(&chunks[at], member);
}

static void keep_own(int member)
{
    for (int at = 0; at < chunk_count; at++)
        if (chunks[at].member == member)
            keep(&chunks[at], &tallies[member]);
}

static void all(void (*piece)(int member))
{
    atomic_store(&next_chunk, 0);
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
    for (int part = 0; part < members; part++) {
        uint64_t old = parts[part].size, new = part_sizes[part];
        sum += (old + (new > old ? new : 0)) * sizeof(Key);
    }
    return sum;
}

/* Make room in the parts for what the chunks lead to; 0: there may be no more memory. */
static int make_room(void)
{
    for (int part = 0; part < members; part++) {
        uint64_t more = 0;
        for (int at = 0; at < chunk_count; at++)
            more += chunks[at].part_counts[part];
        part_sizes[part] = size_for(&parts[part], more);
    }
    return !max_bytes || bytes() <= max_bytes;
}

/* Number what is new; 0: there are more states than there may be, and the last to be kept are marked. */
static int number_news(void)
{
    uint64_t sum = distinct;
    for (int at = 0; at < chunk_count; at++) {
        Chunk *chunk = &chunks[at];
        chunk->base = sum;
        chunk->news = 0;
        for (uint32_t i = 0; i < chunk->count; i++) {
            if (is_new(chunk, i) && sum == max_states) { /* this step is the last, and is not kept */
                chunk->count = i + 1;
                chunk_count = at + 1;
                return 0;
            }
            sum += is_new(chunk, i);
            chunk->news += is_new(chunk, i);
        }
    }
    return 1;
}

static void make_room_to_keep(void)
{
    Chunk *last = &chunks[chunk_count - 1];
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

/* Visit the states that the chunks name; 0: the search ends here. */
static int visit(void)
{
    static Tally before[MOST_THREADS];
    int fits;
    memcpy(before, tallies, members * sizeof *tallies);
    all(expand_some);
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
            expand(&chunks[at], &tallies[0], chunks[at].count);
        stopped = "states";
    }
    make_room_to_keep();
    all(keep_own);
    return fits;
}

static void report(double *last, uint64_t finished)
{
    double t = now(), left = 0;
    if (t - *last < 1)
        return;
    *last = t;
    if (finished)
        left = (t - level_started) / finished * (level_count - finished);
    fprintf(stderr, "%llu %llu %d %llu %llu %.1f %llu %.1f\n", (unsigned long long)distinct,
            (unsigned long long)total_transitions(tallies, members), depth, (unsigned long long)(level_count - finished),
            (unsigned long long)following_count, t - started, (unsigned long long)bytes(), left);
    fflush(stderr);
}

/* Visit a level; 0: the search ends here. */
static int visit_level(void)
{
    static double last;
    uint64_t step = CHUNK * (members > 1 ? CHUNKS : 1);
    for (uint64_t i = 0; i < level_count; i += step) {
        uint64_t end = i + step < level_count ? i + step : level_count;
        chunk_count = 0;
        for (uint64_t first = i; first < end; first += CHUNK) {
            chunks[chunk_count].first = first;
            chunks[chunk_count++].last = first + CHUNK < end ? first + CHUNK : end;
        }
        if (!visit())
            return 0;
        if (!last)
            last = started;
        report(&last, end);
        if (getppid() != driver) /* nobody waits for the answer any more */
            exit(71);
        if (interrupted)
            stopped = "interrupted";
        else if (max_seconds > 0 && now() - started > max_seconds)
            stopped = "time";
        if (*stopped)
            return 0;
    }
    return 1;
}

static void begin(void)
{
    Chunk *chunk = &chunks[0];
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
    make_room_to_keep();
    all(keep_own);
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
            if (ends[check] == '1' && merged(tallies, members, check).broken)
                return 0;
    }
}

static void print_path(uint32_t state, int action)
{
    int *steps = grown(NULL, (depth + 3) * sizeof *steps), count = 0;
    if (action >= 0)
        steps[count++] = action;
    for (; reached_by[state]; state = parents[state])
        steps[count++] = reached_by[state] - 1;
    printf("[");
    while (count--)
        printf("%d%s", steps[count], count ? ", " : "");
    printf("]");
    free(steps);
}

static void print(int finished)
{
    struct rusage usage;
    Tally sum = summed(tallies, members);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"distinct\": %llu, \"transitions\": %llu, \"depth\": %d, \"finished\": %s, \"stopped\": \"%s\",\n",
           (unsigned long long)distinct, (unsigned long long)sum.transitions, depth, finished ? "true" : "false", stopped);
    printf(" \"terminal\": %llu, \"exact\": %s,\n", (unsigned long long)sum.terminal, EXACT ? "true" : "false");
    printf(" \"bound\": \"%s\", \"bound step\": %d,\n", sum.bound_step ? bounds[sum.bound] : "", sum.bound_step);
    printf(" \"seconds\": %.3f, \"peak\": %llu,\n \"fired\": [", now() - started,
           (unsigned long long)usage.ru_maxrss * 1024);
    for (int i = 0; i < ACTIONS; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long)sum.fired[i]);
    printf("],\n \"checks\": [");
    for (int i = 0; i < CHECKS; i++) {
        Outcome *outcome = &sum.outcomes[i];
        printf("%s\n  {\"exercised\": %llu, \"steps\": ", i ? "," : "", (unsigned long long)outcome->exercised);
        if (outcome->broken)
            print_path(outcome->state, outcome->action);
        else
            printf("null");
        printf(", \"perturbations\": %d}", outcome->perturbations);
    }
    printf("]}\n");
}

int main(int count, char **arguments)
{
    if (count != 7 || strlen(arguments[6]) != CHECKS)
        return 64;
    max_states = strtoull(arguments[1], NULL, 10);
    max_bytes = strtoull(arguments[2], NULL, 10);
    max_seconds = strtod(arguments[3], NULL);
    max_perturbations = atoi(arguments[4]);
    driver = getppid();
    if (!max_states || max_states > MOST)
        max_states = MOST;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    started = now();
    gather(atoi(arguments[5]) < MOST_THREADS ? atoi(arguments[5]) : MOST_THREADS);
    for (int part = 0; part < members; part++)
        open_part(&parts[part]);
    for (int at = 0; at < (members > 1 ? CHUNKS : 1); at++)
        open_chunk(&chunks[at]);
    print(search(arguments[6]));
    fflush(stdout);
    _exit(0); /* the other members wait for ever */
}
