"""
Connections between brokers that break although both ends live: a network that lets some brokers reach others no more.

A broker closes a connection by force when the other end has not answered for a while (``PulsarHandler``). Of those that
it opened itself, as to the broker that holds the channel's topic, Netty prints the name of the other end.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.observations import LogEvent, Lookup, Poll
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.packed_logs import times_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import Timeline

FORCED: Final = "connection-forced-closed"
OPENED: Final = re.compile(r" [-!] R:[^/\s]+/")
UNANSWERED: Final = 60_000
"""Milliseconds without an answer after which a connection is closed: two intervals of keepAliveIntervalSeconds."""


class Unconnected(NamedTuple):
    """Some time for which one broker had no answer over connections to others, while all processes lived."""

    broker: str
    since: int
    until: int
    lines: tuple[LogEvent, ...]


QUIET: Final = 30_000
"""Milliseconds without a sign of life of some broker, which may then have stood still itself."""


def unconnected(scene: Scene) -> Iterator[Unconnected]:
    """Yield the times in which brokers did not reach others that lived."""
    forced = [line for line in scene.lines(FORCED) if OPENED.search(line.text)]
    away = Timeline.of(one for broker in scene.brokers for one in absences(scene, broker)) if forced else Timeline()
    by_broker: dict[str, list[LogEvent]] = {}
    for line in forced:
        since = line.time - UNANSWERED
        if not away.overlaps(since - UNANSWERED, line.time) and _all_live(scene, since, line.time):
            by_broker.setdefault(line.broker, []).append(line)
    for broker, lines in by_broker.items():
        first = lines[0]
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            if following is None or following.time - line.time > 2 * UNANSWERED:
                yield Unconnected(broker, first.time - UNANSWERED, line.time, (first, line))
                first = following or first


def _all_live(scene: Scene, since: int, until: int) -> bool:
    """Return whether every broker gave signs of life all the time, by its log or by answers."""
    requests: list[Lookup | Poll] = [*scene.lookups, *scene.polls]
    answers: dict[str, list[int]] = {}
    for one in requests:
        if one.status is not None and since <= one.end <= until:
            answers.setdefault(one.asked, []).append(one.end)
    for broker in scene.brokers:
        signs = [time for time in times_of(scene.said.get(broker, ())) if since <= time <= until]
        ends = [since, *sorted([*signs, *answers.get(broker, ())]), until]
        if any(after - before > QUIET for before, after in pairwise(ends)):
            return False
    return True
