"""
A broker's log shows how it chose the owner of each bundle.

In debug mode ``LeastResourceUsageWithWeight`` of the extensible manager prints the load of every candidate, the average
that it computed, and the best candidates; then the manager prints the one that it drew.
"""

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

STRATEGY: Final = "org.apache.pulsar.broker.loadbalance.extensions.strategy.LeastResourceUsageWithWeight"
MANAGER: Final = "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
LOGGERS: Final = frozenset({STRATEGY, MANAGER})
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
    """The choice of one owner."""

    number: int
    """The line of the log that lists the best candidates."""
    time: int
    origin: Origin = Origin(0, 0, 0)
    words: str = ""
    """The text of the line."""
    loads: dict[str, float] = field(default_factory=dict)
    oldest: int = 0
    """Milliseconds since the oldest of these loads was updated, by the clocks of two brokers."""
    average: float | None = None
    difference: float = 10.0
    """In percent."""
    candidates: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    """The candidates without load data."""
    chosen: str = ""
    """The owner drawn from the best; not logged when the leader reassigns the bundles of a dead broker: then empty."""
    bundle: str = ""


class PlacementLine(NamedTuple):
    """A line about a placement."""

    name: str
    """The name of its form."""
    values: Mapping[str, str]
    origin: Origin
    number: int
    time: int
    thread: str
    words: str
    """The message of a line that lists the best candidates, else empty."""


class LoggedPlacements(NamedTuple):
    """The placements that a log shows."""

    placements: list[Placement]
    """In the order of the lines that list the best candidates."""
    broken: list[BrokenLine]
    """Lines that cannot be trusted, and may be about placements."""


def placements(path: str) -> LoggedPlacements:
    """Read the placements of a log."""
    broken = list[BrokenLine]()
    reader = LogReader(0, path, every_line_of(LOGGERS), classes=dict.fromkeys(map(class_of, LOGGERS)))
    lines = (placement_line(line) for line in whole(reader.read(), broken))
    return LoggedPlacements(placed(line for line in lines if line is not None), broken)


def whole(lines: Iterable[LogLine | RecordLines | BrokenLine], broken: list[BrokenLine]) -> Iterator[LogLine]:
    """Yield the lines that can be trusted, and add the others to *broken*."""
    for line in lines:
        if isinstance(line, BrokenLine):
            broken.append(line)
        elif isinstance(line, LogLine):
            yield line


def placed(lines: Iterable[PlacementLine]) -> list[Placement]:
    """Return the placements that *lines* of one log show, in the order of the lines that list the best candidates."""
    begun, found = dict[str, Placement](), list[Placement]()
    for line in lines:
        name, values = line.name, line.values
        if name == "chosen":
            if (ended := begun.pop(line.thread, None)) is not None and ended.best:
                ended.chosen, ended.bundle = values["broker"], values["bundle"]
            continue
        placement = begun.get(line.thread)
        if placement is None or is_over(placement, name, values):
            placement = begun[line.thread] = Placement(line.number, line.time)
        note(placement, line)
        if name == "best":
            found.append(placement)
    return found


def is_over(placement: Placement, name: str, values: Mapping[str, str]) -> bool:
    """Return whether a line begins another placement: a thread makes one after another, and a log may be cut in one."""
    is_counted = placement.average is not None or values.get("broker") in placement.loads
    return bool(placement.best) or (name == "load" and is_counted)


def placement_line(line: LogLine) -> PlacementLine | None:
    """Return a line of these loggers that is about a placement; None for any other."""
    if line.logger not in LOGGERS:
        return None
    for name, form in FORMS.items():
        if (found := form.search(line.message)) is not None and (name == "chosen") == (line.logger == MANAGER):
            words = line.message if name == "best" else ""
            return PlacementLine(name, found.groupdict(), line.origin, line.number, line.time, line.thread, words)
    return None


def note(placement: Placement, line: PlacementLine) -> None:
    """Add the values of a line to its placement."""
    name, values = line.name, line.values
    if name == "load":
        placement.loads[values["broker"]] = float(values["load"].replace(",", "")) / 100
        placement.oldest = max(placement.oldest, line.time - int(values["updated"]))
    elif name == "average":
        placement.average, placement.difference = float(values["average"]), float(values["share"]) * 100
    elif name == "best":
        placement.number, placement.time = line.number, line.time
        placement.origin, placement.words = line.origin, line.words
        placement.best, placement.candidates = names_of(values["best"]), names_of(values["candidates"])
        placement.blind = names_of(values["blind"] or "")
        placement.loads = {name: load for name, load in placement.loads.items() if name in placement.candidates}


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a list as Java prints it."""
    return tuple(text.split(", ")) if text else ()


def logs_of(folder: Path) -> list[str]:
    """Return the paths of the broker logs of a recorded run."""
    return sorted(str(path) for path in folder.glob("broker*.log*"))
