/*
 * The family `transfer`, by hand: three brokers, one unit that broker 1 owns, unloads and transfers.
 *
 * One process, one option per action instance, each a d_step: a transition here is a step of the model. The
 * rules are those of the research note's sections 3 (resolver R4 to R8), 5 (who publishes what) and 6 (handlers).
 * Bounds come from the command line: spin -a -DTRANSFERS=2 -DUNLOADS=1 -DWINDOW=3 -DVERSIONS=10 transfer.pml
 */

#if VERSIONS > 30
#error the versions that won are bits of an int
#endif

/* A record is one number: version, source (2 bits), destination (2 bits), state (3 bits); 0 is no record.
   Brokers count from 1, 0 is nobody. Nobody forces a record in this family. */
#define FREE      1
#define OWNED     2
#define ASSIGNING 3
#define RELEASING 4

#define RECORD(state, destination, source, version) ((version) << 7 | (source) << 5 | (destination) << 3 | (state))
#define STATE(r)       ((r) & 7)
#define DESTINATION(r) ((r) >> 3 & 3)
#define SOURCE(r)      ((r) >> 5 & 3)
#define BROKERS(r)     ((r) >> 3 & 15)
#define VERSION(r)     ((r) >> 7)
#define NEXT(state, r) (((r) & ~7 | (state)) + 128)  /* the same brokers, the next version */
#define OWNER(r)       (STATE(r) == OWNED -> DESTINATION(r) : 0)

/* The resolver: behind a gap anything is accepted (R5), in turn what table and brokers allow (R7, R8). */
#define IN_TURN(held, r) (VERSION(r) == VERSION(held) + 1)
#define LAWFUL(held, r) ( \
    (STATE(held) == OWNED && STATE(r) == RELEASING \
        && SOURCE(r) && SOURCE(r) == DESTINATION(held) && DESTINATION(r) != DESTINATION(held)) \
 || (STATE(held) == ASSIGNING && STATE(r) == OWNED && BROKERS(r) == BROKERS(held)) \
 || (STATE(held) == RELEASING && STATE(r) == ASSIGNING && BROKERS(r) == BROKERS(held) && DESTINATION(r)) \
 || (STATE(held) == RELEASING && STATE(r) == FREE && BROKERS(r) == BROKERS(held)) \
 || (STATE(held) == FREE && STATE(r) == ASSIGNING && DESTINATION(r) && !SOURCE(r)))
#define ACCEPTS(held, r) (VERSION(held) < VERSION(r) && (!IN_TURN(held, r) || LAWFUL(held, r)))

#define START RECORD(OWNED, 1, 0, 2)

short base = START;       /* the fold of all records that every broker has consumed */
short topic[WINDOW];        /* the others */
short view[3] = START;    /* of broker i + 1, like all that follows */
short outbox[3];          /* published, not yet in the log */
short basis[3];           /* the view that the publish was computed from */
short closing[3];         /* the record on whose behalf the topics are being closed */
int won = 6;              /* ghost: the versions of which a record was accepted, as bits; 1 and 2 at the start */
byte length;              /* of topic */
byte cursor[3];           /* how many records of topic the broker has consumed */
byte serving = 1;         /* who serves the unit, as bits; broker 1 at the start */
byte unloads = UNLOADS;
byte transfers = TRANSFERS;
bool tainted;             /* ghost: a record behind a gap was accepted */
bool poisoned;            /* ghost: a handler met a record that it has no case for */

hidden short held;        /* scratch of one step; not part of the state */
hidden byte at;

#define SERVES(i) (serving >> (i) & 1)

inline fold(count) {      /* held = what a reader of count records of the window holds */
  held = base;
  at = 0;
  do
  :: at < count ->
     if :: ACCEPTS(held, topic[at]) -> held = topic[at] :: else fi;
     at++
  :: else -> break
  od
}

inline publish(who, record, from) {  /* parameters of nested inlines must differ in name */
  assert(VERSION(record) <= VERSIONS);  /* else the bound is too small */
  outbox[who] = record;
  basis[who] = from
}

/* Commands: any broker serves them from its own view. */
#define CAN_GIVE_UP(i) (STATE(view[i]) == OWNED && !outbox[i])

inline unload(i) {
  d_step {
    unloads && CAN_GIVE_UP(i) ->
    unloads--;
    held = RECORD(RELEASING, 0, OWNER(view[i]), VERSION(view[i]) + 1);
    publish(i, held, view[i])
  }
}

inline transfer(i, destination) {
  d_step {
    transfers && CAN_GIVE_UP(i) && OWNER(view[i]) != destination ->
    transfers--;
    held = RECORD(RELEASING, destination, OWNER(view[i]), VERSION(view[i]) + 1);
    publish(i, held, view[i])
  }
}

/* The linearisation point, where the laws of an accepted record are asserted. */
inline append(i) {
  d_step {
    outbox[i] && length < WINDOW ->
    fold(length);
    topic[length] = outbox[i];
    length++;
    if
    :: ACCEPTS(held, outbox[i]) ->
       assert(IN_TURN(held, outbox[i]));                                     /* version-chain */
       assert(!IN_TURN(held, outbox[i]) || LAWFUL(held, outbox[i]));         /* legal-step */
       assert(!(won >> VERSION(outbox[i]) & 1));                             /* unique-winner */
       assert(basis[i] == held);                                             /* accepted-is-cas */
       won = won | 1 << VERSION(outbox[i]);
       tainted = tainted || !IN_TURN(held, outbox[i])
    :: else
    fi;
    outbox[i] = 0;
    basis[i] = 0
  }
}

/* What the next record asks of broker i, once its view accepts it. */
#define COMING(i)    topic[cursor[i]]
#define PUBLISHES(i) ((STATE(COMING(i)) == ASSIGNING && DESTINATION(COMING(i)) == i + 1) \
                   || (STATE(COMING(i)) == RELEASING && SOURCE(COMING(i)) == i + 1 && !SERVES(i)))
#define CLOSES(i)    (SERVES(i) && SOURCE(COMING(i)) == i + 1 \
                   && (STATE(COMING(i)) == RELEASING || (STATE(COMING(i)) == OWNED && DESTINATION(COMING(i)) != i + 1)))
#define FOLLOW_UP(r) NEXT((STATE(r) == ASSIGNING -> OWNED : (DESTINATION(r) -> ASSIGNING : FREE)), r)
#define HAS_ROOM(i)  (!(PUBLISHES(i) && outbox[i]) && !(CLOSES(i) && closing[i]))

inline consume(i) {
  d_step {
    cursor[i] < length && (!ACCEPTS(view[i], COMING(i)) || HAS_ROOM(i)) ->
    if
    :: ACCEPTS(view[i], COMING(i)) ->
       view[i] = COMING(i);
       if
       :: PUBLISHES(i) -> held = FOLLOW_UP(view[i]); publish(i, held, view[i])
       :: else ->
          if :: CLOSES(i) -> closing[i] = view[i] :: else fi
       fi;
       poisoned = poisoned || STATE(view[i]) < FREE || STATE(view[i]) > RELEASING
    :: else
    fi;
    cursor[i]++;
    if
    :: cursor[0] && cursor[1] && cursor[2] ->  /* everybody has consumed the first record: forget it */
       if :: ACCEPTS(base, topic[0]) -> base = topic[0] :: else fi;
       at = 1;
       do
       :: at < length -> topic[at - 1] = topic[at]; at++
       :: else -> break
       od;
       length--;
       topic[length] = 0;
       cursor[0]--; cursor[1]--; cursor[2]--
    :: else
    fi;
    fold(cursor[i]);
    assert(view[i] == held)                                                  /* view-is-prefix-fold */
  }
}

inline open(i) {
  d_step {
    !SERVES(i) && OWNER(view[i]) == i + 1 -> serving = serving | 1 << i
  }
}

inline close(i) {
  d_step {
    closing[i] && !(STATE(closing[i]) == RELEASING && outbox[i]) ->
    serving = serving & ~(1 << i);
    if
    :: STATE(closing[i]) == RELEASING -> held = FOLLOW_UP(closing[i]); publish(i, held, closing[i])
    :: else
    fi;
    closing[i] = 0
  }
}

/* Laws of a state. Quiet: nothing is published, unread or closing; the window is then empty and base the entry. */
#define AGREE(i, j)         (cursor[i] != cursor[j] || OWNER(view[i]) == OWNER(view[j]))
#define OWNS_OR_CLOSES(i)   (!SERVES(i) || OWNER(view[i]) == i + 1 || closing[i])
#define QUIET               (!length && !outbox[0] && !outbox[1] && !outbox[2] && !closing[0] && !closing[1] && !closing[2])
#define SERVER_IS_OWNER(i)  (!SERVES(i) || OWNER(base) == i + 1)

#define TYPE_OK             (!poisoned && length <= WINDOW && cursor[0] <= length && cursor[1] <= length && cursor[2] <= length)
#define ONE_OWNER           (AGREE(0, 1) && AGREE(0, 2) && AGREE(1, 2))
#define SERVE_IMPLIES_VIEW  (OWNS_OR_CLOSES(0) && OWNS_OR_CLOSES(1) && OWNS_OR_CLOSES(2))
#define SINGLE_SERVER       (tainted || SINGLE_SERVER_ALWAYS)
#define SINGLE_SERVER_ALWAYS (!(serving & (serving - 1)))
#define QUIESCENT_AGREEMENT (!QUIET || (SERVER_IS_OWNER(0) && SERVER_IS_OWNER(1) && SERVER_IS_OWNER(2)))

#define each_broker(action) :: action(0) :: action(1) :: action(2)

active proctype cluster() {
end:
  do
  each_broker(unload)
  :: transfer(0, 1) :: transfer(0, 2) :: transfer(0, 3)
  :: transfer(1, 1) :: transfer(1, 2) :: transfer(1, 3)
  :: transfer(2, 1) :: transfer(2, 2) :: transfer(2, 3)
  each_broker(append)
  each_broker(consume)
  each_broker(open)
  each_broker(close)
  /* Judged once per state, and never executable unless a law is broken: the laws cost no transition. */
  :: !TYPE_OK -> assert(TYPE_OK)
  :: !ONE_OWNER -> assert(ONE_OWNER)
  :: !SERVE_IMPLIES_VIEW -> assert(SERVE_IMPLIES_VIEW)
  :: !SINGLE_SERVER -> assert(SINGLE_SERVER)
  :: !SINGLE_SERVER_ALWAYS -> assert(SINGLE_SERVER_ALWAYS)
  :: !QUIESCENT_AGREEMENT -> assert(QUIESCENT_AGREEMENT)
  od
}
