"""
The registry tells who was registered and elected, and when: by ZooKeeper's history, else by the brokers' lines.

Where both are there, the logs show what the history lacks: a history with holes decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, CREATES, LEADER
from oneowner.checkers.recordings.scene.registry_from_logs import BACK, LOST, add_missing, registry_by_logs
from oneowner.checkers.recordings.scene.registry_nodes import Gap, Held, Registry, gaps
from oneowner.checkers.recordings.scene.scene import Scene

__all__ = ("BACK", "LOST", "Gap", "Held", "Registry", "elected", "gaps", "registry_of", "written")


def registry_of(scene: Scene) -> Registry:
    """Return the timelines of *scene*; what its sources contradict each other in is in ``contradictions``."""
    return scene.once(_registry_of)


def _registry_of(scene: Scene) -> Registry:
    if Source.ZOOKEEPER not in scene.present:
        return registry_by_logs(scene)
    found = written(scene.writes)
    add_missing(scene, found)
    return found


def written(writes: Iterable[NodeWrite]) -> Registry:
    """Return what the ZooKeeper history alone tells."""
    found = Registry()
    open_brokers: dict[str, NodeWrite] = {}
    open_leader: list[tuple[str, NodeWrite]] = []

    def end_broker(broker: str, write: NodeWrite) -> None:
        made = open_brokers.pop(broker)
        found.registrations.append(Held(broker, made.session, made.time, write.time, made, write))

    def end_leader(write: NodeWrite) -> None:
        broker, made = open_leader.pop()
        found.leaders.append(Held(broker, made.session, made.time, write.time, made, write))

    for write in writes:
        if write.op == "closeSession":
            for broker in [broker for broker, made in open_brokers.items() if made.session == write.session]:
                end_broker(broker, write)
            if open_leader and open_leader[0][1].session == write.session:
                end_leader(write)
        elif write.path.startswith(BROKERS):
            broker = write.path.removeprefix(BROKERS)
            if broker in open_brokers and write.op in (*CREATES, "delete"):
                if write.op != "delete":
                    found.contradictions.append(f"zxid {write.zxid} creates {write.path}, which is there")
                end_broker(broker, write)
            if write.op in CREATES:
                open_brokers[broker] = write
        elif write.path == LEADER:
            if open_leader and write.op in (*CREATES, "delete"):
                if write.op != "delete":
                    found.disputed.append(f"zxid {write.zxid} creates {write.path}, which is there")
                end_leader(write)
            if write.op in CREATES:
                open_leader.append((elected(write), write))
    found.registrations += [Held(b, made.session, made.time, None, made, None) for b, made in open_brokers.items()]
    found.leaders += [Held(broker, made.session, made.time, None, made, None) for broker, made in open_leader]
    found.registrations.sort(key=lambda held: (held.since, held.broker))
    return found


def elected(write: NodeWrite) -> str:
    """Return the broker that a leader's node names; before 4.0 by its URL alone (``LeaderBroker``)."""
    try:
        data = json.loads(write.data or "{}")
        return str(data.get("brokerId") or broker_of(str(data.get("serviceUrl", ""))))
    except (ValueError, AttributeError, RecursionError):
        return ""
