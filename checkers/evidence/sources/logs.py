"""
Broker logs of a run: what was said, by whom, and how much of it was understood.

Nothing is dropped silently: a line of the load balancer that no pattern knows lowers the coverage and is listed; a line
with the words of a pattern that does not parse, a torn line and a log whose lines name another broker are damage.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from checkers.evidence.sources.log_lines import Broken, LogLine, Reader, first_time, shape_of
from checkers.evidence.sources.log_values import entries_of
from checkers.evidence.sources.patterns import Garbled, Table, class_of, table
from checkers.evidence.sources.seen import Said

MOST_SHAPES = 10
"""Unknown shapes of a file that are listed."""
MOST_KEPT_SHAPES = 5_000
OVERLAP = 1_000
"""Milliseconds that the beginning of a piece may lie before the end of the one before: threads write out of order."""

SNAPSHOT = "ownership-entry-set"
_SNAPSHOT_END = b"### OwnershipEntrySet end ###"
READY = "broker-ready"
LAST = "last-line"
"""
What is noted of the last line of a log, whatever it says: its process lived until then.

Of a process that another one follows, the last line that was understood counts: what is between may be the other's.
"""


@dataclass(slots=True)
class Coverage:
    """How much of one file of a log was understood."""

    path: str
    broker: str = ""
    lines: int = 0
    """Lines of the load balancer."""
    understood: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    """Those that were not, digits and names left out."""
    places: dict[str, str] = field(default_factory=dict)
    """Of each shape, the first line."""

    @property
    def share(self) -> float:
        """From 0 to 1; a file without such lines is understood."""
        return self.understood / self.lines if self.lines else 1.0

    def unknown(self) -> list[tuple[str, int, str]]:
        """Return the most frequent shapes that are not known: shape, number, an example."""
        ranked = sorted(self.shapes.items(), key=lambda item: (-item[1], item[0]))
        return [(shape, number, self.places[shape]) for shape, number in ranked[:MOST_SHAPES]]


@dataclass(slots=True)
class LogRead:
    """What was read of all logs: lines in the order of each broker's log."""

    said: list[Said] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)


def read_logs(places: Sequence[tuple[int, str]], known: Mapping[str, str]) -> LogRead:
    """Read logs: (piece index, path) each; *known* says whose log a file is, by its path or its file name."""
    logs: dict[str, list[tuple[int, str]]] = {}
    for piece, path in places:
        logs.setdefault(log_of(path), []).append((piece, path))
    reads = []
    for name, pieces in logs.items():
        names = [path for _, path in pieces] + [Path(path).name for _, path in pieces] + [name, Path(name).name]
        read = read_log(pieces, next((known[path] for path in names if path in known), None))
        if read.said:
            read.damage += missing(path for _, path in pieces)
        reads.append(read)
    return _together(reads)


def _together(reads: Sequence[LogRead]) -> LogRead:
    """Put logs one after the other; those of one broker by their time, as if they were pieces of one."""
    whole, ends = LogRead(), dict[str, LogRead]()
    for read in sorted(reads, key=lambda read: read.said[0].time if read.said else 0):
        if read.said:
            before = ends.get(read.said[0].broker)
            if before is not None and read.said[0].time + OVERLAP < before.said[-1].time:
                paths = f"{before.coverage[0].path}, {read.coverage[0].path}"
                whole.damage.append(f"{paths}: two logs of {read.said[0].broker} at one time")
            ends[read.said[0].broker] = read
        whole.said += read.said
        whole.damage += read.damage
    whole.coverage = sorted((c for read in reads for c in read.coverage), key=lambda coverage: coverage.path)
    return whole


_ROTATED = re.compile(r"(.*?)(?:[-.](?:\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})(?:[-.]\d+)?)?\.log(?:[-.][\d.-]+)?(?:\.gz)?")


def log_of(path: str) -> str:
    """
    Return the log that a file is a piece of: its own name without number, date and .gz.

    >>> {log_of(name) for name in ("b.log", "b.log.gz", "b.log.1.gz", "b-11-21-2026-1.log.gz", "b.log.2026-11-21")}
    {'b.log'}
    >>> log_of("b.log-11-21-2026-1.log.gz")  # Pulsar's own conf/log4j2.yaml
    'b.log'
    """
    found = _ROTATED.fullmatch(path)
    return path if found is None else f"{found[1].removesuffix('.log')}.log"


_NUMBERED = re.compile(r"(.*?)\.log(?:[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4}))?[-.](\d+)(?:\.log)?(?:\.gz)?")
_DATED = re.compile(r"(.*?)[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})[-.](\d+)\.log(?:\.gz)?")


def missing(paths: Iterable[str]) -> Iterator[str]:
    """
    Yield what the numbers of a rotated log leave out; the first pieces, and the last, may be lost in good order.

    >>> list(missing(["b.log", "b.log.1", "b.log.2.gz", "b.log.4.gz"]))
    ['b.log.2.gz: the piece after it, number 3, is missing']
    """
    numbers: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for path in paths:
        found = _DATED.fullmatch(path) or _NUMBERED.fullmatch(path)
        if found is not None:
            numbers[found[1], found[2] or ""][int(found[3])] = path
    for known in numbers.values():
        for number in sorted(known)[:-1]:
            if number + 1 not in known:
                yield f"{known[number]}: the piece after it, number {number + 1}, is missing"


def read_log(pieces: Sequence[tuple[int, str]], given: str | None = None) -> LogRead:
    """Read one log, whose pieces may come in any order; *given* says whose it is."""
    reading = _Reading(table())
    for piece, path in _in_order(pieces):
        reading.read(piece, path)
    return reading.result(given)


def _in_order(pieces: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    if len(pieces) < 2:
        return list(pieces)
    firsts = {path: first_time(path) for _, path in pieces}
    return sorted(pieces, key=lambda place: (firsts[place[1]] or 0, place))


class _Reading:
    """Where the reading of one log stands."""

    def __init__(self, patterns: Table) -> None:
        self._table = patterns
        self._said: list[Said] = []
        self._coverage: list[Coverage] = []
        self._damage: list[str] = []
        self._speakers: Counter[str] = Counter()
        self._spoke: dict[str, str] = {}
        """Of each broker that a line of this log is said by, the first such line."""
        self._settled: str | None = None
        """What the printed configuration makes the broker's id."""
        self._before: Reader | None = None

    def read(self, piece: int, path: str) -> None:
        """Read the next file of the log."""
        reader, coverage = Reader(piece, path, self._table.wants), Coverage(path)
        self._coverage.append(coverage)
        garbled: dict[str, tuple[int, str]] = {}
        for line in reader.read():
            if isinstance(line, Broken):
                self._damage.append(f"{path}:{line.number}: {line.why}")
            else:
                self._take(line, coverage, garbled)
        for pattern, (number, words) in garbled.items():
            more = f" (and {number - 1} more of {pattern})" if number > 1 else ""
            self._damage.append(f"{words}{more}")
        if not reader.heads:
            self._damage.append(f"{path}:1: no line of a known layout")
        before = self._before
        if before and before.last and reader.first and reader.first + OVERLAP < before.last:
            self._damage.append(f"{path}:1: begins {before.last - reader.first} ms before the end of {before.path}")
        self._before = reader

    def _take(self, line: LogLine, coverage: Coverage, garbled: dict[str, tuple[int, str]]) -> None:
        found = self._table.understand(line)
        if self._table.counts(line):
            coverage.lines += 1
            coverage.understood += found is not None and not isinstance(found, Garbled)
            if found is None:
                _unknown(line, coverage)
        if found is None:
            return
        place = f"{coverage.path}:{line.number}"
        if isinstance(found, Garbled):
            number, words = garbled.get(found.pattern.id, (0, f"{place}: {found.pattern.id} refused: {found.why}"))
            garbled[found.pattern.id] = number + 1, words
            return
        pattern, values = found
        if not pattern.is_kept:
            return
        if pattern.id == SNAPSHOT:
            try:
                values["entries"] = entries_of(_dumped(line))
            except ValueError as error:
                garbled[SNAPSHOT] = garbled.get(SNAPSHOT, (0, f"{place}: {SNAPSHOT} refused: {error}"))
                return
        if pattern.speaker is not None and values.get(pattern.speaker):
            self._speakers[values[pattern.speaker]] += 1
            self._spoke.setdefault(values[pattern.speaker], place)
        if pattern.id == READY:
            self._settled = _id_of(values.get("settings") or {}) or self._settled
        unit = values.get("unit")
        text = line.message if line.attributes is None else f"{line.message} {_shown(line.attributes)}"
        self._said.append(Said(line.origin, line.time, "", pattern.id, line.thread, unit, values, text))

    def result(self, given: str | None) -> LogRead:
        """Return what was read, as said by the broker whose log this is; a log of something else says nothing."""
        if given is None and not any(coverage.lines for coverage in self._coverage):
            return LogRead([], self._coverage, [])
        tail = self._before.tail if self._before is not None else None
        if self._said and tail is not None and tail.time > self._said[-1].time:
            self._said.append(Said(tail.origin, tail.time, "", LAST, "", None, {}, tail.text))
        broker = self._broker(given) if self._said else given or ""
        if self._said and not broker:
            self._damage.append(f"{self._coverage[0].path}:1: no line names the broker whose log this is")
        for coverage in self._coverage:
            coverage.broker = broker
        return LogRead([said._replace(broker=broker) for said in self._said], self._coverage, self._damage)

    def _broker(self, given: str | None) -> str:
        """Return whose log this is. What its own lines say counts for more than a name that contradicts them."""
        path = self._coverage[0].path
        if not self._speakers:
            if given and self._settled and given != self._settled:
                self._damage.append(f"{path}:1: given as the log of {given}, but configured as {self._settled}")
            return given or self._settled or ""
        own = self._speakers.most_common(1)[0][0]
        if len(self._speakers) > 1:
            others = ", ".join(f"{name} ({self._spoke[name]})" for name in self._speakers)
            self._damage.append(f"{path}:1: several brokers speak in one log: {others}")
            return given if given is not None and given in self._speakers else own
        if given and given != own:
            self._damage.append(f"{self._spoke[own]}: given as the log of {given}, but its lines are those of {own}")
        return own


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
        coverage.places.setdefault(shape, f"{coverage.path}:{line.number}")


def _shown(attributes: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}={text}" for name, text in sorted(attributes.items())) + "}"
