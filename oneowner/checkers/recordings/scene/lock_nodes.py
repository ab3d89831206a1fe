"""
Lock nodes show the owner of each bundle where ownership is a lock: each node with the times of its existence.

A bundle's node is ``/namespace/<tenant>/<namespace>/<range>``; it vanishes with the session that made it, and its data
(``NamespaceEphemeralData``) names the owner by its URLs.
"""

import json

from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.events import Interval, Mark
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import LOCK, LOCKS
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held, Nodes, nodes
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import meets
from oneowner.model.channel.record import ServiceUnitState


def locks_of(scene: Scene) -> Nodes:
    """Return the nodes of all bundles, by bundle."""
    return scene.of_run(_locks_of)


def _locks_of(scene: Scene) -> Nodes:
    found = nodes(scene.writes, lambda path: LOCK.fullmatch(path) is not None, holder)
    return Nodes({path.removeprefix(LOCKS): held for path, held in found.held.items()}, found.contradictions)


def is_by_locks(scene: Scene) -> bool:
    """Return whether locks alone show the owner of a bundle: there is no channel, and there are nodes of bundles."""
    return Source.LOCKS in scene.present and Source.CHANNEL not in scene.present


def intervals_of(scene: Scene) -> tuple[Interval, ...]:
    """Return the holders of each bundle's lock, each with its first and last write, by bundle and time."""
    return tuple(
        Interval(
            unit, (held.since, 0, 0), held.broker or None, ServiceUnitState.OWNED.value, _mark(held.made),
            None if held.ended is None else _mark(held.ended),
        )
        for unit, times in sorted(locks_of(scene).held.items())
        for held in times
    )  # fmt: skip


def _mark(seen: NodeWrite | LogEvent) -> Mark:
    assert isinstance(seen, NodeWrite)  # only a history has locks
    return Mark(f"zxid:{seen.zxid}", seen.time)


def holder(write: NodeWrite) -> str:
    """Return the broker that a lock's node names; empty if its data cannot be read."""
    try:
        data = json.loads(write.data or "{}")
        return broker_of(str(data.get("httpUrl") or data.get("httpUrlTls") or ""))
    except (ValueError, AttributeError, RecursionError):
        return ""


def known_since(scene: Scene) -> dict[str, int]:
    """
    Return from when on all locks of each broker are in the history: it registers before it takes any.

    A broker that is not there had registered before the history begins, which may be late: ZooKeeper purges its logs.
    """
    found: dict[str, int] = {}
    for held in registry_of(scene).registrations:
        if isinstance(held.made, NodeWrite):
            found.setdefault(held.broker, held.since)
    return found


def is_held(times: list[Held], broker: str, since: int, until: int) -> bool:
    """Return whether *broker* held the lock at some moment from *since* to *until*."""
    return any(held.broker == broker and meets(held, since, until) for held in times)
