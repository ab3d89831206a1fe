"""
``ThresholdShedder`` unloads bundles of every broker whose usage is clearly above the average of all.

It compares averages over time. With a lower boundary, the most used broker sheds also where none is above, but one is
clearly below the average.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import LoadData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.shedding.amounts import MIB, rate, share
from oneowner.model.balancer.shedding.load_shedding import Outcome, Shedding

MARGIN = 0.05
THRESHOLD: Final = "loadBalancerBrokerThresholdShedderPercentage"


class Settings(NamedTuple):
    """Keys of broker.conf, with their defaults."""

    threshold: float = 10.0
    """``loadBalancerBrokerThresholdShedderPercentage``"""
    least_throughput: float = 10.0
    """``loadBalancerBundleUnloadMinThroughputThreshold``, MiB a second"""
    lower_boundary: bool = False
    """``lowerBoundarySheddingEnabled``"""
    weights: Weights = Weights()


class Rules(NamedTuple):
    """The behaviour that differs by release."""

    load: LoadRules = LoadRules()
    """The definition of load, and of the bundles that may move."""
    starts_at_zero: bool = False
    """The first usage of a broker is averaged with 0, as if it had been idle (until #13136)."""
    has_lower_boundary: bool = True
    """PIP-220; from then on a broker that has gone is forgotten."""


def shed(loads: LoadData, settings: Settings, rules: Rules, before: Mapping[str, float]) -> Outcome:
    """Return what a cycle unloads, and the average usage of every broker; *before* are those of the cycle before."""
    cycle, threshold = Shedding(loads), settings.threshold / 100
    usages, average = updated(loads, settings, rules, before)
    if average == 0:
        cycle.reasons.append("nothing is unloaded: the average usage is 0")
        return cycle.outcome(usages)
    for broker in loads.brokers:
        usage = usages[broker.name]
        if usage < average + threshold:
            cycle.reasons.append(
                f"{broker.name} stays as it is: {share(usage)} used; average {share(average)} + {THRESHOLD}"
                f" {settings.threshold:g} %"
            )
            continue
        need = broker.traffic.throughput * (usage - average - threshold + MARGIN)
        if is_enough(cycle, settings, broker.name, need) and cycle.has_two(broker):
            cycle.take_heaviest(broker, need)
    if not cycle.unload and rules.has_lower_boundary and settings.lower_boundary:
        # The cycle averages every usage a second time.
        usages, average = updated(loads, settings, rules, usages)
        shed_to_the_idle(cycle, settings, usages, average)
    return cycle.outcome(usages)


def updated(
    loads: LoadData, settings: Settings, rules: Rules, before: Mapping[str, float]
) -> tuple[dict[str, float], float]:
    """Return the average usage of every broker, and the average of those."""
    usages, total, past = dict(before), 0.0, settings.weights.history
    for broker in loads.brokers:
        usage = max_usage_with_weight(broker, settings.weights, loads.rules)
        last = before.get(broker.name, 0.0 if rules.starts_at_zero else None)
        usages[broker.name] = usage if last is None else last * past + (1 - past) * usage
        total += usages[broker.name]
    return usages, total / len(loads.brokers) if loads.brokers else 0.0


def shed_to_the_idle(cycle: Shedding, settings: Settings, usages: Mapping[str, float], average: float) -> None:
    """Unload bundles of the most used broker, if some broker is clearly below the average."""
    threshold = settings.threshold / 100
    most, source = average - threshold, None
    for broker in cycle.loads.brokers:
        if usages[broker.name] > most and len(broker.bundles) > 1:
            most, source = usages[broker.name], broker
    if not any(usages[broker.name] < average - threshold for broker in cycle.loads.brokers):
        cycle.reasons.append(f"no broker is below average {share(average)} - {THRESHOLD} {settings.threshold:g} %")
    elif source is None:
        cycle.reasons.append(
            f"no broker with two bundles is above average {share(average)} - {THRESHOLD} {settings.threshold:g} %"
        )
    else:
        need = source.traffic.throughput * threshold * 0.5
        if is_enough(cycle, settings, source.name, need):
            cycle.take_heaviest(source, need)


def is_enough(cycle: Shedding, settings: Settings, broker: str, need: float) -> bool:
    """Return whether it is worth while to unload *need* bytes a second."""
    least = settings.least_throughput * MIB
    if need < least:
        cycle.reasons.append(
            f"{broker} stays as it is: {rate(need)} should go, less than loadBalancerBundleUnloadMinThroughputThreshold"
            f" {rate(least)}"
        )
        return False
    return True
