"""Of each law of the modular load manager's shedders, a decide function of which it must fail."""

from collections.abc import Callable
from typing import Any

from oneowner.model.balancer.shedding.avg_shedder import Memory
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import Given
from oneowner.spec.systems import decisions

DECISIONS = decisions()
SHEDDERS = ("overload-shedder", "threshold-shedder", "uniform-load-shedder", "avg-shedder")
Change = Callable[[Given, Outcome], Outcome]


def instead(name: str, change: Change) -> Callable[[Any], Any]:
    """A decide function that changes the answer of the original."""
    original = DECISIONS[f"balancer/{name}"].decide
    return lambda given: change(given, original(given))


def of_another(given: Given, found: Outcome) -> Outcome:
    other = {"b1": "b2", "b2": "b3", "b3": "b1"}
    return found._replace(unload=tuple((other[broker], bundles) for broker, bundles in found.unload))


def twice(given: Given, found: Outcome) -> Outcome:
    return found._replace(unload=tuple((broker, bundles * 2) for broker, bundles in found.unload))


def also_the_recent(given: Given, found: Outcome) -> Outcome:
    recent = tuple((broker.name, tuple(given.loads.recent & set(broker.bundles))) for broker in given.loads.brokers)
    return found._replace(unload=found.unload + recent)


def without_the_first(given: Given, found: Outcome) -> Outcome:
    return found._replace(unload=found.unload[1:])


def all_of_the_first(given: Given, found: Outcome) -> Outcome:
    first = given.loads.brokers[0]
    return found._replace(unload=((first.name, first.bundles),) if first.bundles else ())


def planned_for_nobody(given: Given, found: Outcome) -> Outcome:
    return found._replace(memory=Memory())


def planned_for_itself(given: Given, found: Outcome) -> Outcome:
    source = found.unload[0][0] if found.unload else ""
    return found._replace(memory=Memory(plan=tuple((bundle, source) for bundle, _ in found.memory.plan)))


CHANGES: dict[str, Change] = {
    "bundle-is-of-its-broker": of_another,
    "bundle-is-unloaded-once": twice,
    "recent-bundle-stays": also_the_recent,
    "spread-is-no-larger": all_of_the_first,
    "bundle-stays-where-it-goes": all_of_the_first,
    "order-decides-nothing": without_the_first,
    "overloaded-broker-sheds": without_the_first,
    "just-enough-goes": all_of_the_first,
    "what-is-above-goes": without_the_first,
    "what-fits-the-share-goes": without_the_first,
    "what-is-due-goes": without_the_first,
    "equal-brokers-keep-all": all_of_the_first,
    "unloaded-bundle-is-planned": planned_for_nobody,
    "plan-is-for-another": planned_for_itself,
}

SHEDDING_MUTANTS = {
    (name, law.name): instead(name, CHANGES[law.name] if not law.status.is_violated else lambda given, found: found)
    for name in SHEDDERS
    for law in DECISIONS[f"balancer/{name}"].laws
}
"""By decision and law; of a documented law, the original itself."""
