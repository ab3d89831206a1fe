"""
Chunks of files become blocks of events, which are merged in topic order.

A chunk is read once; its events are packed into blocks of columns, one per bucket of namespaces, each in topic order.
Blocks of one bucket, sorted by their first position, are merged into one stream: in the usual case they follow
each other and nothing is sorted. What is wrong with lines or their order is reported beside the blocks.

Where a dump comes in several pieces, every event is packed twice: by namespace, to be judged, and by its place in
the topic, to find ids that occur in two files whatever their namespaces.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from oneowner.checkers.recordings.fold.findings import repeated
from oneowner.checkers.recordings.fold.fold import count
from oneowner.checkers.recordings.fold.numbering import Numbered, Numbering
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable, check_object
from oneowner.checkers.recordings.read.event_columns import Columns, follows, joined, narrowed, repeated_places, widened
from oneowner.checkers.recordings.read.events import NOWHERE, Event, Finding, Origin, Position, Row, Tally
from oneowner.checkers.recordings.read.lines import Chunk, Damage, FileKind, read_texts
from oneowner.checkers.recordings.read.log_lines import ChunkRead
from oneowner.checkers.recordings.read.many_lines import LinesReader
from oneowner.checkers.recordings.read.pulsar_client_output import PrintedReader
from oneowner.checkers.recordings.read.zookeeper import HistoryReader
from oneowner.model.kernel.law import Severity

BLOCK_EVENTS = 65_536
"""Events of one chunk before its blocks are written out: 6 MiB as columns."""

MERGED_EVENTS = 262_144
"""Events that are judged at once, about: what is done once for every unit is shared by many of its events."""

FEW_BYTES = 65_536
"""Bytes of lines that are read one by one if one of them is unusual: 200 lines, or a few long ones."""

FINDINGS_AT_ONCE = 1_000

READABLE = "readable-input"
ORDER = "message-order"


class Block(NamedTuple):
    """Some events of one bucket in topic order, packed."""

    bucket: int
    first: Position
    last: Position
    packed: bytes

    def columns(self) -> Columns:
        """Return its events."""
        (count, narrow), *names = pickle.loads(self.packed)
        return Columns(widened(count, narrow), *names)


class Packed(Protocol):
    """A block, or who has one."""

    @property
    def first(self) -> Position: ...

    def columns(self) -> Columns: ...


class Summary(NamedTuple):
    """What the driver must know of one chunk: its lines, and its first and last message."""

    chunk: Chunk
    lines: int
    first: Event | None
    last: Position | None
    tally: Tally
    unreadable: tuple[int, str] | None = None
    """The first line that is no message, and why."""
    disorder: tuple[int, str] | None = None
    """The first line whose id repeats or goes back, and how."""
    is_blank: bool = False
    """Whether it holds no line, or blank ones alone."""
    numbered: Numbered = Numbered()
    """What numbers and times of its messages say, where a dump is alone."""


def read_chunk(chunk: Chunk, buckets: int) -> Iterator[Block | list[Finding] | Summary]:
    """Read one chunk: blocks, findings for lines that are unreadable or out of order, a summary last."""
    reading = ChunkReader(chunk)
    waiting: list[Columns] = []
    for text in read_texts(chunk):
        waiting += reading.columns(text)
        if sum(len(columns.table) for columns in waiting) >= BLOCK_EVENTS:
            yield from pack(joined(waiting), buckets, chunk.is_one_of_many)
            waiting = []
        if len(reading.found) >= FINDINGS_AT_ONCE:
            yield reading.found
            reading.found = []
    if waiting:
        yield from pack(joined(waiting), buckets, chunk.is_one_of_many)
    if reading.found:
        yield reading.found
    yield reading.summary()


def log_summary(chunk: Chunk, read: ChunkRead) -> tuple[Summary, list[Finding]]:
    """Return the summary of a *chunk* of a log that was *read* elsewhere, and what is said of unreadable lines."""
    reading = ChunkReader(chunk)
    reading.lines, reading.is_blank = read.lines, read.is_blank
    for line, why in read.unreadable:
        reading.say(unreadable(Origin(chunk.piece, chunk.number, line), why))
    return reading.summary(), reading.found


class ChunkReader:
    """Where the reading of one chunk stands."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.found: list[Finding] = []
        self.lines = 0
        """Lines that were read."""
        self.is_blank = True
        """Whether they are none, or blank ones alone."""
        self._tally = Tally()
        self._first: Event | None = None
        self._last: Position | None = None
        self._said: dict[str, tuple[int, str]] = {}
        dump = DumpReader(chunk.piece, chunk.number)
        is_dump = chunk.kind == FileKind.CHANNEL and not chunk.is_printed
        self._many = LinesReader(chunk.piece, chunk.number) if is_dump else None
        self._dump = dump
        self._numbering = Numbering()
        self._one: Callable[[bytes, int], Row | None] = dump.row
        if chunk.is_printed:
            self._one = PrintedReader(chunk.piece, chunk.number).row
        elif chunk.kind == FileKind.ZOOKEEPER:
            self._one = HistoryReader(chunk.piece, chunk.number).row
        elif chunk.kind == FileKind.COMPACTED:  # a dump like the channel's, but none to be judged
            self._one = lambda raw, line: _read_only(dump.row(raw, line))
        elif chunk.kind == FileKind.SIDE:  # a companion file must at least hold JSON objects
            self._one = lambda raw, _: check_object(raw)

    def columns(self, text: bytes | Damage) -> list[Columns]:
        """Return the events of some lines, if there are any; what is wrong with others is added to ``found``."""
        self.is_blank = self.is_blank and isinstance(text, bytes) and text.isspace()
        if isinstance(text, Damage):
            self.lines += 1
            self.say(unreadable(self._here(), text.why))
            return []
        if self.chunk.kind == FileKind.LOG:  # a log must at least be there to its end
            self.lines += text.count(b"\n") + (not text.endswith(b"\n"))
            return []
        columns = self._many.columns(text, self.lines + 1) if self._many is not None else None
        if columns is None and self._many is not None and (half := _half(text)):
            return [*self.columns(text[:half]), *self.columns(text[half:])]
        if columns is None:
            rows, stamps = list[Row](), list[tuple[int, int]]()
            for row in self._one_by_one(text):
                rows.append(row)
                stamps.append(self._dump.stamps)
            if not rows:
                return []
            columns = Columns.of(rows)
            if self._many is not None:  # a history has none, and what pulsar-client prints names no producer
                self._numbering.take(columns, np.array(stamps, np.int64))
        elif self._many is not None:
            self.lines += len(columns.table)
            self._numbering.take(columns, self._many.stamps)
        self._check_order(columns)
        return [columns]

    def _one_by_one(self, text: bytes) -> Iterator[Row]:
        for raw in text.removesuffix(b"\n").split(b"\n"):
            self.lines += 1
            if raw and not raw.isspace():
                try:
                    row = self._one(raw, self.lines)
                except Unreadable as error:
                    self.say(unreadable(self._here(), str(error)))
                else:
                    if row is not None:
                        yield row

    def _check_order(self, columns: Columns) -> None:
        if self._first is None:
            self._first = Event(*columns.rows(np.array([0]))[0])
        previous = self._last
        self._last = columns.last()
        if (previous is None or columns.first() > previous) and follows(columns.table).all():
            return
        for row in columns.rows():
            position = row[:3]
            if previous is not None and position <= previous:
                self.say(out_of_order(Event(*row), previous))
            previous = position

    def _here(self) -> Origin:
        return Origin(self.chunk.piece, self.chunk.number, self.lines)

    def say(self, finding: Finding) -> None:
        """Add what is wrong with a line."""
        count(self._tally, finding)
        self._said.setdefault(finding.law, (finding.origin.line, finding.why))
        self.found.append(finding)

    def summary(self) -> Summary:
        """Return what the driver must know of the chunk."""
        said = self._said
        return Summary(
            self.chunk, self.lines, self._first, self._last, self._tally, said.get(READABLE), said.get(ORDER),
            self.is_blank, self._numbering.result(),
        )  # fmt: skip


def _half(text: bytes) -> int:
    """Return where to cut lines in two, among which one is unusual; 0 if they are few."""
    return text.rfind(b"\n", 0, len(text) // 2) + 1 if len(text) > FEW_BYTES else 0


def _read_only(_: Row) -> None:
    """Forget an event that was only to be read."""


def pack(columns: Columns, buckets: int, by_place: bool = False) -> Iterator[Block]:
    """Pack some events into one block per bucket, each in topic order; with *by_place* a second time, see above."""
    table = columns.table
    if buckets == 1 and not by_place:
        yield _packed(0, columns.part(slice(None)))
        return
    bucket_of_key = np.array([bucket_of(key, buckets) for key in columns.keys])
    parts = [bucket_of_key[table["key"]]]
    if by_place:
        parts.append(buckets + (table["ledger"] ^ table["entry"]) % buckets)
    for bucket_of_row in parts:
        for bucket in np.flatnonzero(np.bincount(bucket_of_row)).tolist():
            yield _packed(bucket, columns.part(np.flatnonzero(bucket_of_row == bucket)))


def _packed(bucket: int, columns: Columns) -> Block:
    members = columns.in_topic_order()
    packed = pickle.dumps((narrowed(members.table), *members[1:]), 5)
    return Block(bucket, members.first(), members.last(), packed)


def merge(blocks: Iterable[Packed]) -> Iterator[Columns]:
    """
    Merge blocks of one bucket, sorted by their first position, into events in topic order, many at a time.

    Mostly blocks follow each other. Where they overlap, only they are in memory. Equal positions come together, in the
    order of files and lines.
    """
    waiting: list[Columns] = []
    new = 0
    for block in blocks:
        if new >= MERGED_EVENTS:
            active = joined(waiting).in_topic_order()
            ready = active.before(block.first)
            if ready:
                yield active._replace(table=active.table[:ready])
            waiting = [active.part(slice(ready, None))] if ready < len(active.table) else []
            new = 0
        columns = block.columns()
        waiting.append(columns)
        new += len(columns.table)
    if waiting:
        yield joined(waiting).in_topic_order()


def repeats(blocks: Iterable[Packed]) -> Iterator[Finding]:
    """Yield a finding for every message id that occurs in two files; *blocks* are packed by place."""
    for columns in merge(blocks):
        for row in columns.rows(repeated_places(columns.table)):
            yield repeated(Event(*row), "its message id occurs in another file too")


@lru_cache(maxsize=100_000)
def bucket_of(key: str, buckets: int) -> int:
    """Return the bucket of a unit: that of its namespace, whose units belong together."""
    return zlib.crc32(key.rpartition("/")[0].encode()) % buckets


def unreadable(origin: Origin, why: str) -> Finding:
    """Return the finding about a line that is no message."""
    return Finding(
        READABLE, Severity.WARNING, None, NOWHERE, origin, None, None, (), why, None, None,
        READABLE, "one JSON message per line",
    )  # fmt: skip


def out_of_order(event: Event, previous: Position) -> Finding:
    """Return the finding about a message whose id repeats or goes back within its file."""
    words = "repeats the one before it" if event.position == previous else "goes back behind the one before it"
    return repeated(event, f"its message id {words}, {':'.join(map(str, previous[:2]))}")
