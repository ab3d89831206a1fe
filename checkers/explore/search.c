/*
 * Breadth-first search over a model that was written by checkers/compile/c.py and is included as MODEL.
 *
 * Visits states in the order of the native search, so counts and counterexamples are the same. A state is known by
 * a 64-bit fingerprint; the driver reports how likely it is that two states share one. Full states are kept for two
 * levels only; the way to a state is found by the links to where each was reached from.
 *
 * Arguments: the greatest number of states, of bytes and of seconds (0: no limit), the laws that end the search
 * (one character each, 1 or 0: state laws, then step checks), the levels' progress (1 or 0).
 * Prints one JSON object on standard output.
 */

#include MODEL

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MOST (1ull << 31) /* states have 32-bit numbers */
#define CHECKS (STATE_LAWS + STEP_CHECKS)

typedef struct {
    uint64_t exercised;
    int broken, depth, perturbations, action; /* action -1: the state itself */
    uint32_t state;
} Outcome;

static Outcome outcomes[CHECKS ? CHECKS : 1];
static uint64_t fired[ACTIONS];
static uint64_t *table, table_size = 1 << 16, distinct, transitions, terminal, max_states, max_bytes;
static uint32_t *parents, capacity = 1 << 16;
static uint16_t *reached_by;
static uint64_t *level, *following; /* packed states */
static uint32_t *level_numbers, *following_numbers;
static uint64_t level_count, following_count, following_capacity, level_capacity;
static int depth;
static double started, max_seconds;
static volatile sig_atomic_t interrupted;
static pid_t driver;
static const char *stopped = ""; /* why the search ended early, in a word */
static const char *bound = "";   /* the first bound that was used up, and at which step */
static int bound_step;

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

static uint64_t fingerprint(const uint64_t *p)
{
    unsigned __int128 m;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < WORDS; i++) {
        m = (unsigned __int128)(p[i] ^ h) * (0xa0761d6478bd642fu + 0xe7037ed1a0b428dbu * (2 * i + 1));
        h = (uint64_t)m ^ (uint64_t)(m >> 64) ^ (p[i] << 32 | p[i] >> 32);
    }
    m = (unsigned __int128)(h ^ 0x8ebc6af09c88c6e3u) * 0x589965cc75374cc3u;
    h = (uint64_t)m ^ (uint64_t)(m >> 64);
    return h ? h : 1;
}

static void rehash(void)
{
    uint64_t size = table_size * 2, *bigger = calloc(size, sizeof *bigger);
    if (!bigger) {
        fprintf(stderr, "out of memory\n");
        exit(70);
    }
    for (uint64_t i = 0; i < table_size; i++)
        if (table[i]) {
            uint64_t at = table[i] & (size - 1);
            while (bigger[at])
                at = (at + 1) & (size - 1);
            bigger[at] = table[i];
        }
    free(table);
    table = bigger;
    table_size = size;
}

/* 1: the state is new and now known; 0: it was known; -1: it is new, but there may be no more. */
static int discover(uint64_t print)
{
    uint64_t at = print & (table_size - 1);
    while (table[at]) {
        if (table[at] == print)
            return 0;
        at = (at + 1) & (table_size - 1);
    }
    if (max_states && distinct == max_states)
        return -1;
    table[at] = print;
    return 1;
}

static void note(Outcome *outcome, uint32_t state, int action, int at, const uint8_t *after)
{
    int spent;
    if (outcome->broken && at > outcome->depth)
        return;
    spent = perturbations(after);
    if (outcome->broken && at == outcome->depth && spent >= outcome->perturbations)
        return;
    *outcome = (Outcome){outcome->exercised, 1, at, spent, action, state};
}

static void add(const uint64_t *packed, const uint8_t *s, uint32_t parent, int action, int at)
{
    uint8_t answers[STATE_LAWS ? STATE_LAWS : 1];
    uint32_t number = distinct++;
    if (number == capacity) {
        capacity *= 2;
        parents = grown(parents, (uint64_t)capacity * sizeof *parents);
        reached_by = grown(reached_by, (uint64_t)capacity * sizeof *reached_by);
    }
    parents[number] = parent;
    reached_by[number] = action + 1;
    if (following_count == following_capacity) {
        following_capacity = following_capacity ? following_capacity * 2 : 1 << 12;
        following = grown(following, following_capacity * WORDS * sizeof *following);
        following_numbers = grown(following_numbers, following_capacity * sizeof *following_numbers);
    }
    memcpy(following + following_count * WORDS, packed, WORDS * sizeof *packed);
    following_numbers[following_count++] = number;
    judge_state(s, answers);
    for (int i = 0; i < STATE_LAWS; i++)
        if (answers[i]) {
            outcomes[i].exercised++;
            if (answers[i] == 2)
                note(&outcomes[i], number, -1, at, s);
        }
    if (distinct * 10 > table_size * 7)
        rehash();
}

static uint64_t bytes(void)
{
    return table_size * sizeof *table + (uint64_t)capacity * 6 + (level_capacity + following_capacity) * (WORDS * 8 + 4);
}

/* 0: the search ends here. */
static int expand(const uint64_t *packed, uint32_t number)
{
    uint8_t s[SLOTS], t[SLOTS], u[SLOTS], answers[STEP_CHECKS ? STEP_CHECKS : 1];
    uint64_t p[WORDS];
    uint64_t before = transitions;
    unpack(packed, s);
    for (int a = 0; a < ACTIONS; a++) {
        int what, is_new;
        memcpy(u, s, SLOTS);
        what = act[a](s, u);
        if (what == DISABLED)
            continue;
        if (what >= BEYOND) { /* the search goes on elsewhere */
            if (!*bound)
                bound = bounds[what - BEYOND], bound_step = depth + 1;
            continue;
        }
        memcpy(t, u, SLOTS);
        while (what == TAKEN && (what = normalise(u, t)) == TAKEN)
            memcpy(u, t, SLOTS);
        if (what == OUTSIDE) {
            stopped = "domain";
            return 0;
        }
        transitions++;
        fired[a]++;
        judge[a](s, t, answers);
        for (int i = 0; i < check_count[a]; i++) {
            int check = checks[a][i];
            if (answers[check]) {
                Outcome *outcome = &outcomes[STATE_LAWS + check];
                outcome->exercised++;
                if (answers[check] == 2)
                    note(outcome, number, a, depth + 1, t);
            }
        }
        pack(t, p);
        is_new = discover(fingerprint(p));
        if (is_new < 0) {
            stopped = "states";
            return 0;
        }
        if (is_new)
            add(p, t, number, a, depth + 1);
    }
    terminal += transitions == before;
    return 1;
}

static void report(double *last, uint64_t done)
{
    double t = now();
    if (t - *last < 1)
        return;
    *last = t;
    fprintf(stderr, "%llu %llu %d %llu %llu %.1f %llu\n", (unsigned long long)distinct, (unsigned long long)transitions,
            depth, (unsigned long long)(level_count - done), (unsigned long long)following_count, t - started,
            (unsigned long long)bytes());
    fflush(stderr);
}

static int search(const char *ends)
{
    double last = started;
    uint64_t p[WORDS];
    for (int i = 0; i < INITIAL; i++) {
        pack(initial[i], p);
        if (discover(fingerprint(p)) == 1)
            add(p, initial[i], 0, -1, 0);
    }
    for (;;) {
        uint64_t *states = level;
        uint32_t *numbers = level_numbers;
        uint64_t room = level_capacity;
        level = following, level_numbers = following_numbers, level_capacity = following_capacity;
        level_count = following_count;
        following = states, following_numbers = numbers, following_capacity = room;
        following_count = 0;
        if (!level_count)
            return 1;
        for (uint64_t i = 0; i < level_count; i++) {
            if (!expand(level + i * WORDS, level_numbers[i]))
                return 0;
            if ((i & 255) == 0) {
                report(&last, i);
                if (getppid() != driver) /* nobody waits for the answer any more */
                    exit(71);
                if (interrupted) {
                    stopped = "interrupted";
                    return 0;
                }
                if (max_bytes && bytes() > max_bytes) {
                    stopped = "memory";
                    return 0;
                }
                if (max_seconds > 0 && now() - started > max_seconds) {
                    stopped = "time";
                    return 0;
                }
            }
        }
        if (following_count)
            depth++;
        for (int i = 0; i < CHECKS; i++)
            if (ends[i] == '1' && outcomes[i].broken)
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

int main(int count, char **arguments)
{
    struct rusage usage;
    int finished;
    if (count != 5 || strlen(arguments[4]) != CHECKS)
        return 64;
    max_states = strtoull(arguments[1], NULL, 10);
    max_bytes = strtoull(arguments[2], NULL, 10);
    max_seconds = strtod(arguments[3], NULL);
    driver = getppid();
    if (!max_states || max_states > MOST)
        max_states = MOST;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    started = now();
    table = calloc(table_size, sizeof *table);
    parents = grown(NULL, (uint64_t)capacity * sizeof *parents);
    reached_by = grown(NULL, (uint64_t)capacity * sizeof *reached_by);
    finished = search(arguments[4]);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"distinct\": %llu, \"transitions\": %llu, \"depth\": %d, \"finished\": %s, \"stopped\": \"%s\",\n",
           (unsigned long long)distinct, (unsigned long long)transitions, depth, finished ? "true" : "false", stopped);
    printf(" \"terminal\": %llu,\n", (unsigned long long)terminal);
    printf(" \"bound\": \"%s\", \"bound step\": %d,\n", bound, bound_step);
    printf(" \"seconds\": %.3f, \"bytes\": %llu, \"peak\": %llu,\n \"fired\": [", now() - started,
           (unsigned long long)bytes(), (unsigned long long)usage.ru_maxrss * 1024);
    for (int i = 0; i < ACTIONS; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long)fired[i]);
    printf("],\n \"checks\": [");
    for (int i = 0; i < CHECKS; i++) {
        printf("%s\n  {\"exercised\": %llu, \"steps\": ", i ? "," : "", (unsigned long long)outcomes[i].exercised);
        if (outcomes[i].broken)
            print_path(outcomes[i].state, outcomes[i].action);
        else
            printf("null");
        printf(", \"perturbations\": %d}", outcomes[i].perturbations);
    }
    printf("]}\n");
    return 0;
}
