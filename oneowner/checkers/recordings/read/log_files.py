"""
A log file becomes the content of its lines, and their coverage.

Files are read apart from each other, on one machine or on many; ``broker_logs.py`` puts those of one log together. A
line of the load balancer that no pattern matches lowers the coverage and is listed; a torn line is damage, and so is
one with the words of a pattern that a law needs, if it does not parse.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.lines import counted
from oneowner.checkers.recordings.read.log_lines import BrokenLine, ChunkRead, LogLine, Tail
from oneowner.checkers.recordings.read.log_patterns import EVERY_LINE, Garbled, Table, Wanted, class_of
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.log_values import entries_of
from oneowner.checkers.recordings.read.logged_decisions import DECIDING, Decided, Decision, decision_of
from oneowner.checkers.recordings.read.logged_placements import PlacementLine, placed, placement_line
from oneowner.checkers.recordings.read.observations import LogEvent, Words
from oneowner.checkers.recordings.read.record_lines import RecordLines, record_reader

MOST_SHAPES = 10
"""Unknown shapes of a file that are listed."""
MOST_KEPT_SHAPES = 5_000
BATCH = 512
"""Lines that are passed on together."""
PACKED = 64
"""Lines whose words are packed together: more make one line slower to show; fewer take more memory for all."""

_NAMES = (
    (re.compile(r"ServiceUnitStateData\[.*?versionId=-?\d+\]"), "<record>"),
    (re.compile(r"\S+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}"), "<unit>"),
    (re.compile(r"(?:non-)?persistent://[^\s\]},]+"), "<topic>"),
    (re.compile(r"[\w.-]+:\d{2,5}\b"), "<broker>"),
    (re.compile(r"\d+"), "#"),
)


def shape_of(message: str) -> str:
    """
    Return a message without its individual parts.

    >>> shape_of("b1:8080 lost rig/a/0x00000000_0xffffffff after 12.5 ms")
    '<broker> lost <unit> after #.# ms'
    """
    for pattern, name in _NAMES:
        message = pattern.sub(name, message)
    return message[:200]


SNAPSHOT = "ownership-entry-set"
_SNAPSHOT_END = b"### OwnershipEntrySet end ###"
READY = "broker-ready"


class LogPlace(NamedTuple):
    """A file of a log; with *source* only the lines of this container, or unit of a host, in it."""

    piece: int
    path: str
    source: str | None = None
    part: tuple[int, int | None] = (0, None)
    """The chunk with which the reading begins, and the one before which it ends (``log_parts``)."""
    at: str = ""
    """Its whole path, for a reader on another machine, or in another folder; empty: the same."""


@dataclass(slots=True)
class Coverage:
    """The coverage of one file of a log."""

    path: str
    broker: str = ""
    lines: int = 0
    """Lines of the load balancer."""
    understood: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    """Those that no pattern matched, digits and names left out."""
    places: dict[str, int] = field(default_factory=dict)
    """The first line of each shape."""

    def add(self, later: Coverage, before: int) -> None:
        """Add the coverage of the next part of the same file, *before* which there are so many lines."""
        self.lines += later.lines
        self.understood += later.understood
        for shape, number in later.shapes.items():
            if shape in self.shapes or len(self.shapes) < MOST_KEPT_SHAPES:
                self.shapes[shape] += number
                self.places.setdefault(shape, before + later.places[shape])

    def unknown(self) -> list[tuple[str, int, str]]:
        """Return the most frequent unknown shapes: shape, number, an example."""
        ranked = sorted(self.shapes.items(), key=lambda item: (-item[1], item[0]))
        return [(shape, number, f"{self.path}:{self.places[shape]}") for shape, number in ranked[:MOST_SHAPES]]


@dataclass(slots=True)
class FileRead:
    """The information in one file beside its lines."""

    coverage: Coverage
    broken: dict[str, list[int]] = field(default_factory=dict)
    """Lines that cannot be trusted, by reason."""
    garbled: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    """For each pattern that refused lines, their number, the first of them, and the error in it."""
    speakers: Counter[str] = field(default_factory=Counter)
    spoke: dict[str, int] = field(default_factory=dict)
    """The first line of each broker that wrote lines of this file."""
    settled: str | None = None
    """The broker's id by the printed configuration."""
    first: int | None = None
    last: int | None = None
    """The times of the first and the last line of a known layout."""
    tail: Tail | None = None
    is_empty: bool = False
    has_heads: bool = False
    is_ours: bool = False
    """True if words of the load balancer came before any line of a known layout."""
    chunks: list[ChunkRead] = field(default_factory=list)
    placement_lines: list[PlacementLine] = field(default_factory=list)
    """Lines about placements."""
    decisions: list[Decision] = field(default_factory=list)

    def heard(self, speakers: Counter[str], spoke: Mapping[str, int]) -> None:
        """Add the brokers of other lines of the file, and the first line of each."""
        first = {name: min(spoke.get(name, line), line) for name, line in {**spoke, **self.spoke}.items()}
        counts = self.speakers + speakers
        self.spoke = dict(sorted(first.items(), key=lambda told: told[1]))
        self.speakers = Counter({name: counts[name] for name in self.spoke})

    def decided(self, piece: int) -> Decided:
        """Return the decisions in the file, which is this *piece*."""
        return Decided(piece, placed(self.placement_lines), self.decisions)

    @property
    def is_foreign(self) -> bool:
        """True if no broker wrote it: no line of the load balancer, whatever the layout of its lines."""
        return not self.coverage.lines and (self.has_heads or not self.is_ours)

    @property
    def damage(self) -> list[str]:
        """The damage of the file, by line."""
        path, found = self.coverage.path, [*counted(self.coverage.path, self.broken)]
        for pattern, (number, line, why) in self.garbled.items():
            words = f"{path}:{line}: {pattern} refused: {why}"
            found.append(f"{words} (and {number - 1} more of {pattern})" if number > 1 else words)
        return [*found, *([] if self.has_heads or self.is_empty else [f"{path}:1: no line of a known layout"])]

    def add(self, later: FileRead) -> None:
        """Add the next part of the same file, whose lines are numbered from its own first one."""
        before = sum(chunk.lines for chunk in self.chunks)
        for why, numbers in later.broken.items():
            self.broken.setdefault(why, []).extend(before + number for number in numbers)
        for pattern, (number, line, why) in later.garbled.items():
            known, at, first = self.garbled.get(pattern, (0, before + line, why))
            self.garbled[pattern] = known + number, at, first
        self.coverage.add(later.coverage, before)
        self.speakers.update(later.speakers)
        self.spoke = {broker: before + line for broker, line in later.spoke.items()} | self.spoke
        self.chunks += later.chunks
        self.placement_lines += [one._replace(number=before + one.number) for one in later.placement_lines]
        self.decisions += later.decisions
        self.settled = later.settled or self.settled
        self.first = later.first if self.first is None else self.first
        self.last = self.last if later.last is None else later.last
        self.tail = later.tail or self.tail
        self.is_empty = self.is_empty and later.is_empty
        self.has_heads = self.has_heads or later.has_heads


class Read(Protocol):
    """Reads a file; yields its understood lines in batches, and at the end its other information."""

    def __call__(self, place: LogPlace, patterns: Table) -> Iterator[list[LogEvent] | Block | FileRead]: ...


def read_file(place: LogPlace, patterns: Table) -> Iterator[list[LogEvent] | FileRead]:
    """
    Read a file; yield its understood lines in batches, and at the end its other information.

    The lines are not yet assigned to a broker.
    """
    for part in read_at_once(place, patterns, False):
        yield part if isinstance(part, FileRead) else [line for line in part if isinstance(line, LogEvent)]


def read_at_once(
    place: LogPlace, patterns: Table, at_once: bool = True
) -> Iterator[list[LogEvent | RecordLines] | FileRead]:
    """Read a file as ``read_file`` does, but lines that print a record *at_once*, for the laws' columns."""
    piece, path, source, part, at = place
    records = record_reader(patterns) if at_once else None
    reader = LogReader(piece, at or path, _wanted(patterns), source, patterns.filters(), part, records)
    read = FileRead(Coverage(path))
    batch: list[LogEvent | RecordLines] = []
    words = Words()
    for line in reader.read():
        if isinstance(line, BrokenLine):
            read.broken.setdefault(line.why, []).append(line.number)
            continue
        if isinstance(line, RecordLines):
            read.coverage.lines += len(line)
            read.coverage.understood += len(line)
            batch.append(line)
        else:
            if line.logger in DECIDING:
                if (about := placement_line(line)) is not None:
                    read.placement_lines.append(about)
                if (decision := decision_of(line)) is not None:
                    read.decisions.append(decision)
            if (said := _said(line, read, patterns, words)) is not None:
                batch.append(said)
        if len(words) == PACKED or len(batch) >= BATCH:  # the receiver of lines may pickle them
            words.pack()
            words = Words()
        if len(batch) >= BATCH:
            yield batch
            batch = []
    read.is_empty, read.has_heads, read.is_ours = reader.is_empty, reader.has_heads, reader.is_ours
    read.first, read.last, read.tail, read.chunks = reader.first, reader.last, reader.tail, reader.chunks
    if records is not None:
        read.heard(records.speakers, records.spoke)
    words.pack()
    yield batch
    yield read


def _wanted(patterns: Table) -> Callable[[str], Wanted | None]:
    """Return the filter for the lines of a logger that may matter: all lines about decisions pass."""
    return lambda logger: EVERY_LINE if logger in DECIDING else patterns.wanted(logger)


def _said(line: LogLine, read: FileRead, patterns: Table, words: Words) -> LogEvent | None:
    found, coverage, garbled = patterns.understand(line), read.coverage, read.garbled
    if patterns.counts(line):
        coverage.lines += 1
        coverage.understood += found is not None and not isinstance(found, Garbled)
        if found is None:
            _unknown(line, coverage)
    if found is None:
        return None
    if isinstance(found, Garbled):
        number, at, why = garbled.get(found.pattern.id, (0, line.number, found.why))
        garbled[found.pattern.id] = number + 1, at, why
        return None
    pattern, values = found
    if not pattern.is_kept:
        return None
    if pattern.id == SNAPSHOT:
        try:
            values["entries"] = entries_of(_dumped(line))
        except ValueError as error:
            garbled[SNAPSHOT] = garbled.get(SNAPSHOT, (0, line.number, str(error)))
            return None
    if pattern.speaker is not None and values.get(pattern.speaker):
        read.speakers[values[pattern.speaker]] += 1
        read.spoke.setdefault(values[pattern.speaker], line.number)
    if pattern.id == READY:
        read.settled = _id_of(values.get("settings") or {}) or read.settled
    text = line.message if line.attributes is None else f"{line.message} {_shown(line.attributes)}"
    words.add(line.origin, text)
    return LogEvent(line.origin, line.time, "", pattern.id, line.thread, values.get("unit"), values, words)


def _dumped(line: LogLine) -> list[str]:
    """Return the lines of a dump of the view (SplitScheduler); raise ValueError if it is cut short."""
    lines = [raw.rstrip(b"\r") for raw in line.more]
    end = next((at for at, raw in enumerate(lines) if raw.startswith(_SNAPSHOT_END)), None)
    if end is None:
        raise ValueError("its end is lost")
    return [raw.decode("utf-8", "replace") for raw in lines[:end] if raw]


def _id_of(settings: Mapping[str, str | None]) -> str | None:
    """Return the broker's id: its advertised address with the port of its web service."""
    host = settings.get("advertisedAddress")
    port = settings.get("webServicePort") or settings.get("webServicePortTls")
    return f"{host}:{port}" if host and port else None


def _unknown(line: LogLine, coverage: Coverage) -> None:
    shape = f"{class_of(line.logger)} {line.level}: {shape_of(line.message)}"
    if shape in coverage.shapes or len(coverage.shapes) < MOST_KEPT_SHAPES:
        coverage.shapes[shape] += 1
        coverage.places.setdefault(shape, line.number)


def _shown(attributes: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}={text}" for name, text in sorted(attributes.items())) + "}"
