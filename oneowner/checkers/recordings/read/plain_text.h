/*
 * What readers of plain lines share: words and ranges, and numbers for the names that many lines repeat.
 *
 * A function takes where it is, and returns where what it reads ends; NULL if something else is there.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 18, RANGE = 22 }; /* a unit ends in a range: /0xLOW_0xHIGH */

typedef struct {
    const char *at;
    size_t size;
} Text;

static inline int is_digit(char letter) { return letter >= '0' && letter <= '9'; }

static inline const char *word_at(const char *at, const char *word, size_t size)
{
    return strncmp(at, word, size) ? NULL : at + size;
}

#define WORD(at, word) word_at(at, word, sizeof word - 1)

/* A number of at most 18 digits. */
static inline const char *digits_at(const char *at, int64_t *number)
{
    int is_negative = *at == '-';
    const char *first = at += is_negative;
    int64_t found = 0;
    for (; is_digit(*at) && at - first < MOST_DIGITS; at++)
        found = found * 10 + (*at - '0');
    if (at == first || is_digit(*at))
        return NULL;
    *number = is_negative ? -found : found;
    return at;
}

static int is_range(const char *at)
{
    static const char FORM[] = "/0x########_0x########";
    for (int place = 0; place < RANGE; place++) {
        char letter = at[place], folded = letter | 32;
        if (FORM[place] == '#' ? !is_digit(letter) && !(folded >= 'a' && folded <= 'f') : letter != FORM[place])
            return 0;
    }
    return 1;
}

typedef struct {
    uint64_t hash;
    size_t at;
    uint32_t size;
} Name;

/* Numbers for names: a new one gets the next. Their texts stand behind each other, each with a newline. */
typedef struct {
    uint32_t *slots; /* number and one; 0: free */
    Name *names;
    char *texts;
    uint64_t seed; /* nobody can write a dump whose names all hash alike */
    size_t mask, count, used, space;
} Names;

static int begin(Names *names, uint64_t seed)
{
    names->seed = seed;
    names->mask = 1023;
    names->space = 1 << 15;
    names->slots = calloc(names->mask + 1, sizeof *names->slots);
    names->names = malloc((names->mask + 1) / 2 * sizeof *names->names);
    names->texts = malloc(names->space);
    return names->slots && names->names && names->texts;
}

static void end_names(Names *names, int kinds)
{
    for (int kind = 0; kind < kinds; kind++) {
        free(names[kind].slots);
        free(names[kind].names);
        free(names[kind].texts);
    }
}

/* Begin so many kinds of names, all of which are free of memory before; 0 without memory. */
static int begin_names(Names *names, int kinds, uint64_t seed)
{
    for (int kind = 0; kind < kinds; kind++)
        if (!begin(&names[kind], seed))
            return 0;
    return 1;
}

static uint64_t hash_of(Text text, uint64_t hash)
{
    uint64_t word;
    for (; text.size >= 8; text.at += 8, text.size -= 8) {
        memcpy(&word, text.at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    word = text.size;
    memcpy(&word, text.at, text.size); /* less than eight bytes */
    hash = (hash ^ word ^ (uint64_t)text.size << 56) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

static int grow(Names *names)
{
    size_t mask = names->mask * 2 + 1;
    uint32_t *slots = calloc(mask + 1, sizeof *slots);
    Name *known = realloc(names->names, (mask + 1) / 2 * sizeof *known);
    if (known)
        names->names = known;
    if (!slots || !known) {
        free(slots);
        return 0;
    }
    for (size_t number = 0; number < names->count; number++) {
        size_t place = known[number].hash & mask;
        while (slots[place])
            place = (place + 1) & mask;
        slots[place] = (uint32_t)number + 1;
    }
    free(names->slots);
    names->slots = slots;
    names->mask = mask;
    return 1;
}

/* Return the number of a name, -1 without memory. */
static int32_t number_of(Names *names, Text text)
{
    uint64_t hash = hash_of(text, names->seed);
    size_t place = hash & names->mask;
    for (; names->slots[place]; place = (place + 1) & names->mask) {
        const Name *name = &names->names[names->slots[place] - 1];
        if (name->hash == hash && name->size == text.size && !memcmp(names->texts + name->at, text.at, text.size))
            return (int32_t)names->slots[place] - 1;
    }
    if (names->count >= (names->mask + 1) / 2) {
        if (!grow(names))
            return -1;
        return number_of(names, text);
    }
    if (names->used + text.size + 1 > names->space) {
        size_t space = (names->used + text.size + 1) * 2;
        char *texts = realloc(names->texts, space);
        if (!texts)
            return -1;
        names->texts = texts;
        names->space = space;
    }
    names->names[names->count] = (Name){hash, names->used, (uint32_t)text.size};
    memcpy(names->texts + names->used, text.at, text.size);
    names->used += text.size;
    names->texts[names->used++] = '\n';
    names->slots[place] = (uint32_t)++names->count;
    return (int32_t)names->count - 1;
}
