"""
A scene is cut into parts by broker: what some brokers said, were asked and answered, beside all that is the cluster's.

A part has the whole channel, ZooKeeper's history, and what clients sent; of lines, lookups and polls only those of its
own brokers. Brokers keep their order, so what is said of the parts one after the other comes in the order of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from oneowner.checkers.recordings.scene.scene import Scene


def cut(scene: Scene, number: int) -> Iterator[Scene]:
    """Yield *number* parts of *scene*, each with as many brokers as the others, or one more; some may have none."""
    brokers = brokers_of(scene)
    ends = [len(brokers) * part // number for part in range(number + 1)]
    for first, last in pairwise(ends):
        yield part_of(scene, brokers[first:last])


def brokers_of(scene: Scene) -> list[str]:
    """Return the brokers in the order of parts: those with a log come first, in the order of logs."""
    return list(dict.fromkeys([*scene.said, *scene.brokers]))


def part_of(scene: Scene, brokers: list[str]) -> Scene:
    """Return what *brokers* said, were asked and answered."""
    own = frozenset(brokers)
    return replace(
        scene,
        whole=scene,
        said={broker: scene.said[broker] for broker in brokers if broker in scene.said},
        lives={broker: scene.lives[broker] for broker in brokers if broker in scene.lives},
        lookups=[lookup for lookup in scene.lookups if lookup.asked in own],
        polls=[poll for poll in scene.polls if poll.broker in own],
    )
