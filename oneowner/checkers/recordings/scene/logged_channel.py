"""
Brokers' logs print records of the channel: where no dump is there, these are the channel, as far as logs show it.

A record that several brokers print is one, and one that every reader skipped is none. Handle requests come in the
order of the topic, so the order of each log is kept; between logs a record comes by its version and its time. Records
that no log prints are missing, so the absence of a record proves nothing, except between two that one process handled
in debug mode, and between two neighbouring versions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final, NamedTuple, TypeGuard

from oneowner.checkers.recordings.read.event_columns import Columns
from oneowner.checkers.recordings.read.events import Origin, Row
from oneowner.checkers.recordings.read.line_columns import DROPPED, is_long
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.channel_fold import ChannelFold
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.model.channel.record import FREE, NOBODY, TOMBSTONE, Record
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage

REQUEST: Final = {"handle-request": "data", "node-applied": "value"}
"""Lines of debug mode that print each record that a view takes, in the order in which it takes them."""
TAKEN: Final = {"handled": "cur", "loaded-data": "data", "existing-node-applied": "value", "still-owned": "data"}
"""Other lines that print a record that a view took."""
HELD: Final = {"override": "orphan", "skipped": "prev", "node-skipped": "prev"}
"""Lines that print the entry of a view beside something else."""
SNAPSHOT: Final = "ownership-entry-set"
SENT: Final = {"handled": "next", "override": "override"}
"""Lines that print a record which their broker published: readers may have skipped it."""
KINDS: Final = (*{**REQUEST, **TAKEN, **HELD, **DROPPED, **SENT}, SNAPSHOT)
MOST_LINES: Final = 2_000_000
"""Lines that print records, beyond which they are left to a dump of the channel."""


Process = tuple[str, int]
"""A process by its broker and its number."""


def is_record(printed: object) -> TypeGuard[Printed]:
    """Return whether a printed value is a record that Pulsar can have made; a line may be forged."""
    if not isinstance(printed, Printed):
        return False
    record, time, _ = printed
    is_named = record.state == FREE or record.destination != NOBODY or record.source != NOBODY
    return is_named and is_long(record.version) and time >= 0 and is_long(time)


class Place(NamedTuple):
    """The identity of a record: several brokers print it, each with all its fields."""

    unit: str
    printed: Printed | None
    """None: the tombstone behind *after*, or before *before* where nothing before it is known."""
    after: Printed | None = None
    before: Printed | None = None


@dataclass(slots=True, eq=False)
class LoggedRecord:
    """One record of the channel, with the lines that print it."""

    place: Place
    said: LogEvent
    """The first line that prints it."""
    handled_by: set[Process] = field(default_factory=set)
    """The processes, by broker and number, whose handle requests in debug mode print it."""
    is_taken: bool = False
    is_sent: bool = False
    """True if a process published it that prints no handle requests, by which it would be seen taken."""
    is_dropped: bool = False
    later: list[LoggedRecord] = field(default_factory=list)
    """Records that certainly come later in the topic."""
    earlier: int = 0
    """The number of records that it waits for while they are put in order."""

    @property
    def record(self) -> Record:
        return TOMBSTONE if self.place.printed is None else self.place.printed.record

    @property
    def time(self) -> int:
        """The time of its making, by its own field; of a tombstone, of the first line about it."""
        return self.said.time if self.place.printed is None else self.place.printed.timestamp

    def sorts(self) -> tuple[int, int, Origin]:
        return self.time, self.record.version, self.said.origin


@dataclass(frozen=True)
class LoggedChannel:
    """The channel as far as logs show it."""

    channel: Channel = field(default_factory=Channel)
    rows: Sequence[Row] = ()
    """Its records, as a fold takes them, in their order."""
    records: Sequence[LoggedRecord] = ()
    unsettled: frozenset[str] = frozenset()
    """Units with a record that a view took, and the resolver refuses: their order is not certain."""
    are_too_many: bool = False
    """True if so many lines print records that they are left to a dump."""

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


def logged_channel(logs: Iterable[tuple[Process, Sequence[LogEvent]]], storage: Storage) -> LoggedChannel:
    """Return the channel of the records that the logs of some processes print."""
    found, number = _Records(storage == Storage.SYSTEM_TOPIC), 0
    for process, log in logs:
        lines = of_kinds(log, *KINDS)
        number += len(lines)
        if number > MOST_LINES:
            return LoggedChannel(are_too_many=True)
        found.take(process, lines)
    return _folded(found.in_order())


class _Records:
    """The records that some logs print, and what is known of their order."""

    def __init__(self, is_topic: bool) -> None:
        self._is_topic = is_topic
        """True if readers take all units in one order."""
        self._known: dict[Place, LoggedRecord] = {}
        self._tombstones: dict[tuple[str, Printed | None, bool], LoggedRecord] = {}
        """Tombstones by their neighbour: the record before them, or after them."""

    def take(self, process: Process, lines: Sequence[LogEvent]) -> None:
        """Add the records that *lines* of one process print, in the order of its log."""
        handled = [said for said in lines if said.event in REQUEST and said.unit is not None]
        for said in lines:
            if said.event == SNAPSHOT:
                for unit, printed in said.values["entries"]:
                    if is_record(printed):
                        self._note(said, unit, printed).is_taken = True
                continue
            if said.unit is None:
                continue
            for fields in (REQUEST, TAKEN, HELD):
                if (one := self._printed(said, fields)) is not None:
                    one.is_taken = True
            if (one := self._printed(said, SENT)) is not None:
                one.is_sent = one.is_sent or not handled
            if (one := self._printed(said, DROPPED)) is not None:
                one.is_dropped = True
        self._chain(process, handled)

    def _printed(self, said: LogEvent, fields: Mapping[str, str]) -> LoggedRecord | None:
        """Return the record that a line prints in the field that is its kind's."""
        printed = said.values.get(fields.get(said.event, ""))
        return self._note(said, said.unit or "", printed) if is_record(printed) else None

    def _note(self, said: LogEvent, unit: str, printed: Printed) -> LoggedRecord:
        place = Place(unit, printed)
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = LoggedRecord(place, said)
        elif said.time < known.said.time:
            known.said = said
        return known

    def _chain(self, process: Process, handled: Sequence[LogEvent]) -> None:
        """Put the records that one process handled in their order; *handled* are its handle requests."""
        following: dict[str, Printed] = {}
        ahead: list[Printed | None] = []
        for said in reversed(handled):  # the record of its unit that follows each tombstone
            printed = said.values[REQUEST[said.event]]
            ahead.append(following.get(said.unit or ""))
            if is_record(printed):
                following[said.unit or ""] = printed
        before: dict[str, Printed] = {}
        last: dict[str, LoggedRecord] = {}
        for said, after in zip(handled, reversed(ahead), strict=True):
            unit, printed = said.unit or "", said.values[REQUEST[said.event]]
            if is_record(printed):
                one, before[unit] = self._known[Place(unit, printed)], printed
            elif printed is not None:
                continue
            else:
                found = self._tombstone(said, unit, before.get(unit), after)
                if found is None:
                    continue
                one = found
            scope = "" if self._is_topic else unit
            if process not in one.handled_by:
                one.handled_by.add(process)
                if scope in last and last[scope] is not one:
                    last[scope].later.append(one)
            last[scope] = one

    def _tombstone(
        self, said: LogEvent, unit: str, before: Printed | None, after: Printed | None
    ) -> LoggedRecord | None:
        """Return the tombstone between two records of its unit; None if it has no neighbour in this log."""
        keys = [(unit, one, is_before) for one, is_before in ((before, True), (after, False)) if one is not None]
        if not keys:
            return None
        known = next((self._tombstones[key] for key in keys if key in self._tombstones), None)
        if known is None:
            place = Place(unit, None, before, after)
            known = self._known[place] = LoggedRecord(place, said, is_taken=True)
        elif said.time < known.said.time:
            known.said = said
        if known.place.after is None and before is not None:
            known.place = known.place._replace(after=before)
        for key in keys:
            self._tombstones.setdefault(key, known)
        return known

    def in_order(self) -> Iterator[LoggedRecord]:
        """Yield the records in the order of the topic, as far as logs show it."""
        kept = [one for one in self._known.values() if one.is_taken or (one.is_sent and not one.is_dropped)]
        self._chain_versions(kept)
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
            if is_done[number]:
                continue
            is_done[number] = True
            yield kept[number]
            following, kept[number].later = kept[number].later, []  # a chain of all records could not be pickled
            for later in following:
                later.earlier -= 1
                if not later.earlier:
                    heappush(ready, (later.sorts(), numbers[id(later)]))

    @staticmethod
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


def _folded(ordered: Iterable[LoggedRecord]) -> LoggedChannel:
    """Return the channel of the records that the resolver of the topic accepts, one after the other."""
    held: dict[str, Record] = {}
    rows, numbers, records, unsettled = list[Row](), list[tuple[int, int]](), list[LoggedRecord](), set[str]()
    for one in ordered:
        entry, record, unit = held.get(one.place.unit, TOMBSTONE), one.record, one.place.unit
        refused = refusal(entry, record)
        if refused is None and record.destination == NOBODY:
            refused = ownerless(entry, record)
        if refused is not None:
            unsettled |= {unit} if one.is_taken else set()
            continue
        held[unit], origin, number = record, one.said.origin, len(rows)
        printed = one.place.printed
        rows.append(
            (
                0, number, -1, *origin, f"logged:{number}", one.time, unit, record.state, record.destination,
                record.source, record.force, record.version, printed and printed.children, "", "",
            )
        )  # fmt: skip
        numbers.append((-1, one.time if printed is not None else -1))
        records.append(one)
    if not rows:
        return LoggedChannel()
    fold = ChannelFold(Storage.SYSTEM_TOPIC, is_history=False)
    fold.take(Columns.of(rows, numbers))
    return LoggedChannel(fold.channel(), rows, records, frozenset(unsettled))
