"""
For how long no client could use a unit although its owner lived, after all innocent explanations are taken away.

What is taken away of a wait, for each part of it:

- nobody owned the unit, or its owner was gone, silent, without a log, or was stopping;
- the owner had no session with the metadata store, or was about to lose it: it cannot open a topic;
- the topic was deleted, by the log of its broker, and not made anew;
- nobody at all was confirmed: a bookie, or whatever all topics need, was away;
- nobody tried: clients had closed, or refused a message themselves, or sent nothing. A send counts while it is pending.

What is left may still be a client that waits before it connects again: for at most a minute, the least default limit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.laws.serving.observed_serving import CREATED, DELETED, away_of
from oneowner.checkers.recordings.laws.views.first_sightings import seen_since
from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.absences import SILENCE
from oneowner.checkers.recordings.scene.broker_processes import CLOSING, lines_of, living
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, SESSION
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.stays import stays

PENDING: Final = 30_000
"""Milliseconds for which a send is tried: the client's sendTimeoutMs, as it is unless it is set."""

Part = tuple[int, int]
"""Some time, from .. to, epoch milliseconds."""


def both(one: Iterable[Part], other: Sequence[Part]) -> list[Part]:
    """
    Return when both are.

    >>> both([(0, 10), (20, 30)], [(5, 25)])
    [(5, 10), (20, 25)]
    """
    met = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return [(since, until) for since, until in met if since < until]


def without(parts: Iterable[Part], holes: Iterable[Part]) -> list[Part]:
    """
    Return the parts outside of *holes*.

    >>> without([(0, 10)], [(2, 3), (9, 20)])
    [(0, 2), (3, 9)]
    """
    left = list(parts)
    for since, until in holes:
        left = [piece for a, b in left for piece in ((a, min(b, since)), (max(a, until), b)) if piece[0] < piece[1]]
    return left


def unusable(scene: Scene, unit: str, sends: Sequence[Send], since: int, until: int) -> list[Part]:
    """Return when from *since* to *until* nobody but the unit's owner can be why none of *sends* was confirmed."""
    if unit not in scene.channel.units:
        return []
    serving = scene.once(_serving)
    owned: list[Part] = []
    for stay in stays(scene.channel.units[unit]):
        if stay.owner is not None:
            own = (seen_since(scene, stay.step) + scene.limits.clock_skew, until if stay.until is None else stay.until)
            owned += both([own], serving.get(stay.owner, ()))
    left = without(both(owned, [(since, until)]), scene.once(unconfirmed))
    left = without(left, _deleted(scene, sends[0].topic, until)) if left and sends else left
    return both(left, _tried(sends, until)) if left else []


def _deleted(scene: Scene, topic: str, until: int) -> list[Part]:
    """Return when a topic was not there, as it was deleted and nobody made it anew."""
    found: list[Part] = []
    gone: int | None = None
    for line in scene.lines(CREATED, DELETED):
        if line.values.get("topic") != topic:
            continue
        if line.event == DELETED:
            gone = line.time if gone is None else gone
        elif gone is not None:
            found.append((gone, line.time))
            gone = None
    return found if gone is None else [*found, (gone, until)]


def _serving(scene: Scene) -> dict[str, list[Part]]:
    """Return when each broker was there, had its session and was not about to stop."""
    found: dict[str, list[Part]] = {}
    away = away_of(scene)
    for life in living(scene):
        closing = [line.time for line in lines_of(scene, life, *CLOSING)]
        there = (life.start, min([life.end, *closing]))
        holes = [(one.since, life.end if one.until is None else one.until) for one in away.get(life.broker, ())]
        found.setdefault(life.broker, []).extend(without([there], [*holes, *_outages(scene, life)]))
    return found


def _outages(scene: Scene, life: Life) -> list[Part]:
    """Return when a process was without its session; a lost one was out of reach for a session time-out before."""
    found: list[Part] = []
    lost: int | None = None
    for line in lines_of(scene, life, SESSION):
        if line.values.get("event") == LOST and lost is None:
            lost = line.time - scene.limits.session
        elif line.values.get("event") == BACK and lost is not None:
            found.append((lost, line.time))
            lost = None
    return found if lost is None else [*found, (lost, life.end)]


def unconfirmed(scene: Scene) -> list[Part]:
    """Return when no send of anybody was confirmed, for longer than a silence."""
    times = sorted(send.acknowledged for send in scene.sends if send.acknowledged is not None)
    ends = [scene.start or 0, *times, scene.end or 0]
    return [(last, first) for last, first in pairwise(ends) if first - last > SILENCE]


def _tried(sends: Sequence[Send], until: int) -> list[Part]:
    """Return when sends were pending that no broker confirmed; *sends* come by the time at which they were tried."""
    real = [send for send in sends if send.acknowledged is not None or send.result.casefold() == "timeout"]
    times = [send.time for send in sends]  # whoever tries again, or is refused by its own client, waits no more
    found: list[Part] = []
    for send in real:
        following = bisect_right(times, send.time)
        end = min(send.time + PENDING, times[following] if following < len(times) else until)
        if found and found[-1][1] >= send.time:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif end > send.time:
            found.append((send.time, end))
    return found
