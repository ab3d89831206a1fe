"""
The registry holds registrations and elections with their times: by ZooKeeper's history, else by the brokers' lines.

Where both are there, the logs show the holes of the history: a history with holes decides nothing.
"""

import json
from collections.abc import Iterable

from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADER, LEADERS, LOCKS_LEADER
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, add_missing, registry_by_logs
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Held, Registry, gaps, nodes
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END

__all__ = ("BACK", "LOST", "Gap", "Held", "Registry", "elected", "gaps", "registry_of", "written")


def registry_of(scene: Scene) -> Registry:
    """Return the timelines of *scene*; conflicts between its sources are in ``contradictions``."""
    return scene.of_run(registry_of_run)


def registry_of_run(scene: Scene) -> Registry:
    """Return the timelines of a whole run."""
    if Source.ZOOKEEPER not in scene.present:
        return registry_by_logs(scene)
    found = written(scene.writes)
    add_missing(scene, found)
    return found


def written(writes: Iterable[NodeWrite]) -> Registry:
    """Return the registry by the ZooKeeper history alone."""
    writes = list(writes)
    brokers = nodes(writes, lambda path: path.startswith(BROKERS), lambda write: write.path.removeprefix(BROKERS))
    leaders = nodes(writes, lambda path: path in LEADERS, elected)
    registrations = [held for of_path in brokers.held.values() for held in of_path]
    registrations.sort(key=lambda held: (held.since, held.broker))
    # The channel's node shows the leader from its first election on: both are there while brokers change their manager.
    elections = leaders.held.get(LEADER, [])
    by_locks = leaders.held.get(LOCKS_LEADER, [])
    first = elections[0].since if elections else END
    elections = [*(held for held in by_locks if held.since < first), *elections]
    return Registry(registrations, elections, brokers.contradictions, leaders.contradictions)


def elected(write: NodeWrite) -> str:
    """Return the broker that a leader's node names; before 4.0 by its URL alone (``LeaderBroker``)."""
    try:
        data = json.loads(write.data or "{}")
        return str(data.get("brokerId") or broker_of(str(data.get("serviceUrl") or "")))
    except (ValueError, AttributeError, RecursionError):
        return ""
