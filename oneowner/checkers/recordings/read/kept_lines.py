"""
Lines of a log are kept while it is read: as a list here, or packed, where they are too many (``packed_logs.py``).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from oneowner.checkers.recordings.read.observations import LogEvent, Printed

Once = dict[Any, Any]
"""Values that many lines have in common, to be shared."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines of one log, most of them packed by their reader."""

    times: array[int]
    debug: bytes
    """A flag for each line that only a broker in debug mode writes."""
    pieces: frozenset[int]
    producers: tuple[str, ...]
    """In the order in which they are named."""
    kept: Mapping[int, LogEvent]
    """Those that are not packed, by their place in the block."""
    needed: bytes
    """Those that laws request by their kinds, by their place in the block, pickled."""
    others: bytes
    """The rest of those that the table read, likewise."""
    raw: bytes
    """The bytes of those that are read again on request, compressed."""
    kinds: frozenset[str]
    """The kinds of its lines."""
    columns: bytes
    """Its lines as columns, pickled (``line_columns.py``)."""
    last: LogEvent
    item: int | None = None
    """
    The item of the work that read it, of which a copy is held on a cluster (``partition.Keeping``); None: no copy.
    """


class Keeping(Protocol):
    """The store of one log's lines while it is read: its broker is known at its end."""

    @property
    def last(self) -> LogEvent | None:
        """The line that was added last."""

    def add(self, lines: Sequence[LogEvent] | Block) -> None:
        """Add the next line of the log."""

    def log(self, broker: str) -> Sequence[LogEvent]:
        """Return the added lines, as lines of *broker*."""


Keep = Callable[[], Keeping]


class InMemory:
    """Lines that are kept as a list."""

    def __init__(self, once: Once) -> None:
        self._once, self._lines = once, list[LogEvent]()

    @property
    def last(self) -> LogEvent | None:
        return self._lines[-1] if self._lines else None

    def add(self, lines: Sequence[LogEvent] | Block) -> None:
        assert not isinstance(lines, Block), "what is packed is kept packed"
        self._lines += lines

    def log(self, broker: str) -> Sequence[LogEvent]:
        lines = self._lines
        for number, line in enumerate(lines):  # in place: at no time are they there twice
            lines[number] = shared(line, self._once, broker)
        return lines


def shared(line: LogEvent, once: Once, broker: str) -> LogEvent:
    """Return a line of *broker* that shares the values common to many lines: each task has its own copies."""
    origin, time, _, event, thread, unit, values, words = line
    same = once.setdefault
    for name, value in values.items():
        if isinstance(value, (str, Printed)):
            values[name] = same(value, value)
    return LogEvent(origin, time, broker, same(event, event), same(thread, thread), same(unit, unit), values, words)
