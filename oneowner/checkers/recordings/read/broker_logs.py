"""
Broker logs of a run become logged events, each with its broker, and the coverage of the logs.

Nothing is dropped silently: a line of the load balancer that no pattern matches lowers the coverage and is listed; a
line with the words of a pattern that a law needs and that does not parse, a torn line and a log whose lines name
another broker are damage.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from oneowner.checkers.recordings.read.compression import ENDING
from oneowner.checkers.recordings.read.kept_lines import Block, InMemory, Keep, Keeping
from oneowner.checkers.recordings.read.lines import EMPTY
from oneowner.checkers.recordings.read.log_files import Coverage, FileRead, LogPlace, Read, read_file
from oneowner.checkers.recordings.read.log_lines import ChunkRead
from oneowner.checkers.recordings.read.log_parts import in_parts, of_files
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.log_sources import first_time, sources_of
from oneowner.checkers.recordings.read.logged_decisions import Decided
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.read.producer_names import ACCEPTED, CREATED, name_producers
from oneowner.checkers.remote_files import absolute

OVERLAP = 1_000
"""The possible overlap of a piece with the previous one, in milliseconds: threads write out of order."""

LAST = "last-line"
"""
The last line of a log, whatever its content: its process was live until then.

If another process follows, the last line that was understood counts: lines after it may be the other's.
"""


@dataclass(slots=True)
class LogRead:
    """All logs of a run, lines in the order of each broker's log."""

    logs: list[Sequence[LogEvent]] = field(default_factory=list)
    """The lines of each log, none of them empty; the logs of one broker by their time."""
    coverage: list[Coverage] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    """The logged placements, sheds and splits, file by file."""
    chunks: dict[int, list[ChunkRead]] = field(default_factory=dict)
    """The chunks of each file, by its piece."""

    @property
    def said(self) -> list[LogEvent]:
        """All lines."""
        return [line for log in self.logs for line in log]


def read_logs(
    places: Sequence[tuple[int, str]],
    known: Mapping[str, str],
    executor: Executor = in_turn,
    keep: Keep | None = None,
    read_one: Read = read_file,
) -> LogRead:
    """
    Read logs: (piece index, path) each; *known* has the broker of a log, by the path of a file or its name.

    *executor* applies *read_one* to each file, here, on a pool or on a cluster; *keep* makes the store for the
    lines of a log, in memory if it is None.
    """
    keep = keep or partial(InMemory, {})
    logs = _logs_of(places)
    ordered = {name: _in_order(pieces) for name, pieces in logs.items()}
    every = [place._replace(at=absolute(place.path)) for pieces in ordered.values() for place in pieces]
    every = every if executor is in_turn else in_parts(every)
    files = of_files(executor(partial(read_one, patterns=table()), every), every)
    reads, of_producers = list[LogRead](), list[LogEvent]()
    for (name, source), pieces in ordered.items():
        paths = [place.path for place in pieces]
        names = [*paths, *(Path(path).name for path in paths), name, Path(name).name, *_names_of(source)]
        given = next((known[path] for path in names if path in known), None)
        read = _joined(files, pieces, given, keep(), of_producers)
        if read.logs:
            read.damage += missing(paths)
        reads.append(read)
    assert next(files, None) is None, "a file was read that belongs to no log"
    whole = _together(reads)
    name_producers(of_producers)
    return whole


def _logs_of(places: Sequence[tuple[int, str]]) -> dict[tuple[str, str], list[LogPlace]]:
    """Return the pieces of every log by its name; a file with lines of several containers has several logs."""
    files: dict[str, list[tuple[int, str]]] = {}
    for piece, path in places:
        files.setdefault(log_of(path), []).append((piece, path))
    logs: dict[tuple[str, str], list[LogPlace]] = {}
    for name, pieces in files.items():
        sources = {path: sources_of(path) for _, path in pieces}
        every = {source for found in sources.values() for source in found}
        for piece, path in pieces:
            if len(every) < 2:
                logs.setdefault((name, "".join(every)), []).append(LogPlace(piece, path))
            else:
                for source in sources[path]:
                    logs.setdefault((name, source), []).append(LogPlace(piece, path, source))
    return logs


def _names_of(source: str) -> list[str]:
    """
    Return the possible names in a manifest of the log of a container, or of a unit of a host.

    >>> _names_of("pulsar-broker-0/pulsar-broker")
    ['pulsar-broker-0/pulsar-broker', 'pulsar-broker-0', 'pulsar-broker-0.log']
    """
    first = re.split("[/ ]", source)[0]
    return [source, first, f"{first}.log"] if source else []


def _together(reads: Sequence[LogRead]) -> LogRead:
    """Concatenate logs; those of one broker by their time, as if they were pieces of one."""
    whole, ends = LogRead(), dict[str, LogRead]()
    for read in sorted(reads, key=lambda read: read.logs[0][0].time if read.logs else 0):
        for log in read.logs:
            before = ends.get(log[0].broker)
            if before is not None and log[0].time + OVERLAP < before.logs[-1][-1].time:
                paths = f"{before.coverage[0].path}, {read.coverage[0].path}"
                whole.damage.append(f"{paths}: two logs of {log[0].broker} at one time")
            ends[log[0].broker] = read
        whole.logs += read.logs
        whole.damage += read.damage
        whole.decided += read.decided
        whole.chunks |= read.chunks
    whole.decided.sort(key=lambda decided: decided.piece)
    whole.coverage = sorted((c for read in reads for c in read.coverage), key=lambda coverage: coverage.path)
    return whole


_ROTATED = re.compile(r"(.*?)(?:[-.](?:\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})(?:[-.]\d+)?)?\.log(?:[-.][\d.-]+)?" + ENDING)


def log_of(path: str) -> str:
    """
    Return the name of a file's log: the file's name without number, date and compression.

    >>> {log_of(name) for name in ("b.log", "b.log.gz", "b.log.1.gz", "b-11-21-2026-1.log.gz", "b.log.2026-11-21")}
    {'b.log'}
    >>> log_of("b.log-11-21-2026-1.log.gz")  # Pulsar's own conf/log4j2.yaml
    'b.log'
    """
    found = _ROTATED.fullmatch(path)
    return path if found is None else f"{found[1].removesuffix('.log')}.log"


_NUMBERED = re.compile(r"(.*?)\.log(?:[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4}))?[-.](\d+)(?:\.log)?" + ENDING)
_DATED = re.compile(r"(.*?)[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})[-.](\d+)\.log" + ENDING)


def missing(paths: Iterable[str]) -> Iterator[str]:
    """
    Yield the gaps in the numbers of a rotated log; its first and last pieces may be lost in normal operation.

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
    """Read one log, whose pieces may come in any order; *given* names its broker."""
    places = [LogPlace(piece, path) for piece, path in pieces]
    ordered = _in_order(places)
    return _joined(in_turn(partial(read_file, patterns=table()), ordered), ordered, given, InMemory({}), [])


def _in_order(pieces: Sequence[LogPlace]) -> list[LogPlace]:
    if len(pieces) < 2:
        return list(pieces)
    firsts = {place: first_time(place.path, place.source) for place in pieces}
    return sorted(pieces, key=lambda place: (firsts[place] or 0, place))


def _joined(
    parts: Iterator[list[LogEvent] | Block | FileRead],
    pieces: Sequence[LogPlace],
    given: str | None,
    kept: Keeping,
    of_producers: list[LogEvent],
) -> LogRead:
    """
    Join the files of one log, which are its *pieces* in order, and name its broker in each line.

    Lines that name a producer are added to *of_producers*, too. Other files, such as GC logs, are ignored.
    """
    files: list[FileRead] = []
    while len(files) < len(pieces):
        part = next(parts)
        if isinstance(part, FileRead):
            files.append(part)
        else:
            kept.add(part)
            lines = part.kept.values() if isinstance(part, Block) else part
            of_producers += [line for line in lines if line.event in (CREATED, ACCEPTED)]
    coverage = [one.coverage for one in files]
    decided = [one.decided(place.piece) for one, place in zip(files, pieces, strict=True)]
    chunks = {place.piece: one.chunks for one, place in zip(files, pieces, strict=True)}
    if all(one.is_empty for one in files):
        return LogRead([], coverage, [f"{one.path}: {EMPTY}" for one in coverage], decided, chunks)
    if given is None and all(one.is_foreign for one in files):
        return LogRead([], coverage, [], decided, chunks)
    tail, last = files[-1].tail, kept.last
    if last is not None and tail is not None and tail.time > last.time:
        kept.add([LogEvent(tail.origin, tail.time, "", LAST, "", None, {}, tail.text)])
    damage = list(_damage(files))
    broker, doubts = _broker(files, given) if last is not None else (given or "", [])
    damage += doubts
    if last is not None and not broker:
        damage.append(f"{coverage[0].path}:1: no line names the broker whose log this is")
    for one in coverage:
        one.broker = broker
    return LogRead([kept.log(broker)] if last is not None else [], coverage, damage, decided, chunks)


def _damage(files: Sequence[FileRead]) -> Iterator[str]:
    for before, one in zip([None, *files], files, strict=False):
        yield from one.damage
        if before is not None and before.last and one.first and one.first + OVERLAP < before.last:
            late = before.last - one.first
            yield f"{one.coverage.path}:1: begins {late} ms before the end of {before.coverage.path}"


def _broker(files: Sequence[FileRead], given: str | None) -> tuple[str, list[str]]:
    """Return the broker of this log, and its damage: the log's own lines count for more than a name."""
    path, speakers, spoke, settled = files[0].coverage.path, Counter[str](), dict[str, str](), None
    for one in files:
        speakers.update(one.speakers)
        spoke = {name: f"{one.coverage.path}:{line}" for name, line in one.spoke.items()} | spoke
        settled = one.settled or settled
    if not speakers:
        if given and settled and given != settled:
            return given, [f"{path}:1: given as the log of {given}, but configured as {settled}"]
        return given or settled or "", []
    own = speakers.most_common(1)[0][0]
    if len(speakers) > 1:
        others = ", ".join(f"{name} ({spoke[name]})" for name in speakers)
        words = f"{path}:1: several brokers speak in one log: {others}"
        return (given if given is not None and given in speakers else own), [words]
    if given and given != own:
        return own, [f"{spoke[own]}: given as the log of {given}, but its lines are those of {own}"]
    return own, []
