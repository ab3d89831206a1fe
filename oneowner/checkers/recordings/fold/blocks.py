"""
Chunks of files become blocks of events, which are merged in topic order.

A chunk is read once; its events are packed into blocks of columns, one per bucket of namespaces, each in topic order.
Blocks of one bucket, sorted by their first position, are merged into one stream: in the usual case they follow
each other and nothing is sorted. Faults of lines or of their order are reported beside the blocks.

Where a dump comes in several pieces, every event is packed twice: by namespace, to be judged, and by its place in
the topic, to find ids that occur in two files whatever their namespaces.
"""

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from oneowner.checkers.recordings.fold.chunk_reader import ChunkReader, Summary
from oneowner.checkers.recordings.fold.findings import repeated
from oneowner.checkers.recordings.read.event_columns import Columns, repeated_places
from oneowner.checkers.recordings.read.events import Event, Finding, Position
from oneowner.checkers.recordings.read.lines import Chunk, read_texts

BLOCK_EVENTS = 65_536
"""Events of one chunk before its blocks are written out: 6 MiB as columns."""

MERGED_EVENTS = 262_144
"""Events that are judged at once, about: many events of a unit share the work that is done once for it."""

FINDINGS_AT_ONCE = 1_000


class Block(NamedTuple):
    """Some events of one bucket in topic order, packed."""

    bucket: int
    first: Position
    packed: bytes

    def columns(self) -> Columns:
        """Return its events."""
        return Columns.unpacked(self.packed)


class Packed(Protocol):
    """A block, or its holder."""

    @property
    def first(self) -> Position: ...

    def columns(self) -> Columns: ...


def read_chunk(chunk: Chunk, buckets: int) -> Iterator[Block | list[Finding] | Summary]:
    """Read one chunk: blocks, findings for lines that are unreadable or out of order, a summary last."""
    reading = ChunkReader(chunk)
    waiting: list[Columns] = []
    for text in read_texts(chunk):
        waiting += reading.columns(text)
        if sum(len(columns.table) for columns in waiting) >= BLOCK_EVENTS:
            yield from pack(Columns.joined(waiting), buckets, chunk.is_one_of_many)
            waiting = []
        if len(reading.found) >= FINDINGS_AT_ONCE:
            yield reading.found
            reading.found = []
    if waiting:
        yield from pack(Columns.joined(waiting), buckets, chunk.is_one_of_many)
    if reading.found:
        yield reading.found
    yield reading.summary()


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
    return Block(bucket, members.first(), members.pack())


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
            active = Columns.joined(waiting).in_topic_order()
            ready = active.before(block.first)
            if ready:
                yield active.with_rows(active.table[:ready])
            waiting = [active.part(slice(ready, None))] if ready < len(active.table) else []
            new = 0
        columns = block.columns()
        waiting.append(columns)
        new += len(columns.table)
    if waiting:
        yield Columns.joined(waiting).in_topic_order()


def repeats(blocks: Iterable[Packed]) -> Iterator[Finding]:
    """Yield a finding for every message id that occurs in two files; *blocks* are packed by place."""
    for columns in merge(blocks):
        for row in columns.rows(repeated_places(columns.table)):
            yield repeated(Event(*row), "its message id occurs in another file too")


@lru_cache(maxsize=100_000)
def bucket_of(key: str, buckets: int) -> int:
    """Return the bucket of a unit: that of its namespace, whose units belong together."""
    return zlib.crc32(key.rpartition("/")[0].encode()) % buckets
