"""
Broker logs of a run become logged events, each with its broker, and the coverage of the logs.

Nothing is dropped silently: a line of the load balancer that no pattern matches lowers the coverage and is listed; a
line with the words of a pattern that a law needs and that does not parse, a torn line and a log whose lines name
another broker are damage.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.recordings.read.broker_names import guess_broker
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS, ClockLeads
from oneowner.checkers.recordings.read.file_reads import Coverage, FileRead
from oneowner.checkers.recordings.read.kept_lines import Block, InMemory, Keep, Keeping
from oneowner.checkers.recordings.read.lines import EMPTY
from oneowner.checkers.recordings.read.log_clock import Clock, day_in
from oneowner.checkers.recordings.read.log_files import LogPlace, Read, read_file
from oneowner.checkers.recordings.read.log_lines import ChunkRead
from oneowner.checkers.recordings.read.log_parts import in_parts, of_files
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.log_sources import first_time, sources_of
from oneowner.checkers.recordings.read.logged_decisions import Decided
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.read.producer_names import ACCEPTED, CREATED, name_producers
from oneowner.checkers.recordings.read.record_clock import clock_by_records
from oneowner.checkers.recordings.read.rotated_logs import log_of, missing
from oneowner.checkers.remote_files import absolute

OVERLAP = 1_000
"""The possible overlap of a piece with the previous one, in milliseconds: threads write out of order."""

LAST = "last-line"
"""
The last line of a log, whatever its content: its process was live until then.

If another process follows, the last line that was understood counts: lines after it may be the other's.
"""


_STRAY = 10
"""Lines of a log's broker for each line of another that may have strayed into it."""


class Setting(NamedTuple):
    """The facts of a run by which its logs are read, where their lines are silent."""

    clock: Clock = Clock()
    brokers: Collection[str] = ()
    """The ids of brokers that other files of the run name."""
    is_dated: bool = False
    """True if other files of the run have times with dates."""
    clocks: ClockLeads = NO_LEADS
    """The clocks by which times of its lines are corrected."""


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
    is_of_unknown_day: bool = False
    """True if lines print no date, and it is not known otherwise."""

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
    setting: Setting | None = None,
) -> LogRead:
    """
    Read logs: (piece index, path) each; *known* has the broker of a log, by the path of a file or its name.

    *setting* has the facts of their run where their lines are silent.

    *executor* applies *read_one* to each file, here, on a pool or on a cluster; *keep* makes the store for the
    lines of a log, in memory if it is None.
    """
    keep, setting = keep or partial(InMemory, {}), setting or Setting()
    logs = _logs_of(places, setting)
    ordered = {name: _in_order(pieces) for name, pieces in logs.items()}
    every = [place._replace(at=absolute(place.path)) for pieces in ordered.values() for place in pieces]
    every = every if executor is in_turn else in_parts(every)
    files = of_files(executor(partial(read_one, patterns=table()), every), every)
    reads, of_producers = list[LogRead](), list[LogEvent]()
    for (name, source), pieces in ordered.items():
        paths = [place.path for place in pieces]
        names = [*paths, *(Path(path).name for path in paths), name, Path(name).name, *_names_of(source)]
        given = next((known[path] for path in names if path in known), None)
        guess = partial(guess_broker, name, source, setting.brokers)
        read = _joined(files, pieces, given, keep(), of_producers, guess)
        if read.logs:
            read.damage += missing(paths)
        reads.append(read)
    assert next(files, None) is None, "a file was read that belongs to no log"
    _drop_undated(reads, setting.is_dated)
    whole = _together(reads)
    name_producers(of_producers)
    return whole


def _drop_undated(reads: Sequence[LogRead], is_dated: bool) -> None:
    """Drop the lines of an unknown day, if anything else of their run has a date: no time could be compared."""
    if is_dated or any(read.logs and not read.is_of_unknown_day for read in reads):
        for read in reads:
            if read.logs and read.is_of_unknown_day:
                words = "its lines print no date, and other files of the run do; --date 2024-05-01 sets its first day"
                read.damage.append(f"{read.coverage[0].path}: not judged: {words}")
                read.logs.clear()


def _logs_of(places: Sequence[tuple[int, str]], setting: Setting) -> dict[tuple[str, str], list[LogPlace]]:
    """Return the pieces of every log by its name; a file with lines of several containers has several logs."""
    files: dict[str, list[tuple[int, str]]] = {}
    for piece, path in places:
        files.setdefault(log_of(path), []).append((piece, path))
    logs: dict[tuple[str, str], list[LogPlace]] = {}
    for name, pieces in files.items():
        sources = {path: sources_of(path) for _, path in pieces}
        every = {source for found in sources.values() for source in found}
        for piece, path in pieces:
            own = _clock_of(path, setting.clock)._replace(lead=setting.clocks.logs.get(path))
            if len(every) < 2:
                logs.setdefault((name, "".join(every)), []).append(LogPlace(piece, path, clock=own))
            else:
                for source in sources[path]:
                    logs.setdefault((name, source), []).append(LogPlace(piece, path, source, clock=own))
    return logs


def _clock_of(path: str, clock: Clock) -> Clock:
    """
    Return the clock of a file, completed by its records.

    A day in its name counts for more than its run's, but not for more than --date.
    """
    day = day_in(Path(path).name)
    is_given = clock.day and clock.day_by == Clock().day_by
    named = clock if is_given or not day else clock._replace(day=day, day_by="the name of the file")
    return clock_by_records(path, named)


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


def read_log(pieces: Sequence[tuple[int, str]], given: str | None = None) -> LogRead:
    """Read one log, whose pieces may come in any order; *given* names its broker."""
    places = [LogPlace(piece, path) for piece, path in pieces]
    ordered = _in_order(places)
    parts = in_turn(partial(read_file, patterns=table()), ordered)
    return _joined(parts, ordered, given, InMemory({}), [], lambda _: "")


def _in_order(pieces: Sequence[LogPlace]) -> list[LogPlace]:
    if len(pieces) < 2:
        return list(pieces)
    firsts = {place: first_time(place.path, place.source, place.clock) for place in pieces}
    return sorted(pieces, key=lambda place: (firsts[place] or 0, place))


def _joined(
    parts: Iterator[list[LogEvent] | Block | FileRead],
    pieces: Sequence[LogPlace],
    given: str | None,
    kept: Keeping,
    of_producers: list[LogEvent],
    guess: Callable[[Collection[str]], str],
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
    for file in files:
        file.coverage.unread = file.why_unread
    if given is None and all(one.is_foreign for one in files):
        return LogRead([], coverage, [], decided, chunks)
    tail, last = files[-1].tail, kept.last
    if last is not None and tail is not None and tail.time > last.time:
        kept.add([LogEvent(tail.origin, tail.time, "", LAST, "", None, {}, tail.text)])
    damage = list(_damage(files))
    broker, doubts = _broker(files, given) if last is not None else (given or "", [])
    damage += doubts
    if last is not None and not broker and (broker := guess({name for one in files for name in one.named})):
        own = coverage[0].path
        coverage[0].notes.append(f"no line names its broker: taken for {broker}; --broker-log BROKER={own} sets it")
    if last is not None and not broker:
        damage.append(f"{coverage[0].path}:1: no line names the broker whose log this is")
    for one in coverage:
        one.broker = broker
    is_undated = any(one.is_of_unknown_day for one in files)
    logs = [kept.log(broker)] if last is not None and not _is_mixed(files) else []
    return LogRead(logs, coverage, damage, decided, chunks, is_undated)


def _damage(files: Sequence[FileRead]) -> Iterator[str]:
    for before, one in zip([None, *files], files, strict=False):
        yield from one.damage
        if before is not None and before.last and one.first and one.first + OVERLAP < before.last:
            late = before.last - one.first
            yield f"{one.coverage.path}:1: begins {late} ms before the end of {before.coverage.path}"


def _is_mixed(files: Sequence[FileRead]) -> bool:
    """Return whether a log is of several brokers, and not of one with stray lines: nobody knows whose a line is."""
    number = sum((one.speakers for one in files), Counter[str]()).most_common(2)
    return len(number) == 2 and number[1][1] * _STRAY > number[0][1]


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
        if _is_mixed(files):
            words += "; not judged, as no line names its broker: give each a file, or kubectl logs --prefix"
        return (given if given is not None and given in speakers else own), [words]
    if given and given != own:
        return own, [f"{spoke[own]}: given as the log of {given}, but its lines are those of {own}"]
    return own, []
