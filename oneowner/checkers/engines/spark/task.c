/*
 * What the tasks of a distributed search do with states, over a model that was written by
 * checkers/engines/compile/c.py and is included as MODEL. It is a shared library: checkers/engines/spark/library.py
 * calls it with plain arrays, and keeps no state here between two calls.
 *
 * A state has a key of 128 bits, uniformly spread. Of a state of at most 128 bits it is a permutation of them, so two
 * states never share one; of a larger state it is a hash. A record is a key and the packed state.
 */

#include MODEL

#include <stdlib.h>

#define CHECKS (STATE_LAWS + STEP_CHECKS)
#define BOUNDS (sizeof bounds / sizeof *bounds)
#define EXACT (BITS <= 128)
#define NONE UINT64_MAX

typedef struct {
    uint64_t word[2];
} Key;

typedef struct {
    Key key;
    uint64_t state[WORDS];
} Record;

/* What tasks count: their sums are those of the search, but for the least perturbations of what breaks a law. */
typedef struct {
    uint64_t transitions, terminal, outside, damaged;
    uint64_t beyond[BOUNDS], fired[ACTIONS + 1], exercised[CHECKS + 1], least[CHECKS + 1];
} Tally;

/* What is asked for on the way back from where laws break: a bit for each of them. */
typedef struct {
    uint64_t wanted[CHECKS + 1]; /* by law, 0 for those that break elsewhere; last, steps beyond a bound */
    uint64_t least[CHECKS + 1];  /* the perturbations of their counterexamples */
} Question;

void shape(uint64_t *out)
{
    uint64_t numbers[] = {WORDS, ACTIONS, STATE_LAWS, STEP_CHECKS, BOUNDS, INITIAL, EXACT};
    memcpy(out, numbers, sizeof numbers);
}

const char *bound_name(int bound) { return bounds[bound]; }

/* ---- keys ---- */

static inline uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    return z ^ z >> 32;
}

static inline uint64_t hash(const uint64_t *p, uint64_t seed, uint64_t odd)
{
    uint64_t h = seed;
    for (int i = 0; i < WORDS; i++) {
        unsigned __int128 m = (unsigned __int128)(p[i] ^ h) * (odd + 2 * seed * i);
        h = (uint64_t)m ^ (uint64_t)(m >> 64) ^ (p[i] << 32 | p[i] >> 32);
    }
    return mixed(h);
}

static inline Key key_of(const uint64_t *p)
{
    Key key = {{0, 0}};
    if (EXACT) {
        if (WORDS > 2)
            squeeze(p, key.word);
        else
            memcpy(key.word, p, WORDS * sizeof *p);
        key.word[0] ^= mixed(key.word[1] + 0x9e3779b97f4a7c15u); /* a Feistel network: one to one */
        key.word[1] ^= mixed(key.word[0] + 0x2545f4914f6cdd1du);
        key.word[0] ^= mixed(key.word[1] + 0x8ebc6af09c88c6e3u);
    } else {
        key.word[0] = hash(p, 0x9e3779b97f4a7c15u, 0xa0761d6478bd642fu);
        key.word[1] = hash(p, 0x589965cc75374cc3u, 0xe7037ed1a0b428dbu);
    }
    return key;
}

static inline int compared(const Key *one, const Key *other)
{
    if (one->word[0] != other->word[0])
        return one->word[0] < other->word[0] ? -1 : 1;
    return one->word[1] < other->word[1] ? -1 : one->word[1] > other->word[1];
}

static inline int is_same(const Key *one, const Key *other) { return !compared(one, other); }

/* ---- steps ---- */

/* Take an action and what comes after every action. */
static inline int take(int a, const uint8_t *s, uint8_t *t, const uint64_t *p, uint64_t *q)
{
    uint8_t u[SLOTS + 1];
    uint64_t r[WORDS];
    int what = act[a](s, t, p, q);
    if (what != TAKEN || !normalises[a])
        return what;
    while ((what = normalise(t, u, q, r)) == TAKEN) {
        memcpy(t, u, SLOTS);
        memcpy(q, r, sizeof r);
    }
    return what == OUTSIDE ? OUTSIDE : TAKEN;
}

/* Take the first action out of those that may be enabled; ACTIONS: none is left. */
static inline int next(uint64_t *may)
{
    for (int word = 0; word < ASKED; word++)
        if (may[word]) {
            int bit = __builtin_ctzll(may[word]);
            may[word] &= may[word] - 1;
            return 64 * word + bit;
        }
    return ACTIONS;
}

static inline void note(Tally *tally, int check, int answer, const uint8_t *after)
{
    tally->exercised[check] += answer > 0;
    if (answer == 2) {
        uint64_t spent = perturbations(after);
        if (spent < tally->least[check])
            tally->least[check] = spent;
    }
}

static void judge_one(const uint8_t *s, Tally *tally)
{
    uint8_t answers[STATE_LAWS + 1];
    judge_state(s, answers);
    for (int law = 0; law < STATE_LAWS; law++)
        note(tally, law, answers[law], s);
}

uint64_t begin(Record *out)
{
    for (int i = 0; i < INITIAL; i++) {
        pack(initial[i], out[i].state);
        out[i].key = key_of(out[i].state);
    }
    return INITIAL;
}

/*
 * Expand states until all are, or there is no room for the steps of another one; return how many records there are.
 * A step that leads back to where it began is counted, and gives no record: that state is known.
 */
uint64_t expand(const Key *keys, const uint64_t *states, uint64_t count, int64_t most_perturbations, Record *out,
                uint64_t room, uint64_t *expanded, Tally *tally)
{
    uint8_t s[SLOTS + 1], t[SLOTS + 1], answers[STEP_CHECKS + 1];
    uint64_t may[ASKED], found = 0, i = 0;
    for (; i < count && found + ACTIONS <= room; i++) {
        const uint64_t *p = states + i * WORDS;
        Key key = key_of(p);
        int taken = 0;
        tally->damaged += !is_same(&key, &keys[i]);
        unpack(p, s);
        ask(s, may);
        for (int a = next(may); a < ACTIONS; a = next(may)) {
            uint64_t *q = out[found].state;
            int what = take(a, s, t, p, q);
            if (what == DISABLED)
                continue;
            if (what >= BEYOND) {
                tally->beyond[what - BEYOND]++;
                continue;
            }
            if (what == OUTSIDE) {
                tally->outside++;
                continue;
            }
            if (most_perturbations >= 0 && perturbations(t) > most_perturbations)
                continue;
            taken = 1;
            tally->transitions++;
            tally->fired[a]++;
            judge[a](s, t, answers);
            for (int c = 0; c < check_count[a]; c++)
                note(tally, STATE_LAWS + checks[a][c], answers[checks[a][c]], t);
            if (memcmp(p, q, WORDS * sizeof *q)) {
                out[found].key = key_of(q);
                found++;
            }
        }
        tally->terminal += !taken;
    }
    *expanded = i;
    return found;
}

void judge_all(const Record *records, uint64_t count, Tally *tally)
{
    uint8_t s[SLOTS + 1];
    for (uint64_t i = 0; i < count; i++) {
        unpack(records[i].state, s);
        judge_one(s, tally);
    }
}

/* ---- order ---- */

typedef struct {
    uint64_t word;
    uint32_t at;
} Place;

/* Put records into *to* in the order of their keys, each once; return how many; NONE: no memory. */
uint64_t ordered_once(const Record *records, uint64_t count, Record *to)
{
    uint64_t low = NONE, high = 0, kept = 0;
    int bits, wanted = 1, shift;
    uint32_t *starts, buckets;
    Place *places;
    if (!count)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = records[i].key.word[0];
        low = word < low ? word : low;
        high = word > high ? word : high;
    }
    bits = high > low ? 64 - __builtin_clzll(high - low) : 1;
    while (wanted < 24 && 2ull << wanted < count)
        wanted++;
    shift = bits > wanted ? bits - wanted : 0;
    buckets = ((high - low) >> shift) + 1;
    starts = calloc((uint64_t)buckets + 1, sizeof *starts);
    places = malloc(count * sizeof *places);
    if (!starts || !places) {
        free(starts);
        free(places);
        return NONE;
    }
    for (uint64_t i = 0; i < count; i++) /* keys are spread evenly: each bucket gets a few */
        starts[(records[i].key.word[0] - low) >> shift]++;
    for (uint32_t bucket = 0, sum = 0; bucket <= buckets; bucket++) {
        uint32_t more = starts[bucket];
        starts[bucket] = sum;
        sum += more;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = records[i].key.word[0];
        places[starts[(word - low) >> shift]++] = (Place){word, i};
    }
    for (uint64_t i = 1; i < count; i++) { /* and what is left to do is near */
        Place moved = places[i];
        uint64_t at = i;
        for (; at && (places[at - 1].word > moved.word ||
                      (places[at - 1].word == moved.word &&
                       records[places[at - 1].at].key.word[1] > records[moved.at].key.word[1])); at--)
            places[at] = places[at - 1];
        places[at] = moved;
    }
    for (uint64_t i = 0; i < count; i++) {
        const Record *record = &records[places[i].at];
        if (i + 8 < count)
            __builtin_prefetch(&records[places[i + 8].at]);
        if (!kept || !is_same(&record->key, &to[kept - 1].key))
            to[kept++] = *record;
    }
    free(starts);
    free(places);
    return kept;
}

/* Leave out of ordered records those whose keys are among ordered keys; return how many are left; begin at *from. */
uint64_t subtract(Record *records, uint64_t count, const Key *keys, uint64_t key_count, uint8_t *is_known, uint64_t from)
{
    uint64_t at = from;
    for (uint64_t i = 0; i < key_count && at < count;) {
        int order = compared(&records[at].key, &keys[i]);
        if (order == 0)
            is_known[at] = 1;
        i += order >= 0;
        at += order <= 0;
    }
    return at;
}

uint64_t without_known(Record *records, uint64_t count, const uint8_t *is_known)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (!is_known[i]) {
            if (kept != i)
                records[kept] = records[i];
            kept++;
        }
    return kept;
}

/* Merge ordered keys of which none is in both, as far as one of them goes; return how many, and how far each went. */
uint64_t merged(const Key *one, uint64_t one_count, const Key *other, uint64_t other_count, Key *out, uint64_t *taken)
{
    uint64_t i = 0, j = 0, at = 0;
    while (i < one_count && j < other_count)
        out[at++] = compared(&one[i], &other[j]) < 0 ? one[i++] : other[j++];
    taken[0] = i, taken[1] = j;
    return at;
}

int is_ordered(const Key *keys, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (compared(&keys[i - 1], &keys[i]) >= 0)
            return 0;
    return 1;
}

void split(const Record *records, uint64_t count, Key *keys, uint64_t *states)
{
    for (uint64_t i = 0; i < count; i++) {
        keys[i] = records[i].key;
        memcpy(states + i * WORDS, records[i].state, WORDS * sizeof *states);
    }
}

/* How many of ordered records have a key whose first word is below *end*. */
uint64_t below(const Record *records, uint64_t count, uint64_t end)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (records[middle].key.word[0] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- ways back ---- */

/* The bits of a key among ordered keys; 0: it is not there. */
static uint64_t bits_of(const Key *key, const Key *keys, const uint64_t *masks, uint64_t count)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = compared(&keys[middle], key);
        if (!order)
            return masks[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Take a step, and say which laws it breaks that are asked for, as bits. */
static int judged(int a, const uint8_t *s, uint8_t *t, const uint64_t *p, uint64_t *q, int64_t most,
                  const Question *question, uint64_t *bits)
{
    uint8_t answers[STEP_CHECKS + 1];
    int what = take(a, s, t, p, q);
    *bits = what >= BEYOND ? question->wanted[CHECKS] : 0;
    if (what != TAKEN)
        return what;
    if (most >= 0 && perturbations(t) > most)
        return DISABLED;
    judge[a](s, t, answers);
    for (int c = 0; c < check_count[a]; c++) {
        int check = STATE_LAWS + checks[a][c];
        if (answers[checks[a][c]] == 2 && (uint64_t)perturbations(t) == question->least[check])
            *bits |= question->wanted[check];
    }
    return TAKEN;
}

/*
 * Say for which laws each state is on a shortest way: it breaks them itself, by a step, or leads to one that is. *ahead*
 * are the ordered keys of those of the next level.
 */
void leading(const uint64_t *states, uint64_t count, int64_t most, const Question *question, const Key *ahead,
             const uint64_t *masks_ahead, uint64_t ahead_count, uint64_t *masks)
{
    uint8_t s[SLOTS + 1], t[SLOTS + 1], answers[STATE_LAWS + 1];
    uint64_t may[ASKED], q[WORDS], bits;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *p = states + i * WORDS;
        masks[i] = 0;
        unpack(p, s);
        judge_state(s, answers);
        for (int law = 0; law < STATE_LAWS; law++)
            if (answers[law] == 2 && (uint64_t)perturbations(s) == question->least[law])
                masks[i] |= question->wanted[law];
        ask(s, may);
        for (int a = next(may); a < ACTIONS; a = next(may)) {
            int what = judged(a, s, t, p, q, most, question, &bits);
            masks[i] |= bits;
            if (what == TAKEN) {
                Key key = key_of(q);
                masks[i] |= bits_of(&key, ahead, masks_ahead, ahead_count);
            }
        }
    }
}

/* The first action that breaks what is asked for (or goes beyond a bound: that is put into *bound*); -1: none. */
int breaking(const uint64_t *p, int64_t most, const Question *question, int *bound)
{
    uint8_t s[SLOTS + 1], t[SLOTS + 1];
    uint64_t may[ASKED], q[WORDS], bits;
    unpack(p, s);
    ask(s, may);
    for (int a = next(may); a < ACTIONS; a = next(may)) {
        int what = judged(a, s, t, p, q, most, question, &bits);
        *bound = what >= BEYOND ? what - BEYOND : -1;
        if (bits)
            return a;
    }
    return -1;
}

/* The first action that leads to one of *ahead* with this bit, and the state there; -1: none. */
int follow(const uint64_t *p, int64_t most, const Key *ahead, const uint64_t *masks, uint64_t count, uint64_t bit,
           uint64_t *after)
{
    uint8_t s[SLOTS + 1], t[SLOTS + 1];
    uint64_t may[ASKED];
    unpack(p, s);
    ask(s, may);
    for (int a = next(may); a < ACTIONS; a = next(may)) {
        Key key;
        if (take(a, s, t, p, after) != TAKEN || (most >= 0 && perturbations(t) > most))
            continue;
        key = key_of(after);
        if (bits_of(&key, ahead, masks, count) & bit)
            return a;
    }
    return -1;
}
