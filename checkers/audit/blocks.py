"""
From chunks of files to events in topic order.

A chunk is read once; its events are packed into blocks, one per bucket of namespaces, each in topic order.
Blocks of one bucket, sorted by their first position, are merged into one stream: in the usual case they follow
each other and nothing is compared. What is wrong with lines or their order is reported beside the blocks.
"""

from __future__ import annotations

import heapq
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from checkers.audit.dump import DumpReader, Unreadable, check_object
from checkers.audit.events import NOWHERE, Event, Finding, Origin, Position, Severity, Tally
from checkers.audit.fold import count, repeated
from checkers.audit.lines import Chunk, Damage, Kind, read_lines
from checkers.audit.zookeeper import HistoryReader
from model.record import Record

BLOCK_EVENTS = 20_000
"""Events of one chunk before its blocks are written out: bounds the memory of a reader."""

READABLE = "readable-input"
ORDER = "message-order"

Reader = Callable[[bytes | Damage, Origin], Event | None]


class Block(NamedTuple):
    """Some events of one bucket in topic order, packed."""

    bucket: int
    first: Position
    last: Position
    packed: bytes


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


def read_chunk(chunk: Chunk, buckets: int) -> Iterator[Block | Finding | Summary]:
    """Read one chunk: blocks, a finding for every line that is unreadable or out of order, a summary last."""
    read = _READERS[chunk.kind]()
    tally, lines = Tally(), 0
    first: Event | None = None
    previous: Position | None = None
    said: dict[str, tuple[int, str]] = {}
    waiting: list[Event] = []
    for lines, raw in read_lines(chunk):
        origin = Origin(chunk.piece, chunk.number, lines)
        finding: Finding | None = None
        try:
            event = None if not isinstance(raw, Damage) and raw.isspace() else read(raw, origin)
        except Unreadable as error:
            event, finding = None, unreadable(origin, str(error))
        if event is not None:
            if previous is not None and event.position <= previous:
                finding = out_of_order(event, previous)
            first, previous = first or event, event.position
            waiting.append(event)
            if len(waiting) == BLOCK_EVENTS:
                yield from pack(waiting, buckets)
                waiting = []
        if finding is not None:
            count(tally, finding)
            said.setdefault(finding.law, (lines, finding.why))
            yield finding
    yield from pack(waiting, buckets)
    yield Summary(chunk, lines, first, previous, tally, said.get(READABLE), said.get(ORDER))


def _channel() -> Reader:
    reader = DumpReader()
    return lambda raw, origin: reader.event(whole(raw), origin)


def _history() -> Reader:
    reader = HistoryReader()
    return lambda raw, origin: reader.event(whole(raw), origin)


def _side() -> Reader:
    return lambda raw, origin: check_object(whole(raw))


_READERS: dict[Kind, Callable[[], Reader]] = {Kind.CHANNEL: _channel, Kind.ZOOKEEPER: _history, Kind.SIDE: _side}


def whole(raw: bytes | Damage) -> bytes:
    """Return a line that is there as a whole."""
    if isinstance(raw, Damage):
        raise Unreadable(raw.why)
    return raw


def pack(events: list[Event], buckets: int) -> Iterator[Block]:
    """Pack *events* into one block per bucket, each in topic order."""
    by_bucket: dict[int, list[Event]] = {}
    of_key: dict[str, int] = {}
    for event in events:
        bucket = of_key.get(event.key)
        if bucket is None:
            bucket = of_key[event.key] = bucket_of(event.key, buckets)
        by_bucket.setdefault(bucket, []).append(event)
    for bucket, members in sorted(by_bucket.items()):
        members.sort(key=_position)
        plain = [[(*event[:5], *event.record, *event[6:]) for event in members]]
        yield Block(bucket, members[0].position, members[-1].position, pickle.dumps(plain, 5))


def unpack(packed: bytes | memoryview) -> Iterator[Event]:
    """Give the events of a block back."""
    for row in pickle.loads(packed)[0]:
        position, origin, message_id, time, key, *record, children, producer = row
        yield Event(position, origin, message_id, time, key, Record(*record), children, producer)


def merge(blocks: Iterable[Block]) -> Iterator[Event]:
    """
    Merge blocks of one bucket, sorted by their first position, into one stream in topic order.

    A block is unpacked when its turn comes, so memory holds only blocks that overlap. Equal positions come in
    the order of the files and lines.
    """
    waiting = iter(blocks)
    following = next(waiting, None)
    active: list[tuple[Position, Origin, Event, Iterator[Event]]] = []
    while following is not None or active:
        if following is not None and (not active or following.first <= active[0][0]):
            _activate(active, unpack(following.packed))
            following = next(waiting, None)
        elif len(active) > 1:
            _, _, event, stream = heapq.heappop(active)
            yield event
            _activate(active, stream)
        else:  # a single block: no comparing until the next one begins
            _, _, event, stream = active.pop()
            yield event
            for later in stream:
                if following is not None and later.position >= following.first:
                    active.append((later.position, later.origin, later, stream))
                    break
                yield later


def _activate(active: list[tuple[Position, Origin, Event, Iterator[Event]]], stream: Iterator[Event]) -> None:
    event = next(stream, None)
    if event is not None:
        heapq.heappush(active, (event.position, event.origin, event, stream))


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


def _position(event: Event) -> Position:
    return event.position
