"""
The modular load manager's choice of a broker: filters one after another, then a strategy.

Source: ModularLoadManagerImpl.selectBroker, with LeastLongTermMessageRate; policies.3.5. Filters that would leave
nobody, or that throw, are passed over, and so are they if whoever is chosen is overloaded.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oneowner.model.balancer.filters import anti_affinity, isolation, settings
from oneowner.model.balancer.local_broker_data import max_usage_with_weight
from oneowner.model.balancer.placement.least_long_term import Candidates, least_long_term
from oneowner.model.kernel.decision import Thrown


class Selection(NamedTuple):
    """The input of each part; its candidates are those that the part before it has left."""

    policies: isolation.Isolated
    group: anti_affinity.Asked
    known: settings.Candidates
    loads: Candidates
    evenly: bool = True
    """``loadBalancerDistributeBundlesEvenlyEnabled``"""


def select(asked: Selection) -> tuple[str, ...] | Thrown:
    """Return who may be drawn."""
    allowed = isolation.kept(asked.policies)
    first = least_long_term(asked.loads._replace(candidates=filtered(asked, allowed)))
    if isinstance(first, Thrown) or not any(is_overloaded(asked, name) for name in first):
        return first
    return least_long_term(asked.loads._replace(candidates=allowed))


def filtered(asked: Selection, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return who is left by all filters; if nobody is, or one throws, whom policies allow."""
    *_, (_, last) = filters(asked, allowed)
    return allowed if isinstance(last, Thrown) or not last else last


def filters(asked: Selection, allowed: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...] | Thrown]]:
    """Yield every filter in order, and the brokers that it leaves."""
    few = settings.decide(asked.known._replace(candidates=allowed)).modular.topics
    yield "limit of topics", few
    group = asked.group._replace(candidates=few)
    spread = anti_affinity.kept(group, anti_affinity.namespaces_of_group(group))
    yield "anti-affinity group", spread
    if asked.evenly or asked.policies.namespace == "pulsar/system":
        spread = anti_affinity.even(group._replace(candidates=spread))
        yield "fewest bundles of the namespace (loadBalancerDistributeBundlesEvenlyEnabled)", spread
    same = settings.decide(asked.known._replace(candidates=spread)).modular.load_manager
    yield "load manager", same
    yield "latest version", settings.decide(asked.known._replace(candidates=same)).modular.version


def is_overloaded(asked: Selection, name: str) -> bool:
    """Return whether a broker is used more than ``loadBalancerBrokerOverloadedThresholdPercentage``."""
    (broker,) = (one for one in asked.loads.brokers if one.name == name)
    return max_usage_with_weight(broker, asked.loads.weights, asked.loads.rules) > asked.loads.overloaded / 100
