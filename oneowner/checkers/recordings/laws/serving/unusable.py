"""
The times in which no client could use a unit of a live owner, after all innocent explanations are subtracted.

The rest may still be a client that waits before it connects again: for at most a minute, the least default limit.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.scene_law import remaining
from oneowner.checkers.recordings.laws.serving.observed_serving import CREATED, DELETED
from oneowner.checkers.recordings.laws.views.first_sightings import seen_since
from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.absences import SILENCE
from oneowner.checkers.recordings.scene.conditions import has_session, is_up
from oneowner.checkers.recordings.scene.namespaces import all_deletions
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.timeline import ALWAYS, END, Timeline

PENDING: Final = 30_000
"""Milliseconds for which a send is tried: the client's sendTimeoutMs, as it is unless it is set."""


def unusable(scene: Scene, unit: str, sends: Sequence[Send], since: int, until: int) -> Timeline:
    """Return the times in which only the unit's owner explains that none of *sends* was confirmed."""
    if unit not in scene.channel.units or not sends:
        return Timeline()
    return remaining(scene, Timeline([(since, until)]), EXCUSES, unit, sends, until)


def _owned(scene: Scene, unit: str) -> Iterator[tuple[str, Timeline]]:
    """Yield the owners of a unit, each with a time for which it certainly was the owner, and up."""
    for stay in stays(scene.channel.units[unit]):
        if stay.owner is not None:
            since = seen_since(scene, stay.step) + scene.limits.clock_skew
            own = Timeline([(since, stay.until)])
            yield stay.owner, own & is_up(scene, stay.owner)


def without_owner(scene: Scene, unit: str, sends: Sequence[Send], until: int) -> Timeline:
    """Return the times in which no broker owned *unit*, or its owner was not up."""
    return ALWAYS - Timeline(part for _, own in _owned(scene, unit) for part in own)


def without_session(scene: Scene, unit: str, sends: Sequence[Send], until: int) -> Timeline:
    """Return the times of an owner that was up, but without a metadata-store session: it cannot open a topic."""
    return Timeline(part for owner, own in _owned(scene, unit) for part in own - has_session(scene, owner))


def deleted(scene: Scene, unit: str, sends: Sequence[Send], until: int) -> Timeline:
    """Return the times in which the topic of *sends*, or its namespace, did not exist."""
    lines = (line for line in scene.lines(CREATED, DELETED) if line.values.get("topic") == sends[0].topic)
    namespace = unit.rpartition("/")[0]
    without = Timeline.of(one for one in scene.once(all_deletions) if one.namespace == namespace)
    return Timeline.alternating((line.time, line.event == DELETED) for line in lines) | without


def unconfirmed(scene: Scene) -> Timeline:
    """Return the times in which no send of any client was confirmed, for longer than a silence."""
    times = sorted(send.end for send in scene.sends if send.end < END)
    ends = [scene.start or 0, *times, scene.end or 0]
    return Timeline((last, first) for last, first in pairwise(ends) if first - last > SILENCE)


def unconfirmed_meanwhile(scene: Scene, unit: str, sends: Sequence[Send], until: int) -> Timeline:
    """Return the times in which no send of any client was confirmed."""
    return scene.once(unconfirmed)


def untried(scene: Scene, unit: str, sends: Sequence[Send], until: int) -> Timeline:
    """
    Return the times in which no broker could confirm any of *sends*, which come by the time of their trial.

    A client that tries again, or refuses a message itself, waits no more.
    """
    times = [send.start for send in sends]
    pending: list[tuple[int, int]] = []
    for send in sends:
        if send.end < END or send.result.casefold() == "timeout":
            following = bisect_right(times, send.start)
            end = times[following] if following < len(times) else until
            pending.append((send.start, min(send.start + PENDING, end)))
    return ALWAYS - Timeline(pending)


EXCUSES: Final = (
    Excuse(
        "time in which no broker owned the unit, or its owner was gone, silent, stopping or without a log",
        without_owner,
    ),
    Excuse(
        "time in which the owner had no session, and one session timeout before its log shows the loss", without_session
    ),
    Excuse(
        "time in which no send at all was confirmed: a bookie, or whatever all topics need, was away",
        unconfirmed_meanwhile,
    ),
    Excuse("time in which the topic was deleted, or its namespace, and not created again", deleted),
    Excuse("time in which clients did not try, had closed, or refused the message themselves", untried),
)
"""The excuses that are subtracted from the time in which clients could not use a unit."""
