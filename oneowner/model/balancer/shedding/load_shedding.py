"""
The common part of the modular load manager's shedders: a cycle, the bundles that it unloads, and the reason.

A shedder names bundles to unload and, but for ``AvgShedder``, no broker that should have them: whoever is chosen when
they are looked up next.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from oneowner.model.balancer.local_broker_data import BrokerData, LoadData, Traffic
from oneowner.model.balancer.shedding.amounts import rate
from oneowner.model.java.arithmetic import order

Measure = Callable[[Traffic], float]
"""The measure of traffic that is moved: bytes or messages a second."""


class Outcome(NamedTuple):
    """The decision of a cycle."""

    unload: tuple[tuple[str, tuple[str, ...]], ...]
    """Brokers, and which of their bundles are unloaded, in that order."""
    memory: Any = None
    """The shedder's memory until the next cycle."""
    reasons: tuple[str, ...] = ()
    """The reason that each broker and bundle is chosen or not, in the order of the cycle."""
    thrown: str = ""
    """The exception of the original, which loses the cycle; empty if there is none."""

    @property
    def moves(self) -> list[tuple[str, str]]:
        """Every bundle that is unloaded, with its broker."""
        return [(bundle, broker) for broker, bundles in self.unload for bundle in bundles]


class Shedding:
    """A cycle while it goes on."""

    def __init__(self, loads: LoadData) -> None:
        self.loads = loads
        self.bundles = loads.bundles_for_shedding()
        self.known = {bundle.name: (place, bundle.short_term) for place, bundle in enumerate(self.bundles)}
        self.unload: dict[str, list[str]] = {}
        self.reasons: list[str] = []

    def heaviest(self, broker: BrokerData, measure: Measure) -> list[tuple[str, float]]:
        """Return the bundles that *broker* may unload, with the traffic of each, the heaviest first."""
        for name in broker.bundles:
            if name in self.loads.recent:
                self.reasons.append(f"{name} stays at {broker.name}: it was unloaded lately")
            elif name not in self.known:
                self.reasons.append(f"{name} stays at {broker.name}: it is bound to it, or its traffic is not known")
        # Of bundles that are equally heavy, the one that the map lists first comes first.
        owned = sorted(
            (*self.known[name], name) for name in (set(broker.bundles) & self.known.keys()) - self.loads.recent
        )
        found = [(name, measure(traffic)) for _, traffic, name in owned]
        return sorted(found, key=lambda one: order(one[1]), reverse=True)

    def take(self, broker: BrokerData, bundle: str, why: str) -> None:
        self.unload.setdefault(broker.name, []).append(bundle)
        self.reasons.append(f"{bundle} is unloaded from {broker.name}: {why}")

    def take_heaviest(self, broker: BrokerData, need: float) -> None:
        """Unload the heaviest bundles of *broker* until they make up *need* bytes a second, one at least."""
        taken, is_first = 0.0, True
        for bundle, throughput in self.heaviest(broker, lambda traffic: traffic.throughput):
            if is_first or taken < need:
                self.take(broker, bundle, f"{rate(need)} should go, and {rate(taken)} go without it")
                taken, is_first = taken + throughput, False
            else:
                self.reasons.append(f"{bundle} stays at {broker.name}: {rate(taken)} of {rate(need)} go without it")

    def has_two(self, broker: BrokerData) -> bool:
        """Return whether *broker* has two bundles; the only one is never unloaded."""
        if len(broker.bundles) < 2:
            self.reasons.append(f"{broker.name} has {len(broker.bundles)} bundles: it keeps the only one")
            return False
        return True

    def outcome(self, memory: Any = None) -> Outcome:
        """Return what the cycle decided."""
        unload = tuple((broker, tuple(bundles)) for broker, bundles in self.unload.items())
        return Outcome(unload, memory, tuple(self.reasons))
