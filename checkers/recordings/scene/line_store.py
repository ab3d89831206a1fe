"""
The lines of a packed log, in blocks: some in memory, the others in a file that goes with this process.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.kept_lines import Block, Once, shared
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.read.record_lines import said_of


class OpenBlock:
    """The lines of a block, each of which is made when it is asked for."""

    def __init__(
        self, broker: str, columns: LineColumns, packed: Mapping[int, tuple[Any, ...]], raw: bytes,
        kept: Mapping[int, Said],
    ) -> None:  # fmt: skip
        self._broker, self._columns, self._packed, self._kept = broker, columns, packed, kept
        records = (at for at in range(len(columns.table)) if at not in packed and at not in kept)
        self._raw = dict(zip(records, zlib.decompress(raw).split(b"\n"), strict=False))
        """The bytes of the lines that are read again when they are asked for."""

    def event(self, place: int) -> str:
        """Return of which kind a line is."""
        event: int = self._columns.table["event"][place]
        return self._columns.events[event]

    def __len__(self) -> int:
        return len(self._columns.table)

    def __getitem__(self, place: int) -> Said:
        if (kept := self._kept.get(place)) is not None:
            return kept
        if (raw := self._raw.get(place)) is not None:
            row = self._columns.table[place]
            origin = Origin(int(row["piece"]), int(row["chunk"]), int(row["line"]))
            return said_of(origin, raw, table())._replace(broker=self._broker)
        event, origin, time, thread, unit, values, words = self._packed[place]
        return Said(origin, time, self._broker, event, thread, unit, values, words)


class Store:
    """The lines of one log: some in memory, the others in a file that goes with this process."""

    def __init__(self) -> None:
        self.broker = ""
        self.times = array("q")
        self.pieces = set[int]()
        self.producers = dict[str, None]()
        """In the order in which they are named."""
        self.debug = bytearray()
        self.kinds = list[frozenset[str]]()
        """Of each block, of which kinds its lines are."""
        self._kept = dict[int, Said]()
        self._numbers = array("q")
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the log
        self._places, self._firsts = array("q", [0]), array("q")
        """Where the lines and the columns of each block end in the file, behind 0; and the number of its first line."""
        self._last: tuple[int, OpenBlock] | None = None

    def add(self, block: Block, once: Once) -> None:
        """Add what comes next; what lines in memory have in common is in *once*."""
        first = len(self.times)
        self._firsts.append(first)
        self.pieces |= block.pieces
        self.producers.update(dict.fromkeys(block.producers))
        self.debug += block.debug
        for at, line in block.kept.items():
            self._numbers.append(first + at)
            self._kept[first + at] = shared(line, once, "")
        self.times += block.times
        self.kinds.append(block.kinds)
        for part in (block.packed, block.columns):
            self._places.append(self._places[-1] + self._file.write(part))

    def done(self, broker: str) -> None:
        """Say whose log it is, when all lines are added."""
        self.broker = broker
        self._kept = {number: line._replace(broker=broker) for number, line in self._kept.items()}
        self._file.flush()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_file", "_last")}
        return state | {"times": np.asarray(self.times)}  # of which nothing is copied meanwhile

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"times": array("q", state["times"].tobytes())})
        self._last = None

    def write_to(self, path: Path) -> None:
        self._file.seek(0)
        with path.open("wb") as copy:
            shutil.copyfileobj(self._file, copy, 2**20)

    def read_from(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115  # as long as the log

    def block(self, number: int) -> OpenBlock:
        if self._last is None or self._last[0] != number:
            first, end, columns = self._firsts[number], self._end(number), self._unpacked(2 * number + 1)
            packed, raw = self._unpacked(2 * number)
            kept = {at - first: line for at, line in self.kept(first, end)}
            self._last = number, OpenBlock(self.broker, columns, packed, raw, kept)
        return self._last[1]

    def _unpacked(self, number: int) -> Any:
        first, end = self._places[number : number + 2]
        return pickle.loads(os.pread(self._file.fileno(), end - first, first))

    def blocks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the blocks that have lines of these numbers, and the number of the first line of each."""
        if first < last:
            for block in range(bisect_right(self._firsts, first) - 1, bisect_left(self._firsts, last)):
                yield block, self._firsts[block]

    def _end(self, block: int) -> int:
        return self._firsts[block + 1] if block + 1 < len(self._firsts) else len(self.times)

    def columns(self, first: int, last: int) -> LineColumns:
        """Return the columns of the lines of these numbers."""
        blocks = [*self.blocks(first, last)]
        begin, end = (blocks[0][1], self._end(blocks[-1][0])) if blocks else (0, 0)
        found = LineColumns.joined((self._unpacked(2 * block + 1) for block, _ in blocks), end - begin)
        before = first - begin
        return found._replace(table=found.table[before : before + max(0, last - first)])

    def block_with(self, number: int) -> tuple[OpenBlock, int]:
        """Return the block with the line of this number, and the place that it has there."""
        block = bisect_right(self._firsts, number) - 1
        return self.block(block), number - self._firsts[block]

    def line(self, number: int) -> Said:
        if (kept := self._kept.get(number)) is not None:
            return kept
        block, place = self.block_with(number)
        return block[place]

    def kept(self, first: int, last: int) -> Iterator[tuple[int, Said]]:
        for place in range(bisect_left(self._numbers, first), bisect_left(self._numbers, last)):
            number = self._numbers[place]
            yield number, self._kept[number]
