"""Lines that print a record are columns, each with the record of the channel that it is; a line is made if asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, overload

import numpy as np

from oneowner.checkers.recordings.laws.views.record_places import Places
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.line_columns import DROPPED, TAKEN, LineColumns
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.channel_history import Step

LOADED: Final = ("loaded-data", "existing-node-applied")


class Joined(NamedTuple):
    """A line that prints a record, and which record of the channel that is."""

    said: LogEvent
    printed: Printed | None
    """None: a tombstone."""
    steps: tuple[Step, ...]
    """All records that it may be, in the order of the topic; none: the channel has no such record."""
    step: Step | None
    """The one of them that falls to this line; None if there is none, or if lines are more than records."""

    @property
    def is_loaded(self) -> bool:
        """True if the line shows an entry that existed when the view started."""
        return self.said.event in LOADED

    @property
    def is_only_accepted(self) -> bool:
        return bool(self.steps) and all(step.is_accepted for step in self.steps)


class JoinedLines(Sequence[Joined]):
    """Lines of one process about records that its view took, or dropped, in the order of its log."""

    def __init__(self, lines: Sequence[LogEvent], columns: LineColumns, which: Array, places: Places) -> None:
        """
        Join the lines *which* of *columns* are meant, by their numbers among all *lines* of the process.

        A view takes accepted records and skips refused ones, so of equal records those are given away first. Equal
        lines of the process are counted, kind of line by kind.
        """
        self.lines, self.numbers, self.places = lines, which.astype(np.int32), places
        self.columns = columns.with_rows(columns.table[which])
        equal = places.of_lines(self.columns)
        self.first, self.number, self.several = equal
        """The place of the first record that a line may be, -1 if there is none; how many; all, if they are several."""
        self.place = self.first.copy()
        """The place of the record that falls to a line, -1 if none does."""
        rank = _ranks(self.columns.table["event"], self.first)
        self.place[rank > 0] = -1
        is_taken = self.are(*TAKEN)
        for line, steps in self.several.items():
            choice = sorted(steps, key=lambda place: places.timeline[place].is_accepted != is_taken[line])
            self.place[line] = choice[rank[line]] if rank[line] < len(choice) else -1

    @property
    def times(self) -> Array:
        times: Array = self.columns.table["time"]
        return times

    @property
    def kinds(self) -> Array:
        kinds: Array = self.columns.table["kind"]
        return kinds

    def are(self, *events: str) -> Array:
        """Return for each line whether it is of one of these kinds."""
        return self.columns.are(events)

    def where(self, mask: Array) -> JoinedLines:
        """Return some of the lines, which stay joined as they are."""
        found = object.__new__(JoinedLines)
        found.lines, found.places = self.lines, self.places
        found.numbers, found.first, found.number, found.place = (
            column[mask] for column in (self.numbers, self.first, self.number, self.place)
        )
        found.columns = self.columns.with_rows(self.columns.table[mask])
        before = np.cumsum(mask) - 1
        found.several = {int(before[line]): steps for line, steps in self.several.items() if mask[line]}
        return found

    def decided(self) -> tuple[Array, Array]:
        """Return for each line whether any of its records was accepted, and whether any was refused."""
        refused = self.places.columns.array("is_refused").astype(bool)
        is_refused = refused[self.first] if len(refused) else np.zeros(len(self), bool)
        has = self.number > 0
        accepted, dropped = has & ~is_refused, has & is_refused
        for line, steps in self.several.items():
            own = refused[list(steps)]
            accepted[line], dropped[line] = not own.all(), own.any()
        return accepted, dropped

    def last(self) -> Origin | None:
        """Return where the last of the lines was read, by file, chunk and line; None if there are none."""
        table = self.columns.table
        order = np.lexsort((table["line"], table["chunk"], table["piece"]))
        return Origin(*(int(table[name][order[-1]]) for name in ("piece", "chunk", "line"))) if len(order) else None

    def unit(self, line: int) -> str | None:
        name: str | None = self.columns.units[self.columns.table["unit"][line]]
        return name

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int) -> Joined: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Joined]: ...
    def __getitem__(self, at: int | slice) -> Joined | Sequence[Joined]:
        if isinstance(at, slice):
            return [self[line] for line in range(*at.indices(len(self)))]
        line = range(len(self))[at]
        said, timeline = self.lines[int(self.numbers[line])], self.places.timeline
        printed = said.values.get((TAKEN | DROPPED)[said.event])
        steps = self.several.get(line, (int(self.first[line]),) if self.first[line] >= 0 else ())
        place = int(self.place[line])
        if printed is None and place >= 0:
            steps = (place,)
        return Joined(said, printed, tuple(timeline[one] for one in steps), timeline[place] if place >= 0 else None)

    def __iter__(self) -> Iterator[Joined]:
        return (self[line] for line in range(len(self)))


def _ranks(events: Array, first: Array) -> Array:
    """Return the number of earlier lines of the same kind and first record, for each line."""
    order = np.lexsort((events, first))
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(first[order]) != 0) | (np.diff(events[order]) != 0)
    begins = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0)) if len(order) else order
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - begins
    return ranks
