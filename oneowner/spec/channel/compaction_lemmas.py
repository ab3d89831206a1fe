"""
Lemmas of compaction prove, for logs of any length, that a reader of the compacted log misses nothing.

Each is one step of an induction over the log of one unit (units do not touch each other). *current* is the entry that a
reader of the whole log holds, *following* the next record of the log. A compaction keeps, for the unit, the entry that
a reader of the whole log holds at the horizon; a new reader gets that where it holds nothing, one that lags where it
holds *old*. The laws of ``compaction.py`` state the same for whole logs, and are explored.
"""

from oneowner.model.channel.compaction import PULSAR, STRICT_VERSIONS, takes
from oneowner.model.channel.record import INIT, MAX_VERSION, MIN_VERSION, TOMBSTONE, Record, is_absent
from oneowner.model.kernel.lemma import REFUTED, Lemma, Mutant, guarded
from oneowner.spec.channel.lemma_domains import RECORDS

STEP = {"current": RECORDS, "following": RECORDS}
JUMP = {"old": RECORDS, **STEP}


def after(held: Record, record: Record) -> Record:
    """Return what a reader that holds *held* holds once it has read *record*."""
    if takes(held, record, PULSAR):
        return record
    return held


def after_strictly(held: Record, record: Record) -> Record:
    """The same of a reader that takes nothing after a gap of versions (before #20110)."""
    if takes(held, record, STRICT_VERSIONS):
        return record
    return held


# ---- what is assumed of the log ----


def is_no_init(following: Record) -> bool:
    """It is no literal Init record, which no broker writes, or a forced one."""
    return following.state != INIT or following.force


def is_no_tombstone(following: Record) -> bool:
    return not is_absent(following)


def does_not_wrap(current: Record, following: Record) -> bool:
    return current.version != MAX_VERSION or following.version != MIN_VERSION


def holds_nothing_more(current: Record, following: Record) -> bool:
    """No entry, and a tombstone, carry nothing."""
    return (not is_absent(current) or current == TOMBSTONE) and (not is_absent(following) or following == TOMBSTONE)


def old_holds_nothing_more(old: Record) -> bool:
    return not is_absent(old) or old == TOMBSTONE


# ---- a new reader: models.S8 (E1) ----


def can_be_given(current: Record) -> bool:
    """A reader that holds nothing takes what the compaction kept, if it kept anything."""
    return is_absent(current) or after(TOMBSTONE, current) == current


def can_be_given_next(current: Record, following: Record) -> bool:
    """Induction over the log: what can be given to a new reader now can be given after one more record."""
    return can_be_given(after(current, following))


def keeps_last(current: Record, following: Record) -> bool:
    """A compaction that keeps the last record, accepted or not, gives a new reader what is current."""
    return after(TOMBSTONE, following) == after(current, following)


COMPACTED_IS_ACCEPTED, COMPACTED_IS_ACCEPTED_ALWAYS = guarded(
    Lemma(
        "compacted-is-accepted",
        "What a compaction keeps is accepted by a reader that holds nothing, whatever the log, so that it goes on as if"
        " it had read all; by induction over the log, without literal Init records.",
        "StrategicTwoPhaseCompactor; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.R3
        STEP,
        can_be_given_next,
        (holds_nothing_more, can_be_given, is_no_init),
        mutant=Mutant("it keeps the last record, accepted or not", keeps_last),
    ),
    "The same of every log. (An Init record may follow Deleted or Free and is kept; onto no entry it is refused.)",
    "StrategicTwoPhaseCompactor; ServiceUnitState.isValidTransition",  # channel.1
    without=is_no_init,
)

KEEP_LAST_IS_CURRENT = Lemma(
    "keep-last-is-current",
    "A compaction that keeps the last record of a unit gives a new reader what is current. (The last record may have"
    " been refused by everybody.)",
    "PIP-192, Conflict State Resolution",  # models.S8 (E3)
    STEP,
    keeps_last,
    (holds_nothing_more, can_be_given, is_no_init),
    expected=REFUTED,
)


# ---- a reader that lags: models.S8 (E4, E5) ----


def can_jump(old: Record, current: Record) -> bool:
    """A reader that holds *old* holds what is current once it is given what was kept: no tombstone is."""
    return after(old, current) == current if not is_absent(current) else old == current


def came_from(old: Record, current: Record) -> bool:
    """
    Relate *current* to *old*: equal, accepted onto it, or versions away.

    The induction preserves this relation, which lets the reader jump.
    """
    if old == current or is_absent(old):
        return True
    if current.version == old.version + 1:
        return can_jump(old, current)
    return current.version > old.version + 1


def jumps(old: Record, current: Record, following: Record) -> bool:
    """One more record: the reader can still jump, and the next step has its assumption."""
    found = after(current, following)
    return can_jump(old, found) and came_from(old, found)


def jumps_now(old: Record, current: Record, following: Record) -> bool:
    return can_jump(old, after(current, following))


def jumps_strictly(old: Record, current: Record, following: Record) -> bool:
    found = after_strictly(current, following)
    return after_strictly(old, found) == found


def grows_only(old: Record, current: Record, following: Record) -> bool:
    """An entry never vanishes, and a new reader can take it over."""
    return (is_absent(old) or not is_absent(current)) and can_be_given(current)


_QUIET = (holds_nothing_more, old_holds_nothing_more, came_from, grows_only)

LAGGING_READER_JUMPS = Lemma(
    "lagging-reader-jumps",
    "A reader that lags and is given what a compaction kept holds what is current, if nothing but growing versions lies"
    " between: no tombstone, no wrap, no literal Init record.",
    "ServiceUnitStateTableViewImpl; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S8 (E4), channel.3
    JUMP,
    jumps,
    (*_QUIET, is_no_tombstone, does_not_wrap, is_no_init),
    mutant=Mutant("readers take nothing after a gap", jumps_strictly),
)

LAGGING_READER_TOMBSTONE = Lemma(
    "lagging-reader-jumps-tombstone",
    "The same with a tombstone. (A compaction does not keep it: the reader keeps the dead entry, and refuses the unit's"
    " next one, whose version starts anew.)",
    "ServiceUnitStateTableViewImpl; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S8 (E4), channel.3
    JUMP,
    jumps_now,
    (*_QUIET, does_not_wrap, is_no_init),
    expected=REFUTED,
)

LAGGING_READER_WRAP = Lemma(
    "lagging-reader-jumps-wrap",
    "The same with a wrap. (The lowest version follows the highest only, not one below it.)",
    "ServiceUnitStateTableViewImpl; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S8 (E4), channel.R3
    JUMP,
    jumps_now,
    (*_QUIET, is_no_tombstone, is_no_init),
    expected=REFUTED,
)

LAGGING_READER_INIT = Lemma(
    "lagging-reader-jumps-init",
    "The same with a literal Init record. (A reader that holds nothing yet refuses it.)",
    "ServiceUnitStateTableViewImpl; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S8 (E4), channel.1
    JUMP,
    jumps_now,
    (*_QUIET, is_no_tombstone, does_not_wrap),
    expected=REFUTED,
)

LAGGING_READER_STRICT = Lemma(
    "lagging-reader-jumps-strictly",
    "The same of readers without the gap rule. (They refuse what is versions away.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#20110",  # models.S8 (E5), bugs.R7
    JUMP,
    jumps_strictly,
    (*_QUIET, is_no_tombstone, does_not_wrap, is_no_init),
    expected=REFUTED,
)
