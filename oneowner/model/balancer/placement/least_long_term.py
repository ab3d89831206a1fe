"""``LeastLongTermMessageRate``: the broker with the fewest messages a second, over a long time (policies.4.1)."""

from math import inf
from typing import NamedTuple

from oneowner.model.balancer.load_data import Weights
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, overload
from oneowner.model.java.arithmetic import added
from oneowner.model.java.concurrent_hash_map import listed
from oneowner.model.kernel.decision import Thrown

UNKNOWN = Thrown("NullPointerException", "nothing is known of a candidate")


class Candidates(NamedTuple):
    """The brokers that could be given a bundle, and the leader's data on brokers."""

    brokers: tuple[BrokerData, ...]
    candidates: tuple[str, ...]
    """In the order of their set."""
    weights: Weights = Weights()
    overloaded: float = 85.0
    """``loadBalancerBrokerOverloadedThresholdPercentage``"""
    rules: LoadRules = LoadRules()


def least_long_term(given: Candidates) -> tuple[str, ...] | Thrown:
    """Return the candidates of which one is drawn at random: those of the least score, all if every one is infinite."""
    known = {broker.name: broker for broker in given.brokers}
    best, least = list[str](), inf
    for name in given.candidates:
        if name not in known:
            return UNKNOWN
        score = score_of(known[name], given)
        if score < least:
            best, least = [name], score
        elif score == least:
            best.append(name)
    return tuple(best) or given.candidates


def score_of(broker: BrokerData, given: Candidates) -> float:
    """Return the messages a second of a broker and of the bundles that it is to have; infinite if it is overloaded."""
    if overload(broker, given.weights, given.rules) > given.overloaded / 100:
        return inf
    rates = {bundle.name: bundle.long_term.rate for bundle in broker.preallocated}
    return added(rates[name] for name in listed(rates)) + broker.time_average.rate
