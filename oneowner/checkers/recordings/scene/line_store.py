"""The lines of a packed log, in blocks, in a file that goes with this process."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.mapped_files import mapped
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.record_lines import said_of

Row = tuple[Any, ...]
"""A line that the table read, whose it is left out."""
PARTS: Final = 4
NEEDED, OTHERS, RAW, COLUMNS = range(PARTS)
"""The content of each block's file (``kept_lines.py``)."""
MOST_OPEN: Final = 2
"""Blocks of a log that are open at once: a pass through it reads one, and the next."""


class OpenBlock:
    """The lines of a block, each of which is made when it is asked for."""

    def __init__(self, broker: str, parts: Callable[[int], bytes], kept: Mapping[int, LogEvent]) -> None:
        """:param parts: returns the content of this block's file, by the names of ``PARTS``."""
        self._broker, self._parts, self._kept = broker, parts, kept

    @cached_property
    def _needed(self) -> Mapping[int, Row]:
        found: Mapping[int, Row] = pickle.loads(self._parts(NEEDED))
        return found

    @cached_property
    def _others(self) -> Mapping[int, Row]:
        found: Mapping[int, Row] = pickle.loads(self._parts(OTHERS))
        return found

    @cached_property
    def columns(self) -> LineColumns:
        found: LineColumns = pickle.loads(self._parts(COLUMNS))
        return found

    @cached_property
    def _raw(self) -> Mapping[int, bytes]:
        """The bytes of the lines that are read again when they are asked for."""
        read = self._needed.keys() | self._others.keys() | self._kept.keys()
        records = (at for at in range(len(self)) if at not in read)
        return dict(zip(records, zlib.decompress(self._parts(RAW)).split(b"\n"), strict=False))

    def __len__(self) -> int:
        return len(self.columns.table)

    def __getitem__(self, place: int) -> LogEvent:
        if (kept := self._kept.get(place)) is not None:
            return kept
        if (row := self._needed.get(place) or self._others.get(place)) is not None:
            event, origin, time, thread, unit, values, words = row
            return LogEvent(origin, time, self._broker, event, thread, unit, values, words)
        row_of = self.columns.table[place]
        origin = Origin(int(row_of["piece"]), int(row_of["chunk"]), int(row_of["line"]))
        return said_of(origin, self._raw[place], table())._replace(broker=self._broker)

    def of_kinds(self, events: Collection[str], are_others: bool) -> Iterator[tuple[int, LogEvent]]:
        """Yield the lines of these kinds and their places; *are_others* unless all are of those that are needed."""
        if are_others:
            places = np.flatnonzero(self.columns.are(events)).tolist()
        else:
            rows = self._needed
            places = [at for at, row in rows.items() if row[0] in events]
            if own := [at for at, line in self._kept.items() if line.event in events]:
                places = sorted([*places, *own])
        return ((at, self[at]) for at in places)


class FilePieces:
    """Pieces of bytes by their numbers, from 0; a pickle holds their lengths, and no bytes until it gets a file."""

    def __init__(self) -> None:
        self._ends = array("q", [0])
        """The end of each piece, after a leading 0."""
        self._file: IO[bytes] | None = None

    def __getstate__(self) -> array[int]:
        return self._ends

    def __setstate__(self, ends: array[int]) -> None:
        self._ends, self._file = ends, None

    def __getitem__(self, number: int) -> bytes:
        """Return a piece; raise LookupError if none of them is here."""
        first, end = self._ends[number : number + 2]
        if first == end:
            return b""
        if self._file is None:
            raise LookupError("pieces of a file are asked for where it is not")
        return os.pread(self._file.fileno(), end - first, first)

    def add(self, piece: bytes) -> None:
        """Add the next bytes, to be read after ``done``."""
        if self._file is None and piece:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the pieces
        if self._file is not None:
            self._file.write(piece)
        self._ends.append(self._ends[-1] + len(piece))

    def done(self) -> None:
        """Make the added pieces readable."""
        if self._file is not None:
            self._file.flush()

    def write_to(self, path: Path) -> None:
        """Copy all pieces to a file."""
        with path.open("wb") as copy:
            if self._file is not None:
                self._file.seek(0)
                shutil.copyfileobj(self._file, copy, 2**20)

    def read_from(self, path: str) -> None:
        """Take all pieces from a file, from now on."""
        self._file = open(path, "rb")  # noqa: SIM115  # as long as the pieces

    def fill(self, pieces: Iterable[bytes], folder: str) -> None:
        """Take all pieces, in their order, to a file in *folder*; raise ValueError if some are missing."""
        self.drop()
        self._file = tempfile.TemporaryFile(dir=folder or None)  # noqa: SIM115  # until they are dropped
        size = sum(map(self._file.write, pieces))
        if size != self._ends[-1]:
            raise ValueError(f"of {self._ends[-1]} bytes of a file {size} are here")
        self._file.flush()

    def drop(self) -> None:
        """Remove every piece."""
        if self._file is not None:
            self._file.close()
            self._file = None


def rest_of(block: Block) -> tuple[bytes, bytes, bytes]:
    """Return all parts of a block but those lines that laws ask for by kinds."""
    return block.others, block.raw, block.columns


class Store:
    """
    The lines of one log: nearly all in files that go with this process.

    Blocks that also wait on a cluster are divided: the kinds of lines that laws ask for go to every task that judges a
    broker, which takes the rest from the blocks.
    """

    def __init__(self) -> None:
        self.broker = ""
        self.times: array[int] | memoryview = array("q")
        self.debug: bytearray | memoryview = bytearray()
        """Of each line whether only a broker in debug mode writes it."""
        self.pieces = set[int]()
        self.producers = dict[str, None]()
        """In the order in which they are named."""
        self.kinds = list[frozenset[str]]()
        """Of each block, of which kinds its lines are."""
        self._kept = dict[int, LogEvent]()
        self._numbers = array("q")
        self.items = set[int]()
        """Of which items of a cluster's work blocks wait there."""
        self._parts, self._rest = FilePieces(), FilePieces()
        """The parts of each block; in the second those that can be taken from blocks which wait."""
        self._firsts = array("q")
        """The number of the first line of each block."""
        self._open = OrderedDict[int, OpenBlock]()

    def add(self, block: Block) -> None:
        """Add the next block."""
        first = len(self.times)
        assert isinstance(self.times, array), "nothing is added to what is done"
        assert isinstance(self.debug, bytearray), "nothing is added to what is done"
        self._firsts.append(first)
        self.pieces |= block.pieces
        self.producers.update(dict.fromkeys(block.producers))
        self.debug += block.debug
        for at, line in block.kept.items():
            self._numbers.append(first + at)
            self._kept[first + at] = line
        self.times += block.times
        self.kinds.append(block.kinds)
        rest, none = rest_of(block), (b"",) * (PARTS - 1)
        if block.item is not None:
            self.items.add(block.item)
        for part in (block.needed, *(rest if block.item is None else none)):
            self._parts.add(part)
        for part in (b"", *(none if block.item is None else rest)):
            self._rest.add(part)

    def done(self, broker: str) -> None:
        """Set the broker of the log, after all lines are added."""
        self.broker = broker
        self._kept = {number: line._replace(broker=broker) for number, line in self._kept.items()}
        times, debug = mapped((np.asarray(self.times), np.frombuffer(self.debug, np.uint8)))
        self.times, self.debug = times.data, debug.data
        self._parts.done()
        self._rest.done()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_open"}
        return state | {"times": np.asarray(self.times), "debug": np.asarray(self.debug)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.times, self.debug = state["times"].data, state["debug"].data
        self._open = OrderedDict()

    def write_to(self, path: Path) -> None:
        """
        Copy the blocks on disk to a file, for another process to read: a pickle has all but these.

        Of blocks that wait on a cluster only the lines that laws query by kind are copied, which are few.
        """
        self._parts.write_to(path)

    def read_from(self, path: str) -> None:
        """Read the blocks from the file *path* from now on."""
        self._parts.read_from(path)

    def take(self, blocks: Iterable[Block], folder: str) -> None:
        """Load *blocks* that waited on a cluster to a file in *folder*; raise ValueError if some are missing."""
        self._rest.fill((part for block in blocks for part in rest_of(block)), folder)

    def drop(self) -> None:
        """Release the loaded blocks."""
        self._open.clear()
        self._rest.drop()

    def block(self, number: int) -> OpenBlock:
        if number not in self._open:
            first = self._firsts[number]
            kept = {at - first: line for at, line in self._kept_of(first, self._end(number))}
            self._open[number] = OpenBlock(self.broker, partial(self._part, number), kept)
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(number)
        return self._open[number]

    def _part(self, block: int, part: int) -> bytes:
        return self._parts[PARTS * block + part] or self._rest[PARTS * block + part]

    def blocks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the blocks that have lines of these numbers, and the number of the first line of each."""
        if first < last:
            for block in range(bisect_right(self._firsts, first) - 1, bisect_left(self._firsts, last)):
                yield block, self._firsts[block]

    def _end(self, block: int) -> int:
        return self._firsts[block + 1] if block + 1 < len(self._firsts) else len(self.times)

    def columns(self, first: int, last: int) -> Iterator[LineColumns]:
        """Yield the columns of the lines of these numbers, block by block."""
        for block, begin in self.blocks(first, last):
            part: LineColumns = pickle.loads(self._part(block, COLUMNS))
            yield part.with_rows(part.table[max(0, first - begin) : last - begin])

    def block_with(self, number: int) -> tuple[OpenBlock, int]:
        """Return the block with the line of this number, and the place that it has there."""
        block = bisect_right(self._firsts, number) - 1
        return self.block(block), number - self._firsts[block]

    def line(self, number: int) -> LogEvent:
        block, place = self.block_with(number)
        return block[place]

    def _kept_of(self, first: int, last: int) -> Iterator[tuple[int, LogEvent]]:
        for place in range(bisect_left(self._numbers, first), bisect_left(self._numbers, last)):
            number = self._numbers[place]
            yield number, self._kept[number]
