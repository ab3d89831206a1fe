/*
 * Random walks over a model that was written by checkers/engines/compile/c.py and is included as MODEL.
 *
 * Every walk has a stream of random numbers of its own, so that it is the same whatever walks came before it; and the
 * same that swarm.py draws. It is swarm testing: a walk follows a profile, which allows some actions
 * (by name), each with a weight. A profile under which nothing is enabled any more is replaced by another.
 *
 * Arguments: the first walk, the number of walks, the most steps of a walk, the seed, the most seconds (0: no limit),
 * the number of the name of each action (separated by commas), the laws that end the walk that breaks them (one
 * character each, 1 or 0: state laws, then step checks), whether further walks follow it (1 or 0), and for each word
 * of a packed state which bits of it tell classes of states apart (hexadecimal).
 * Prints one JSON object on standard output.
 */

#include MODEL

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CHECKS (STATE_LAWS + STEP_CHECKS)
#define NAMES 64           /* at most: a class keeps its actions as bits of a word */
#define CLASSES (1u << 20) /* places for classes of states */
#define REGISTERS_LOG 14   /* of the estimate of distinct states; its standard error is 1.04 / sqrt(registers) */
#define STUCK (-1)
#define BROKEN (-2)

typedef struct {
    uint64_t exercised, walk;
    int broken, length;
    uint16_t *steps;
} Outcome;

typedef struct {
    uint64_t key; /* 0: nothing here */
    uint64_t taken;
} Class;

static Outcome outcomes[CHECKS + 1];
static uint64_t fired[ACTIONS + 1], steps_taken, terminal, seed, random_state, walks_done;
static int name_of[ACTIONS + 1], names, first_of[NAMES], count_of[NAMES], instances[ACTIONS + 1];
static int weight[NAMES], is_allowed[ACTIONS + 1], is_whole; /* the profile, and whether it allows everything */
static uint16_t *path;
static int length, longest, most_steps;
static uint64_t packed[WORDS], mask[WORDS];
static uint64_t may[ASKED]; /* a bit for each action that may be enabled */
static Class *classes;
static uint32_t class_count;
static int are_classes_full;
static uint8_t registers[1 << REGISTERS_LOG];
static const char *ends, *stopped = "", *bound = "";
static int bound_step;
static double started, reported, max_seconds;
static volatile sig_atomic_t interrupted;
static pid_t driver;

static void on_signal(int number) { (void)number; interrupted = 1; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *taken(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(70);
    }
    return memory;
}

/* ---- chance: splitmix64 ---- */

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint32_t most)
{
    random_state += 0x9e3779b97f4a7c15u;
    return (mixed(random_state) >> 32) * most >> 32;
}

/*
 * One profile in four allows every action alike; the others allow each name with even odds and a weight of 1 to 16;
 * two of them hold some actions of a name back, so that one broker may lag far behind the others.
 */
static void draw_profile(void)
{
    int kind = below(4);
    is_whole = 1;
    for (int name = 0; name < names; name++)
        is_whole &= 0 < (weight[name] = kind == 0 ? 1 : below(2) ? 1 << below(5) : 0);
    for (int a = 0; a < ACTIONS; a++)
        is_whole &= is_allowed[a] = kind < 2 || below(4) > 0;
}

/* ---- coverage ---- */

static uint64_t hash_of(const uint64_t *p, const uint64_t *bits)
{
    uint64_t h = 0;
    for (int i = 0; i < WORDS; i++)
        h = mixed((h ^ (p[i] & bits[i])) + 0x9e3779b97f4a7c15u * (i + 1));
    return h ? h : 1;
}

static void estimate(uint64_t h)
{
    uint64_t rest = h << REGISTERS_LOG | 1ull << (REGISTERS_LOG - 1);
    uint8_t rank = __builtin_clzll(rest) + 1, *at = &registers[h >> (64 - REGISTERS_LOG)];
    if (rank > *at)
        *at = rank;
}

static Class *class_of(const uint64_t *p)
{
    static Class beyond;
    uint64_t key = hash_of(p, mask);
    uint32_t at = key & (CLASSES - 1);
    while (classes[at].key && classes[at].key != key)
        at = (at + 1) & (CLASSES - 1);
    if (!classes[at].key) {
        if (class_count == CLASSES / 4 * 3) {
            are_classes_full = 1;
            return &beyond;
        }
        class_count++;
        classes[at].key = key;
    }
    return &classes[at];
}

/* ---- one walk ---- */

/* Do action *a* and what comes after every action: DISABLED, TAKEN, OUTSIDE or BEYOND and the bound. */
static int attempt(int a, const uint8_t *s, uint8_t *t)
{
    uint8_t u[SLOTS + 1];
    uint64_t q[WORDS], r[WORDS];
    int what = act[a](s, t, packed, q);
    if (what != TAKEN || !normalises[a])
        return what;
    while ((what = normalise(t, u, q, r)) == TAKEN) {
        memcpy(t, u, SLOTS);
        memcpy(q, r, sizeof r);
    }
    return what == OUTSIDE ? OUTSIDE : TAKEN;
}

/* Take an enabled action of this name that the profile allows, each with the same chance. */
static int choose_of(int name, const uint8_t *s, uint8_t *t)
{
    int *among = &instances[first_of[name]];
    for (int left = count_of[name]; left; left--) {
        int i = below(left), a = among[i], is_possible = is_allowed[a] && may[a / 64] >> a % 64 & 1;
        int what = is_possible ? attempt(a, s, t) : DISABLED;
        among[i] = among[left - 1], among[left - 1] = a; /* not again */
        if (what == TAKEN)
            return a;
        if (what == OUTSIDE)
            return BROKEN;
        if (what >= BEYOND && !*bound)
            bound = bounds[what - BEYOND], bound_step = length + 1;
    }
    return STUCK;
}

/* Take an action from *s* to *t*: a name by its weight among those that are enabled, then one action of that name. */
static int choose(const uint8_t *s, uint8_t *t)
{
    ask(s, may);
    for (;;) {
        int left[NAMES], total = 0;
        for (int name = 0; name < names; name++)
            total += left[name] = weight[name];
        while (total) {
            int name = 0, a;
            for (int at = below(total); at >= left[name]; name++)
                at -= left[name];
            a = choose_of(name, s, t);
            if (a != STUCK)
                return a;
            total -= left[name];
            left[name] = 0;
        }
        if (is_whole)
            return STUCK;
        draw_profile();
    }
}

static int note(int check, int answer, uint64_t walk)
{
    Outcome *outcome = &outcomes[check];
    outcome->exercised += answer > 0;
    if (answer != 2)
        return 0;
    if (!outcome->broken || length < outcome->length) {
        *outcome = (Outcome){outcome->exercised, walk, 1, length, outcome->steps};
        memcpy(outcome->steps, path, length * sizeof *path);
    }
    return ends[check] == '1';
}

/* Judge and count the state that the walk has reached; 1: a law that ends it is broken. */
static int visit(const uint8_t *s, uint64_t walk)
{
    static uint64_t every[WORDS];
    uint8_t answers[STATE_LAWS + 1];
    int is_over = 0;
    memset(every, 255, sizeof every);
    judge_state(s, answers);
    for (int i = 0; i < STATE_LAWS; i++)
        is_over |= note(i, answers[i], walk);
    pack(s, packed);
    estimate(hash_of(packed, every));
    return is_over;
}

static void look_up(uint64_t walk)
{
    double t = now();
    if (getppid() != driver) /* nobody waits for the answer any more */
        exit(71);
    if (interrupted)
        stopped = "interrupted";
    else if (max_seconds > 0 && t - started > max_seconds)
        stopped = "time";
    if (t - reported < 1)
        return;
    reported = t;
    fprintf(stderr, "%llu %llu %.1f\n", (unsigned long long)walk, (unsigned long long)steps_taken, t - started);
    fflush(stderr);
}

/* 1: a law is broken that ends it. */
static int walk(uint64_t number)
{
    static uint64_t ticks;
    uint8_t s[SLOTS + 1], t[SLOTS + 1], answers[STEP_CHECKS + 1];
    int is_over;
    random_state = mixed(mixed(seed) ^ number);
    for (int a = 0, at[NAMES] = {0}; a < ACTIONS; a++) /* in their own order again */
        instances[first_of[name_of[a]] + at[name_of[a]]++] = a;
    draw_profile();
    memcpy(s, initial[below(INITIAL)], SLOTS);
    length = 0;
    is_over = visit(s, number);
    while (!is_over && length < most_steps) {
        Class *class = class_of(packed);
        int a;
        if ((++ticks & 255) == 0)
            look_up(number);
        if (*stopped)
            break;
        a = choose(s, t);
        if (a == STUCK) {
            terminal++;
            break;
        }
        if (a == BROKEN) {
            stopped = "domain";
            break;
        }
        path[length++] = a;
        fired[a]++;
        steps_taken++;
        class->taken |= 1ull << name_of[a];
        judge[a](s, t, answers);
        for (int i = 0; i < check_count[a]; i++)
            is_over |= note(STATE_LAWS + checks[a][i], answers[checks[a][i]], number);
        is_over |= visit(t, number);
        memcpy(s, t, SLOTS);
    }
    class_of(packed);
    if (length > longest)
        longest = length;
    return is_over;
}

static void print_steps(const uint16_t *steps, int count)
{
    printf("[");
    for (int i = 0; i < count; i++)
        printf("%s%d", i ? ", " : "", steps[i]);
    printf("]");
}

static void print_coverage(void)
{
    uint32_t ranks[66] = {0};
    uint64_t pairs[NAMES] = {0};
    for (uint32_t at = 0; at < 1u << REGISTERS_LOG; at++)
        ranks[registers[at]]++;
    for (uint32_t at = 0; at < CLASSES; at++)
        for (int name = 0; name < names; name++)
            pairs[name] += classes[at].taken >> name & 1;
    printf(" \"classes\": %u, \"are classes full\": %s,\n \"ranks\": [", class_count, are_classes_full ? "true" : "false");
    for (int i = 0; i < 66; i++)
        printf("%s%u", i ? ", " : "", ranks[i]);
    printf("],\n \"pairs\": [");
    for (int name = 0; name < names; name++)
        printf("%s%llu", name ? ", " : "", (unsigned long long)pairs[name]);
    printf("],\n \"fired\": [");
    for (int a = 0; a < ACTIONS; a++)
        printf("%s%llu", a ? ", " : "", (unsigned long long)fired[a]);
    printf("],\n");
}

static void read_names(char *text)
{
    int a = 0;
    for (char *part = strtok(text, ","); part && a < ACTIONS && names <= NAMES; part = strtok(NULL, ",")) {
        int name = name_of[a++] = atoi(part);
        names = name >= names ? name + 1 : names;
        count_of[name]++;
    }
    for (int name = 1; name < names; name++)
        first_of[name] = first_of[name - 1] + count_of[name - 1];
}

int main(int count, char **arguments)
{
    struct rusage usage;
    uint64_t first, last;
    int go_on;
    if (count != 9 + WORDS || strlen(arguments[7]) != CHECKS)
        return 64;
    first = strtoull(arguments[1], NULL, 10);
    last = first + strtoull(arguments[2], NULL, 10);
    most_steps = atoi(arguments[3]);
    seed = strtoull(arguments[4], NULL, 10);
    max_seconds = strtod(arguments[5], NULL);
    read_names(arguments[6]);
    if (names > NAMES)
        return 64;
    ends = arguments[7];
    go_on = atoi(arguments[8]);
    for (int i = 0; i < WORDS; i++)
        mask[i] = strtoull(arguments[9 + i], NULL, 16);
    driver = getppid();
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    classes = taken(calloc(CLASSES, sizeof *classes));
    path = taken(malloc((most_steps + 1) * sizeof *path));
    for (int i = 0; i < CHECKS; i++)
        outcomes[i].steps = taken(malloc((most_steps + 1) * sizeof *path));
    started = reported = now();
    for (uint64_t number = first; number < last && !*stopped; number++) {
        walks_done++;
        if (walk(number) && !go_on)
            break;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"walks\": %llu, \"steps\": %llu, \"longest\": %d, \"terminal\": %llu,\n", (unsigned long long)walks_done,
           (unsigned long long)steps_taken, longest, (unsigned long long)terminal);
    printf(" \"stopped\": \"%s\", \"bound\": \"%s\", \"bound step\": %d,\n", stopped, bound, bound_step);
    printf(" \"seconds\": %.3f, \"peak\": %llu,\n", now() - started, (unsigned long long)usage.ru_maxrss * 1024);
    print_coverage();
    printf(" \"last\": ");
    print_steps(path, length);
    printf(", \"state\": [");
    for (int i = 0; i < WORDS; i++)
        printf("%s\"%llx\"", i ? ", " : "", (unsigned long long)packed[i]);
    printf("],\n \"checks\": [");
    for (int i = 0; i < CHECKS; i++) {
        printf("%s\n  {\"exercised\": %llu, \"walk\": %llu, \"steps\": ", i ? "," : "",
               (unsigned long long)outcomes[i].exercised, (unsigned long long)outcomes[i].walk);
        if (outcomes[i].broken)
            print_steps(outcomes[i].steps, outcomes[i].length);
        else
            printf("null");
        printf("}");
    }
    printf("]}\n");
    return 0;
}
