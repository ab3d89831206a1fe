"""
``Cluster`` is the true state of a simulated run in one cycle: owners of bundles, loads, moves.

A leader (``modular_leader``, ``extensible_leader``) sees of it what brokers report.
"""

import random
from typing import NamedTuple

from oneowner.checkers.simulation.traces import Trace
from oneowner.model.java.arithmetic import added


class Move(NamedTuple):
    """A bundle that a shedder moved, by numbers of the trace."""

    cycle: int
    bundle: int
    source: int
    to: int


class Cluster:
    """A cluster under a trace, cycle by cycle; the seed decides random choices."""

    def __init__(self, trace: Trace, seed: int) -> None:
        self.trace, self.chance = trace, random.Random(seed)
        self.cycle = 0
        self.owners = list(trace.owners)
        self.bundles: list[dict[int, None]] = [{} for _ in trace.brokers]
        """The bundles of each broker."""
        for bundle, owner in enumerate(self.owners):
            self.bundles[owner][bundle] = None
        self.moves: list[Move] = []
        self.unloaded: dict[str, int] = {}
        """The cycle in which each bundle was last unloaded."""

    @property
    def there(self) -> list[int]:
        return self.trace.there(self.cycle)

    def traffic(self, broker: int) -> tuple[float, float]:
        """Return the load of a broker's bundles: bytes and messages per second."""
        loads, bundles = self.trace.loads[self.cycle], self.bundles[broker]
        return added(loads[one][0] for one in bundles), added(loads[one][1] for one in bundles)

    def usages(self) -> list[float]:
        """Return the usage of each present broker; 1.0 is its capacity."""
        return [self.traffic(broker)[0] / self.trace.capacity for broker in self.there]

    def recent(self, grace: int) -> frozenset[str]:
        """Return the bundles that were unloaded within so many cycles."""
        self.unloaded = {name: when for name, when in self.unloaded.items() if self.cycle - when <= grace}
        return frozenset(self.unloaded)

    def move(self, bundle: int, to: int) -> None:
        """Move a bundle, as a shedder decided."""
        self.moves.append(Move(self.cycle, bundle, self.owners[bundle], to))
        self.unloaded[self.trace.bundles[bundle]] = self.cycle
        self.give(bundle, to)

    def give(self, bundle: int, to: int) -> None:
        """Make a broker the owner of a bundle."""
        del self.bundles[self.owners[bundle]][bundle]
        self.bundles[to][bundle] = None
        self.owners[bundle] = to

    def orphans(self) -> list[int]:
        gone = [broker for broker, when in self.trace.goes.items() if when == self.cycle]
        return [bundle for broker in gone for bundle in self.bundles[broker]]
