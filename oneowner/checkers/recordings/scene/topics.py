"""
A topic is placed in the service unit that held it at some time: by CRC-32 of its name and the boundaries then.

Boundaries come from the writes to the namespace's local policies (zookeeper.jsonl), else from the channel, whose splits
show their changes, else from bundles.json. A parent keeps its topics until it is Deleted (channel.8).
"""

import json
from bisect import bisect_right
from functools import cache, lru_cache
from itertools import pairwise
from operator import itemgetter

from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.channel_history import Channel, History
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import is_active
from oneowner.model.pulsar.boundaries import includes, topic_hash
from oneowner.model.pulsar.bundles import Range

POLICIES = "/admin/local-policies/"


def namespace_of(topic: str) -> str:
    """
    Return the namespace of a topic; a name of the first version has its cluster too (``TopicName``).

    >>> namespace_of("persistent://rig/a/t0"), namespace_of("persistent://rig/cluster/a/t0")
    ('rig/a', 'rig/cluster/a')
    """
    parts = topic.partition("://")[2].split("/", 3)
    return "/".join(parts[:3] if len(parts) == 4 else parts[:2])


INTERNAL = "://pulsar/system/loadbalancer-"


@lru_cache(maxsize=10_000)  # a few topics are looked up again and again
def is_outside(topic: str) -> bool:
    """
    Return whether the channel assigns a topic to no broker (channel.7).

    The load manager's own topics are on the leader; those of a broker's heartbeat and SLA check on that broker.

    >>> is_outside("persistent://pulsar/b1:8080/healthcheck"), is_outside("persistent://pulsar/system/healthcheck")
    (True, False)
    """
    names = namespace_of(topic).split("/")
    return INTERNAL in topic or names[0] == "sla-monitor" or (names[0] == "pulsar" and ":" in names[-1])


class Topics:
    """The service units of the topics of one run."""

    def __init__(self, scene: Scene) -> None:
        self._channel: Channel = scene.channel
        self._final = scene.boundaries
        self._written: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        for write in scene.writes:
            boundaries = _boundaries(write)
            if boundaries:
                self._written.setdefault(write.path.removeprefix(POLICIES), []).append((write.time, boundaries))
        self._changes = cache(self._history_of)

    def unit(self, topic: str, since: int, until: int | None = None) -> str | None:
        """
        Return the unit of *topic* at all times from *since* to *until*.

        None where that is unknown, or where a split came between: an answer that took so long names either. None for a
        topic outside of the channel.
        """
        if is_outside(topic):
            return None
        changes = self._changes(topic)
        first = bisect_right(changes, since, key=itemgetter(0)) - 1
        last = first if until is None else bisect_right(changes, until, key=itemgetter(0)) - 1
        return changes[first][1] if 0 <= first == last else None

    def _history_of(self, topic: str) -> list[tuple[int, str]]:
        """Return since when the topic lay in which unit; the first entry counts from the beginning of time."""
        namespace, point = namespace_of(topic), topic_hash(topic)
        told = self._told(namespace, point) or self._published(namespace, point)
        if not told and (found := _among(namespace, self._final.get(namespace, ()), point)):
            told = [(0, found)]
        changes = [entry for number, entry in enumerate(told) if number == 0 or entry[1] != told[number - 1][1]]
        return [(0, changes[0][1]), *changes[1:]] if changes else []

    def _told(self, namespace: str, point: int) -> list[tuple[int, str]]:
        """By the boundaries that were written, in order."""
        found = [(time, _among(namespace, cuts, point)) for time, cuts in self._written.get(namespace, ())]
        return [(time, unit) for time, unit in found if unit]

    def _published(self, namespace: str, point: int) -> list[tuple[int, str]]:
        """By the channel: the widest unit around the hash that is active, or was last."""
        around = [unit for unit in self._channel.of_namespace(namespace) if includes(unit.range, point)]
        steps = sorted(((step.time, unit, step) for unit in around for step in unit.accepted), key=lambda s: s[0])
        active: dict[str, History] = {}
        found: list[tuple[int, str]] = []
        for time, unit, step in steps:
            if is_active(step.record):
                active[unit.key] = unit
            else:
                active.pop(unit.key, None)
            if active:
                found.append((time, max(active.values(), key=_width).key))
        return found or [(0, unit.key) for unit in around[:1] if len(around) == 1]


def _boundaries(write: NodeWrite) -> tuple[int, ...]:
    """Return the boundaries that a write of local policies holds; none if it is no such write."""
    if not write.path.startswith(POLICIES) or not write.data:
        return ()
    try:
        cuts = json.loads(write.data)["bundles"]["boundaries"]
        return tuple(sorted(int(text, 16) for text in cuts))
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


def _among(namespace: str, boundaries: tuple[int, ...], point: int) -> str | None:
    around = [bundle for low, high in pairwise(boundaries) if includes(bundle := Range(low, high), point)]
    return f"{namespace}/{around[0]!r}" if around else None


def _width(unit: History) -> int:
    return unit.range.high - unit.range.low
