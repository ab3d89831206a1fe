"""
A ZooKeeper history gives the bundle boundaries of each namespace after every write.

``/admin/local-policies/<namespace>`` assigns topics to bundles; ``/admin/policies`` holds a copy that follows
(policies.1, channel.8).
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.scene import Scene

LOCAL, POLICIES = "/admin/local-policies/", "/admin/policies/"


class BoundariesWrite(NamedTuple):
    """The boundaries of a namespace as one write left them; none: the node was deleted."""

    write: NodeWrite
    boundaries: frozenset[int]


@dataclass(slots=True)
class Policies:
    """The bundles that were written for each namespace, in order."""

    local: dict[str, list[BoundariesWrite]] = field(default_factory=lambda: defaultdict(list))
    """``/admin/local-policies``: by these topics are assigned to bundles."""
    copied: dict[str, list[BoundariesWrite]] = field(default_factory=lambda: defaultdict(list))
    """``/admin/policies``: a copy that follows."""
    unreadable: list[str] = field(default_factory=list)
    holes: dict[str, str] = field(default_factory=dict)
    """Namespaces of which a write is missing, and which."""


def policies_of(scene: Scene) -> Policies:
    """Return the bundles in *scene*'s ZooKeeper history."""
    found = Policies()
    versions: dict[str, int] = {}
    for write in scene.writes:
        for root, written in ((LOCAL, found.local), (POLICIES, found.copied)):
            namespace = write.path.removeprefix(root)
            if namespace == write.path or "/" not in namespace or write.op not in ("create", "setData", "delete"):
                continue
            if write.op == "delete":
                written[namespace].append(BoundariesWrite(write, frozenset()))
                versions.pop(write.path, None)
                continue
            _check_version(found, namespace, write, versions)
            boundaries = _boundaries(write.data)
            if boundaries is None:
                found.unreadable.append(f"zxid {write.zxid} writes {write.path} without boundaries that can be read")
            elif boundaries:
                written[namespace].append(BoundariesWrite(write, boundaries))
    return found


def _check_version(found: Policies, namespace: str, write: NodeWrite, versions: dict[str, int]) -> None:
    """Note a write of which the one before is missing: a node is made with version 0, and each setData adds one."""
    version = 0 if write.op == "create" else write.version
    if version is None:
        return
    before = versions.get(write.path)
    if write.op == "setData" and before is not None and version != before + 1:
        found.holes[namespace] = f"the write to {write.path} before zxid {write.zxid} is missing"
    versions[write.path] = version


def _boundaries(data: str) -> frozenset[int] | None:
    """Return the boundaries in a node's data; empty if it has none, None if it is no such data."""
    try:
        bundles = (json.loads(data) or {}).get("bundles") or {}
        return frozenset(int(text, 16) for text in bundles.get("boundaries") or ())
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
