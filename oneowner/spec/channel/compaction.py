"""
Laws of compaction require that a reader of a compacted log ends with the same state as a reader of the whole log.

They are laws of logs, not of states: every log counts, also one that no cluster would write, because the resolver
must cope with any. Places count from 1; the *horizon* is how many records were compacted.
"""

from oneowner.model.channel.compaction import (
    KEEPS_LAST,
    STRICT_VERSIONS,
    Log,
    Setting,
    compact,
    compact_again,
    fires_again,
    fold,
    has_init,
    has_tombstone,
    has_wrap,
    jumped,
    takes,
)
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent
from oneowner.model.kernel.law import LawKind, Status, Unguarded, guarded
from oneowner.spec.channel.log_law import LogLaw

UNITS = 2
"""Logs are about at most so many units."""


def current(log: Log, unit: int, setting: Setting) -> Record:
    """Return what a reader of the whole log holds for *unit*."""
    return fold(log, unit, TOMBSTONE, 1, log.length, setting)


# ---- antecedents ----


def has_records(log: Log) -> bool:
    return log.length > 0


def has_no_init(log: Log) -> bool:
    return log.length > 0 and not has_init(log)


def has_no_init_and_no_wrap(log: Log) -> bool:
    return has_no_init(log) and not has_wrap(log)


def only_grows(log: Log) -> bool:
    """Return whether nothing in the log makes a unit's versions start anew."""
    return has_no_init_and_no_wrap(log) and not has_tombstone(log)


# ---- models.S8: a new reader, models.R3 ----


@guarded(
    "compaction-transparent",
    "StrategicTwoPhaseCompactor; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # models.S8 (E1), bugs.S6
    form=LogLaw,
    when=has_no_init,
    always=Unguarded(
        "A new reader of what a compaction kept and of the log behind its horizon holds what a reader of the whole log"
        " does. (Nothing may change to Init from no entry; so an Init record, which may follow Free and Deleted, is"
        " kept and then refused. No broker writes one.)",
        "StrategicTwoPhaseCompactor; ServiceUnitState.isValidTransition",  # models.S8 (E1), channel.1
        Status.DOCUMENTED,
        has_records,
    ),
    kind=LawKind.PURPOSE,
)
def new_reader_is_current(log: Log, setting: Setting) -> bool:
    """
    A new reader of what a compaction kept and of the log behind its horizon holds what a reader of the whole log does,
    unless a literal Init record is in the log.
    """
    return all(
        jumped(log, unit, 0, horizon, horizon, setting) == current(log, unit, setting)
        for unit in range(1, UNITS + 1)
        for horizon in range(1, log.length + 1)
    )


KEEP_LAST_TRANSPARENT = LogLaw(
    "keep-last-transparent",
    "The same for a compaction that keeps the last record of each unit. (It does not hold: the last record may"
    " have been refused by every reader.)",
    "PIP-192, Conflict State Resolution",  # models.S8 (E3)
    when=has_no_init,
    holds=new_reader_is_current,
    status=Status.DOCUMENTED,
    setting=KEEPS_LAST,
    kind=LawKind.PURPOSE,
)


# ---- models.S8: the new ledger with the old horizon ----


@guarded(
    "old-horizon-current",
    "StrategicTwoPhaseCompactor; apache/pulsar#12522",  # models.S8 (E2), bugs.R27
    form=LogLaw,
    when=has_no_init_and_no_wrap,
    always=Unguarded(
        "A new reader that is given the newly kept records, but goes on behind an older horizon, holds in the end what"
        " a reader of the whole log does. (After the last version an old record looks like one behind a gap.)",
        # models.S8 (E2), channel.R3, channel.R5
        "StrategicTwoPhaseCompactor; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
        Status.DOCUMENTED,
        has_records,
    ),
    kind=LawKind.PURPOSE,
)
def old_horizon_is_current(log: Log, setting: Setting) -> bool:
    """
    A new reader that is given the newly kept records, but goes on behind an older horizon, holds in the end what a
    reader of the whole log does, unless a literal Init record or the last version is in the log.
    """
    return all(
        jumped(log, unit, 0, horizon, old, setting) == current(log, unit, setting)
        for unit in range(1, UNITS + 1)
        for horizon in range(1, log.length + 1)
        for old in range(horizon)
    )


@guarded(
    "old-horizon-quiet",
    # models.S8 (E2')
    "follows from ServiceUnitStateChannelImpl.handleEvent, which runs once for a record that is accepted",
    form=LogLaw,
    when=only_grows,
    always=Unguarded(
        "Such a reader accepts none of the records between the two horizons a second time, so that no handler runs for"
        " what is over. (It does not hold: a tombstone is accepted again, and what it ends is then accepted from"
        " nothing.)",
        # models.S8 (E2')
        "follows from ServiceUnitStateChannelImpl.handleEvent, which runs once for a record that is accepted",
        Status.DOCUMENTED,
        has_records,
    ),
    kind=LawKind.PROTOCOL,
)
def old_horizon_is_quiet(log: Log, setting: Setting) -> bool:
    """
    Such a reader accepts none of the records between the two horizons a second time, unless a tombstone, a literal Init
    record or the last version is in the log.
    """
    return all(
        not fires_again(log, unit, horizon, old, setting)
        for unit in range(1, UNITS + 1)
        for horizon in range(1, log.length + 1)
        for old in range(horizon)
    )


# ---- models.S8: a reader that lags ----


@guarded(
    "lagging-reader-current",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#20110",  # models.S8 (E4), models.R3, bugs.S6
    form=LogLaw,
    when=only_grows,
    always=Unguarded(
        "A reader behind the horizon that goes on with what was kept holds in the end what a reader of the whole log"
        " does. (It does not hold: a tombstone is not kept, so the reader keeps the dead entry, and refuses the unit's"
        " new life because its versions are lower.)",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#26190",  # models.S8 (E4), bugs.R24
        Status.DOCUMENTED,
        has_records,
    ),
    kind=LawKind.PURPOSE,
)
def lagging_reader_is_current(log: Log, setting: Setting) -> bool:
    """
    A reader behind the horizon that goes on with what was kept holds in the end what a reader of the whole log does,
    unless a tombstone, a literal Init record or the last version is in the log.
    """
    return all(
        jumped(log, unit, at, horizon, horizon, setting) == current(log, unit, setting)
        for unit in range(1, UNITS + 1)
        for horizon in range(1, log.length + 1)
        for at in range(1, horizon)
    )


LAGGING_READER_WITHOUT_GAP_RULE = LogLaw(
    "lagging-reader-without-gap-rule",
    "The same, without tombstones, Init and last versions, for a resolver that takes no record behind a version"
    " gap. (It does not hold: the kept record is often more than one version ahead of a lagging reader.)",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#20110",  # models.S8 (E5), bugs.R7
    when=only_grows,
    holds=lagging_reader_is_current,
    status=Status.DOCUMENTED,
    setting=STRICT_VERSIONS,
    kind=LawKind.PURPOSE,
)


# ---- models.S9 ----


def compacting_twice_changes_nothing(log: Log, setting: Setting) -> bool:
    return all(is_kept_again(log, horizon, setting) for horizon in range(1, log.length + 1))


def is_kept_again(log: Log, horizon: int, setting: Setting) -> bool:
    kept = compact(log, horizon, setting)
    return compact_again(kept, log, horizon, horizon, setting) == kept


COMPACTION_IDEMPOTENT = LogLaw(
    "compaction-idempotent",
    "Compacting what a compaction kept changes nothing, unless a literal Init record is in the log.",
    "follows from StrategicTwoPhaseCompactor.phaseOne",
    when=has_no_init,
    holds=compacting_twice_changes_nothing,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)


def second_compaction_is_that_of_the_log(log: Log, setting: Setting) -> bool:
    whole = compact(log, log.length, setting)
    return all(
        compact_again(compact(log, horizon, setting), log, horizon, log.length, setting) == whole
        for horizon in range(1, log.length)
    )


COMPACTION_COMPOSES = LogLaw(
    "compaction-composes",
    "A compaction that starts from what an earlier one kept keeps what one of the whole log does, unless a literal Init"
    " record is in the log.",
    "StrategicTwoPhaseCompactor.phaseOne",  # models.R3
    when=has_no_init,
    holds=second_compaction_is_that_of_the_log,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)


def last_acceptance(log: Log, unit: int, setting: Setting) -> int:
    """Return the place of the record that a reader of the whole log holds for *unit*; 0 if it holds none."""
    held, place = TOMBSTONE, 0
    for number in range(1, log.length + 1):
        if log[number].unit == unit and takes(held, log[number].record, setting):
            held = log[number].record
            place = 0 if is_absent(held) else number
    return place


def kept_in_order_of_last_acceptance(log: Log, setting: Setting) -> bool:
    kept = compact(log, log.length, setting)
    for number in range(1, kept.length + 1):
        if number > 1 and kept[number].place <= kept[number - 1].place:
            return False
        if kept[number].place != last_acceptance(log, kept[number].unit, setting):
            return False
    for unit in range(1, UNITS + 1):
        count = 0
        for number in range(1, kept.length + 1):
            if kept[number].unit == unit:
                count += 1
        if count != (0 if is_absent(current(log, unit, setting)) else 1):
            return False
    return True


COMPACTION_ORDER = LogLaw(
    "compaction-order",
    "A compaction keeps exactly the record that each unit holds, in the order in which they were accepted.",
    "StrategicTwoPhaseCompactor.doCompactMessage",
    when=has_records,
    holds=kept_in_order_of_last_acceptance,
    kind=LawKind.PROTOCOL,
)
