"""
``cycles`` reads from brokers' logs the input and the decision of each cycle of ``TransferShedder``.

In debug mode each broker prints the reports of load that it publishes and withdraws, and the leader prints the
available brokers, the moves, or the reason for none. Loads are printed in percent, throughput a second, with two
digits; loads of bundles are printed in full. Lines are those of 3.0 to 4.2; those of the 5.0 line are counted and not
read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.log_lines import BrokenLine, LogLine
from oneowner.checkers.recordings.read.log_patterns import class_of, every_line_of
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.logged_decisions import PACKAGE
from oneowner.checkers.recordings.read.logged_placements import names_of, whole

LOADS: Final = f"{PACKAGE}extensions.reporter.BrokerLoadDataReporter"
TOPS: Final = f"{PACKAGE}extensions.reporter.TopBundleLoadDataReporter"
SCHEDULER: Final = f"{PACKAGE}extensions.scheduler.UnloadScheduler"
SHEDDER: Final = f"{PACKAGE}extensions.scheduler.TransferShedder"
UNLOADS: Final = f"{PACKAGE}extensions.manager.UnloadManager"
LOGGERS: Final = frozenset({LOADS, TOPS, SCHEDULER, SHEDDER, UNLOADS})

PUBLISHES: Final = "publishing load report"
REPORTS_TOP: Final = "Reporting TopBundlesLoadData:"
NUMBER: Final = r"(-?[\d.]+(?:E-?\d+)?)"
REPORT: Final = re.compile(
    rf"{PUBLISHES}:.*msgThroughputIn= {NUMBER}, msgThroughputOut= {NUMBER}, .*"
    rf"weightedMaxEMA= {NUMBER}%, msgThroughputEMA= {NUMBER}, updatedAt= (\d+)"
)
TOP: Final = re.compile(
    rf"bundleName=([^,\]]+), stats=NamespaceBundleStats\(msgRateIn={NUMBER}, msgThroughputIn={NUMBER}, "
    rf"msgRateOut={NUMBER}, msgThroughputOut={NUMBER}"
)
MOVE: Final = re.compile(
    r"sourceBroker=([^,\]]+), serviceUnit=([^,\]]+), destBroker=(?:Optional\[([^\]]*)\]|Optional\.empty|null)"
)
DONE: Final = re.compile(r"Complete unload bundle: (\S+)")
SKIPPED: Final = re.compile(r"Skipped the load stat update\. Reason:(\w+)\.")
HITS: Final = re.compile(r"Shedding condition hit count:(\d+) is less than or equal")
CLEANED: Final = "Cleaned broker load data."
AVAILABLE: Final = re.compile(r"Available brokers: \[(.*)\]")
DECIDES: Final = "Unload decision result"
RESULT: Final = f"[TransferShedder] {DECIDES}: ["


class Report(NamedTuple):
    """The load that a broker published; ``load`` 1.0 is a resource that is used up, throughput is in bytes/s."""

    load: float
    throughput_in: float
    throughput_out: float
    throughput_average: float
    updated: int
    """The time of the measurement, in milliseconds."""


Top = tuple[str, float, float]
"""A bundle, and bytes a second in and out."""


class LoadUpdate(NamedTuple):
    """Load data that a broker published, or removed, at a time in milliseconds."""

    time: int
    broker: str
    report: Report | tuple[Top, ...] | None
    is_load: bool
    """True if it is the load of the broker, and not of its top bundles."""


class Cycle(NamedTuple):
    """A cycle of a leader's shedder."""

    time: int
    """In milliseconds, of the line that lists the available brokers: loads are read then."""
    leader: str
    path: str
    line: int
    """The line of the decision."""
    available: tuple[str, ...]
    moves: tuple[tuple[str, str, str], ...]
    """Bundle, source, destination; the last is empty for an unload."""
    skipped: str
    """The reason why nothing moves, where the log shows it."""
    hits: int | None
    """The number of consecutive cycles with an imbalance, where the log shows it."""


class LoggedCycles(NamedTuple):
    """The shedding cycles of a cluster, and all their inputs, from logs."""

    updates: list[LoadUpdate]
    cycles: list[Cycle]
    done: dict[tuple[str, str], list[int]]
    """The times of completed unloads, by leader and bundle."""
    started: dict[str, list[int]]
    """The times at which shedders were created, by broker: they remember nothing before."""
    broken: list[tuple[str, BrokenLine]]
    """Lines that cannot be trusted, each with its log."""
    unread: int = 0
    """Cycles of another shedder, or of the 5.0 line."""


def cycles(logs: Mapping[str, str]) -> LoggedCycles:
    """Read the cycles of all *logs*, brokers by path; all lists are in the order of time."""
    found = LoggedCycles([], [], {}, {}, [])
    for path, broker in logs.items():
        broken = list[BrokenLine]()
        reader = LogReader(0, path, every_line_of(LOGGERS), classes=dict.fromkeys(map(class_of, LOGGERS)))
        lines = list(whole(reader.read(), broken))
        found.updates.extend(updates_of(lines, broker))
        found.cycles.extend(cycles_of(lines, broker, path))
        for line in lines:
            if line.logger == UNLOADS and (done := DONE.match(line.message)) is not None:
                found.done.setdefault((broker, done[1]), []).append(line.time)
            if line.logger == SCHEDULER and line.message.startswith("Created namespace unload strategy"):
                found.started.setdefault(broker, []).append(line.time)
            if is_odd(line):
                broken.append(BrokenLine(line.number, "its numbers are not printed as in English"))
        others = [line for line in lines if line.logger == SCHEDULER and DECIDES in line.message]
        unread = sum(RESULT not in line.message for line in others)
        found = found._replace(unread=found.unread + unread)
        found.broken.extend((path, line) for line in broken)
    found.updates.sort(key=lambda one: one.time)
    found.cycles.sort(key=lambda one: one.time)
    return found


def is_odd(line: LogLine) -> bool:
    """Return whether a report has an unsupported form, as in a locale with a comma in numbers."""
    if line.logger == LOADS and line.message.startswith(PUBLISHES):
        return REPORT.match(line.message) is None
    is_top = line.logger == TOPS and line.message.startswith(REPORTS_TOP)
    return is_top and len(TOP.findall(line.message)) != line.message.count("bundleName=")


def updates_of(lines: Iterable[LogLine], broker: str) -> Iterator[LoadUpdate]:
    """Yield the load data that a broker published and removed."""
    for line in lines:
        if line.logger == LOADS and (found := REPORT.match(line.message)) is not None:
            taken_in, given_out, load, average = (float(text.rstrip(".")) for text in found.groups()[:4])
            yield LoadUpdate(line.time, broker, Report(load / 100, taken_in, given_out, average, int(found[5])), True)
        elif line.logger == TOPS and line.message.startswith(REPORTS_TOP):
            tops = tuple((name, float(into), float(out)) for name, _, into, _, out in TOP.findall(line.message))
            yield LoadUpdate(line.time, broker, tops, False)
        elif line.logger in (LOADS, TOPS) and line.message.startswith(CLEANED):
            yield LoadUpdate(line.time, broker, None, line.logger == LOADS)


def cycles_of(lines: Iterable[LogLine], broker: str, path: str) -> Iterator[Cycle]:
    """Yield the cycles of a leader: each from the list of available brokers to the decision."""
    begun: Cycle | None = None
    for line in lines:
        if line.logger == SCHEDULER and (found := AVAILABLE.match(line.message)) is not None:
            begun = Cycle(line.time, broker, path, line.number, names_of(found[1]), (), "", None)
        elif begun is None:
            continue
        elif line.logger == SHEDDER and (found := SKIPPED.search(line.message)) is not None:
            begun = begun._replace(skipped=found[1])
        elif line.logger == SHEDDER and (found := HITS.search(line.message)) is not None:
            begun = begun._replace(skipped="HitCount", hits=int(found[1]))
        elif line.logger == SCHEDULER and line.message.startswith(RESULT):
            moves = ((bundle, source, to) for source, bundle, to in MOVE.findall(line.message))
            yield begun._replace(line=line.number, moves=tuple(sorted(moves)))
            begun = None
