"""
Pairs of lines in the logs of two brokers, of which the first certainly came first, whatever the level of the logs.

A broker logs that it registers before another detects its registration. It logs that its producer was created after the
host of the topic logs that it has accepted it; and its load manager starts its producers one after the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.laws.answers.clock_pairs import SAID_LATE, Machine, Pair
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.producer_names import ACCEPTED, CREATED
from oneowner.checkers.recordings.scene.scene import Scene

_LOCAL: Final = re.compile(r"L:[^\s/]*/(\S+:\d+) - ")
OF_LOAD_MANAGER: Final = "loadbalancer-"
"""Part of the names of its topics."""


def of_lines(scene: Scene) -> Iterator[Pair]:
    """Yield the pairs of lines of different brokers."""
    yield from _registrations(scene)
    yield from _producers(scene)


def _pair(first: LogEvent, then: LogEvent, late: int = 0) -> Pair:
    gap = then.time - first.time + late
    return Pair(Machine("broker", first.broker), Machine("broker", then.broker), gap, first.time, first, then)


def _registrations(scene: Scene) -> Iterator[Pair]:
    """Yield registrations and their detections by another broker; they pair in order if they are equally many."""
    begun: dict[str, list[LogEvent]] = defaultdict(list)
    for line in scene.lines("registering"):
        begun[line.broker].append(line)
    detected: dict[tuple[str, str], list[LogEvent]] = defaultdict(list)
    for line in scene.lines("registry-created"):
        detected[str(line.values["subject"]), line.broker].append(line)
    for (subject, broker), lines in detected.items():
        if subject != broker and len(lines) == len(begun[subject]):
            yield from map(_pair, begun[subject], lines)


def _producers(scene: Scene) -> Iterator[Pair]:
    """Yield the pairs of each connection of a broker's client to another broker."""
    accepted: dict[tuple[str, str], LogEvent] = {}
    for line in scene.lines(ACCEPTED):
        end = str(line.values.get("client")).rpartition("/")[2]
        accepted.setdefault((end, str(line.values.get("producer"))), line)
    joined: dict[tuple[str, str, str], list[tuple[LogEvent, LogEvent]]] = defaultdict(list)
    for line in scene.lines(CREATED):
        local = _LOCAL.search(str(line.values.get("connection")))
        if local is None or OF_LOAD_MANAGER not in str(line.values.get("topic")):
            continue
        host = accepted.pop((local[1], str(line.values.get("producer"))), None)
        if host is not None and host.broker != line.broker:
            joined[local[1], line.broker, host.broker].append((host, line))
    for pairs in joined.values():
        yield from (_pair(host, line) for host, line in pairs)
        for (_, line), (host, _) in pairwise(pairs):
            yield _pair(line, host, SAID_LATE)
