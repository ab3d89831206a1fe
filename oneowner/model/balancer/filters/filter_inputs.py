"""Inputs of filters: a few brokers, bundles of two namespaces, at most two policies."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.balancer.filters.administration import Domain, Grouping, LocalPolicies, Requests
from oneowner.model.balancer.filters.anti_affinity import Asked, Owned
from oneowner.model.balancer.filters.isolation import Isolated, Policy
from oneowner.model.balancer.filters.settings import Broker, Candidates, Settings
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

BUNDLES: Final = ("t/a/0", "t/a/1", "t/b/0")
"""The first one is given to a broker."""
MINE: Final = "mine"
KNOWN: Final = (
    Broker(0, 0, "1.0.0", MINE),
    Broker(1, 0, "1.0.0", MINE),
    Broker(2, 0, "1.0.0", MINE),
    Broker(0, 2, "1.0.0", MINE),
    Broker(0, 0, "1.0.0-9", MINE),
    Broker(0, 0, "1.0.0-1a", MINE),
    Broker(0, 0, "1.0.0-10", MINE),
    Broker(0, 0, None, MINE),
    Broker(0, 0, "1.0.0", None),
)
"""Possible data on a broker, where the greatest number of topics is 1."""


@dataclass(frozen=True, slots=True)
class BrokerSizes(Bounds):
    """The size of a cluster."""

    brokers: int = size(3, "how many brokers there are at most", least=1)


@dataclass(frozen=True, slots=True)
class PolicySizes(Bounds):
    """The number of policies."""

    policies: int = size(2, "how many policies there are at most")


@dataclass(frozen=True, slots=True)
class CountOfBundles(Bounds):
    """The number of bundles of a namespace."""

    bundles: int = size(2, "how many bundles it has at most", least=1)


def some_group(choose: Choose, sizes: BrokerSizes) -> Asked:
    """
    Return bundles at brokers; the last broker may be no candidate, and they may lie in two domains.

    The group of the bundle's namespace may be written in another case: then the last broker is in no domain.
    """
    group = ("", "g", "G")[choose(0, 2)]
    brokers = tuple(f"b{number + 1}" for number in range(choose(1, sizes.brokers)))
    owned = []
    for bundle in BUNDLES:
        place = choose(0, len(brokers))
        if place:
            state = ("Owned", "Assigning")[choose(0, 1) if bundle == BUNDLES[-1] else 0]
            owned.append(Owned(bundle, brokers[place - 1], state))
    placed = brokers[:-1] if group == "G" else brokers
    domains = tuple((broker, f"d{choose(0, 1) if number else 0}") for number, broker in enumerate(placed))
    candidates = brokers[: len(brokers) - choose(0, min(1, len(brokers) - 1))]
    current = owned[0].broker if owned and owned[0].bundle == BUNDLES[0] else ""
    return Asked((("t/a", group), ("t/b", "g")), tuple(owned), domains, candidates, BUNDLES[0], current)


def some_isolation(choose: Choose, sizes: PolicySizes) -> Isolated:
    """Return policies of one or two brokers; the other's name begins as the first's, who may take no such topics."""
    available = ("b1:8080", "b12:8080")[: choose(1, 2)]
    takes = available[choose(0, 1) :]
    count = choose(-1, sizes.policies)
    policies = tuple(some_policy(choose) for _ in range(count)) if count >= 0 else None
    return Isolated(policies, "t/n", False, available, takes, available)


def some_policy(choose: Choose) -> Policy:
    """Return a policy, of the namespace that is asked for or of another."""
    namespace = ("t/n", "t/other")[choose(0, 1)]
    primary = (("b1",), ("b12",), ("b1", "b12"))[choose(0, 2)]
    secondary = ((), ("b12",))[choose(0, 1)]
    return Policy((namespace,), primary, secondary, choose(1, 2))


def some_candidates(choose: Choose, sizes: BrokerSizes) -> Candidates:
    """Return candidates, some of them without data."""
    candidates = tuple(f"b{number + 1}" for number in range(choose(0, sizes.brokers)))
    brokers = []
    for name in candidates:
        which = choose(0, len(KNOWN))
        if which < len(KNOWN):
            brokers.append((name, KNOWN[which]))
    return Candidates(tuple(brokers), candidates, Settings(1, True, MINE))


def some_requests(choose: Choose, sizes: BrokerSizes) -> Requests:
    """Return two domains at most, which share no broker, and two requests to write one of them, or a third."""
    brokers = tuple(f"b{number + 1}" for number in range(sizes.brokers - 1))
    homes = [(broker, choose(0, 2)) for broker in brokers]
    there = tuple(
        Domain(f"d{home}", named) for home in (1, 2) if (named := tuple(broker for broker, one in homes if one == home))
    )
    first, second = (Domain(f"d{choose(1, 3)}", tuple(one for one in brokers if choose(0, 1))) for _ in range(2))
    return Requests(there, first, second, choose(0, 1) == 1)


def some_grouping(choose: Choose, sizes: CountOfBundles) -> Grouping:
    """Return a namespace with or without local policies, and a group, which may be blank."""
    group = (" ", "g")[choose(0, 1)]
    bundles = choose(1, sizes.bundles)
    local = (None, LocalPolicies(bundles, None), LocalPolicies(bundles, "h"))[choose(0, 2)]
    return Grouping(bundles, local, group, choose(0, 1) == 1)
