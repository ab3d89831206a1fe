"""
Lines of brokers' logs print records of the channel: each record is found once, whoever prints it, and however often.

Handle requests of debug mode print every record that a process takes, in the order of the topic; a tombstone prints
nothing, so it is the one behind the record that its process handled before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeGuard

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.line_columns import DROPPED, is_long
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.model.channel.record import FREE, NOBODY, TOMBSTONE, Record

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
    is_by_lines: bool = False
    """True if the clock that stamped it is not to be trusted."""

    @property
    def record(self) -> Record:
        return TOMBSTONE if self.place.printed is None else self.place.printed.record

    @property
    def time(self) -> int:
        """The time of its making, by its own field; of a tombstone, of the first line about it."""
        is_said = self.place.printed is None or self.is_by_lines
        return self.said.time if is_said or self.place.printed is None else self.place.printed.timestamp

    def sorts(self) -> tuple[int, int, Origin]:
        return self.time, self.record.version, self.said.origin


class LoggedRecords:
    """The records that some logs print, and what is known of their order."""

    def __init__(self, is_topic: bool, is_by_lines: bool = False) -> None:
        self._is_topic, self._is_by_lines = is_topic, is_by_lines
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
            known = self._known[place] = LoggedRecord(place, said, is_by_lines=self._is_by_lines)
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

    def kept(self) -> list[LoggedRecord]:
        """Return the records that a view took, and those that nothing shows to be taken or dropped."""
        return [one for one in self._known.values() if one.is_taken or (one.is_sent and not one.is_dropped)]
