"""``OverloadShedder`` unloads bundles of every broker of which a resource is nearly used up, whatever others have."""

from typing import NamedTuple

from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import LoadData, overload
from oneowner.model.balancer.shedding.amounts import share
from oneowner.model.balancer.shedding.load_shedding import Outcome, Shedding

MARGIN = 0.05
"""By how much a broker should be below the limit afterwards (``ADDITIONAL_THRESHOLD_PERCENT_MARGIN``)."""


class Settings(NamedTuple):
    """Keys of broker.conf, with their defaults."""

    overloaded: float = 85.0
    """``loadBalancerBrokerOverloadedThresholdPercentage``"""
    weights: Weights = Weights()


def shed(loads: LoadData, settings: Settings) -> Outcome:
    """Return what a cycle unloads; the shedder remembers nothing."""
    cycle, limit = Shedding(loads), settings.overloaded / 100
    for broker in loads.brokers:
        usage = overload(broker, settings.weights, loads.rules)
        if usage < limit:
            cycle.reasons.append(
                f"{broker.name} stays as it is: {share(usage)} of a resource used, below"
                f" loadBalancerBrokerOverloadedThresholdPercentage {settings.overloaded:g} %"
            )
        elif cycle.has_two(broker):
            cycle.take_heaviest(broker, broker.traffic.throughput * (usage - limit + MARGIN))
    return cycle.outcome()
