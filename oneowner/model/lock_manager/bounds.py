"""``Bounds`` hold the numbers of brokers, bundles and clients, the budgets of failures, and the rules."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.kernel.action import Sort
from oneowner.model.kernel.bounds import Bounds as KernelBounds
from oneowner.model.kernel.bounds import budget, choice, size
from oneowner.model.lock_manager.rules import Rules


@dataclass(frozen=True, slots=True)
class Bounds(KernelBounds):
    """The size of a model of the lock-based manager."""

    declared_in: ClassVar[str] = "oneowner.spec.lock_manager.system"

    brokers: int = size(2, "brokers, of which the first leads at the start", least=1)
    bundles: int = size(1, "bundles of the namespace at the start; broker n owns bundle n, if there is one", least=1)
    clients: int = size(0, "clients that ask who owns the first bundle")
    hops: int = size(3, "redirects of a lookup that are told apart", least=1)
    monitored: int = size(0, "the broker to which the first bundle belongs, by its heartbeat; 0: an ordinary bundle")
    permits: int = size(0, "lookups that a broker deals with at once; 0: as many as come")
    extensible: int = size(0, "brokers, the last ones, that are configured with the extensible manager")
    asks: int = budget("a client asks")
    acquires: int = budget(
        "a broker that takes part in no lookup acquires a bundle, as an authoritative request has it"
    )
    unloads: int = budget("a bundle is unloaded: by an operator, or by the shedding of load")
    splits: int = budget("a bundle is split in two")
    expiries: int = budget("the store ends the session of a broker that lives")
    losses: int = budget("a broker learns of a failed connection in place of an answer")
    crashes: int = budget("the process of a broker ends")
    restarts: int = budget("a broker that is gone starts again, under the same name")
    stops: int = budget("a broker is stopped in good order")
    loads: int = budget("a topic begins to be loaded, and takes its time")
    idle: int = choice("no broker owns a bundle at the start")
    starting: int = choice("brokers answer lookups before their election is there")
    stale_reports: int = choice("the leader may ask for the split of a bundle that has been split")
    service_level: int = choice(
        "the first bundle monitors the service level of that broker; others may own it while that is not registered"
    )
    rules: Rules = Rules()

    @property
    def claims(self) -> bool:
        """True if a broker that starts may have others unload a bundle."""
        return self.service_level > 0 and self.restarts > 0

    def __post_init__(self) -> None:
        """Raise ValueError for bounds that say nothing, or are not modelled together."""
        self.check_ranges()
        if self.monitored > self.brokers:
            raise ValueError(f"monitored refused: {self.monitored}; there are {self.brokers} brokers")
        if self.monitored > 1 and not self.idle:
            raise ValueError(f"monitored refused: {self.monitored}; without idle broker 1 owns the bundle at the start")
        if self.service_level and not self.monitored:
            raise ValueError("service_level refused: 1; monitored says of which broker")
        if self.monitored and (self.splits or self.extensible):
            raise ValueError(
                "monitored refused: with splits or extensible; such a bundle is whole, and of this manager"
            )


BROKER = Sort("broker", lambda bounds: bounds.brokers)
BUNDLE = Sort("bundle", lambda bounds: bounds.bundles * (2 if bounds.splits else 1))
"""With splits, the number of a half is that of its bundle and ``bundles``: one stands for both, which fare alike."""
CLIENT = Sort("client", lambda bounds: bounds.clients)
