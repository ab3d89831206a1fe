"""
Broker lanes are the times at which each broker lived, was registered and led, as the page draws them.

They inform a reader: no law judges by them. Where no source shows a condition, its lane is None, never empty.
"""

from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.broker_processes import living
from oneowner.checkers.recordings.scene.conditions import alive, leads, registered
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import Timeline


class BrokerLanes(NamedTuple):
    """The times of one broker."""

    broker: str
    alive: Timeline | None
    """The times when its process showed signs of life, without pauses in which requests got no answer."""
    registered: Timeline | None
    """The times when its node was in the registry; None also where the history contradicts itself."""
    leading: Timeline | None
    """The times when the leader's node named it."""


def broker_lanes(scene: Scene) -> tuple[BrokerLanes, ...]:
    """Return the lanes of every broker of *scene*, in the order of their names; none if no source shows any."""
    registry, has_history = registry_of(scene), Source.ZOOKEEPER in scene.present
    with_log = {life.broker for life in living(scene)}
    found = []
    for broker in sorted(scene.brokers):
        is_shown = has_history or broker in with_log
        found.append(
            BrokerLanes(
                broker,
                alive(scene, broker) if broker in with_log else None,
                registered(scene, broker) if is_shown and not registry.contradictions else None,
                leads(scene, broker) if is_shown and not registry.disputed else None,
            )
        )
    return tuple(found) if any(any(lane is not None for lane in one[1:]) for one in found) else ()
