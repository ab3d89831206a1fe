/*
 * Lines of a broker's log that print a record of the channel, as 3.0 to 4.0.x do, become rows (line_columns.py).
 *
 * A line is plain if it is one of three statements whole, in ASCII, with a record that is no split. Every other line is
 * odd, and is left to the table of patterns, which also finds the words for what is wrong.
 *
 * Each function takes where it is, and returns where what it reads ends; NULL if what is there is odd. None reads over
 * the end of a line: no newline, and no NUL behind the text, is of any class of letters.
 */

#include "plain_text.h"

enum { LAST_ZONE = 14 };

#define NO_NUMBER INT64_MIN
#define NO_RECORD (-1)

typedef struct {
    int64_t time, version, made, counter;
    int32_t event, thread, unit, kind, piece, chunk, line;
} Row;

enum { HANDLE_REQUEST, HANDLED, SKIPPED };
enum { THREADS, UNITS, RECORDS, BROKERS, KINDS };

typedef struct {
    Names names[KINDS];
} Reader;

int64_t record_row_size(void) { return sizeof(Row); }

void record_close(Reader *reader)
{
    end_names(reader->names, KINDS);
    free(reader);
}

/* Return a reader of one file, NULL without memory. */
Reader *record_open(uint64_t seed)
{
    Reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    if (begin_names(reader->names, KINDS, seed))
        return reader;
    record_close(reader);
    return NULL;
}

/* Return the texts of all names of a kind, and how many bytes they are. */
const char *record_names(const Reader *reader, int kind, uint64_t *size)
{
    *size = reader->names[kind].used;
    return reader->names[kind].texts;
}

static inline int is_shown(char letter) { return letter > ' ' && letter <= '~'; }

#define BEHIND(word) (at = WORD(at, word))

/* Exactly so many digits. */
static inline const char *part_at(const char *at, int count, int *number)
{
    *number = 0;
    for (const char *end = at + count; at < end; at++) {
        if (!is_digit(*at))
            return NULL;
        *number = *number * 10 + (*at - '0');
    }
    return at;
}

static int days_of(int year, int month)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return DAYS[month - 1] + (month == 2 && (year % 4 == 0) - (year % 100 == 0) + (year % 400 == 0));
}

/* A time since 1970, as 2026-11-21T00:18:19,896+0000. */
static const char *time_at(const char *at, int64_t *time)
{
    int year, month, day, hour, minute, second, millis, hours = 0, minutes = 0, sign = 0;
    if (!(at = part_at(at, 4, &year)) || *at++ != '-' || !(at = part_at(at, 2, &month)) || *at++ != '-')
        return NULL;
    if (!(at = part_at(at, 2, &day)) || *at++ != 'T' || !(at = part_at(at, 2, &hour)) || *at++ != ':')
        return NULL;
    if (!(at = part_at(at, 2, &minute)) || *at++ != ':' || !(at = part_at(at, 2, &second)))
        return NULL;
    if ((*at != '.' && *at != ',') || !(at = part_at(at + 1, 3, &millis)))
        return NULL;
    if (*at == 'Z')
        at++;
    else if (*at == '+' || *at == '-') {
        sign = *at == '+' ? 1 : -1;
        if (!(at = part_at(at + 1, 2, &hours)) || !(at = part_at(at + (*at == ':'), 2, &minutes)))
            return NULL;
    } else
        return NULL;
    if (year <= 1970 || month < 1 || month > 12 || day < 1 || day > days_of(year, month))
        return NULL;
    if (hour > 23 || minute > 59 || second > 59 || hours > LAST_ZONE || minutes > 59)
        return NULL;
    int64_t past = year - 1, days = past * 365 + past / 4 - past / 100 + past / 400 - 719162;
    for (int before = 1; before < month; before++)
        days += days_of(year, before);
    int64_t of_day = (hour * 60 + minute - sign * (hours * 60 + minutes)) * 60 + second;
    *time = ((days + day - 1) * 86400 + of_day) * 1000 + millis;
    return at;
}

/* A name that goes on to the first blank, without its last so many letters. */
static inline const char *named_at(const char *at, size_t without, Text *name)
{
    name->at = at;
    while (is_shown(*at))
        at++;
    name->size = (size_t)(at - name->at) - without;
    return (size_t)(at - name->at) > without ? at : NULL;
}

/* A unit and so many letters behind it, to the first blank. */
static const char *unit_at(const char *at, size_t without, Reader *reader, int32_t *unit)
{
    Text name;
    at = named_at(at, without, &name);
    if (!at || name.size <= RANGE || !is_range(name.at + name.size - RANGE))
        return NULL;
    for (size_t place = 0; place < name.size; place++) /* each part has letters */
        if (name.at[place] == '/' && (!place || name.at[place - 1] == '/'))
            return NULL;
    *unit = number_of(&reader->names[UNITS], name);
    return *unit < 0 ? NULL : at;
}

/* A broker, or nothing, to the next comma. */
static inline const char *party_at(const char *at)
{
    while (is_shown(*at) && *at != ',')
        at++;
    return at;
}

static const char *state_at(const char *at)
{
    static const char *STATES[] = {"Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted"};
    for (size_t state = 0; state < sizeof STATES / sizeof *STATES; state++) {
        const char *end = word_at(at, STATES[state], strlen(STATES[state]));
        if (end && *end == ',')
            return end;
    }
    return NULL;
}

/* A record that is no split, or null; *said* is what it says but for its version and when it was made. */
static const char *record_at(const char *at, Text *said, int64_t *made, int64_t *version)
{
    said->size = 0;
    *made = *version = NO_NUMBER;
    if (*at == 'n')
        return WORD(at, "null");
    if (!BEHIND("ServiceUnitStateData[state="))
        return NULL;
    said->at = at;
    if (!(at = state_at(at)) || !BEHIND(", dstBroker=") || !(at = party_at(at)) || !BEHIND(", sourceBroker="))
        return NULL;
    if (!(at = party_at(at)) || !BEHIND(", splitServiceUnitToDestBroker=null, force="))
        return NULL;
    if (!(at = *at == 't' ? WORD(at, "true") : WORD(at, "false")))
        return NULL;
    said->size = (size_t)(at - said->at);
    if (!BEHIND(", timestamp=") || !(at = digits_at(at, made)) || !BEHIND(", versionId="))
        return NULL;
    return (at = digits_at(at, version)) && *at == ']' ? at + 1 : NULL;
}

static const char *told_at(const char *at, Reader *reader, Row *row)
{
    Text said;
    at = record_at(at, &said, &row->made, &row->version);
    if (!at)
        return NULL;
    row->kind = said.size ? number_of(&reader->names[RECORDS], said) : NO_RECORD;
    return said.size && row->kind < 0 ? NULL : at;
}

static const char *other_at(const char *at)
{
    Text said;
    int64_t made, version;
    return record_at(at, &said, &made, &version);
}

/* What ServiceUnitStateChannelImpl says, behind its broker. */
static const char *handling_at(const char *at, Reader *reader, Row *row)
{
    const char *request = WORD(at, " received a handle request for serviceUnit:");
    if (request) {
        row->event = HANDLE_REQUEST;
        if (!(at = unit_at(request, 1, reader, &row->unit)) || at[-1] != ',' || !BEHIND(" data:"))
            return NULL;
        if (!(at = told_at(at, reader, row)) || !BEHIND(". totalHandledRequests:"))
            return NULL;
        return digits_at(at, &row->counter);
    }
    Text way;
    row->event = HANDLED;
    if (!BEHIND(" handled ") || !(at = named_at(at, 0, &way)) || !BEHIND(" event for serviceUnit:"))
        return NULL;
    if (!(at = unit_at(at, 1, reader, &row->unit)) || at[-1] != ',' || !BEHIND(" cur:"))
        return NULL;
    if (!(at = told_at(at, reader, row)) || !BEHIND(", next:") || !(at = other_at(at)))
        return NULL;
    if (!BEHIND(", totalHandledRequests:") || !(at = digits_at(at, &row->counter)))
        return NULL;
    if (!BEHIND(", totalFailedRequests:"))
        return NULL;
    const char *first = at += *at == '-';
    while (is_digit(*at))
        at++;
    return at > first ? at : NULL;
}

/* What TableViewImpl says of a record that it drops. */
static const char *skipping_at(const char *at, Reader *reader, Row *row)
{
    row->event = SKIPPED;
    if (!BEHIND("Skipped the message from topic persistent://pulsar/system/loadbalancer-service-unit-state. key="))
        return NULL;
    if (!(at = unit_at(at, 0, reader, &row->unit)) || !BEHIND(" value=") || !(at = told_at(at, reader, row)))
        return NULL;
    return BEHIND(" prev=") ? other_at(at) : NULL;
}

/* Who says it: a broker, to the first blank. */
static const char *broker_at(const char *at, Reader *reader, int32_t *broker)
{
    Text name;
    if (WORD(at, "null ") || WORD(at, "Optional") || !(at = named_at(at, 0, &name)))
        return NULL;
    if (memchr(name.at, ',', name.size) || memchr(name.at, ';', name.size))
        return NULL;
    *broker = number_of(&reader->names[BROKERS], name);
    return *broker < 0 ? NULL : at;
}

/* A line; it is of INFO, and not of the thread that starts a broker. */
static const char *line_at(const char *at, Reader *reader, Row *row, int32_t *broker)
{
    Text thread;
    if (!(at = time_at(at, &row->time)) || !BEHIND(" ["))
        return NULL;
    thread.at = at;
    while (*at >= ' ' && *at <= '~' && *at != ']')
        at++;
    thread.size = (size_t)(at - thread.at);
    if ((thread.size == 4 && !memcmp(thread.at, "main", 4)) || !BEHIND("] INFO "))
        return NULL;
    while (*at == ' ')
        at++;
    if (!BEHIND("org.apache.pulsar.") || (row->thread = number_of(&reader->names[THREADS], thread)) < 0)
        return NULL;
    const char *channel = WORD(at, "broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl - ");
    if (channel) {
        at = broker_at(channel, reader, broker);
        return at ? handling_at(at, reader, row) : NULL;
    }
    return BEHIND("client.impl.TableViewImpl - ") ? skipping_at(at, reader, row) : NULL;
}

/*
 * Fill a row for each plain line, and who says it (-1: nobody), where there is room for all that are wanted.
 *
 * *begins* is where each line of the text begins, and at its end where the next one would; *wanted* are *count* lines
 * of it, by number from 0, each of which ends with a newline or a NUL. Return how many rows there are; a line that has
 * none is odd.
 */
int64_t record_read(Reader *reader, const char *text, const int64_t *begins, const int64_t *wanted, int64_t count,
                    int32_t piece, int32_t chunk, Row *rows, int32_t *brokers)
{
    int64_t number = 0;
    for (int64_t place = 0; place < count; place++) {
        int64_t line = wanted[place];
        Row row = {.counter = NO_NUMBER, .piece = piece, .chunk = chunk, .line = (int32_t)line};
        brokers[number] = -1;
        if (line_at(text + begins[line], reader, &row, &brokers[number]) == text + begins[line + 1] - 1)
            rows[number++] = row;
    }
    return number;
}
