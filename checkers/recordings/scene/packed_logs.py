"""
A packed log keeps on disk what views say of each record, nearly all of a log in debug mode; the other lines in memory.

It is read like the list that it stands for. Who goes through it has a block of it in memory at a time.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, Final, overload

from oneowner.checkers.recordings.read.kept_lines import Once, shared
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import Said

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
"""Lines that are packed together: half a megabyte or so."""


class _Store:
    """The lines of one log: some in memory, the others in a file that goes with this process."""

    def __init__(self) -> None:
        self.broker = ""
        self.times = array("q")
        self.pieces = set[int]()
        self.producers = dict[str, None]()
        """In the order in which they are named."""
        self.debug = bytearray()
        self._kept = dict[int, Said]()
        self._numbers = array("q")
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the log
        self._places = array("q", [0])
        self._last: tuple[int, list[Said]] = (-1, [])

    def add(self, lines: Sequence[Said], once: Once) -> None:
        """Add a block: BLOCK lines, or fewer at the end; what those in memory have in common is in *once*."""
        packed, debug, of_block = _packed(), table().debug_events(), Once()
        self.pieces.update(line.origin.piece for line in lines)
        self.producers.update(dict.fromkeys(_producers(lines)))
        self.debug += bytes(line.event in debug for line in lines)
        some: list[tuple[Any, ...] | None] = []
        for number, line in enumerate(lines, len(self.times)):
            if line.event in packed:
                origin, time, _, *rest = shared(line, of_block, "")
                some.append((origin, time, *rest))
            else:
                self._numbers.append(number)
                self._kept[number] = shared(line, once, "")
                some.append(None)
        self.times.extend(line.time for line in lines)
        self._places.append(self._places[-1] + self._file.write(pickle.dumps(some, 5)))

    def done(self, broker: str) -> None:
        """Say whose log it is, when all lines are added."""
        self.broker = broker
        self._kept = {number: line._replace(broker=broker) for number, line in self._kept.items()}
        self._file.flush()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_file", "_last")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._last = (-1, [])

    def write_to(self, path: Path) -> None:
        self._file.seek(0)
        with path.open("wb") as copy:
            shutil.copyfileobj(self._file, copy, 2**20)

    def read_from(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115  # as long as the log

    def block(self, number: int) -> list[Said]:
        if self._last[0] != number:
            first, end = self._places[number : number + 2]
            broker, some = self.broker, pickle.loads(os.pread(self._file.fileno(), end - first, first))
            lines = enumerate(some, number * BLOCK)
            self._last = number, [self._kept[at] if line is None else _said(line, broker) for at, line in lines]
        return self._last[1]

    def line(self, number: int) -> Said:
        return self._kept.get(number) or self.block(number // BLOCK)[number % BLOCK]

    def kept(self, first: int, last: int) -> Iterator[tuple[int, Said]]:
        for place in range(bisect_left(self._numbers, first), bisect_left(self._numbers, last)):
            number = self._numbers[place]
            yield number, self._kept[number]


def _said(line: tuple[Any, ...], broker: str) -> Said:
    origin, time, event, thread, unit, values, words = line
    return Said(origin, time, broker, event, thread, unit, values, words)


class PackedLog(Sequence[Said]):
    """The lines of one log from *first* to *last*, as a list that is not to be changed."""

    def __init__(self, store: _Store, first: int, last: int) -> None:
        self._store, self._first, self._last = store, first, last

    @staticmethod
    def of(lines: Iterable[Said]) -> PackedLog:
        """Return lines of one broker, packed."""
        packing = Packing({})
        for line in lines:
            packing.add((line,))
        return packing.log("" if packing.last is None else packing.last.broker)

    def __len__(self) -> int:
        return max(0, self._last - self._first)

    def __iter__(self) -> Iterator[Said]:
        number = self._first
        while number < self._last:
            block = self._store.block(number // BLOCK)[number % BLOCK :][: self._last - number]
            yield from block
            number += len(block)

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
        if _packed() & frozenset(events):
            yield from ((at, line) for at, line in enumerate(self) if line.event in events)
            return
        kept = self._store.kept(self._first, self._last)
        yield from ((number - self._first, line) for number, line in kept if line.event in events)

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
    """Lines of a log that is packed while it is read: a block of them is in memory."""

    def __init__(self, once: Once) -> None:
        self.last: Said | None = None
        self._store, self._once, self._waiting = _Store(), once, list[Said]()

    def add(self, lines: Sequence[Said]) -> None:
        """Add lines of which it is not said whose they are."""
        self._waiting += lines
        self.last = lines[-1] if lines else self.last
        while len(self._waiting) >= BLOCK:
            self._store.add(self._waiting[:BLOCK], self._once)
            del self._waiting[:BLOCK]

    def log(self, broker: str) -> PackedLog:
        """Return what was added, as the log of *broker*."""
        if self._waiting:
            self._store.add(self._waiting, self._once)
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


def _producers(lines: Iterable[Said]) -> Iterator[str]:
    values = (line.values.get("producer") for line in lines)
    return (value for value in values if isinstance(value, str))


def pieces_of(lines: Sequence[Said]) -> frozenset[int]:
    """Return the files from which a log was read."""
    return lines.pieces() if isinstance(lines, PackedLog) else frozenset(line.origin.piece for line in lines)


def times_of(lines: Sequence[Said]) -> Sequence[int]:
    """Return the time of each line."""
    return lines.times() if isinstance(lines, PackedLog) else [line.time for line in lines]
