"""
A log file becomes the content of its lines, and their coverage.

Files are read apart from each other, on one machine or on many; ``broker_logs.py`` puts those of one log together. A
line of the load balancer that no pattern matches lowers the coverage and is listed; a torn line is damage, and so is
one with the words of a pattern that a law needs, if it does not parse.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from oneowner.checkers.recordings.read.file_reads import MOST_KEPT_SHAPES, Coverage, FileRead
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.log_lines import BrokenLine, LogLine
from oneowner.checkers.recordings.read.log_patterns import EVERY_LINE, Garbled, Table, Understood, Wanted, class_of
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.log_shapes import shape_of
from oneowner.checkers.recordings.read.log_values import entries_of
from oneowner.checkers.recordings.read.logged_decisions import DECIDING, decision_of
from oneowner.checkers.recordings.read.logged_placements import placement_line
from oneowner.checkers.recordings.read.observations import LogEvent, Words
from oneowner.checkers.recordings.read.record_lines import RecordLines, record_reader
from oneowner.checkers.recordings.read.usual_lines import UsualLines
from oneowner.checkers.recordings.read.wrapped_messages import rejoined

MOST_NAMED = 100
BROKERS = ".pulsar.broker."
"""The packages of classes that brokers alone have."""
BROKER_ID = re.compile(r"[A-Za-z0-9][\w.-]*:\d{2,5}")
BATCH = 512
"""Lines that are passed on together."""
PACKED = 64
"""Lines whose words are packed together: more make one line slower to show; fewer take more memory for all."""

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
    clock: Clock = Clock()
    """The zone and the day of its lines, where they print none."""


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
    piece, path, source, part, at, clock = place
    records = record_reader(patterns) if at_once else None
    usual = UsualLines(clock, patterns.loggers)
    reader = LogReader(piece, at or path, _wanted(patterns), source, patterns.filters(), part, records, usual)
    read = FileRead(Coverage(path))
    batch: list[LogEvent | RecordLines] = []
    words = Words()
    for found in reader.read():
        line = rejoined(found, patterns) if reader.texts.is_rewritten and isinstance(found, LogLine) else found
        if isinstance(line, BrokenLine):
            read.broken.setdefault(line.why, []).append(line.number)
            continue
        if isinstance(line, RecordLines):
            read.coverage.lines += len(line)
            read.coverage.understood += len(line)
            read.is_understood = True
            batch.append(line)
        else:
            if line.logger in DECIDING:
                if (about := placement_line(line)) is not None:
                    read.placement_lines.append(about)
                if (decision := decision_of(line)) is not None:
                    read.decisions.append(decision)
                    read.is_understood = read.is_brokers = True
            if (said := _said(line, read, patterns, words)) is not None:
                batch.append(said)
        if len(words) == PACKED or len(batch) >= BATCH:  # the receiver of lines may pickle them
            words.pack()
            words = Words()
        if len(batch) >= BATCH:
            yield batch
            batch = []
    read.is_empty, read.has_heads, read.is_ours = reader.is_empty, reader.has_heads, reader.texts.is_ours
    read.is_client, read.first_line = reader.is_client, reader.texts.first_line
    read.is_of_unknown_day, read.coverage.notes = usual.is_of_unknown_day, [*usual.notes()]
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
    elif isinstance(found, Understood) and BROKERS in line.logger:
        coverage.others += 1
    if found is None:
        return None
    if isinstance(found, Garbled):
        number, at, why = garbled.get(found.pattern.id, (0, line.number, found.why))
        garbled[found.pattern.id] = number + 1, at, why
        return None
    pattern, values = found
    read.is_understood, read.is_brokers = True, read.is_brokers or BROKERS in line.logger
    if not read.speakers and len(read.named) < MOST_NAMED:
        read.named.update(name for name in values.values() if isinstance(name, str) and BROKER_ID.fullmatch(name))
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
        raise ValueError("its further lines are missing, as after a grep; give the whole log")
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
