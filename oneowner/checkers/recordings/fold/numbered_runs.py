"""
A run is messages that a producer numbers in a row; its first and its last are kept, to be compared with others.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, taken
from oneowner.checkers.recordings.read.event_columns import NUMBERS, Columns
from oneowner.checkers.recordings.read.events import Event, Origin, Position

STEP: Final = 1_000
"""Milliseconds by which one clock may go back unsuspected: NTP corrects that much at once (128 ms) or slews."""
LATELY: Final = 100
"""Messages of a producer that are kept, to be compared with those that it sends again for want of a receipt."""
FEW: Final = 20
"""Fewer messages than that are not packed."""


class Mark(NamedTuple):
    """A message, as far as others are compared with it."""

    position: Position
    origin: Origin
    message_id: str
    key: str
    time: int
    sequence: int
    made: int
    said: tuple[object, ...]
    """State, brokers, force, version and children of its record."""


class Marks(NamedTuple):
    """Messages that may be compared; many stay packed as columns until they are, as few ever are."""

    number: int
    packed: bytes
    held: tuple[Mark, ...] = ()

    def marks(self) -> tuple[Mark, ...]:
        """Return them."""
        return marks_of(Columns.unpacked(self.packed)) if self.packed else self.held


class Run(NamedTuple):
    """Messages of a producer that number each other's next, and whose publish times do not go back."""

    producer: str
    begin: Mark
    end: Mark
    first: tuple[Marks, ...]
    """The first of them, ``LATELY`` or more if there are."""
    last: tuple[Marks, ...]
    """The last of them, as many."""

    def firsts(self) -> tuple[Mark, ...]:
        """Return the first of them, ``LATELY`` at most."""
        return tuple(mark for some in self.first for mark in some.marks())[:LATELY]

    def lasts(self) -> tuple[Mark, ...]:
        """Return the last of them, ``LATELY`` at most."""
        return tuple(mark for some in self.last for mark in some.marks())[-LATELY:]


def follows_on(number: int, time: int, next_number: int, next_time: int) -> bool:
    """Return whether a producer's message simply follows on the one before it."""
    return next_number == number + 1 and next_time >= time - STEP


def is_next(before: Mark, mark: Mark) -> bool:
    """Return whether a producer's message simply follows on the one before it."""
    return follows_on(before.sequence, before.time, mark.sequence, mark.time)


def joined(before: Run, run: Run) -> Run:
    """Return two runs as one, the second of which simply follows."""
    first = before.first if _is_enough(before.first) else (*before.first, *run.first)
    last = run.last if _is_enough(run.last) else (*before.last, *run.last)
    return Run(run.producer, before.begin, run.end, first, last)


def _is_enough(some: Sequence[Marks]) -> bool:
    return sum(one.number for one in some) >= LATELY


def marks_of(columns: Columns, rows: Array | None = None) -> tuple[Mark, ...]:
    """Return messages, or those in some *rows*, as far as others are compared with them."""
    found = []
    numbers = columns.table[NUMBERS] if rows is None else columns.table[NUMBERS][rows]
    for row, (sequence, made) in zip(columns.rows(rows), numbers.tolist(), strict=True):
        event = Event(*row)
        said = *event.record, event.children
        found.append(Mark(event.position, event.origin, event.message_id, event.key, event.time, sequence, made, said))
    return tuple(found)


def _some(columns: Columns, rows: Array) -> Columns:
    """Return some messages; names are shared."""
    return columns.with_rows(taken(columns.table, rows))


def _kept(some: Sequence[Columns]) -> tuple[Marks, ...]:
    """Return messages as they are kept: few are marks at once, as they would take more if they were packed."""
    count = sum(len(one.table) for one in some)
    if count < FEW:
        return (Marks(count, b"", tuple(mark for one in some for mark in marks_of(one))),)
    return (Marks(count, Columns.joined(some).part(slice(None)).pack()),)


class OpenRun:
    """A run that may go on. Its messages stay columns until all is read: of most there is never a mark."""

    def __init__(self, producer: str) -> None:
        self.end = 0, 0
        """Sequence id and publish time of its last message."""
        self._producer = producer
        self._first: list[Columns] = []
        self._room = LATELY
        self._last: deque[Columns] = deque()
        self._count = 0
        """Messages in ``_last``."""

    def take(self, columns: Columns, rows: Array, end: tuple[int, int]) -> None:
        """Go on with messages in some *rows*, the last of which has the number and the time of *end*."""
        if self._room:
            self._first.append(_some(columns, rows[: self._room]))
            self._room -= len(self._first[-1].table)
        rows = rows[-LATELY:]
        self._last.append(_some(columns, rows))
        self._count += len(rows)
        while self._count - len(self._last[0].table) >= LATELY:
            self._count -= len(self._last.popleft().table)
        self.end = end

    def run(self) -> Run:
        """Return it as it is now."""
        first, last = _kept(self._first), _kept(self._last)
        begin = first[0].held[0] if first[0].held else marks_of(self._first[0], np.array([0]))[0]
        end = last[0].held[-1] if last[0].held else marks_of(self._last[-1], np.array([-1]))[0]
        return Run(self._producer, begin, end, first, last)
