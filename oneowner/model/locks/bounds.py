"""``Bounds`` hold the number of clients, the budgets of failures, and the rules of a release."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size
from oneowner.model.locks.rules import Rules


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of one lock."""

    declared_in: ClassVar[str] = "oneowner.spec.locks.system"

    clients: int = size(2, "clients that want the lock", least=1)
    requests: int = size(2, "requests of a client that are under way at once", least=1)
    waiting: int = size(1, "revalidations of a lock, or session events of a client, that wait for another to end")
    notices: int = size(2, "notifications of a client that it has not taken yet")
    timers: int = size(1, "revalidations of a lock that a timer is set for")
    again: int = budget("a client whose lock is gone, or that did not get it, acquires it again")
    releases: int = budget("a client gives the lock back")
    expiries: int = budget("the store ends a session")
    survivals: int = budget("a client is told that its session was re-established though it had not ended")
    reconnects: int = budget("a client is told that it is connected again")
    losses: int = budget("a client learns of a failed connection in place of an answer")
    late_answers: int = choice("answers of a session that was replaced still arrive")
    twins: int = choice("all clients write the same value, as brokers with the same URLs do")
    strict: int = choice("a deletion that expects version -1 is refused; ZooKeeper takes it for any version")
    creations: int = choice("clients are notified of creations too, which a lock passes over")
    repeats: int = choice("a client may give back a lock that it has given back, or that has ended")
    rules: Rules = Rules()


CLIENT = Sort("client", lambda bounds: bounds.clients)
