"""
``placements`` reads from a broker's log how it chose the owner of each bundle; ``judged`` computes each choice again.

In debug mode ``LeastResourceUsageWithWeight`` of the extensible manager prints the load of every candidate, the average
that it computed, and who may be drawn; then the manager prints who was. Loads are printed in percent with two digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_lines import BrokenLine, LogLine
from oneowner.checkers.recordings.read.log_patterns import class_of, every_line_of
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.record_lines import RecordLines
from oneowner.checkers.verdict import Verdict
from oneowner.model.balancer.placement.least_usage_extensible import Candidates, least_usage

STRATEGY: Final = "org.apache.pulsar.broker.loadbalance.extensions.strategy.LeastResourceUsageWithWeight"
MANAGER: Final = "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
LOGGERS: Final = frozenset({STRATEGY, MANAGER})
ROUNDING: Final = 0.5e-4
"""As far may a printed load lie from the load, of which 1.0 is a resource that is used up."""
STALE: Final = 60_000
"""Milliseconds: reports are sent when a load has changed, and every 15 minutes."""
TOO_COARSE: Final = "a load that was printed is too coarse to tell"
NOT_ALL_PRINTED: Final = "a load by which it was computed is not in the log"
UNDECIDED: Final = frozenset({TOO_COARSE, NOT_ALL_PRINTED})
"""Why it cannot be told."""
FORMS: Final = {
    "load": re.compile(
        r"Broker (?:load data \{broker=)?(?P<broker>[^ ,]+)(?:,| ).*weightedMaxEMA= (?P<load>[-\d.,]+)%.*"
        r"updatedAt= (?P<updated>\d+)"
    ),
    "average": re.compile(r"Computed avgUsage.*?(?P<average>[-\d.]+(?:E-?\d+)?), diffThreshold[:=](?P<share>[\d.E-]+)"),
    "best": re.compile(
        r"Selected (?:\d+ best brokers: |best brokers from candidates \{bestBrokers=)\[(?P<best>.*?)\](?:,| from).*?"
        r"candidate(?:s=| brokers: )\[(?P<candidates>.*?)\](?:,|$)(?: ?noLoadDataBrokers[:=] ?\[(?P<blind>.*?)\]}?$)?"
    ),
    "chosen": re.compile(
        r"Selected new owner broker: (?:for bundle \{broker=)?(?P<broker>[^ ,]+)"
        r"(?:, bundle=| for bundle: )(?P<bundle>.+?)[.}]$"
    ),
}
"""The lines of both loggers, as the releases until 4.2 and the 5.0 line print them."""


@dataclass(slots=True)
class Placement:
    """How one owner was chosen."""

    number: int
    """The line of the log that says who may be drawn."""
    time: int
    origin: Origin = Origin(0, 0, 0)
    words: str = ""
    """That line."""
    loads: dict[str, float] = field(default_factory=dict)
    oldest: int = 0
    """Milliseconds since the oldest of these loads was updated, by the clocks of two brokers."""
    average: float | None = None
    difference: float = 10.0
    """In percent."""
    candidates: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    """The candidates of which there was no load."""
    chosen: str = ""
    """Who was drawn; empty where the manager does not say so: when the leader gives away what a dead broker had."""
    bundle: str = ""


class Telling(NamedTuple):
    """A line that tells of a placement."""

    name: str
    """Which of the forms it is."""
    said: Mapping[str, str]
    origin: Origin
    number: int
    time: int
    thread: str
    words: str
    """Of the line that says who may be drawn, else empty."""


class Logged(NamedTuple):
    """What a log says of placements."""

    placements: list[Placement]
    """In the order in which it says of each who may be drawn."""
    broken: list[BrokenLine]
    """Lines that cannot be trusted: what they said of placements is not known."""


class Judged(NamedTuple):
    """What is to be said of a placement."""

    computed: tuple[str, ...]
    """Who may be drawn by the loads that were printed."""
    why: str
    """Why the broker did otherwise; empty if it did as computed."""

    @property
    def verdict(self) -> Verdict:
        """Valid if it did as computed, unknown if the log cannot tell."""
        return Verdict.VALID if not self.why else Verdict.UNKNOWN if self.why in UNDECIDED else Verdict.INVALID


def placements(path: str) -> Logged:
    """Return what a log says of placements."""
    broken = list[BrokenLine]()
    reader = LogReader(0, path, every_line_of(LOGGERS), classes=dict.fromkeys(map(class_of, LOGGERS)))
    tellings = (telling_of(line) for line in whole(reader.read(), broken))
    return Logged(placed(telling for telling in tellings if telling is not None), broken)


def whole(lines: Iterable[LogLine | RecordLines | BrokenLine], broken: list[BrokenLine]) -> Iterator[LogLine]:
    """Yield the lines that can be trusted, and add the others to *broken*."""
    for line in lines:
        if isinstance(line, BrokenLine):
            broken.append(line)
        elif isinstance(line, LogLine):
            yield line


def placed(lines: Iterable[Telling]) -> list[Placement]:
    """Return the placements of which lines of a log tell, in the order in which these say who may be drawn."""
    begun, found = dict[str, Placement](), list[Placement]()
    for line in lines:
        name, said = line.name, line.said
        if name == "chosen":
            if (ended := begun.pop(line.thread, None)) is not None and ended.best:
                ended.chosen, ended.bundle = said["broker"], said["bundle"]
            continue
        placement = begun.get(line.thread)
        if placement is None or is_over(placement, name, said):
            placement = begun[line.thread] = Placement(line.number, line.time)
        note(placement, line)
        if name == "best":
            found.append(placement)
    return found


def is_over(placement: Placement, name: str, said: Mapping[str, str]) -> bool:
    """Say whether a line is of another placement: a thread makes one after another, and a log may be cut amid one."""
    is_counted = placement.average is not None or said.get("broker") in placement.loads
    return bool(placement.best) or (name == "load" and is_counted)


def telling_of(line: LogLine) -> Telling | None:
    """Return what a line of these loggers says of a placement; None: nothing."""
    if line.logger not in LOGGERS:
        return None
    for name, form in FORMS.items():
        if (found := form.search(line.message)) is not None and (name == "chosen") == (line.logger == MANAGER):
            words = line.message if name == "best" else ""
            return Telling(name, found.groupdict(), line.origin, line.number, line.time, line.thread, words)
    return None


def note(placement: Placement, line: Telling) -> None:
    """Note what a line says of a placement."""
    name, said = line.name, line.said
    if name == "load":
        placement.loads[said["broker"]] = float(said["load"].replace(",", "")) / 100
        placement.oldest = max(placement.oldest, line.time - int(said["updated"]))
    elif name == "average":
        placement.average, placement.difference = float(said["average"]), float(said["share"]) * 100
    elif name == "best":
        placement.number, placement.time = line.number, line.time
        placement.origin, placement.words = line.origin, line.words
        placement.best, placement.candidates = names_of(said["best"]), names_of(said["candidates"])
        placement.blind = names_of(said["blind"] or "")
        placement.loads = {name: load for name, load in placement.loads.items() if name in placement.candidates}


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a list as Java prints it."""
    return tuple(text.split(", ")) if text else ()


def judged(placement: Placement) -> Judged:
    """Return who may be drawn by the loads that were printed, and why the broker did otherwise."""
    loads = tuple((name, placement.loads.get(name)) for name in placement.candidates)
    computed = least_usage(Candidates(loads, placement.difference))
    return Judged(computed, "" if agrees(placement, computed) else difference_of(placement))


def agrees(placement: Placement, computed: tuple[str, ...]) -> bool:
    """Say whether the broker did as computed: the same may be drawn, one of them was, and the average is right."""
    return (
        has_mean(placement)
        and set(computed) == set(placement.best)
        and (not placement.chosen or placement.chosen in placement.best)
    )


def has_mean(placement: Placement) -> bool:
    """Say whether the average that was printed is that of the loads."""
    if not placement.loads or placement.average is None:
        return not placement.loads and placement.average is None
    return abs(placement.average - mean_of(placement)) <= ROUNDING


def mean_of(placement: Placement) -> float:
    """Return the average of the loads that were printed."""
    return sum(placement.loads.values()) / len(placement.loads)


def lacks_a_line(placement: Placement) -> bool:
    """Say whether the log lacks the average, or a load of which the broker does not say that there was none."""
    printed = {*placement.loads, *placement.blind}
    return placement.average is None or not printed.issuperset(placement.candidates)


def difference_of(placement: Placement) -> str:
    """Return why a broker did otherwise, as far as its log tells."""
    if placement.chosen and placement.chosen not in placement.best:
        return f"{placement.chosen} was taken, which may not be drawn"
    if lacks_a_line(placement):
        return NOT_ALL_PRINTED
    if not has_mean(placement):
        told = f"{mean_of(placement):.4f}" if placement.loads else "none"
        return f"the average is {placement.average}, of the loads that were printed it is {told}"
    limit = mean_of(placement) - placement.difference / 100
    if any(abs(load - limit) <= 2 * ROUNDING for load in placement.loads.values()):
        return TOO_COARSE
    return "loads changed after the average was computed, or others may be drawn than by the loads"


def logs_of(folder: Path) -> list[str]:
    """Return the logs of a recorded run's brokers."""
    return sorted(str(path) for path in folder.glob("broker*.log*"))


def told(path: str, logged: Logged) -> list[str]:
    """Return what is to be said of the placements of a log: how many are as computed, on what, and which are not."""
    found = logged.placements
    each = [(placement, judged(placement)) for placement in found]
    others = [(placement, judgement) for placement, judgement in each if judgement.why]
    blind = sum(len(placement.loads) < len(placement.candidates) for placement in found)
    stale = sum(placement.oldest > STALE for placement in found)
    return [
        f"{path}: {len(found)} placements, {len(found) - len(others)} as computed;"
        f" {blind} with a candidate without load data, {stale} by a report older than a minute",
        *(
            f"{path}:{placement.number}: {placement.bundle or 'a bundle'}: {judgement.why};"
            f" drawn of {', '.join(placement.best)}; computed: {', '.join(judgement.computed)}"
            for placement, judgement in others
        ),
        *(f"{path}:{line.number}: {line.why}; what it says of placements is not known" for line in logged.broken),
    ]
