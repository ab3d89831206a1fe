"""
A packed log keeps on disk what views say of each record, nearly all of a log in debug mode; the other lines in memory.

It is read like the list that it stands for. Who goes through it has a block of it in memory at a time.
"""

from __future__ import annotations

import pickle
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, overload

from oneowner.checkers.recordings.read.kept_lines import Block, Once, shared
from oneowner.checkers.recordings.read.log_files import FileRead, LogPlace, read_at_once
from oneowner.checkers.recordings.read.log_patterns import Table, table
from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.read.record_lines import RecordLine, said_of
from oneowner.checkers.recordings.scene.line_columns import LineColumns
from oneowner.checkers.recordings.scene.line_store import Store

OF_RECORDS: Final = frozenset(
    ("handle-request", "handled", "skipped", "node-applied", "node-skipped", "loaded-data", "existing-node-applied",
     "ownership-entry-set", "still-owned")
)  # fmt: skip
"""Lines of which there are some for each record: laws ask for all of them at once, or for none."""


@cache
def _packed() -> frozenset[str]:
    """Return the kinds of lines that are kept on disk: those of records, and what no law asks for by its name."""
    return OF_RECORDS | {pattern.id for pattern in table() if not pattern.is_needed}


BLOCK: Final = 2_048
"""Lines that are packed together, at most: half a megabyte or so."""


def block_of(lines: Sequence[Said | RecordLine]) -> Block:
    """Pack lines that stand together in one log, of which it is not said whose they are."""
    packed, debug, of_block = _packed(), table().debug_events(), Once()
    some: list[tuple[Any, ...] | None] = []
    kept: dict[int, Said] = {}
    raw: list[bytes] = []
    for at, line in enumerate(lines):
        if isinstance(line, RecordLine):
            some.append((line.event, line.origin, len(raw)))
            raw.append(line.raw)
        elif line.event in packed:
            origin, time, _, event, *rest = shared(line, of_block, "")
            some.append((event, origin, time, *rest))
        else:
            some.append(None)
            kept[at] = line
    last = lines[-1]
    return Block(
        array("q", (line.time for line in lines)),
        bytes(line.event in debug for line in lines),
        frozenset(line.origin.piece for line in lines),
        tuple(dict.fromkeys(_producers(lines))),
        kept,
        pickle.dumps((some, zlib.compress(b"\n".join(raw), 1)), 5),
        frozenset(line.event for line in lines),
        pickle.dumps(LineColumns.of(lines), 5),
        last if isinstance(last, Said) else said_of(last.raw, last.origin, table()),
    )


def read_packed(place: LogPlace, patterns: Table) -> Iterator[Block | FileRead]:
    """Read a file; yield its understood lines in blocks, and at the end what it shows beside them."""
    waiting: list[Said | RecordLine] = []
    for part in read_at_once(place, patterns):
        waiting += [] if isinstance(part, FileRead) else part
        while len(waiting) >= BLOCK or (waiting and isinstance(part, FileRead)):
            yield block_of(waiting[:BLOCK])
            del waiting[:BLOCK]
        if isinstance(part, FileRead):
            yield part


class PackedLog(Sequence[Said]):
    """The lines of one log from *first* to *last*, as a list that is not to be changed."""

    def __init__(self, store: Store, first: int, last: int) -> None:
        self._store, self._first, self._last = store, first, last

    @staticmethod
    def of(lines: Iterable[Said]) -> PackedLog:
        """Return lines of one broker, packed."""
        packing, rest = Packing({}), iter(lines)
        while block := list(islice(rest, BLOCK)):
            packing.add(block)
        return packing.log("" if packing.last is None else packing.last.broker)

    def __len__(self) -> int:
        return max(0, self._last - self._first)

    def __iter__(self) -> Iterator[Said]:
        number = self._first
        while number < self._last:
            block, place = self._store.block_with(number)
            for at in range(place, min(len(block), place + self._last - number)):
                yield block[at]
            number += len(block) - place

    @overload
    def __getitem__(self, place: int) -> Said: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Said]: ...
    def __getitem__(self, place: int | slice) -> Said | Sequence[Said]:
        if isinstance(place, int):
            return self._store.line(range(self._first, self._last)[place])
        first, last, step = place.indices(len(self))
        if step != 1:
            return list(self)[place]
        return PackedLog(self._store, self._first + first, self._first + max(first, last))

    def write_to(self, path: Path) -> None:
        """Copy what is on disk to a file, for another process to read: a pickle has all but this."""
        self._store.write_to(path)

    def read_from(self, path: str) -> None:
        """Take what is on disk from the file *path*, from now on."""
        self._store.read_from(path)

    def of_kinds(self, events: Collection[str]) -> Sequence[Said]:
        """Return the lines of these kinds."""
        return [line for _, line in self.numbered(events)]

    def numbered(self, events: Collection[str]) -> Iterator[tuple[int, Said]]:
        """Yield the lines of these kinds, and the place of each."""
        if _packed() & (wanted := frozenset(events)):
            for block, first in self._store.blocks(self._first, self._last):
                if wanted & self._store.kinds[block]:
                    lines = self._store.block(block)
                    for place in range(max(0, self._first - first), min(len(lines), self._last - first)):
                        if lines.event(place) in wanted:
                            yield first + place - self._first, lines[place]
            return
        kept = self._store.kept(self._first, self._last)
        yield from ((number - self._first, line) for number, line in kept if line.event in events)

    def columns(self) -> LineColumns:
        """Return the lines as columns."""
        return self._store.columns(self._first, self._last)

    def times_of_debug(self) -> Iterator[int]:
        """Yield the times of lines that only a broker in debug mode writes."""
        for number in range(self._first, self._last):
            if self._store.debug[number]:
                yield self._store.times[number]

    def producers(self) -> frozenset[str]:
        """Return the producers that lines of the whole log name."""
        return frozenset(name for name in self._store.producers)

    def times(self) -> array[int]:
        """Return the times of all lines."""
        return self._store.times[self._first : self._last]

    def pieces(self) -> frozenset[int]:
        """Return the files that the whole log was read from."""
        return frozenset(self._store.pieces)


class Packing:
    """Lines of a log that is packed while it is read."""

    def __init__(self, once: Once) -> None:
        self.last: Said | None = None
        self._store, self._once = Store(), once

    def add(self, lines: Sequence[Said] | Block) -> None:
        """Add lines of which it is not said whose they are."""
        block = lines if isinstance(lines, Block) else block_of(lines)
        self.last = block.last
        self._store.add(block, self._once)

    def log(self, broker: str) -> PackedLog:
        """Return what was added, as the log of *broker*."""
        self._store.done(broker)
        return PackedLog(self._store, 0, len(self._store.times))


def kept_like(whole: Sequence[Said], lines: Iterable[Said]) -> Sequence[Said]:
    """Return *lines*, which are of the broker of the log *whole*, on disk if that is."""
    return PackedLog.of(lines) if isinstance(whole, PackedLog) else list(lines)


def of_kinds(lines: Sequence[Said], *events: str) -> Sequence[Said]:
    """Return those of *lines* that are of these kinds, in their order."""
    return lines.of_kinds(events) if isinstance(lines, PackedLog) else [line for line in lines if line.event in events]


def numbered(lines: Sequence[Said], *events: str) -> Iterator[tuple[int, Said]]:
    """Yield those of *lines* that are of these kinds, in their order, and the place of each."""
    if isinstance(lines, PackedLog):
        return lines.numbered(events)
    return ((at, line) for at, line in enumerate(lines) if line.event in events)


def times_of_debug(lines: Sequence[Said]) -> Iterator[int]:
    """Yield the times of those of *lines* that only a broker in debug mode writes."""
    if isinstance(lines, PackedLog):
        return lines.times_of_debug()
    debug = table().debug_events()
    return (line.time for line in lines if line.event in debug)


def producers_of(lines: Sequence[Said]) -> frozenset[str]:
    """Return the producers that lines of a log name."""
    return lines.producers() if isinstance(lines, PackedLog) else frozenset(_producers(lines))


def _producers(lines: Iterable[Said | RecordLine]) -> Iterator[str]:
    values = (line.values.get("producer") for line in lines if isinstance(line, Said))
    return (value for value in values if isinstance(value, str))


def pieces_of(lines: Sequence[Said]) -> frozenset[int]:
    """Return the files from which a log was read."""
    return lines.pieces() if isinstance(lines, PackedLog) else frozenset(line.origin.piece for line in lines)


def times_of(lines: Sequence[Said]) -> Sequence[int]:
    """Return the time of each line."""
    return lines.times() if isinstance(lines, PackedLog) else [line.time for line in lines]


def columns_of(lines: Sequence[Said]) -> LineColumns:
    """Return lines of one log as columns."""
    return lines.columns() if isinstance(lines, PackedLog) else LineColumns.of(lines)
