"""A cycle of ``TransferShedder``: its whole input, its rules and settings, and its decision."""

from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """The reason that bundles move, or that none does (``UnloadDecision.Reason``)."""

    OVERLOADED = "Overloaded"
    UNDERLOADED = "Underloaded"
    HIT_COUNT = "HitCount"
    NO_BUNDLES = "NoBundles"
    COOL_DOWN = "CoolDown"
    OUT_DATED_DATA = "OutDatedData"
    NO_LOAD_DATA = "NoLoadData"
    NO_BROKERS = "NoBrokers"


class Broker(NamedTuple):
    """The leader's data on a broker."""

    name: str
    load: float
    """``weightedMaxEMA``: 1.0 is a resource that is used up."""
    throughput_average: float = 0.0
    throughput: float = 0.0
    """Bytes a second, in and out."""
    age: float = 0.0
    """Seconds since it was measured."""


class Bundle(NamedTuple):
    """A bundle of the report of top bundles, which lists the lightest first."""

    name: str
    throughput: float


class Settings(NamedTuple):
    """Keys of broker.conf, with their defaults."""

    target_deviation: float = 0.25
    """``loadBalancerBrokerLoadTargetStd``"""
    overloaded: float = 85
    """``loadBalancerBrokerOverloadedThresholdPercentage``"""
    hits: int = 3
    """``loadBalancerSheddingConditionHitCountThreshold``"""
    most_brokers: int = 3
    """``loadBalancerMaxNumberOfBrokerSheddingPerCycle``"""
    time_to_live: float = 1800
    """``loadBalancerBrokerLoadDataTTLInSeconds``"""
    delay: float = 180
    """``loadBalanceSheddingDelayInSeconds``"""
    transfers: bool = True
    """``loadBalancerTransferEnabled``; else bundles are unloaded, and the next lookup places them."""
    with_policies: bool = False
    """``loadBalancerSheddingBundlesWithPoliciesEnabled``"""
    debug: bool = False
    """``loadBalancerDebugModeEnabled``"""
    excluded: frozenset[str] = frozenset()
    """``loadBalancerSheddingExcludedNamespaces``, since PIP-380."""


class Rules(NamedTuple):
    """The behaviour of a release, as 4.0.6 has it unless said otherwise."""

    idle_bundles_stay: bool = True
    """A bundle without throughput is passed over (#23626)."""
    compares_throughput: bool = True
    """A broker is underloaded beside the highest; in 3.0.0 one with less than a byte a second was."""
    excludes_namespaces: bool = False
    """Some namespaces are never shed (PIP-380, #23549)."""
    gain_needs_debug: bool = True
    """The gain of a swap is counted in debug mode alone: a mistake, in every release."""
    sorts_gone: bool = True
    """Brokers that are not registered, and old reports, are sorted with the others (`old_reports_stay`)."""


class Cycle(NamedTuple):
    """All that one cycle looks at."""

    brokers: tuple[Broker, ...]
    """Those of which there is load data, in the order of the store."""
    available: tuple[str, ...]
    """Those that are registered."""
    bundles: tuple[tuple[str, tuple[Bundle, ...]], ...]
    """The top bundles that each broker reports."""
    settings: Settings = Settings()
    rules: Rules = Rules()
    unloaded_bundles: frozenset[str] = frozenset()
    """Those that were unloaded lately."""
    unloaded_brokers: tuple[tuple[str, float], ...] = ()
    """Brokers that lately gave or were given a bundle, and how many seconds ago."""
    not_owned: frozenset[str] = frozenset()
    """Bundles that the channel does not give to the broker that reports them."""
    with_policies: frozenset[str] = frozenset()
    """Namespaces with isolation policies or an anti-affinity group."""
    barred: tuple[tuple[str, frozenset[str]], ...] = ()
    """Of a bundle, the brokers that a filter takes away."""
    filters_fail: bool = False

    def top(self, broker: str) -> tuple[Bundle, ...]:
        """Return the top bundles that *broker* reports."""
        return dict(self.bundles).get(broker, ())


class Move(NamedTuple):
    """A bundle that is moved; *destination* is empty for an unload."""

    bundle: str
    source: str
    destination: str
    reason: Reason


class Outcome(NamedTuple):
    """The decision of a cycle, and its memory."""

    moves: tuple[Move, ...]
    """In order, each once."""
    skipped: Reason | None
    """The reason that nothing moves."""
    hits: int
    """The number of cycles in a row with an imbalance; 0 after moves."""
    average: float
    deviation: float
    """Of all loads when the cycle began; of a cycle without data those of the cycle before."""
    deviation_after: float
    forgotten: frozenset[str] = frozenset()
    """Brokers whose last unload is long enough ago."""
    reasons: tuple[str, ...] = ()
    """In words, why what was looked at moves or stays."""


def namespace_of(bundle: str) -> str:
    """
    Return the namespace of a bundle.

    >>> namespace_of("public/default/0x00000000_0x40000000")
    'public/default'
    """
    return bundle.rpartition("/")[0]
