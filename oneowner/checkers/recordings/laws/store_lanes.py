"""
Store lanes are the times at which ZooKeeper and the bookies failed the brokers, and units for which no send succeeded.

They inform a reader of the page: no law judges by them. Where no source shows a store, its lane is None, never empty.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.scene_law import remaining
from oneowner.checkers.recordings.laws.serving.unusable import EXCUSES, unconfirmed, unconfirmed_meanwhile
from oneowner.checkers.recordings.laws.serving.waits import Wait, all_waits, sends_by_topic
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import SILENCE
from oneowner.checkers.recordings.scene.broker_processes import living
from oneowner.checkers.recordings.scene.conditions import has_session
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.timeline import END, Timeline, meets
from oneowner.checkers.recordings.scene.topics import Topics

OF_ITS_OWN: Final = tuple(one for one in EXCUSES if one.subtrahend is not unconfirmed_meanwhile)
"""The excuses that concern one unit or its owner."""


class Failure(NamedTuple):
    """Some time at which a store failed, in words; a moment if it ends when it begins."""

    since: int
    until: int
    words: str
    is_of_one: bool = False
    """It is one broker's alone, such as a lost session."""


class Unserved(NamedTuple):
    """Some time at which sends to a unit were tried and none was confirmed."""

    unit: str
    since: int
    until: int


class StoreLanes(NamedTuple):
    """The lanes of one run."""

    zookeeper: tuple[Failure, ...] | None = None
    """The times at which brokers were without their sessions, and the moments at which ZooKeeper ended one."""
    bookies: tuple[Failure, ...] | None = None
    """The times at which no send was confirmed although several owners lived: what all topics need was away."""
    unserved: tuple[Unserved, ...] = ()


def store_lanes(scene: Scene) -> StoreLanes:
    """Return the lanes of *scene*."""
    found = scene.once(all_waits)
    shows_sessions = Source.ZOOKEEPER in scene.present or any(True for _ in living(scene))
    return StoreLanes(
        tuple(sorted(_sessions(scene))) if shows_sessions else None,
        tuple(_writes(scene, found)) if Source.SENDS in scene.present else None,
        tuple(_unserved(scene, found)),
    )


def _sessions(scene: Scene) -> Iterator[Failure]:
    for one in happenings_of(scene).outages:
        yield Failure(one.since, one.until, one.words)
    for broker in scene.brokers:
        lived = Timeline((one.start, one.end) for one in living(scene) if one.broker == broker)
        for since, until in lived - has_session(scene, broker):
            yield Failure(since, until, f"{broker} was without its session, by its log", True)
    for held in registry_of(scene).registrations:
        if held.until < END and held.ended is not None and not held.is_given_up:
            yield Failure(held.until, held.until, f"the registration of {held.broker} ended with its session", True)


def _writes(scene: Scene, found: Sequence[Wait]) -> Iterator[Failure]:
    """Yield the times at which whatever all topics need was away: the topics of several live owners took nothing."""
    topics, by_topic = Topics(scene), scene.once(sends_by_topic)
    for since, until in scene.once(unconfirmed) & Timeline.of(found):
        alone: dict[str, list[tuple[int, int]]] = {}
        for wait in found:
            unit = topics.unit(wait.topic, wait.since)
            if unit in scene.channel.units and meets(wait, since, until):
                sends = [send for send in by_topic[wait.topic] if wait.since <= send.start <= wait.until]
                left = remaining(scene, Timeline([(since, until)]), OF_ITS_OWN, unit, sends, wait.until)
                for stay in stays(scene.channel.units[unit]):
                    if stay.owner is not None:
                        alone.setdefault(stay.owner, []).extend(left & Timeline([(stay.since, stay.until)]))
        several = (Timeline(one) & Timeline(other) for one, other in combinations(alone.values(), 2))
        for begin, end in Timeline(part for both in several for part in both):
            if end - begin > SILENCE:
                yield Failure(begin, end, "no send was confirmed, though the owners lived")


def _unserved(scene: Scene, found: Sequence[Wait]) -> Iterator[Unserved]:
    topics = Topics(scene)
    times: dict[str, list[tuple[int, int]]] = {}
    for wait in found:
        unit = topics.unit(wait.topic, wait.since)
        if unit is not None and wait.lasted > SILENCE:
            times.setdefault(unit, []).append((wait.since, wait.until if wait.is_over else END))
    for unit, intervals in sorted(times.items()):
        yield from (Unserved(unit, since, until) for since, until in Timeline(intervals))
