"""
Strategic compaction keeps a part of a log, and a reader makes of that what it can.

Pure functions over whole logs. The compactor reads the log with the resolver that brokers use and keeps, of each unit,
the record that it accepted last, in the order of last acceptance and in its old place (``StrategicTwoPhaseCompactor``,
v4.0.6; PIP-192, "Bundle State Channel"; channel.3). A reader that has not read past the *horizon* is given
what the compactor kept, from the first kept record at or after its position, and goes on after the horizon
(``CompactedTopicUtils.asyncReadCompactedEntries``, ``CompactedTopicImpl.findStartPoint``). Kept records of a batch
share one entry, so that older ones are read again with them: see ``read_kept``.

Units do not touch each other here: the entry of one is folded from its own records alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import INIT, MAX_VERSION, TOMBSTONE, Record, is_absent
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules, Storage
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.releases import Switch, since

STRATEGIC_COMPACTION = Switch(
    "A compaction keeps what the resolver accepted last, not what was written last (PIP-192; models.S8, E3).",
)

HORIZON_BEFORE_CURSOR = Switch(
    "Readers are shown a compaction before it is saved, and the log trimmed by what is saved (#12522).",
)

COMPACTOR_READS_KEPT = Switch("A compaction starts from what the one before kept (#11287).")

PHASE_TWO_STOPS = Switch("Phase two ends with the record that phase one read last (#20988).")

BATCH_PER_ATTEMPT = Switch(
    "A compaction begins with an empty batch, whatever one that failed has left in it (#26664, in 5.0.1).",
    turned=(since("5.0.1"),),
    source="apache/pulsar#26664: StrategicTwoPhaseCompactor hands the batch on, and has no field for it",
)

SEEK_KEEPS_HORIZON = Switch(
    "A compaction that is interrupted leaves the horizon as it was saved (#25119, in 4.0.9).",
    turned=(since("4.0.9", "4.1.3", "4.2.0", "5.0.0"),),
    source="apache/pulsar#25119: ManagedCursorImpl.internalResetCursor keeps the compaction cursor's position",
)

Log = Sequence[Message]
"""A channel from its first record on; places count from 1."""


class Kept(NamedTuple):
    """A record that the compactor kept, with its place in the log: a compacted entry keeps its message id."""

    place: int
    unit: int
    record: Record


Ledger = Sequence[Kept]
"""The records that a compaction kept, in the order in which they are read."""


class Compactor(StrEnum):
    """The record of a unit that a compaction keeps, and its place."""

    STRATEGIC = "strategic"
    """The last accepted one, after those of other units that were accepted before (Pulsar)."""
    LAST_VALUE = "last value"
    """The last one, accepted or not: Pulsar's ordinary compaction, which PIP-192 rules out."""
    IN_PLACE = "in place"
    """The last accepted one, where the unit's first stood: a map that is written without removing first."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The ways in which a log is compacted and read: Pulsar's own, or a mutant's."""

    compactor: Compactor = Compactor.STRATEGIC
    rules: Rules = RELEASE_4_0_6
    compactor_storage: Storage = Storage.SYSTEM_TOPIC
    """The storage whose table the compactor applies; readers of the log apply the system topic's."""


PULSAR = Setting()
KEEPS_LAST = Setting(Compactor.LAST_VALUE)
STRICT_VERSIONS = Setting(rules=Rules(gap_rule=False))
"""Readers as they were before #20110: none takes a record after a version gap."""


# ---- readers without compaction ----


def takes(held: Record, proposed: Record, setting: Setting) -> bool:
    """Return whether a reader that holds *held* accepts *proposed*."""
    return refusal(held, proposed, Storage.SYSTEM_TOPIC, rules=setting.rules) is None


def fold(log: Log, unit: int, held: Record, first: int, last: int, setting: Setting = PULSAR) -> Record:
    """
    Return what a reader that holds *held* for *unit* holds after the records *first* to *last*.

    >>> from oneowner.model.channel.record import ASSIGNING, OWNED
    >>> log = Sequence((Message(1, Record(ASSIGNING, 2, version=1)), Message(1, Record(OWNED, 2, version=2))))
    >>> print(fold(log, 1, TOMBSTONE, 1, 2))
    Owned(2) v2
    """
    for number in range(first, last + 1):
        if log[number].unit == unit and takes(held, log[number].record, setting):
            held = log[number].record
    return held


# ---- the compactor ----


def compact(log: Log, horizon: int, setting: Setting = PULSAR) -> Ledger:
    """
    Return what a compaction of the first *horizon* records keeps.

    Mirrors: ``StrategicTwoPhaseCompactor.doCompactMessage`` for each record of phase one.
    """
    ledger: Ledger = Sequence()
    for number in range(1, horizon + 1):
        ledger = absorb(ledger, Kept(number, log[number].unit, log[number].record), setting)
    return ledger


def compact_again(ledger: Ledger, log: Log, horizon: int, longer: int, setting: Setting = PULSAR) -> Ledger:
    """
    Return what a second compaction keeps, of the first *longer* records of the log, *ledger* being made of *horizon*.

    It starts with what the first one kept, like any reader: the records before are gone (``phaseOne``, read-compacted).
    """
    kept: Ledger = Sequence()
    for number in range(1, ledger.length + 1):
        kept = absorb(kept, ledger[number], setting)
    for number in range(horizon + 1, longer + 1):
        kept = absorb(kept, Kept(number, log[number].unit, log[number].record), setting)
    return kept


def absorb(ledger: Ledger, read: Kept, setting: Setting) -> Ledger:
    """
    Return what the compactor keeps once it has read one more record.

    A refused record is dropped, an accepted tombstone takes its unit out, any other accepted record replaces its
    unit's and goes to the end.
    """
    if not is_kept(ledger, read, setting):
        return ledger
    number = number_of(ledger, read.unit)
    if setting.compactor == Compactor.IN_PLACE and number > 0 and not is_absent(read.record):
        return replaced(ledger, number, read)
    if number > 0:
        ledger = ledger.without(number)
    if is_absent(read.record):
        return ledger
    return ledger.plus(read)


def is_kept(ledger: Ledger, read: Kept, setting: Setting) -> bool:
    """Return whether the compactor accepts what it has read."""
    if setting.compactor == Compactor.LAST_VALUE:
        return True
    held = held_in(ledger, read.unit)
    return refusal(held, read.record, setting.compactor_storage, rules=setting.rules) is None


def number_of(ledger: Ledger, unit: int) -> int:
    """Return which entry of the ledger is about *unit*; 0 if none is."""
    for number in range(1, ledger.length + 1):
        if ledger[number].unit == unit:
            return number
    return 0


def held_in(ledger: Ledger, unit: int) -> Record:
    """Return the record that the ledger has for *unit*."""
    number = number_of(ledger, unit)
    if number == 0:
        return TOMBSTONE
    return ledger[number].record


def replaced(ledger: Ledger, number: int, kept: Kept) -> Ledger:
    """Return the ledger with entry *number* replaced by *kept*."""
    result: Ledger = Sequence()
    for index in range(1, ledger.length + 1):
        result = result.plus(kept if index == number else ledger[index])
    return result


# ---- readers of a compacted log ----


def read_kept(ledger: Ledger, unit: int, held: Record, after: int, setting: Setting = PULSAR) -> Record:
    """
    Return what a reader that holds *held* for *unit* holds after the kept records whose place is above *after*.

    A reader at place p asks for entries from p on; because kept records are written in batches, it may get all of them
    (``RawBatchMessageContainerImpl``: an entry has the id of its last record). Laws ask for both.
    """
    for number in range(1, ledger.length + 1):
        kept = ledger[number]
        if kept.unit == unit and kept.place > after and takes(held, kept.record, setting):
            held = kept.record
    return held


def jumped(log: Log, unit: int, at: int, horizon: int, resumes: int, setting: Setting = PULSAR) -> Record:
    """
    Return what a reader holds in the end that read *at* records, then a compacted log, then records after *resumes*.

    *horizon* is how much of the log was compacted. A new reader has ``at`` 0; one that sees the new ledger with the
    old horizon ``resumes`` there, which is before *horizon*, and reads what is between once more.
    """
    held = fold(log, unit, TOMBSTONE, 1, at, setting)
    held = read_kept(compact(log, horizon, setting), unit, held, 0, setting)
    return fold(log, unit, held, resumes + 1, log.length, setting)


def fires_again(log: Log, unit: int, horizon: int, resumes: int, setting: Setting = PULSAR) -> bool:
    """
    Return whether a new reader that sees the new ledger with the old horizon accepts a record from before *horizon*.

    Tombstones do not count: they are always accepted, and told to nobody but those who wait for the unit.
    """
    held = read_kept(compact(log, horizon, setting), unit, TOMBSTONE, 0, setting)
    for number in range(resumes + 1, horizon + 1):
        record = log[number].record
        if log[number].unit == unit and takes(held, record, setting):
            if not is_absent(record):
                return True
            held = record
    return False


# ---- what a log contains ----


def has_tombstone(log: Log) -> bool:
    """Return whether a tombstone is in the log."""
    return any(is_absent(log[number].record) for number in range(1, log.length + 1))


def has_init(log: Log) -> bool:
    """Return whether a record with the literal state Init is in the log; nothing in Pulsar writes one."""
    return any(log[number].record.state == INIT for number in range(1, log.length + 1))


def has_wrap(log: Log) -> bool:
    """Return whether a record of the last version is in the log: its successor has the least one (channel.R3)."""
    return any(log[number].record.version == MAX_VERSION for number in range(1, log.length + 1))
