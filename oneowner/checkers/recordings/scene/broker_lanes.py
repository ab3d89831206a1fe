"""
Broker lanes say of each broker when it lived, was registered and led, as times that the page draws.

They are what is known, for a reader: no law judges by them. What no source tells of is None, never empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.broker_processes import alive, living
from oneowner.checkers.recordings.scene.registry import Held, registry_of
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.time_spans import NEVER

Times = tuple[tuple[int, int | None], ...]
"""From when to when, in epoch milliseconds; None: when the recording ends it still lasts."""


class BrokerLanes(NamedTuple):
    """One broker's times."""

    broker: str
    alive: Times | None
    """When its process gave signs of life; a pause in which it was asked in vain is left out."""
    registered: Times | None
    """When its node was in the registry; None also where the history contradicts itself."""
    leading: Times | None
    """When the leader's node named it."""


def broker_lanes(scene: Scene) -> tuple[BrokerLanes, ...]:
    """Return the lanes of every broker of *scene*, in the order of their names; none if nothing tells of any."""
    registry, has_history = registry_of(scene), Source.ZOOKEEPER in scene.present
    lives: dict[str, list[Life]] = {}
    for life in living(scene):
        lives.setdefault(life.broker, []).append(life)
    found = []
    for broker in sorted(scene.brokers):
        is_told = has_history or broker in lives
        found.append(
            BrokerLanes(
                broker,
                _alive(scene, broker, lives[broker]) if broker in lives else None,
                _there(registry.of(broker)) if is_told and not registry.contradictions else None,
                _there(held for held in registry.leaders if held.broker == broker)
                if is_told and not registry.disputed
                else None,
            )
        )
    return tuple(found) if any(any(lane is not None for lane in one[1:]) for one in found) else ()


def _there(nodes: Iterable[Held]) -> Times:
    return tuple((held.since, held.until) for held in nodes)


def _alive(scene: Scene, broker: str, lives: Iterable[Life]) -> Times:
    """Return when some process of *broker* lived, without its pauses."""
    at: Times = tuple(alive(lives, -NEVER, NEVER))
    for away in absences(scene, broker):
        if away.until is not None and away.is_pause:
            at = tuple(part for time in at for part in _without(time, away.since, away.until))
    return at


def _without(time: tuple[int, int | None], since: int, until: int) -> Times:
    """
    Return what is left of *time* without [since, until].

    >>> _without((0, 9), 3, 5), _without((4, 9), 3, 5), _without((0, 3), 4, 5)
    (((0, 3), (5, 9)), ((5, 9),), ((0, 3),))
    """
    start, end = time
    parts = ((start, since if end is None else min(end, since)), (max(start, until), end))
    return tuple((first, last) for first, last in parts if last is None or first < last)
