"""
A chunk of a file is read once: its lines become columns of events; faults of lines or of their order are found.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.findings import repeated
from oneowner.checkers.recordings.fold.fold import count
from oneowner.checkers.recordings.fold.numbering import Numbered, Numbering
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable, check_object
from oneowner.checkers.recordings.read.event_columns import NUMBERS, Columns, follows
from oneowner.checkers.recordings.read.events import NOWHERE, Event, Finding, Origin, Position, Row, Tally
from oneowner.checkers.recordings.read.lines import Chunk, Damage, FileKind
from oneowner.checkers.recordings.read.log_lines import ChunkRead
from oneowner.checkers.recordings.read.many_lines import LinesReader
from oneowner.checkers.recordings.read.pulsar_client_output import PrintedReader
from oneowner.checkers.recordings.read.zookeeper import HistoryReader
from oneowner.model.kernel.law import Severity

FEW_BYTES = 65_536
"""Bytes of lines that are read one by one if one of them is unusual: 200 lines, or a few long ones."""

READABLE = "readable-input"
ORDER = "message-order"


class Summary(NamedTuple):
    """The driver's summary of one chunk: its lines, and its first and last message."""

    chunk: Chunk
    lines: int
    first: Event | None
    last: Position | None
    tally: Tally
    unreadable: tuple[int, str] | None = None
    """The first line that is no message, and the reason."""
    disorder: tuple[int, str] | None = None
    """The first line whose id repeats or goes back, and the disorder."""
    is_blank: bool = False
    """True if it holds no line, or blank ones alone."""
    numbered: Numbered = Numbered()
    """The evidence of its messages' numbers and times, where a dump is alone."""


def lines_before(summaries: Iterable[Summary]) -> dict[tuple[int, int], int]:
    """Return the number of lines of its file before each chunk, by piece and number."""
    ends, before = Counter[int](), dict[tuple[int, int], int]()
    for piece, number, lines in sorted((one.chunk.piece, one.chunk.number, one.lines) for one in summaries):
        before[piece, number] = ends[piece]
        ends[piece] += lines
    return before


def log_summary(chunk: Chunk, read: ChunkRead) -> tuple[Summary, list[Finding]]:
    """Return the summary of a *chunk* of a log that was *read* elsewhere, and the notes on unreadable lines."""
    reading = ChunkReader(chunk)
    reading.lines, reading.is_blank = read.lines, read.is_blank
    for line, why in read.unreadable:
        reading.say(unreadable(Origin(chunk.piece, chunk.number, line), why))
    return reading.summary(), reading.found


class ChunkReader:
    """The state of the reading of one chunk."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.found: list[Finding] = []
        self.lines = 0
        """Lines that were read."""
        self.is_blank = True
        """True if there are none, or blank ones alone."""
        self._tally = Tally()
        self._first: Event | None = None
        self._last: Position | None = None
        self._said: dict[str, tuple[int, str]] = {}
        dump = DumpReader(chunk.piece, chunk.number)
        reader: DumpReader | PrintedReader | HistoryReader = dump
        is_dump = chunk.kind == FileKind.CHANNEL and not chunk.is_printed
        self._many = LinesReader(chunk.piece, chunk.number) if is_dump else None
        self._numbering = Numbering()
        if chunk.is_printed:
            reader = PrintedReader(chunk.piece, chunk.number)
        elif chunk.kind == FileKind.ZOOKEEPER:
            reader = HistoryReader(chunk.piece, chunk.number, chunk.chroot)
        self._reader = reader
        self._one: Callable[[bytes, int], Row | None] = reader.row
        if chunk.kind == FileKind.COMPACTED:  # a dump like the channel's, but none to be judged
            self._one = lambda raw, line: _read_only(dump.row(raw, line))
        elif chunk.kind == FileKind.SIDE:  # a companion file must at least hold JSON objects
            self._one = lambda raw, _: check_object(raw)

    def columns(self, text: bytes | Damage) -> list[Columns]:
        """Return the events of some lines, if there are any; faults of others are added to ``found``."""
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
            rows, numbers = list[Row](), list[tuple[int, int]]()
            for row in self._one_by_one(text):
                rows.append(row)
                numbers.append(self._reader.numbers)
            if not rows:
                return []
            columns = Columns.of(rows, numbers)
        else:
            self.lines += len(columns.table)
        if self._many is not None:  # no sequence ids in a history, no producers in pulsar-client's output
            self._numbering.take(columns)
        if self.chunk.clocks != NO_LEADS:
            self.chunk.clocks.correct(columns, self.chunk.kind == FileKind.ZOOKEEPER)
        if not self.chunk.is_numbered:
            for name in NUMBERS:
                columns.table[name] = -1
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
        """Add the fault of a line."""
        count(self._tally, finding)
        self._said.setdefault(finding.law, (finding.origin.line, finding.why))
        self.found.append(finding)

    def summary(self) -> Summary:
        """Return the driver's summary of the chunk."""
        said = self._said
        return Summary(
            self.chunk, self.lines, self._first, self._last, self._tally, said.get(READABLE), said.get(ORDER),
            self.is_blank, self._numbering.result(),
        )  # fmt: skip


def _half(text: bytes) -> int:
    """Return the place at which to cut lines in two, among which one is unusual; 0 if they are few."""
    return text.rfind(b"\n", 0, len(text) // 2) + 1 if len(text) > FEW_BYTES else 0


def _read_only(_: Row) -> None:
    """Forget an event that was only to be read."""


def unreadable(origin: Origin, why: str) -> Finding:
    """Return the finding about a line that is no message."""
    return Finding(
        READABLE, Severity.WARNING, None, NOWHERE, origin, None, None, (), why, None, None,
        READABLE, "one JSON message per line",
    )  # fmt: skip


def out_of_order(event: Event, previous: Position) -> Finding:
    """Return the finding about a message whose id repeats or goes back within its file."""
    return repeated(event, disorder(event.position, previous))


def disorder(position: Position, previous: Position) -> str:
    """Describe the disorder of the id of a message, which is not behind the *previous* one."""
    words = "repeats the one before it" if position == previous else "goes back behind the one before it"
    return f"its message id {words}, {':'.join(map(str, previous[:2]))}"
