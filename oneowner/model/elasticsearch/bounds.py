"""``Bounds`` hold the number of nodes and copies, the budgets of failures, and the rules."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.elasticsearch.rules import Rules
from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, limit, size


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of one shard."""

    declared_in: ClassVar[str] = "oneowner.spec.elasticsearch.system"

    nodes: int = size(2, "data nodes; the first has the primary at the start, the next ones the replicas", least=1)
    replicas: int = size(1, "replicas of the shard (index.number_of_replicas)")
    writes: int = size(0, "writes that clients send")
    recoveries: int = limit(2, "recoveries from one node at once (cluster.routing.allocation.node_concurrent_..)")
    losses: int = budget("a request to a copy is lost")
    cuts: int = budget("the master loses contact with a node that lives, and removes it")
    crashes: int = budget("the process of a node ends")
    stops: int = budget("a node is shut down in good order")
    restarts: int = budget("a node that is gone starts again, with its disk")
    relocations: int = budget("the master moves the primary to a node that has no copy")
    cancels: int = budget("the master cancels a relocation")
    delays: int = choice("a copy that left with its node is delayed (index.unassigned.node_left.delayed_timeout)")
    unassigned: int = choice("the replicas are not assigned at the start")
    rules: Rules = Rules()


NODE = Sort("node", lambda bounds: bounds.nodes)
WRITE = Sort("write", lambda bounds: bounds.writes)


def leaves(bounds: Bounds) -> int:
    """Return how often a node may leave the cluster."""
    return bounds.cuts + bounds.crashes + bounds.stops


def comes_back(bounds: Bounds) -> bool:
    """Return whether a node that has left may be a member again."""
    return bool(bounds.cuts or bounds.restarts)


def loses_replicas(bounds: Bounds) -> bool:
    """Return whether a replica may be unassigned."""
    return bool(bounds.replicas and (bounds.unassigned or leaves(bounds) or bounds.losses or bounds.cancels))


def loses_all(bounds: Bounds) -> bool:
    """Return whether all copies may leave, and one come back."""
    copies = 1 if bounds.unassigned else 1 + bounds.replicas
    is_failed = bounds.relocations and bounds.losses and copies == 1
    return bool(is_failed or (comes_back(bounds) and leaves(bounds) + bounds.losses >= copies))


def initializes(bounds: Bounds) -> bool:
    """Return whether a copy may be built on a node that lives."""
    return bool(bounds.unassigned or comes_back(bounds) or bounds.losses or bounds.relocations)


def most_terms(bounds: Bounds) -> int:
    """Return the highest primary term: a primary that goes costs one, one that comes from disk another."""
    return 1 + 2 * (leaves(bounds) + bounds.cancels + (bounds.losses if bounds.relocations else 0))
