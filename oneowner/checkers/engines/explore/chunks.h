/*
 * Chunks: some states of a level, the steps that they take, and what is kept of them.
 *
 * What a chunk leads to is looked up by the thread whose part of the set it belongs to, in the order of discovery; it is
 * numbered by counting, and then kept. So numbers do not depend on how many threads there are.
 */

#define CHUNK 64 /* states that a thread expands at a time */
#define AHEAD 8  /* look-ups that are prefetched */

typedef struct Chunk {
    _Alignas(64) uint64_t first, last; /* the states of the level that are expanded here; a line of the cache begins */
    uint32_t count, news, base;
    int member;         /* that expands it, and so has it in its cache: nobody else does */
    struct Chunk *next; /* of those that this member does not use now */
    uint8_t *bytes;     /* [count][SLOTS] */
    uint64_t *packed;   /* [count][WORDS] */
    uint32_t *parents;
    uint16_t *actions;
    uint8_t *parts;                     /* the part of the set that each belongs to */
    uint32_t part_counts[MOST_THREADS]; /* how many states belong to each part of the set, */
    uint32_t part_news[MOST_THREADS];   /* how many of them it did not know, */
    uint32_t *in_part[MOST_THREADS];    /* which ones, */
    uint64_t *hashes[MOST_THREADS];     /* their hashes, side by side: all that another thread reads of most models, */
    uint8_t *is_new[MOST_THREADS];      /* and whether it did not know them: each thread writes to its own */
} Chunk;

typedef struct {
    _Alignas(64) Chunk *first; /* the one that was used last, which may still be in the cache */
} Pile;

static Pile unused[MOST_THREADS];

static int max_perturbations, depth;
static uint32_t *parents; /* by number of state */
static uint16_t *reached_by;
static uint64_t *level, *following; /* packed states */
static uint64_t level_count, level_capacity, following_count, following_capacity;
static uint32_t level_number; /* of the first state of the level */

static void *grown(void *old, uint64_t bytes)
{
    void *new = realloc(old, bytes);
    if (!new)
        out_of_memory();
    return new;
}

static void put_back(Chunk *chunk)
{
    chunk->next = unused[chunk->member].first;
    unused[chunk->member].first = chunk;
}

static Chunk *taken(int member)
{
    Chunk *chunk = unused[member].first;
    unused[member].first = chunk->next;
    return chunk;
}

static void open_chunk(int member)
{
    uint64_t most = CHUNK * (ACTIONS ? ACTIONS : 1) + INITIAL; /* what is not used is never touched */
    Chunk *chunk = aligned_alloc(_Alignof(Chunk), sizeof *chunk);
    if (!chunk)
        out_of_memory();
    memset(chunk, 0, sizeof *chunk);
    chunk->member = member;
    chunk->bytes = grown(NULL, most * SLOTS + 1);
    chunk->packed = grown(NULL, most * WORDS * sizeof *chunk->packed);
    chunk->parents = grown(NULL, most * sizeof *chunk->parents);
    chunk->actions = grown(NULL, most * sizeof *chunk->actions);
    chunk->parts = grown(NULL, most);
    for (int part = 0; part < members; part++) {
        chunk->in_part[part] = grown(NULL, most * sizeof *chunk->in_part[part]);
        chunk->hashes[part] = grown(NULL, most * sizeof *chunk->hashes[part]);
        chunk->is_new[part] = grown(NULL, most);
    }
    put_back(chunk);
}

static inline void add(Chunk *chunk, uint32_t at, uint64_t hash)
{
    int part = part_of(hash, members);
    uint32_t place = chunk->part_counts[part]++;
    chunk->parts[at] = part;
    chunk->in_part[part][place] = at;
    chunk->hashes[part][place] = hash;
    if (members == 1) /* it will be looked up by this thread, and soon */
        prefetch(&parts[0], hash);
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

/* Expand the states of a chunk, and stop after *most* steps. */
static void expand(Chunk *chunk, Tally *tally, uint64_t most)
{
    uint8_t s[SLOTS + 1], u[SLOTS + 1], answers[STEP_CHECKS + 1];
    uint64_t r[WORDS], may[ASKED];
    chunk->count = 0;
    memset(chunk->part_counts, 0, sizeof chunk->part_counts);
    for (uint64_t i = chunk->first; i < chunk->last; i++) {
        const uint64_t *p = level + i * WORDS;
        uint32_t number = level_number + i, before = chunk->count;
        unpack(p, s);
        ask(s, may);
        for (int a = next(may); a < ACTIONS; a = next(may)) {
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
            while (what == TAKEN && normalises[a] && (what = normalise(t, u, q, r)) == TAKEN) {
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
#ifdef CLASSES
            Least least;
            represent(t, q, &least);
#endif
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
    const uint64_t *hashes = chunk->hashes[part];
    uint32_t count = chunk->part_counts[part], news = 0;
    for (uint32_t i = 0; i < count; i++) {
        Key key = {{hashes[i]}};
        if (EXACT)
            key = key_of(chunk->packed + (uint64_t)chunk->in_part[part][i] * WORDS, hashes[i]);
        if (members > 1 && i + AHEAD < count)
            prefetch(&parts[part], hashes[i + AHEAD]);
        news += chunk->is_new[part][i] = insert(&parts[part], &key, hashes[i]);
    }
    chunk->part_news[part] = news;
}

/* Whether a state is new; they are asked for one after the other, and *seen* counts those of each part. */
static inline int is_new(const Chunk *chunk, uint32_t at, uint32_t *seen)
{
    int part = chunk->parts[at];
    return chunk->is_new[part][seen[part]++];
}

/* Keep and judge the new states of a chunk, but no more than its news. */
static void keep(Chunk *chunk, Tally *tally)
{
    uint8_t answers[STATE_LAWS + 1];
    uint32_t seen[MOST_THREADS] = {0}, number = chunk->base, end = chunk->base + chunk->news;
    uint64_t first = level_number + level_count;
    for (uint32_t i = 0; i < chunk->count && number < end; i++) {
        if (!is_new(chunk, i, seen))
            continue;
        parents[number] = chunk->parents[i];
        reached_by[number] = chunk->actions[i];
        memcpy(following + (number - first) * WORDS, chunk->packed + (uint64_t)i * WORDS, WORDS * sizeof *following);
        judge_state(chunk->bytes + (uint64_t)i * SLOTS, answers);
        for (int law = 0; law < STATE_LAWS; law++)
            note(&tally->outcomes[law], answers[law], chunk->actions[i] ? depth + 1 : 0, number, -1,
                 chunk->bytes + (uint64_t)i * SLOTS);
#ifdef CLASSES
        tally->represented += orbit(chunk->bytes + (uint64_t)i * SLOTS, chunk->packed + (uint64_t)i * WORDS);
#endif
        number++;
    }
}
