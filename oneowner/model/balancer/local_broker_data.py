"""
``LoadData`` holds what the leader of the modular load manager knows of brokers and bundles, and how it reckons load.

A percentage is a float of 32 bits and may exceed 100; a weight makes it a double, and NaN is passed over.
Brokers and bundles are in the order of the leader's maps: ties, and sums of doubles, follow it.
"""

import re
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

from oneowner.model.balancer.load_data import Usage, Weights
from oneowner.model.java.arithmetic import float32


class Traffic(NamedTuple):
    """Bytes and messages a second, in and out (``TimeAverageMessageData``)."""

    throughput_in: float = 0.0
    throughput_out: float = 0.0
    rate_in: float = 0.0
    rate_out: float = 0.0

    @property
    def throughput(self) -> float:
        return self.throughput_in + self.throughput_out

    @property
    def rate(self) -> float:
        return self.rate_in + self.rate_out


class BundleData(NamedTuple):
    """A bundle, and the averages of its traffic, of 10 samples and of 1,000."""

    name: str
    short_term: Traffic = Traffic()
    long_term: Traffic = Traffic()


class BrokerData(NamedTuple):
    """A broker: its own report (``LocalBrokerData``), and the leader's data on it."""

    name: str
    cpu: Usage = Usage()
    memory: Usage = Usage()
    direct_memory: Usage = Usage()
    bandwidth_in: Usage = Usage()
    bandwidth_out: Usage = Usage()
    traffic: Traffic = Traffic()
    bundles: tuple[str, ...] = ()
    """The names of all bundles that it owns, of whatever namespace."""
    time_average: Traffic = Traffic()
    """The long-term traffic of ``TimeAverageBrokerData``."""
    preallocated: tuple[BundleData, ...] = ()
    """Bundles that the leader has given to it, and that it has yet to report."""


class LoadRules(NamedTuple):
    """A release's computation of load."""

    weights: Weights = Weights()
    """The weights that its configuration has by default."""
    old_spelling: bool = False
    """``loadBalancerBandwith..ResourceWeight`` is the only spelling; later it counts where the other one is 1.0."""
    heap_counts: bool = False
    """The heap is one of the weighted resources (until #17598)."""
    heap_counts_unweighted: bool = False
    """The heap is one of the resources of ``getMaxResourceUsage``."""
    weighs_overload: bool = True
    """A broker's overload is judged by its weighted usage (PIP-358)."""
    heartbeats_by_bundle: bool = False
    """The name of a bundle is compared with those of heartbeats, which are namespaces: none matches (until #13208)."""
    old_namespaces: bool = True
    """Names of namespaces may have a cluster."""


class LoadData(NamedTuple):
    """The input of a strategy."""

    brokers: tuple[BrokerData, ...]
    bundles: tuple[BundleData, ...] = ()
    recent: frozenset[str] = frozenset()
    """Bundles that were unloaded a short time ago."""
    rules: LoadRules = LoadRules()

    def bundles_for_shedding(self) -> tuple[BundleData, ...]:
        """Return the bundles that may move at all: those of heartbeats belong to one broker."""
        return tuple(bundle for bundle in self.bundles if not is_bound(bundle.name, self.rules))


def overload(broker: BrokerData, weights: Weights, rules: LoadRules) -> float:
    """Return the usage that is compared with ``loadBalancerBrokerOverloadedThresholdPercentage``, as a share of 1.0."""
    return max_usage_with_weight(broker, weights, rules) if rules.weighs_overload else max_usage(broker, rules)


def max_usage(broker: BrokerData, rules: LoadRules) -> float:
    """Return ``getMaxResourceUsage``; 1.0 is a resource that is used up."""
    heap = [broker.memory] if rules.heap_counts_unweighted else []
    usages = [broker.cpu, *heap, broker.direct_memory, broker.bandwidth_in, broker.bandwidth_out]
    return float32(max(-inf, *(usage.percent for usage in usages)) / 100)


def max_usage_with_weight(broker: BrokerData, weights: Weights, rules: LoadRules) -> float:
    """Return ``getMaxResourceUsageWithWeight``; 1.0 is a resource that is used up."""
    return max(-inf, *weighted_percents(broker, weights, rules)) / 100


def weighted_percents(broker: BrokerData, weights: Weights, rules: LoadRules) -> list[float]:
    """Return the percentages of all resources that count, each multiplied by its weight."""
    heap = [broker.memory.percent * weights.memory] if rules.heap_counts else []
    return [
        broker.cpu.percent * weights.cpu,
        *heap,
        broker.direct_memory.percent * weights.direct_memory,
        broker.bandwidth_in.percent * weights.bandwidth_in,
        broker.bandwidth_out.percent * weights.bandwidth_out,
    ]


BOUND: Final = re.compile(r"(sla-monitor|pulsar)/[-=:.\w]+/[-=.\w]+:\d+|pulsar/[-=.\w]+:\d+", re.ASCII)
BOUND_WITHOUT_CLUSTERS: Final = re.compile(r"(sla-monitor|pulsar)/[-=.\w]+:\d+", re.ASCII)
"""Names of namespaces that are bound; of a name that is no namespace's, the class asks of the whole bundle's."""


@lru_cache(maxsize=2**16)  # asked of every bundle in every cycle
def is_bound(bundle: str, rules: LoadRules) -> bool:
    """
    Return whether a bundle is of a namespace that is bound to one broker: those of heartbeats, and ``sla-monitor``.

    >>> is_bound("pulsar/h:8080/0x00000000_0xffffffff", LoadRules()), is_bound("t/n/0x00000000_0xffffffff", LoadRules())
    (True, False)
    """
    if rules.heartbeats_by_bundle:
        return False
    pattern = BOUND if rules.old_namespaces else BOUND_WITHOUT_CLUSTERS
    return pattern.fullmatch(bundle.rpartition("/")[0]) is not None


OLDEST = LoadRules(
    Weights(memory=1.0, direct_memory=1.0),
    old_spelling=True,
    heap_counts=True,
    heap_counts_unweighted=True,
    weighs_overload=False,
    heartbeats_by_bundle=True,
)
BEFORE_2_10 = OLDEST._replace(heartbeats_by_bundle=False)
BEFORE_3 = BEFORE_2_10._replace(heap_counts_unweighted=False)
BEFORE_3_1 = BEFORE_3._replace(heap_counts=False)
BEFORE_4 = BEFORE_3_1._replace(weights=Weights(memory=1.0))
LOAD_RULES: Final = {
    "2.9.1": OLDEST,
    "2.9.2": BEFORE_2_10,
    "2.10.5": BEFORE_3,
    "3.0.7": BEFORE_3_1,
    "3.3.6": BEFORE_4,
    **dict.fromkeys(("4.0.6", "4.0.8"), LoadRules()),
    "4.2.4": LoadRules(old_namespaces=False),
}
"""By release, of which the classes were read; of 2.9.2 the changes in its tag."""
