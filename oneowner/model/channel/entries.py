"""
Records share an entry: in batches of a log, and in the ledger of a compaction.

A producer of the channel batches (``ServiceUnitStateTableViewImpl.start``), so that several records, of several units,
may be one *entry* of the log. A position names an entry, not a record of it; a compaction writes what it keeps in
entries again, each of which has the position of the entry that its last record came in
(``RawBatchMessageContainerImpl``). A reader below the horizon asks for the first kept entry at its position, and then
stands after the position of what it was given (``CompactedTopicUtils.asyncReadCompactedEntries``,
``CompactedTopicImpl.findStartPoint``, v4.0.6).

Pure functions over whole logs, like ``compaction.py``; here are the bugs of readers and compactors that need entries
(bugs.R26, R28, R29, R32). The original log is taken to be trimmed up to the horizon.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oneowner.model.channel.compaction import PULSAR, Kept, Ledger, Log, Setting, absorb, fold, number_of, takes
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.releases import Switch, before

__traced__ = False  # functions of whole logs, concrete before they are cut

READS_KEPT_AGAIN = Switch(
    "A reader's second read below the horizon is of what was kept, as its first one was (#12464)."
)

BATCHES_STAY_WHOLE = Switch(
    "Kept records that came in one entry are written in one entry (#21091).",
    turned=(before("3.0.2", "3.1.1"),),
    source="apache/pulsar#21091: RawBatchMessageContainerImpl.haveEnoughSpace; before, an entry was full at some size",
)

TOMBSTONE_SPARES_BATCH = Switch("A tombstone deletes its own unit, and not what shares its entry (#20980).")

TOMBSTONE_IS_EMPTY = Switch(
    "The compactor knows a tombstone that has an entry for itself; else it keeps it like a record (#25817).",
)

Ends = tuple[int, ...]
"""The place of each entry's last record, in order: how a log is cut into entries. It is the entry's position, too."""


class Written(NamedTuple):
    """An entry of the ledger of a compaction."""

    position: int
    kept: Ledger


def cuts(length: int) -> Iterator[Ends]:
    """
    Yield every way to cut a log of *length* records into entries.

    >>> list(cuts(3))
    [(1, 2, 3), (1, 3), (2, 3), (3,)]
    """
    if length == 0:
        yield ()
        return
    for first in range(1, length + 1):
        for ends in cuts(length - first):
            yield (first, *(first + end for end in ends))


def records_of(log: Log, ends: Ends, number: int) -> Ledger:
    """Return the records of entry *number*, counted from 1, with their places."""
    first = ends[number - 2] if number > 1 else 0
    return Sequence(Kept(place, log[place].unit, log[place].record) for place in range(first + 1, ends[number - 1] + 1))


def compact_entries(log: Log, ends: Ends, count: int, setting: Setting = PULSAR) -> Ledger:
    """
    Return what a compaction of the first *count* entries keeps.

    Until #25817 the ordinary compactor did not know a tombstone that has an entry for itself, and kept it (bugs.R32);
    until #20980 its second phase began with the first entry without a tombstone (bugs.R29). The channel's compactor
    (``StrategicTwoPhaseCompactor``) has neither bug.
    """
    ledger: Ledger = Sequence()
    for number in range(1, count + 1):
        entry = records_of(log, ends, number)
        for read in entry:
            if is_absent(read.record) and entry.length == 1 and not setting.rules.tombstone_is_empty:
                ledger = keep_anything(ledger, read)
            else:
                ledger = absorb(ledger, read, setting)
    if setting.rules.tombstone_spares_batch:
        return ledger
    return Sequence(kept for kept in ledger if kept.place > start_of_phase_two(log, ends, count))


def keep_anything(ledger: Ledger, read: Kept) -> Ledger:
    """Return the ledger with the record that was read in place of its own of that unit, be it a tombstone."""
    number = number_of(ledger, read.unit)
    if number > 0:
        ledger = ledger.without(number)
    return ledger.plus(read)


def start_of_phase_two(log: Log, ends: Ends, count: int) -> int:
    """Return the last place before the first of *count* entries that holds no tombstone."""
    before = 0
    for number in range(1, count + 1):
        if not any(is_absent(read.record) for read in records_of(log, ends, number)):
            return before
        before = ends[number - 1]
    return before


def written(ledger: Ledger, ends: Ends, setting: Setting = PULSAR) -> tuple[Written, ...]:
    """
    Return the entries in which a compaction writes what it keeps.

    What came in one entry is written in one (since #21091); before, an entry was full at some size (bugs.R26).
    """
    found: list[Written] = []
    for kept in ledger:
        position = next(end for end in ends if end >= kept.place)
        if found and found[-1].position == position and setting.rules.batches_stay_whole:
            found[-1] = Written(position, found[-1].kept.plus(kept))
        else:
            found.append(Written(position, Sequence((kept,))))
    return tuple(found)


def read_by_entries(log: Log, ends: Ends, count: int, unit: int, setting: Setting = PULSAR) -> Record:
    """
    Return what a new reader holds for *unit* in the end that is given what a compaction of *count* entries kept.

    It reads an entry at a time: a kept one, as long as there is one after where it stands, then the log after the
    horizon. Until #12429 and #12464 only its first read was of the kept records (bugs.R28).
    """
    held, position, is_first = TOMBSTONE, 0, True
    for entry in written(compact_entries(log, ends, count, setting), ends, setting):
        if entry.position > position and (is_first or setting.rules.reads_kept_again):
            for kept in entry.kept:
                if kept.unit == unit and takes(held, kept.record, setting):
                    held = kept.record
            position, is_first = entry.position, False
    return fold(log, unit, held, ends[count - 1] + 1, log.length, setting)
