"""
Times in which no client's send was confirmed at any broker: the bookies, or whatever all topics need, were away.

Topics of two brokers that are up are needed: one broker alone, or brokers that are gone, may themselves be the reason.
"""

from collections.abc import Iterator

from oneowner.checkers.recordings.laws.serving.unusable import unconfirmed
from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.conditions import is_up
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.lock_nodes import is_by_locks, locks_of
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
    units = {topics.unit(wait.topic, middle) for wait in tried}
    owners = {owner for unit in units if unit is not None for owner in _owners(scene, unit, middle)}
    up = {one for one in owners if 2 * is_up(scene, one).within(since, until).total > until - since}
    all_live = not any(meets(away, since, until) for broker in scene.brokers for away in absences(scene, broker))
    return len(up) > 1 or (not owners and all_live and len({wait.topic for wait in tried}) > 1)


def _owners(scene: Scene, unit: str, time: int) -> list[str]:
    """Return the owner of a unit at some time, by the channel or by its lock; none if neither shows it."""
    if is_by_locks(scene):
        return [held.broker for held in locks_of(scene).held.get(unit, ()) if is_at(held, time)]
    return [stay.owner for stay in stays(scene.channel.units.get(unit)) if is_at(stay, time) and stay.owner]
