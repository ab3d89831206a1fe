"""Events of namespaces: one is deleted, or no broker may be chosen for its bundles, as by an isolation policy."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.observations import Call, LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import CREATES
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.recordings.scene.topics import namespace_of

POLICIES: Final = re.compile(r"/admin/policies/([^/]+/[^/]+)")
ISOLATION: Final = re.compile(r"isolation.?polic", re.IGNORECASE)
NO_BROKER: Final = ("lookup-no-broker", "bundle-finds-no-broker")
APART: Final = 30_000
"""Milliseconds between lines that no broker was found, from which on they are of two events."""
LEAST: Final = 5_000
"""Milliseconds from the first such line to the last: amid an unload a client that looks up may get one, or two."""
BEFORE: Final = 120_000
"""Milliseconds before the first such line in which a change of an isolation policy is its reason."""


class NamespaceEvent(NamedTuple):
    """An event of one namespace."""

    namespace: str
    since: int
    until: int
    """END: it lasts, or has no end."""
    evidence: tuple[LogEvent | NodeWrite | Call, ...]
    policy: Call | NodeWrite | None = None
    """The change of an isolation policy before it."""
    brokers: frozenset[str] = frozenset()
    """Those that log it."""


def deletions(scene: Scene) -> Iterator[NamespaceEvent]:
    """Yield each deletion of a namespace, by ZooKeeper's history, else by admin calls; it may be created again."""
    gone: dict[str, NodeWrite] = {}
    for write in scene.writes:
        named = POLICIES.fullmatch(write.path)
        if named is None:
            continue
        namespace = named.group(1)
        if write.op == "delete":
            gone[namespace] = write
        elif write.op in CREATES and namespace in gone:
            yield NamespaceEvent(namespace, gone[namespace].time, write.time, (gone.pop(namespace),))
    yield from (NamespaceEvent(namespace, write.time, END, (write,)) for namespace, write in gone.items())
    if not scene.writes:
        yield from _deleted_by_calls(scene)


def all_deletions(scene: Scene) -> list[NamespaceEvent]:
    """Return all deletions of namespaces."""
    return list(deletions(scene))


def _deleted_by_calls(scene: Scene) -> Iterator[NamespaceEvent]:
    known = {key.rpartition("/")[0] for key in scene.channel.units}
    for call in scene.calls:
        name = str(call.parameters.get("namespace") or "")
        if call.action == "delete namespace" and name and call.status is not None and call.status < 300:
            fitting = [one for one in known if one == name or one.endswith(f"/{name}")]
            if len(fitting) == 1:
                yield NamespaceEvent(fitting[0], call.end, END, (call,))


def without_broker(scene: Scene) -> Iterator[NamespaceEvent]:
    """Yield the times in which brokers log again and again that no broker may be chosen for a namespace."""
    lines: dict[str, list[LogEvent]] = {}
    for line in scene.lines(*NO_BROKER):
        topic = str(line.values.get("topic") or "")
        namespace = namespace_of(topic) if topic else (line.unit or "").rpartition("/")[0]
        lines.setdefault(namespace, []).append(line)
    for namespace, own in lines.items():
        ends = [number for number, (one, next_) in enumerate(pairwise(own)) if next_.time - one.time > APART]
        starts = [0, *(number + 1 for number in ends)]
        for start, end in zip(starts, [*ends, len(own) - 1], strict=True):
            first, last = own[start], own[end]
            policy = _isolation(scene, first.time)
            if last.time - first.time >= LEAST or policy is not None:
                brokers = frozenset(line.broker for line in own[start : end + 1])
                yield NamespaceEvent(namespace, first.time, last.time, (first, last), policy, brokers)


def _isolation(scene: Scene, time: int) -> Call | NodeWrite | None:
    calls = [one for one in scene.calls if ISOLATION.search(one.action) and time - BEFORE <= one.start <= time]
    writes = [one for one in scene.writes if ISOLATION.search(one.path) and time - BEFORE <= one.time <= time]
    return calls[-1] if calls else writes[-1] if writes else None
