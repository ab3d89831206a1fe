"""
Brokers' logs print records of the channel: where no dump is there, these are the channel, as far as logs show it.

A record that several brokers print is one, and one that every reader skipped is none. Handle requests come in the
order of the topic, so the order of each log is kept; between logs a record comes by its version and its time. Records
that no log prints are missing, so the absence of a record proves nothing, except between two that one process handled
in debug mode, and between two neighbouring versions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.read.event_columns import Columns
from oneowner.checkers.recordings.read.events import Row
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.channel_fold import ChannelFold
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.logged_records import KINDS, LoggedRecord, LoggedRecords, Process
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.model.channel.record import FIRST_VERSION, NOBODY, TOMBSTONE, Record, is_absent, next_version
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage

MOST_LINES: Final = 2_000_000
"""The most lines that print records; beyond them, only a dump is judged."""


@dataclass(frozen=True)
class LoggedChannel:
    """The channel as far as logs show it."""

    channel: Channel = field(default_factory=Channel)
    rows: Sequence[Row] = ()
    """Its records, as a fold takes them, in their order."""
    records: Sequence[LoggedRecord] = ()
    unsettled: frozenset[str] = frozenset()
    """Units with a record that a view took, and the resolver refuses: their order is not certain."""
    is_whole: bool = False
    """True if versions leave no gap, and processes in debug mode handled all records: no record seems to be missing."""
    are_too_many: bool = False
    """True if so many lines print records that only a dump is judged."""

    def followed_until(self, place: int) -> int:
        """Return the time of the last record that a process handled which handled the one at *place*, too."""
        return max((self._last[process] for process in self.records[place].handled_by), default=0)

    @cached_property
    def _last(self) -> dict[Process, int]:
        """Return the time of the last record that each process handled."""
        last: dict[Process, int] = {}
        for one in self.records:
            last |= {process: max(one.time, last.get(process, 0)) for process in one.handled_by}
        return last

    def handlers(self, places: Iterable[int]) -> set[Process]:
        """Return the processes that handled all records at these *places*: each prints all that come between, too."""
        return set.intersection(*(self.records[place].handled_by for place in places))


def logged_channel(
    logs: Iterable[tuple[Process, Sequence[LogEvent]]], storage: Storage, is_by_lines: bool = False
) -> LoggedChannel:
    """
    Return the channel of the records that the logs of some processes print.

    It is in order of the times of their lines if it *is_by_lines*: those that records print are of clocks that are off.
    """
    found, number = LoggedRecords(storage == Storage.SYSTEM_TOPIC, is_by_lines), 0
    for process, log in logs:
        lines = of_kinds(log, *KINDS)
        number += len(lines)
        if number > MOST_LINES:
            return LoggedChannel(are_too_many=True)
        found.take(process, lines)
    contradicted = set[str]()
    return _folded(_in_order(found.kept(), contradicted), contradicted)


def _in_order(kept: Sequence[LoggedRecord], contradicted: set[str]) -> Iterator[LoggedRecord]:
    """
    Yield records in the order of the topic, as far as logs show it.

    Units with records that logs have in different orders are added to *contradicted*.
    """
    _chain_versions(kept)
    for one in kept:
        for later in one.later:
            later.earlier += 1
    ready = [(one.sorts(), number) for number, one in enumerate(kept) if not one.earlier]
    heapify(ready)
    numbers = {id(one): number for number, one in enumerate(kept)}
    waiting = sorted(range(len(kept)), key=lambda number: kept[number].sorts(), reverse=True)
    is_done = [False] * len(kept)
    while ready or waiting:
        if ready:
            _, number = heappop(ready)
        else:  # two logs contradict each other: the earliest record goes on
            number = waiting.pop()
            contradicted |= set() if is_done[number] else {kept[number].place.unit}
        if is_done[number]:
            continue
        is_done[number] = True
        yield kept[number]
        following, kept[number].later = kept[number].later, []  # a chain of all records could not be pickled
        for later in following:
            later.earlier -= 1
            if not later.earlier:
                heappush(ready, (later.sorts(), numbers[id(later)]))


def _chain_versions(kept: Iterable[LoggedRecord]) -> None:
    """Put the records of a unit that lived once in the order of their versions: clocks may differ."""
    units: dict[str, list[LoggedRecord]] = defaultdict(list)
    for one in kept:
        units[one.place.unit].append(one)
    for own in units.values():
        versions = {one.record.version for one in own}
        if len(versions) == len(own) and not any(one.place.printed is None for one in own):
            own.sort(key=lambda one: one.record.version)
            for one, following in pairwise(own):
                one.later.append(following)


def _folded(ordered: Iterable[LoggedRecord], contradicted: Iterable[str]) -> LoggedChannel:
    """Return the channel of the records that the resolver of the topic accepts, one after the other."""
    held: dict[str, Record] = {}
    rows, numbers, records, unsettled = list[Row](), list[tuple[int, int]](), list[LoggedRecord](), set[str]()
    has_gap = False
    for one in ordered:
        entry, record, unit = held.get(one.place.unit, TOMBSTONE), one.record, one.place.unit
        refused = refusal(entry, record)
        if refused is None and record.destination == NOBODY:
            refused = ownerless(entry, record)
        if refused is not None:
            unsettled |= {unit} if one.is_taken else set()
            continue
        has_gap = has_gap or not one.handled_by or not _is_next(entry, record)
        held[unit], origin, number = record, one.said.origin, len(rows)
        printed = one.place.printed
        rows.append(
            (
                0, number, -1, *origin, f"logged:{number}", one.time, unit, record.state, record.destination,
                record.source, record.force, record.version, printed and printed.children, "", "",
            )
        )  # fmt: skip
        numbers.append((-1, printed.timestamp if printed is not None else -1))
        records.append(one)
    if not rows:
        return LoggedChannel()
    fold = ChannelFold(Storage.SYSTEM_TOPIC, is_history=False)
    fold.take(Columns.of(rows, numbers))
    unsettled.update(contradicted)
    is_whole = not has_gap and not unsettled
    return LoggedChannel(fold.channel(), rows, records, frozenset(unsettled), is_whole)


def _is_next(held: Record, record: Record) -> bool:
    """Return whether no record is missing between two of a unit, by their versions."""
    if is_absent(record):
        return True
    return record.version == (FIRST_VERSION if is_absent(held) else next_version(held))
