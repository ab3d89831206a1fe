/*
 * Lines of a channel dump, as a machine writes them, become rows of the table of events (event_columns.py).
 *
 * A line is plain if it is one object in ASCII without escapes, in which every field that counts occurs once at most
 * and has its usual type. It becomes the row that the careful reader makes of it (dump.py). Every other line is named
 * as odd, and is left to that reader, whatever it is: nothing is refused here.
 *
 * A text ends with a NUL, which no plain line has, so that no scan runs over its end.
 */

#include "plain_text.h"

enum { MOST_STATES = 16 };

typedef struct {
    int64_t ledger, entry, batch, line, time, version;
    int64_t sequence, made; /* -1: not told */
    int32_t piece, chunk, partition, key, destination, source, producer, extra;
    int8_t state;
    uint8_t force;
    int8_t parts;
} Row;

typedef struct {
    int64_t row, start, end; /* bytes of the line with its newline */
} Odd;

enum { KEYS, BROKERS, PRODUCERS, KINDS };

typedef struct {
    Names names[KINDS];
    Text states[MOST_STATES];
    int free_state;
    int32_t piece, chunk;
} Reader;

int64_t plain_row_size(void) { return sizeof(Row); }

void plain_close(Reader *reader)
{
    end_names(reader->names, KINDS);
    free(reader);
}

/* Return a reader of one chunk, NULL without memory; states stand in the order of their codes, each with a newline. */
Reader *plain_open(const char *states, int free_state, int32_t piece, int32_t chunk, uint64_t seed)
{
    Reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->free_state = free_state;
    reader->piece = piece;
    reader->chunk = chunk;
    for (int code = 0; *states && code < MOST_STATES; code++) {
        const char *end = strchr(states, '\n');
        reader->states[code] = (Text){states, (size_t)(end - states)};
        states = end + 1;
    }
    if (begin_names(reader->names, KINDS, seed))
        return reader;
    plain_close(reader);
    return NULL;
}

/* Return the texts of all names of a kind, and how many bytes they are. */
const char *plain_names(const Reader *reader, int kind, uint64_t *size)
{
    *size = reader->names[kind].used;
    return reader->names[kind].texts;
}

/* --- JSON: each function takes where it is, and returns where it ends; NULL if what is there is odd. --- */

static inline const char *behind_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

/* A text without escapes, control characters and what is no ASCII; *at* is behind its first quotation mark. */
static inline const char *text_at(const char *at, Text *text)
{
    static const uint8_t ENDS[256] = {
        [0 ... 31] = 1, ['"'] = 1, ['\\'] = 1, [128 ... 255] = 1,
    };
    text->at = at;
    while (!ENDS[(uint8_t)*at])
        at++;
    text->size = (size_t)(at - text->at);
    return *at == '"' ? at + 1 : NULL;
}

/* A number as JSON writes integers. */
static inline const char *number_at(const char *at, int64_t *number)
{
    const char *first = at + (*at == '-'), *end = digits_at(at, number);
    return end && *first == '0' && (end - first > 1 || first > at) ? NULL : end;
}

/* Whatever counts for nothing, if it has no parts. */
static const char *any_at(const char *at)
{
    Text text;
    int64_t number;
    switch (*at) {
    case '"':
        return text_at(at + 1, &text);
    case 't':
        return WORD(at, "true");
    case 'f':
        return WORD(at, "false");
    case 'n':
        return WORD(at, "null");
    case '{':
        return WORD(at, "{}");
    default:
        return number_at(at, &number);
    }
}

/* A number; a negative one, or something else, says that it is not told. */
static const char *told_at(const char *at, int64_t *number)
{
    if (*at != '-' && !is_digit(*at))
        return any_at(at);
    at = number_at(at, number);
    if (at && *number < 0)
        *number = -1;
    return at;
}

/* A name or null; nobody is 0, and names begin with 1. */
static const char *name_at(const char *at, Names *names, int32_t *number)
{
    Text text;
    if (*at != '"')
        return WORD(at, "null");
    at = text_at(at + 1, &text);
    if (!at || !text.size)
        return at;
    *number = number_of(names, text) + 1;
    return *number ? at : NULL;
}

static const char *broker_at(const char *at, Names *names, int32_t *number)
{
    return *at == '"' && at[1] == ' ' ? NULL : name_at(at, names, number); /* it may be blank */
}

static const char *key_at(const char *at, Names *names, int32_t *number)
{
    Text text;
    at = *at == '"' ? text_at(at + 1, &text) : NULL;
    if (!at || text.size < RANGE || !is_range(text.at + text.size - RANGE))
        return NULL;
    *number = number_of(names, text);
    return *number < 0 ? NULL : at;
}

/* A message id of two to four numbers, which are written as such: ledger, entry, partition, batch index. */
static const char *id_at(const char *at, Row *row)
{
    int64_t numbers[4] = {0, 0, 0, -1};
    int parts = 0;
    if (*at++ != '"')
        return NULL;
    for (;; at++) {
        const char *first = at;
        at = number_at(at, &numbers[parts]);
        if (!at || (parts < 2 ? *first == '-' : at - first - (*first == '-') > 9))
            return NULL;
        if (++parts == 4 || *at != ':')
            break;
    }
    row->ledger = numbers[0];
    row->entry = numbers[1];
    row->partition = (int32_t)numbers[2];
    row->batch = numbers[3];
    row->parts = (int8_t)parts;
    return parts >= 2 && *at == '"' ? at + 1 : NULL;
}

static const char *state_at(const char *at, const Reader *reader, int8_t *state)
{
    Text text;
    at = *at == '"' ? text_at(at + 1, &text) : NULL;
    for (int code = 1; at && code < MOST_STATES && reader->states[code].size; code++)
        if (reader->states[code].size == text.size && !memcmp(reader->states[code].at, text.at, text.size)) {
            *state = (int8_t)code;
            return at;
        }
    return NULL;
}

/* The name of a field; it ends where its value begins. */
static inline const char *field_at(const char *at, Text *name)
{
    at = behind_spaces(at);
    at = *at == '"' ? text_at(at + 1, name) : NULL;
    if (!at || *(at = behind_spaces(at)) != ':')
        return NULL;
    return behind_spaces(at + 1);
}

static inline int is_named(Text name, const char *field, size_t size)
{
    return name.size == size && !memcmp(name.at, field, size);
}

#define IS(field) is_named(name, field, sizeof field - 1)
#define ONCE(bit) (seen & 1 << (bit) ? NULL : (seen |= 1 << (bit), at))

/* The record of a message. */
static const char *record_at(const char *at, Reader *reader, Row *row)
{
    Text name;
    int seen = 0;
    if (*at++ != '{')
        return NULL;
    for (;; at++) {
        at = field_at(at, &name);
        if (!at)
            return NULL;
        if (IS("state"))
            at = ONCE(0) ? state_at(at, reader, &row->state) : NULL;
        else if (IS("versionId"))
            at = ONCE(1) ? number_at(at, &row->version) : NULL;
        else if (IS("dstBroker"))
            at = ONCE(2) ? broker_at(at, &reader->names[BROKERS], &row->destination) : NULL;
        else if (IS("sourceBroker"))
            at = ONCE(3) ? broker_at(at, &reader->names[BROKERS], &row->source) : NULL;
        else if (IS("force")) {
            row->force = *at == 't';
            at = ONCE(4) && (*at == 't' || *at == 'f' || *at == 'n') ? any_at(at) : NULL;
        } else if (IS("timestamp"))
            at = ONCE(5) ? told_at(at, &row->made) : NULL;
        else if (IS("splitServiceUnitToDestBroker"))
            at = ONCE(6) ? WORD(at, "null") : NULL;
        else
            at = any_at(at);
        if (!at)
            return NULL;
        at = behind_spaces(at);
        if (*at != ',')
            break;
    }
    if (*at != '}' || (seen & 3) != 3)
        return NULL;
    return row->destination || row->source || row->state == reader->free_state ? at + 1 : NULL;
}

static const char *value_at(const char *at, Reader *reader, Row *row)
{
    if (*at == 'n')
        return WORD(at, "null");
    return *at == '"' ? WORD(at, "\"\"") : record_at(at, reader, row);
}

/* A message; it ends at the end of its line. */
static const char *message_at(const char *at, Reader *reader, Row *row)
{
    Text name;
    int seen = 0;
    if (*at++ != '{')
        return NULL;
    for (;; at++) {
        at = field_at(at, &name);
        if (!at)
            return NULL;
        if (IS("messageId"))
            at = ONCE(0) ? id_at(at, row) : NULL;
        else if (IS("publishTime"))
            at = ONCE(1) ? number_at(at, &row->time) : NULL;
        else if (IS("key"))
            at = ONCE(2) ? key_at(at, &reader->names[KEYS], &row->key) : NULL;
        else if (IS("value"))
            at = ONCE(3) ? value_at(at, reader, row) : NULL;
        else if (IS("producer"))
            at = ONCE(4) ? name_at(at, &reader->names[PRODUCERS], &row->producer) : NULL;
        else if (IS("sequenceId"))
            at = ONCE(5) ? told_at(at, &row->sequence) : NULL;
        else
            at = any_at(at);
        if (!at)
            return NULL;
        at = behind_spaces(at);
        if (*at != ',')
            break;
    }
    return *at == '}' && (seen & 15) == 15 ? at + 1 : NULL;
}

/* Return how many lines a text has; the last one may have no newline. */
int64_t plain_count(const char *text, int64_t size)
{
    int64_t count = size > 0 && text[size - 1] != '\n';
    for (int64_t at = 0; at < size; at++)
        count += text[at] == '\n';
    return count;
}

/*
 * Fill a row for each of the lines, the first of which is number *line*; name those that are odd.
 *
 * There must be room for as many as there are lines. Return how many are odd; their rows hold nothing of use.
 */
int64_t plain_read(Reader *reader, const char *text, int64_t size, int64_t line, Row *rows, Odd *odd)
{
    const char *at = text, *end = text + size;
    int64_t number = 0, odds = 0;
    for (; at < end; number++) {
        Row row = {
            .batch = -1, .line = line + number, .sequence = -1, .made = -1, .piece = reader->piece,
            .chunk = reader->chunk,
        };
        const char *behind = message_at(at, reader, &row);
        rows[number] = row;
        if (behind == end || (behind && *behind == '\n')) {
            at = behind + (behind < end);
            continue;
        }
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        odd[odds++] = (Odd){number, at - text, next - text};
        at = next;
    }
    return odds;
}
