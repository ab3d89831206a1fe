"""Inputs of placement strategies: a few candidates, of which the last may lack data."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.balancer.filters import settings
from oneowner.model.balancer.filters.anti_affinity import Asked, Owned
from oneowner.model.balancer.filters.isolation import Isolated, Policy
from oneowner.model.balancer.load_data import Usage, Weights
from oneowner.model.balancer.local_broker_data import BrokerData, BundleData, Traffic
from oneowner.model.balancer.placement import (
    avg_placement,
    extensible_selection,
    least_long_term,
    least_usage_extensible,
    least_usage_modular,
)
from oneowner.model.balancer.placement.modular_selection import Selection
from oneowner.model.balancer.placement.round_robin import MOST, Turn
from oneowner.model.balancer.shedding.avg_shedder import Rules
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

PERCENTS: Final = (10.0, 84.0, 95.0, 140.0)
AVERAGES: Final = (None, 0.125, 0.5)
LOADS: Final = (0.0, 0.84, 0.9, None)
PREALLOCATED: Final = ((), (1.0,), (0.1, 0.2, 0.3), (0.3, 0.2, 0.1))
"""Rates of bundles that a broker is to have: the last two have the same, under other names."""


@dataclass(frozen=True, slots=True)
class CandidateSizes(Bounds):
    """The number of candidates."""

    candidates: int = size(3, "how many candidates there are at most")


@dataclass(frozen=True, slots=True)
class PairSizes(CandidateSizes):
    """The same, with more data drawn on each."""

    candidates: int = size(2, "how many candidates there are at most")


def some_long_term(choose: Choose, sizes: PairSizes) -> least_long_term.Candidates:
    """Return candidates with usages, rates, and bundles that they are to have."""
    names = some_names(choose, sizes)
    brokers = []
    for name in some_known(choose, names):
        usage, rate = Usage(PERCENTS[choose(1, 3)], 100), float(choose(0, 1))
        rates = PREALLOCATED[choose(0, 3)]
        bundles = tuple(BundleData(f"t/n/{place}", long_term=Traffic(rate_in=one)) for place, one in enumerate(rates))
        brokers.append(BrokerData(name, usage, time_average=Traffic(rate_in=rate), preallocated=bundles))
    return least_long_term.Candidates(tuple(brokers), names)


def some_usages(choose: Choose, sizes: PairSizes) -> least_usage_modular.Candidates:
    """Return candidates with usages, some of them idle, and averages that are remembered."""
    names = some_names(choose, sizes)
    brokers, history = [], []
    for name in some_known(choose, names):
        usage, idle = Usage(PERCENTS[choose(0, 3)], 100), choose(0, 1)
        brokers.append(BrokerData(name, usage, traffic=Traffic(rate_in=1.0 - idle), bundles=("t/n/0",)))
        average = AVERAGES[choose(0, 2)]
        if average is not None:
            history.append((name, average))
    return least_usage_modular.Candidates(tuple(brokers), names, tuple(history), Weights(history=0.5))


def some_loads(choose: Choose, sizes: CandidateSizes) -> least_usage_extensible.Candidates:
    return least_usage_extensible.Candidates(tuple((name, LOADS[choose(0, 3)]) for name in some_names(choose, sizes)))


def some_turn(choose: Choose, sizes: CandidateSizes) -> Turn:
    """Return candidates, and others, or the same in another order, that were copied before."""
    listed = some_names(choose, sizes)
    names = ["b1", "b2", "b3", "b4"]
    candidates = tuple(names.pop(choose(0, len(names) - 1)) for _ in range(choose(0, sizes.candidates)))
    return Turn(candidates, (0, 1, MOST)[choose(0, 2)], listed)


def some_planned(choose: Choose, sizes: PairSizes) -> avg_placement.Candidates:
    """Return candidates, and a plan for bundles of which two have the same traffic."""
    names = some_names(choose, sizes)
    bundles = [BundleData(f"t/n/{number}", Traffic(rate_in=rate)) for number, rate in enumerate((1.0, 1.0, 2.0))]
    plan = tuple((one, f"b{place}") for one in bundles if (place := choose(0, sizes.candidates + 1)))
    return avg_placement.Candidates(names, bundles[0], plan, Rules(plans_by_value=choose(0, 1) == 0))


def some_filters(choose: Choose, sizes: CandidateSizes) -> extensible_selection.Selection:
    """Return candidates, and two filters of which either may answer first or fail: a policy, and a group."""
    names = some_names(choose, sizes)
    keeps = (None, ("b1",), names[1:])[choose(0, 2)]
    counts = (None, (("b1", 1),), (("b2", 1),))[choose(0, 2)]
    first = choose(1, 2)
    policy = extensible_selection.Filter(keeps, answers=first, fails=choose(0, 1) == 1)
    group = extensible_selection.Filter(counts=counts, answers=3 - first, fails=choose(0, 1) == 1)
    return extensible_selection.Selection(names, (group, policy))


def some_names(choose: Choose, sizes: CandidateSizes) -> tuple[str, ...]:
    return tuple(f"b{number + 1}" for number in range(choose(0, sizes.candidates)))


def some_known(choose: Choose, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of which something is known: all, or all but the last."""
    return names[: len(names) - choose(0, min(1, len(names)))]


def some_selection(choose: Choose, sizes: PairSizes) -> Selection:
    """Return brokers that may be overloaded or of another manager; one may have the group's other namespace."""
    names = tuple(f"b{number + 1}:8080" for number in range(choose(0, sizes.candidates)))
    brokers, known = [], []
    for name in names:
        brokers.append(BrokerData(name, Usage(PERCENTS[2 * choose(0, 1)], 100)))
        known.append((name, settings.Broker(load_manager=("mine", "other")[choose(0, 1)])))
    place = choose(0, len(names))
    owned = (Owned("t/b/0", names[place - 1]),) if place else ()
    policies = (Policy(("t/a",), ("b1",), (), 1),) if choose(0, 1) else ()
    return Selection(
        Isolated(policies, "t/a", False, names, names, names),
        Asked((("t/a", "g"), ("t/b", "g")), owned, (), names, "t/a/0", ""),
        settings.Candidates(tuple(known), names, settings.Settings(load_manager="mine")),
        least_long_term.Candidates(tuple(brokers), names),
    )
