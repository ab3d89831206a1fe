"""
From chunks of files to events in topic order.

A chunk is read once; its events are packed into blocks, one per bucket of namespaces, each in topic order.
Blocks of one bucket, sorted by their first position, are merged into one stream: in the usual case they follow
each other and nothing is compared. What is wrong with lines or their order is reported beside the blocks.

Where a dump comes in several pieces, every event is packed twice: by namespace, to be judged, and by its place in
the topic, to find ids that occur in two files whatever their namespaces.
"""

from __future__ import annotations

import pickle
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from checkers.audit.dump import DumpReader, Unreadable, check_object
from checkers.audit.events import KEY, NOWHERE, PIECE, Event, Finding, Origin, Position, Row, Severity, Tally
from checkers.audit.findings import repeated
from checkers.audit.fold import count
from checkers.audit.lines import Chunk, Damage, Kind, read_texts
from checkers.audit.zookeeper import HistoryReader

BLOCK_EVENTS = 6_000
"""Events of one chunk before its blocks are written out: few enough to stay in the processor's cache."""

FINDINGS_AT_ONCE = 1_000

READABLE = "readable-input"
ORDER = "message-order"


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


def read_chunk(chunk: Chunk, buckets: int) -> Iterator[Block | list[Finding] | Summary]:
    """Read one chunk: blocks, findings for lines that are unreadable or out of order, a summary last."""
    reading = _Reading(chunk)
    waiting: list[Row] = []
    for text in read_texts(chunk):
        waiting += reading.rows(text)
        if len(waiting) >= BLOCK_EVENTS:
            yield from pack(waiting, buckets, chunk.is_one_of_many)
            waiting = []
        if len(reading.found) >= FINDINGS_AT_ONCE:
            yield reading.found
            reading.found = []
    yield from pack(waiting, buckets, chunk.is_one_of_many)
    if reading.found:
        yield reading.found
    yield reading.summary()


class _Reading:
    """Where the reading of one chunk stands."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.found: list[Finding] = []
        self._lines = 0
        self._tally = Tally()
        self._first: Event | None = None
        self._last: Position | None = None
        self._said: dict[str, tuple[int, str]] = {}
        dump = DumpReader(chunk.piece, chunk.number)
        self._many = dump.rows if chunk.kind == Kind.CHANNEL else None
        self._one: Callable[[bytes, int], Row | None] = dump.row
        if chunk.kind == Kind.ZOOKEEPER:
            self._one = HistoryReader(chunk.piece, chunk.number).row
        elif chunk.kind == Kind.COMPACTED:  # a dump like the channel's, but none to be judged
            self._one = lambda raw, line: _read_only(dump.row(raw, line))
        elif chunk.kind == Kind.SIDE:  # a companion file must at least hold JSON objects
            self._one = lambda raw, _: check_object(raw)
        elif chunk.kind == Kind.LOG:  # a log must at least be there to its end
            self._one = lambda raw, _: None

    def rows(self, text: bytes | Damage) -> list[Row]:
        """Return the events of some lines; what is wrong with others is added to ``found``."""
        if isinstance(text, Damage):
            self._lines += 1
            self._say(unreadable(self._here(), text.why))
            return []
        rows = self._many(text, self._lines + 1) if self._many is not None else None
        if rows is None:
            rows = list(self._one_by_one(text))
        else:
            self._lines += len(rows)
        self._check_order(rows)
        return rows

    def _one_by_one(self, text: bytes) -> Iterator[Row]:
        for raw in text.removesuffix(b"\n").split(b"\n"):
            self._lines += 1
            if raw and not raw.isspace():
                try:
                    row = self._one(raw, self._lines)
                except Unreadable as error:
                    self._say(unreadable(self._here(), str(error)))
                else:
                    if row is not None:
                        yield row

    def _check_order(self, rows: list[Row]) -> None:
        if self._first is None and rows:
            self._first = Event(*rows[0])
        previous = self._last
        for row in rows:
            position = row[:3]
            if previous is not None and position <= previous:
                self._say(out_of_order(Event(*row), previous))
            previous = position
        self._last = previous

    def _here(self) -> Origin:
        return Origin(self.chunk.piece, self.chunk.number, self._lines)

    def _say(self, finding: Finding) -> None:
        count(self._tally, finding)
        self._said.setdefault(finding.law, (finding.origin.line, finding.why))
        self.found.append(finding)

    def summary(self) -> Summary:
        """Return what the driver must know of the chunk."""
        said = self._said
        return Summary(
            self.chunk, self._lines, self._first, self._last, self._tally, said.get(READABLE), said.get(ORDER)
        )


def _read_only(_: Row) -> None:
    """Forget an event that was only to be read."""


def pack(rows: list[Row], buckets: int, by_place: bool = False) -> Iterator[Block]:
    """Pack *rows* into one block per bucket, each in topic order; with *by_place* a second time, see above."""
    by_bucket: dict[int, list[Row]] = {}
    of_key: dict[str, list[Row]] = {}
    for row in rows:
        key = row[KEY]
        members = of_key.get(key)
        if members is None:
            members = of_key[key] = by_bucket.setdefault(bucket_of(key, buckets), [])
        members.append(row)
    if by_place:
        for row in rows:
            by_bucket.setdefault(buckets + (row[0] ^ row[1]) % buckets, []).append(row)
    for bucket, members in sorted(by_bucket.items()):
        members.sort()  # by place in the topic, then by origin, which is unique
        yield Block(bucket, members[0][:3], members[-1][:3], pickle.dumps(members, 5))


def merge(blocks: Iterable[Block]) -> Iterator[list[Row]]:
    """
    Merge blocks of one bucket, sorted by their first position, into rows in topic order, some at a time.

    Mostly blocks follow each other, and are passed on as they are. Where they overlap, only they are in memory.
    Equal positions come together, in the order of files and lines.
    """
    waiting = iter(blocks)
    following = next(waiting, None)
    active: list[Row] = []
    while following is not None or active:
        ready = len(active) if following is None else bisect_left(active, following.first, key=_POSITION)
        if ready:
            yield active[:ready]
            active = active[ready:]
        if following is not None:
            rows: list[Row] = pickle.loads(following.packed)
            active = sorted([*active, *rows]) if active else rows
            following = next(waiting, None)


def repeats(blocks: Iterable[Block]) -> Iterator[Finding]:
    """Yield a finding for every message id that occurs in two files; *blocks* are packed by place."""
    for rows in merge(blocks):
        for one, other in pairwise(rows):
            if one[:3] == other[:3] and one[PIECE] != other[PIECE]:
                yield repeated(Event(*other), "its message id occurs in another file too")


_POSITION = itemgetter(0, 1, 2)


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
