"""``Bounds`` hold the number of brokers, the budgets of failures, and the rules of a release."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size
from oneowner.model.leader_election.rules import Rules


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of one election."""

    declared_in: ClassVar[str] = "oneowner.spec.leader_election.system"

    brokers: int = size(2, "brokers that want to lead", least=1)
    requests: int = size(2, "requests of a broker that are under way at once", least=1)
    waiting: int = size(1, "session events of a broker that wait for another to end")
    notices: int = size(2, "notifications of a broker that it has not taken yet")
    conflicts: int = size(1, "elections that one begins within itself because another created the node")
    timers: int = size(1, "elections of a broker that a timer is set for; with 0 none may fail after a notification")
    again: int = budget("a broker asks to be elected again")
    closes: int = budget("a broker closes its election")
    restarts: int = budget("a broker ends without giving its node back, and begins anew with another session")
    expiries: int = budget("the store ends a session")
    survivals: int = budget("a broker is told that its session was re-established though it had not ended")
    reconnects: int = budget("a broker is told that it is connected again")
    losses: int = budget("a broker learns of a failed connection in place of an answer")
    reads: int = budget("a broker reads the leader's value")
    creations: int = choice("brokers are notified of creations too, which only the cache heeds")
    unordered: int = choice("notifications and answers overtake each other; ZooKeeper's client keeps their order")
    listens: int = choice("what the listener was called with in the last step is kept")
    rules: Rules = Rules()


BROKER = Sort("broker", lambda bounds: bounds.brokers)
