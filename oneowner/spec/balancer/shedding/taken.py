"""The modular shedders' choice of bundles on a broker: the heaviest first."""

from collections.abc import Iterable
from functools import reduce
from operator import add

from oneowner.model.balancer.local_broker_data import BrokerData
from oneowner.model.balancer.shedding.load_shedding import Measure
from oneowner.model.balancer.shedding.modular_inputs import Given

Taken = dict[str, tuple[str, ...]]
"""By broker the bundles that go, in order; a broker of which none goes is left out."""


def total(amounts: Iterable[float]) -> float:
    """Return the sum from left to right, rounded at each step as in Java; ``sum`` rounds less from Python 3.12 on."""
    return reduce(add, amounts, 0.0)


def movable(given: Given, broker: BrokerData, measure: Measure) -> list[tuple[str, float]]:
    """Return the bundles that may be unloaded, the heaviest first, with their loads; ties keep the map's order."""
    rows = [
        (bundle.name, measure(bundle.short_term))
        for bundle in given.loads.bundles
        if bundle.name in broker.bundles and bundle.name not in given.loads.recent
    ]
    return sorted(rows, key=lambda row: -row[1])


def until_enough(given: Given, broker: BrokerData, need: float) -> tuple[str, ...]:
    """Return the fewest of the heaviest bundles that have *need* bytes a second, one at least; else all."""
    rows = movable(given, broker, lambda traffic: traffic.throughput)
    enough = (count for count in range(1, len(rows)) if total(amount for _, amount in rows[:count]) >= need)
    return tuple(name for name, _ in rows[: next(enough, len(rows))])


def within(rows: Iterable[tuple[str, float]], budget: float) -> tuple[str, ...]:
    """Return those that fit into *budget* one after another, and have something."""
    found = list[str]()
    for name, amount in rows:
        if 0 < amount <= budget:
            found.append(name)
            budget -= amount
    return tuple(found)
