"""
Times in which no client's send was confirmed at any broker: the bookies, or whatever all topics need, were away.

Topics of two brokers that are up are needed: one broker alone, or brokers that are gone, may themselves be the reason.
"""

from collections.abc import Iterator

from oneowner.checkers.recordings.laws.serving.unusable import unconfirmed
from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.conditions import is_up
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.timeline import END, is_at, meets
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.times import lasting

LONG = 10_000
"""Milliseconds without a confirmation from which it is reported."""


def unwritten(scene: Scene) -> Iterator[Happening]:
    """Yield the times in which no send of any client was confirmed although brokers were up."""
    for first, last in scene.once(unconfirmed):
        tried = [wait for wait in scene.once(all_waits) if wait.since < last and wait.until > first]
        tried = [wait for wait in tried if 2 * (min(wait.until, last) - max(wait.since, first)) > wait.lasted]
        since = max(first, min((wait.since for wait in tried), default=last))
        until = min(last, max((wait.until for wait in tried), default=first))
        if until - since < LONG or not _are_of_several(scene, tried, since, until):
            continue
        is_over = any(wait.is_over for wait in tried)
        words = f"no send of any client was confirmed for {lasting(until - since)}, at whichever broker"
        repair = "check that the bookies take writes and their disks are not full; no broker needs a restart for it"
        cause = Cause(HappeningKind.UNWRITTEN, "", since)
        behind = tuple(one.cause for one in happenings_of(scene).outages if meets(one, since, until))
        shown = (tried[0].first, tried[-1].last)
        yield Happening(cause, until if is_over else END, words, (), shown, behind, repair)


def _are_of_several(scene: Scene, tried: list[Wait], since: int, until: int) -> bool:
    """Return whether these topics were of several brokers that were up for most of the time, or of unknown ones."""
    topics, middle = scene.once(Topics), (since + until) // 2
    owners: set[str | None] = set()
    for wait in tried:
        history = scene.channel.units.get(topics.unit(wait.topic, middle) or "")
        owners |= {stay.owner for stay in stays(history) if is_at(stay, middle)} or {None}
    up = {one for one in owners if one and 2 * is_up(scene, one).within(since, until).total > until - since}
    return len(up) > 1 or (owners == {None} and len({wait.topic for wait in tried}) > 1)
