"""
Intervals are kept as columns: units, their holders and the times of holding, by the thousand.

A row is 92 bytes of numbers; names are codes into lists. ``rows`` gives the plain tuples that reports show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, CodedTable, Codes, names_of, taken
from oneowner.checkers.recordings.read.event_columns import CODES, STATES
from oneowner.checkers.recordings.read.events import MESSAGE_ID, TIME, Interval, Mark, Position, Row
from oneowner.model.channel.record import NOBODY, ServiceUnitState

MARK: Final = np.dtype(
    [
        ("ledger", "i8"), ("entry", "i8"), ("batch", "i8"), ("time", "i8"), ("partition", "i4"), ("extra", "i4"),
        ("parts", "i1"),
    ]
)  # fmt: skip
"""One end: a message, named as in the table of events; ``extra`` is the code of an id that is not written plainly."""

LASTED: Final = np.dtype(
    [("unit", "i4"), ("broker", "i4"), ("state", "i1"), ("is_open", "?"), ("since", MARK), ("until", MARK)]
)

MOST: Final = 1_000
"""Intervals of one piece: the JVM has many pieces at once, and all may be of one busy unit."""

_BY_PLACE: Final = ("batch", "entry", "ledger")


@dataclass(slots=True, eq=False)
class Intervals(CodedTable):
    """Some intervals."""

    ROW = LASTED

    units: list[str] = names_of("unit")
    brokers: list[Any] = names_of("broker", first=(NOBODY,))
    """The first stands for no broker."""
    ids: list[str] = names_of("since.extra", "until.extra", first=("",))
    """Message ids that are not written plainly; the first stands for the others."""

    @staticmethod
    def of(intervals: Sequence[Interval]) -> Intervals:
        """Return *intervals* as columns."""
        units, brokers, ids = Intervals.codes()
        table = np.zeros(len(intervals), LASTED)
        for number, one in enumerate(intervals):
            since, until = one.since, one.until or Mark("", 0)
            table[number] = (
                units[one.unit], brokers[one.broker or NOBODY], CODES[ServiceUnitState(one.state)], one.until is None,
                (*one.position, since.time, 0, ids[since.message_id], 0),
                (0, 0, 0, until.time, 0, ids[until.message_id], 0),
            )  # fmt: skip
        return Intervals(table, units.names, brokers.names, ids.names)

    def first(self) -> Position:
        """Return the beginning of the first of them."""
        ledger, entry, batch, *_ = self.table["since"][0].tolist()
        return ledger, entry, batch

    def by_unit(self) -> Iterator[Intervals]:
        """Yield those of each unit, units and intervals in order; many of one unit in several pieces."""
        rank = np.argsort(np.argsort(np.array(self.units, object)))
        since = self.table["since"]
        order = np.lexsort([*(since[name] for name in _BY_PLACE), rank[self.table["unit"]]])
        table = taken(self.table, order)
        begins = np.flatnonzero(np.append(True, table["unit"][1:] != table["unit"][:-1])).tolist()
        for begin, end in zip(begins, [*begins[1:], len(table)], strict=True):
            for first in range(begin, end, MOST):
                yield self.with_rows(table[first : min(end, first + MOST)]).part(slice(None))

    def rows(self) -> list[Interval]:
        """Return the intervals as reports take them."""
        found: list[Interval] = []
        for unit, broker, state, is_open, since, until in self.table.tolist():
            name = self.brokers[broker]
            found.append(
                Interval(
                    self.units[unit], since[:3], str(name) if name else None, STATES[state].value,
                    self._mark(since), None if is_open else self._mark(until),
                )
            )  # fmt: skip
        return found

    def _mark(self, mark: tuple[int, int, int, int, int, int, int]) -> Mark:
        ledger, entry, batch, time, partition, extra, parts = mark
        if parts:
            return Mark(":".join(map(str, (ledger, entry, partition, batch)[:parts])), time)
        return Mark(self.ids[extra], time)


def mark_of(row: Row, ids: Codes) -> tuple[int, int, int, int, int, int, int]:
    """Return the end of an interval that is *row*; its message id gets a code if it is not written plainly."""
    ledger, entry, batch = row[:3]
    text, parts = row[MESSAGE_ID], row[MESSAGE_ID].count(":") + 1
    partition = text.split(":", 3)[2] if parts > 2 else "-1"
    if _SMALL.fullmatch(partition) and ":".join(map(str, (ledger, entry, partition, batch)[:parts])) == text:
        return ledger, entry, batch, row[TIME], int(partition), 0, parts
    return ledger, entry, batch, row[TIME], 0, ids[text], 0


_SMALL = re.compile("0|-?[1-9][0-9]{0,8}")


def set_marks(marks: Array, at: Array, events: Array, ids: Array) -> None:
    """Set the ends at some places to *events*, rows of the table of events; *ids* has the codes of their extras."""
    for name in MARK.names or ():
        marks[name][at] = ids[events[name]] if name == "extra" else events[name]
