"""Lines that print a record are columns, each with the record of the channel that it is; a line is made if asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final, NamedTuple, overload

import numpy as np

from oneowner.checkers.recordings.laws.views.record_places import Places
from oneowner.checkers.recordings.read.coded_table import Array, taken
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.line_columns import DROPPED, ROW, TAKEN, LineColumns
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


@dataclass(slots=True, eq=False)
class JoinedLines(LineColumns, Sequence[Joined]):
    """Lines of one process about records that its view took, or dropped, in the order of its log."""

    ROW = np.dtype(
        [*((name, ROW[name]) for name in ROW.names or ()),
         ("at", "i4"), ("first", "i4"), ("number", "i4"), ("place", "i4")],
        align=True,
    )  # fmt: skip
    """
    ``at``: the number of a line among all of its process. ``first``: the place of the first record that it may be, -1
    if there is none, ``number``: how many there are. ``place``: of the record that falls to it, -1 if none does.
    """

    _: KW_ONLY
    lines: Sequence[LogEvent]
    """All lines of the process."""
    places: Places
    several: Mapping[int, tuple[int, ...]]
    """The places of all records that a line may be, if they are several, by ``at``."""

    @staticmethod
    def join(lines: Sequence[LogEvent], columns: LineColumns, which: Array, places: Places) -> JoinedLines:
        """
        Join the lines *which* of *columns* are meant, by their numbers among all *lines* of the process.

        A view takes accepted records and skips refused ones, so of equal records those are given away first. Equal
        lines of the process are counted, kind of line by kind.
        """
        said = columns.with_rows(taken(columns.table, which))
        table, equal = np.empty(len(which), JoinedLines.ROW), places.of_lines(said)
        for name in ROW.names or ():
            table[name] = said.table[name]
        table["at"], table["first"], table["number"] = which, equal.first, equal.number
        rank, is_taken = _ranks(table["event"], equal.first), said.are(TAKEN)
        table["place"] = np.where(rank > 0, -1, equal.first)
        for line, steps in equal.several.items():
            choice = sorted(steps, key=lambda place: places.timeline[place].is_accepted != is_taken[line])
            table["place"][line] = choice[rank[line]] if rank[line] < len(choice) else -1
        several = {int(which[line]): steps for line, steps in equal.several.items()}
        return JoinedLines(table, *said.names(), lines=lines, places=places, several=several)

    def where(self, mask: Array) -> JoinedLines:
        """Return some of the lines, which stay joined as they are."""
        return self.with_rows(taken(self.table, np.flatnonzero(mask)))

    def decided(self) -> tuple[Array, Array]:
        """Return for each line whether any of its records was accepted, and whether any was refused."""
        refused = self.places.columns.array("is_refused").astype(bool)
        is_refused = refused[self.table["first"]] if len(refused) else np.zeros(len(self), bool)
        has = self.table["number"] > 0
        accepted, dropped = has & ~is_refused, has & is_refused
        for line in np.flatnonzero(self.table["number"] > 1).tolist():
            own = refused[list(self.steps_of(line))]
            accepted[line], dropped[line] = not own.all(), own.any()
        return accepted, dropped

    def last(self) -> Origin | None:
        """Return where the last of the lines was read, by file, chunk and line; None if there are none."""
        order = np.lexsort((self.table["line"], self.table["chunk"], self.table["piece"]))
        return Origin(*self.table[["piece", "chunk", "line"]][order[-1]].tolist()) if len(order) else None

    def unit(self, line: int) -> str | None:
        name: str | None = self.units[self.table["unit"][line]]
        return name

    def steps_of(self, line: int) -> tuple[int, ...]:
        """Return the places of all records that a line may be."""
        row = self.table[line]
        return self.several.get(int(row["at"]), (int(row["first"]),) if row["first"] >= 0 else ())

    @overload
    def __getitem__(self, at: int) -> Joined: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Joined]: ...
    def __getitem__(self, at: int | slice) -> Joined | Sequence[Joined]:
        if isinstance(at, slice):
            return [self[line] for line in range(*at.indices(len(self)))]
        line = range(len(self))[at]
        said, place = self.lines[int(self.table["at"][line])], int(self.table["place"][line])
        timeline = self.places.timeline
        printed = said.values.get((TAKEN | DROPPED)[said.event])
        steps = (place,) if printed is None and place >= 0 else self.steps_of(line)
        return Joined(said, printed, tuple(timeline[one] for one in steps), timeline[place] if place >= 0 else None)


def _ranks(events: Array, first: Array) -> Array:
    """Return the number of earlier lines of the same kind and first record, for each line."""
    order = np.lexsort((events, first))
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(first[order]) != 0) | (np.diff(events[order]) != 0)
    begins = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0)) if len(order) else order
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - begins
    return ranks
