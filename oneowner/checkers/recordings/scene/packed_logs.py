"""
A packed log lies on disk, in blocks, and is read like the list that it stands for.

Iteration keeps one block in memory; a query by kind loads only blocks that contain it.
"""

from __future__ import annotations

import pickle
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, Final, overload

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.kept_lines import Block, Once, shared
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.log_files import LogPlace, read_at_once
from oneowner.checkers.recordings.read.log_patterns import Table, table
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.producer_names import ACCEPTED, CREATED
from oneowner.checkers.recordings.read.record_lines import RecordLines, said_of
from oneowner.checkers.recordings.scene.line_store import Store

OF_RECORDS: Final = frozenset(
    ("handle-request", "handled", "skipped", "node-applied", "node-skipped", "loaded-data", "existing-node-applied",
     "ownership-entry-set", "still-owned")
)  # fmt: skip
"""Kinds with lines for each record: laws read all of them at once, or none."""
KEPT: Final = frozenset((CREATED, ACCEPTED))
"""Lines that stay in memory: the broker of a producer is found by several of them together, when all are read."""


@cache
def _others() -> frozenset[str]:
    """Return the kinds of lines that are kept apart from the others: those of records, and those that no law names."""
    return OF_RECORDS | {pattern.id for pattern in table() if not pattern.is_needed}


BLOCK: Final = 2_048
"""Lines that are packed together, at most: half a megabyte or so."""


def block_of(parts: Sequence[LogEvent | RecordLines]) -> Block:
    """Pack neighbouring lines of one log, whose broker is not known yet."""
    debug, of_block = table().debug_events(), Once()
    said: list[LogEvent] = []
    """The lines that are read by the table, and the place of each."""
    places: list[int] = []
    records: list[RecordLines] = []
    number = 0
    for part in parts:
        if isinstance(part, RecordLines):
            records.append(part)
            number += len(part)
        else:
            said.append(part)
            places.append(number)
            number += 1
    columns = _columns_of(said, np.array(places, np.intp), records)
    needed: dict[int, tuple[Any, ...]] = {}
    others: dict[int, tuple[Any, ...]] = {}
    kept: dict[int, LogEvent] = {}
    for at, line in zip(places, said, strict=True):
        if line.event in KEPT:
            kept[at] = line
        else:
            origin, time, _, event, *rest = shared(line, of_block, "")
            (others if line.event in _others() else needed)[at] = event, origin, time, *rest
    raw = b"\n".join(chain.from_iterable(one.raw() for one in records))
    return Block(
        array("q", columns.table["time"].tobytes()),
        columns.are(debug).tobytes(),
        frozenset(np.unique(columns.table["piece"]).tolist()),
        tuple(dict.fromkeys(_producers(said))),
        kept,
        pickle.dumps(needed, 5),
        pickle.dumps(others, 5),
        zlib.compress(raw, 1),
        frozenset(columns.events),
        pickle.dumps(columns, 5),
        parts[-1] if isinstance(parts[-1], LogEvent) else said_of(*parts[-1].end(), table()),
    )


def _columns_of(said: Sequence[LogEvent], places: Array, records: Sequence[RecordLines]) -> LineColumns:
    """Return lines of both kinds as columns; *places* are those of the first among all."""
    of_said = LineColumns.of(said)
    if not records:
        return of_said
    of_records = LineColumns.joined(one.whole.columns.with_rows(one.table) for one in records)
    return LineColumns.mixed(of_said, places, of_records)


def read_packed(place: LogPlace, patterns: Table) -> Iterator[Block | FileRead]:
    """Read a file; yield its understood lines in blocks, and at the end its other evidence."""
    reads: list[FileRead] = []

    def lines() -> Iterator[LogEvent | RecordLines]:
        for part in read_at_once(place, patterns):
            if isinstance(part, FileRead):
                reads.append(part)
            else:
                yield from part

    yield from map(block_of, _in_blocks(lines()))
    yield from reads


def _in_blocks(lines: Iterable[LogEvent | RecordLines]) -> Iterator[list[LogEvent | RecordLines]]:
    """Yield lines, as many as are packed together."""
    block: list[LogEvent | RecordLines] = []
    room = BLOCK
    for some in lines:
        first, number = 0, 1 if isinstance(some, LogEvent) else len(some)
        while number - first >= room:
            block.append(some if isinstance(some, LogEvent) else some.part(first, first + room))
            yield block
            block, first, room = [], first + room, BLOCK
        if first < number:
            block.append(some if isinstance(some, LogEvent) else some.part(first, number))
            room -= number - first
    if block:
        yield block


class PackedLog(Sequence[LogEvent]):
    """The lines of one log from *first* to *last*, as a list that is not to be changed."""

    def __init__(self, store: Store, first: int, last: int) -> None:
        self.store, self._first, self._last = store, first, last

    @staticmethod
    def of(lines: Iterable[LogEvent]) -> PackedLog:
        """Return lines of one broker, packed."""
        packing, rest = Packing(), iter(lines)
        while block := list(islice(rest, BLOCK)):
            packing.add(block)
        return packing.log("" if packing.last is None else packing.last.broker)

    def __len__(self) -> int:
        return max(0, self._last - self._first)

    def __iter__(self) -> Iterator[LogEvent]:
        number = self._first
        while number < self._last:
            block, place = self.store.block_with(number)
            for at in range(place, min(len(block), place + self._last - number)):
                yield block[at]
            number += len(block) - place

    @overload
    def __getitem__(self, place: int) -> LogEvent: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[LogEvent]: ...
    def __getitem__(self, place: int | slice) -> LogEvent | Sequence[LogEvent]:
        if isinstance(place, int):
            return self.store.line(range(self._first, self._last)[place])
        first, last, step = place.indices(len(self))
        if step != 1:
            return list(self)[place]
        return PackedLog(self.store, self._first + first, self._first + max(first, last))

    def numbered(self, events: Collection[str]) -> Iterator[tuple[int, LogEvent]]:
        """Yield the lines of these kinds, and the place of each."""
        wanted = frozenset(events)
        for block, first in self.store.blocks(self._first, self._last):
            if wanted & self.store.kinds[block]:
                begin, end = max(0, self._first - first), self._last - first
                for place, line in self.store.block(block).of_kinds(wanted, bool(wanted & _others())):
                    if begin <= place < end:
                        yield first + place - self._first, line

    def columns(self) -> Iterator[LineColumns]:
        """Yield the lines as columns, some at a time."""
        return self.store.columns(self._first, self._last)

    def times_of_debug(self) -> Iterator[int]:
        """Yield the times of lines that only a broker in debug mode writes."""
        for number in range(self._first, self._last):
            if self.store.debug[number]:
                yield self.store.times[number]

    def times(self) -> Sequence[int]:
        """Return the times of all lines."""
        return self.store.times[self._first : self._last]


class Packing:
    """Lines of a log that is packed while it is read."""

    def __init__(self) -> None:
        self.last: LogEvent | None = None
        self._store = Store()

    def add(self, lines: Sequence[LogEvent] | Block) -> None:
        """Add lines, whose broker is not known yet."""
        block = lines if isinstance(lines, Block) else block_of(lines)
        self.last = block.last
        self._store.add(block)

    def log(self, broker: str) -> PackedLog:
        self._store.done(broker)
        return PackedLog(self._store, 0, len(self._store.times))


def kept_like(whole: Sequence[LogEvent], lines: Iterable[LogEvent]) -> Sequence[LogEvent]:
    """Return *lines*, which are of the broker of the log *whole*, on disk if that is."""
    return PackedLog.of(lines) if isinstance(whole, PackedLog) else list(lines)


def of_kinds(lines: Sequence[LogEvent], *events: str) -> Sequence[LogEvent]:
    """Return those of *lines* that are of these kinds, in their order."""
    return [line for _, line in numbered(lines, *events)]


def numbered(lines: Sequence[LogEvent], *events: str) -> Iterator[tuple[int, LogEvent]]:
    """Yield those of *lines* that are of these kinds, in their order, and the place of each."""
    if isinstance(lines, PackedLog):
        return lines.numbered(events)
    return ((at, line) for at, line in enumerate(lines) if line.event in events)


def times_of_debug(lines: Sequence[LogEvent]) -> Iterator[int]:
    """Yield the times of those of *lines* that only a broker in debug mode writes."""
    if isinstance(lines, PackedLog):
        return lines.times_of_debug()
    debug = table().debug_events()
    return (line.time for line in lines if line.event in debug)


def producers_of(lines: Sequence[LogEvent]) -> frozenset[str]:
    """Return the producers that lines of a log name."""
    named = iter(lines.store.producers) if isinstance(lines, PackedLog) else _producers(lines)
    return frozenset(named)  # added one by one, so that a set is displayed alike


def _producers(lines: Iterable[LogEvent]) -> Iterator[str]:
    values = (line.values.get("producer") for line in lines)
    return (value for value in values if isinstance(value, str))


def pieces_of(lines: Sequence[LogEvent]) -> frozenset[int]:
    """Return the files from which a log was read."""
    return frozenset(lines.store.pieces if isinstance(lines, PackedLog) else (line.origin.piece for line in lines))


def times_of(lines: Sequence[LogEvent]) -> Sequence[int]:
    """Return the time of each line."""
    return lines.times() if isinstance(lines, PackedLog) else [line.time for line in lines]


def columns_of(lines: Sequence[LogEvent]) -> LineColumns:
    """Return lines of one log as columns."""
    return LineColumns.joined(columns_in_parts(lines), len(lines))


def columns_in_parts(lines: Sequence[LogEvent]) -> Iterator[LineColumns]:
    """Yield lines of one log as columns, some at a time if they are many."""
    return lines.columns() if isinstance(lines, PackedLog) else iter([LineColumns.of(lines)])
