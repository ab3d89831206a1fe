"""``Bounds`` hold the numbers of nodes and keys, the budgets of failures, and the rules of a release."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size
from oneowner.model.redis.rules import Rules


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of Redis Cluster."""

    declared_in: ClassVar[str] = "oneowner.spec.redis.system"

    masters: int = size(3, "masters at the start; the first owns slot 1, the second is to import it", least=2)
    replicas: int = size(0, "replicas, all of one master")
    replicated: int = size(1, "whose replicas they are; slot 2 is this master's, and is not migrated", least=1)
    keys: int = size(1, "keys of slot 1, of which only the first is there at the start", least=1)
    epochs: int = size(5, "the last epoch", least=2)
    victim: int = size(0, "the only node that may crash or be cut off; 0: any")
    migrations: int = budget("slot 1 is migrated from node 1 to node 2")
    interruptions: int = budget("whoever migrates gives up")
    stables: int = budget("an operator ends a migration at one node: SETSLOT STABLE")
    commands: int = budget("a client writes a key")
    crashes: int = budget("the process of a node ends")
    restarts: int = budget("a node that is gone starts again, with nodes.conf and all its keys")
    partitions: int = budget("a node is cut off from the others, not from clients")
    elections: int = budget("a replica asks for votes")
    manuals: int = budget("a fail-over is asked for by hand: CLUSTER FAILOVER")
    oldest_imports: int = choice("node 1 has a later epoch than node 2 at the start; else an earlier one")
    gone: int = choice("the master that has replicas is gone at the start, and all have flagged it as failed")
    one_epoch: int = choice("all masters have one epoch at the start")
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        self.check_ranges()
        if self.replicated > self.masters:
            raise ValueError(f"replicated refused: {self.replicated}; one of {self.masters} masters is allowed")
        if self.epochs < self.masters:
            raise ValueError(f"epochs refused: {self.epochs}; one a master is needed, {self.masters} in all")

    @property
    def quorum(self) -> int:
        """Masters that are a majority: every one of them has slots, of the model or of its own."""
        return self.masters // 2 + 1

    def in_shard(self, node: int) -> bool:
        """Return whether *node* is the master that has replicas, or one of them: its slots are modelled whole."""
        return self.replicas > 0 and (node == self.replicated or node > self.masters)


NODE = Sort("node", lambda bounds: bounds.masters + bounds.replicas)
"""Ids are ordered as numbers are. The replicas come last."""
SLOT = Sort("slot", lambda bounds: 2 if bounds.replicas else 1)
KEY = Sort("key", lambda bounds: bounds.keys)

MOVED_SLOT = 1
"""The slot that is migrated, and that clients write to."""
SOURCE = 1
DESTINATION = 2

VICTIM = NODE.among(lambda bounds: range(bounds.victim, bounds.victim + 1) if bounds.victim else NODE.range_of(bounds))
REPLICA = NODE.among(lambda bounds: range(bounds.masters + 1, bounds.masters + bounds.replicas + 1))
"""Those that are replicas at the start; a master that became one is asked for no fail-over."""
