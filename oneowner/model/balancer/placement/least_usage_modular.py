"""``LeastResourceUsageWithWeight`` of the modular manager: brokers clearly below the average usage (policies.4.2)."""

from collections.abc import Mapping
from typing import NamedTuple

from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, max_usage_with_weight
from oneowner.model.balancer.placement.least_long_term import UNKNOWN
from oneowner.model.java.arithmetic import divide
from oneowner.model.kernel.decision import Thrown


class Candidates(NamedTuple):
    """The brokers that could be given a bundle, and the leader's data on brokers."""

    brokers: tuple[BrokerData, ...]
    candidates: tuple[str, ...]
    """In the order of their set, which sums follow."""
    history: tuple[tuple[str, float], ...] = ()
    """By broker: its average usage, as the strategy remembers it."""
    weights: Weights = Weights()
    difference: float = 10.0
    """``loadBalancerAverageResourceUsageDifferenceThresholdPercentage``"""
    rules: LoadRules = LoadRules()


class Choice(NamedTuple):
    """The brokers that may be drawn, and the strategy's memory afterwards."""

    admissible: tuple[str, ...] | Thrown
    history: tuple[tuple[str, float], ...]


def least_usage(given: Candidates) -> Choice:
    """
    Return the candidates of which one is drawn at random: those clearly below the average of all.

    If none is, all are, the overloaded ones included. Every question moves the averages on.
    """
    known = {broker.name: broker for broker in given.brokers}
    history, total = dict(given.history), 0.0
    for name in given.candidates:
        if name not in known:
            return Choice(UNKNOWN, tuple(history.items()))
        history[name] = usage_of(known[name], history, given)
        total += history[name]
    average = divide(total, len(given.candidates))
    best = tuple(name for name in given.candidates if history[name] + given.difference / 100 <= average)
    return Choice(best or given.candidates, tuple(history.items()))


def usage_of(broker: BrokerData, history: Mapping[str, float], given: Candidates) -> float:
    """Return the average usage of a broker; one without bundles or messages has the present one."""
    usage = max_usage_with_weight(broker, given.weights, given.rules)
    is_idle = broker.traffic.rate_in == 0 and broker.traffic.rate_out == 0
    if broker.name not in history or not broker.bundles or is_idle:
        return usage
    return history[broker.name] * given.weights.history + (1 - given.weights.history) * usage
