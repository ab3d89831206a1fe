/*
 * The set of the states that were seen, in parts of which each belongs to one thread.
 *
 * A state of at most 128 bits is kept whole: as it is packed, or denser where that takes more than two words. Of a larger
 * one a 64-bit fingerprint is kept: the driver reports how likely it is that two states share one. Tables are open,
 * probed in line, at most three quarters full.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define EXACT (BITS <= 128)
#define DENSE (EXACT && WORDS > 2)
#define KEY (DENSE ? 2 : EXACT ? WORDS : 1)
#define MOST_THREADS 64

typedef struct {
    uint64_t word[KEY];
} Key;

typedef struct {
    _Alignas(64) Key *keys; /* no two parts in one cache line */
    uint64_t size, count;
    int has_zero; /* the key whose words are all 0, which marks a free place in the table */
} Part;

static Part parts[MOST_THREADS];

static inline uint64_t hash_of_words(const uint64_t *p, int count)
{
    unsigned __int128 m;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < count; i++) {
        m = (unsigned __int128)(p[i] ^ h) * (0xa0761d6478bd642fu + 0xe7037ed1a0b428dbu * (2 * i + 1));
        h = (uint64_t)m ^ (uint64_t)(m >> 64) ^ (p[i] << 32 | p[i] >> 32);
    }
    m = (unsigned __int128)(h ^ 0x8ebc6af09c88c6e3u) * 0x589965cc75374cc3u;
    h = (uint64_t)m ^ (uint64_t)(m >> 64);
    return h ? h : 1;
}

static inline Key key_of(const uint64_t *packed, uint64_t hash)
{
    Key key = {{hash}};
    if (DENSE)
        squeeze(packed, key.word);
    else if (EXACT)
        memcpy(key.word, packed, sizeof key);
    return key;
}

static inline uint64_t hash_of_key(const Key *key) { return EXACT ? hash_of_words(key->word, KEY) : key->word[0]; }

static inline uint64_t hash_of(const uint64_t *packed)
{
    Key key;
    if (!DENSE)
        return hash_of_words(packed, WORDS);
    key = key_of(packed, 0);
    return hash_of_key(&key);
}

static inline int same(const Key *one, const Key *other)
{
    return one->word[0] == other->word[0] && one->word[KEY - 1] == other->word[KEY - 1];
}

static inline int is_zero(const Key *key) { return !(key->word[0] | key->word[KEY - 1]); }

/* Which part a state belongs to: by the upper half of its hash; its place there is by the lower bits. */
static inline int part_of(uint64_t hash, int threads) { return (hash >> 32) * threads >> 32; }

static void out_of_memory(void)
{
    fprintf(stderr, "out of memory\n");
    exit(70);
}

static Key *pages(uint64_t size)
{
    uint64_t bytes = size * sizeof(Key);
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        out_of_memory();
#ifdef MADV_HUGEPAGE /* every look-up misses the cache; it need not miss the page table too */
    if (bytes >= 1 << 22)
        madvise(found, bytes, MADV_HUGEPAGE);
#endif
    return found;
}

static void open_part(Part *part)
{
    part->size = 1 << 12;
    part->keys = pages(part->size);
}

/* The size that a part needs in order to take so many more keys. */
static uint64_t size_for(const Part *part, uint64_t more)
{
    uint64_t size = part->size;
    while ((part->count + more) * 4 > size * 3)
        size *= 2;
    return size;
}

static void resize(Part *part, uint64_t size)
{
    Key *bigger = pages(size);
    for (uint64_t i = 0; i < part->size; i++)
        if (!is_zero(&part->keys[i])) {
            uint64_t at = hash_of_key(&part->keys[i]) & (size - 1);
            while (!is_zero(&bigger[at]))
                at = (at + 1) & (size - 1);
            bigger[at] = part->keys[i];
        }
    munmap(part->keys, part->size * sizeof(Key));
    part->keys = bigger;
    part->size = size;
}

static inline void prefetch(const Part *part, uint64_t hash) { __builtin_prefetch(&part->keys[hash & (part->size - 1)]); }

/* 1: the key is new and now known; 0: it was known. */
static inline int insert(Part *part, const Key *key, uint64_t hash)
{
    uint64_t at = hash & (part->size - 1);
    if (EXACT && is_zero(key)) {
        int is_new = !part->has_zero;
        part->has_zero = 1;
        return is_new;
    }
    while (!is_zero(&part->keys[at])) {
        if (same(&part->keys[at], key))
            return 0;
        at = (at + 1) & (part->size - 1);
    }
    part->keys[at] = *key;
    part->count++;
    return 1;
}
