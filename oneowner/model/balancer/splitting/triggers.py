"""
Triggers say which bundles are to be split, by their topics, sessions and traffic.

The leader of the modular load manager looks at long-term averages of all brokers' bundles whenever it is told of a
change (``BundleSplitterTask``). A broker with the extensible load manager looks once a minute at what its own bundles
carry at this moment, and splits one that has been too large in more cycles than a threshold, one after another
(``DefaultNamespaceBundleSplitStrategyImpl``).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.splitting.split_bundles import can_split, children, is_constructible
from oneowner.model.java.arithmetic import wrapped
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.bundles import RING_END, Range

MEGABYTE: Final = 2**20
LAST_HASH: Final = Range(RING_END, RING_END)
"""The one range of equal ends that a bundle may have: it is closed."""


class Limits(NamedTuple):
    """The limits of a bundle and of a namespace (broker.conf), ``loadBalancerNamespace..``."""

    bundles: int = 128
    """``MaximumBundles``, of a namespace."""
    topics: int = 1000
    """``BundleMaxTopics``"""
    sessions: int = 1000
    """``BundleMaxSessions``, producers and consumers."""
    rate: int = 30_000
    """``BundleMaxMsgRate``, messages a second."""
    megabytes: int = 100
    """``BundleMaxBandwidthMbytes``, a second."""

    @property
    def throughput(self) -> int:
        """
        Bytes a second: a product of two ints in Java, which wraps.

        >>> Limits(megabytes=2047).throughput, Limits(megabytes=2048).throughput, Limits(megabytes=4096).throughput
        (2146435072, -2147483648, 0)
        """
        return wrapped(int(self.megabytes) * MEGABYTE)


class Rules(NamedTuple):
    """By what releases of the modular trigger differ."""

    idle_may_split: bool = False
    """Only a bundle of one topic is passed over, not one of none (before 2.9.2; #12527)."""
    sessions_always_count: bool = False
    """A limit of 0 sessions is one (before 2.10; #13108); later it is none."""
    counts_chosen: bool = True
    """Bundles that this cycle splits count for the namespace's maximum (since 2.9.4, 2.10.2; #16552)."""
    names_broker: bool = True
    """The answer names the broker of each bundle (since 3.0)."""


class Load(NamedTuple):
    """The traffic of a bundle that is compared with limits: messages and bytes a second."""

    rate: float = 0.0
    throughput: float = 0.0


def reason_to_split(bundle: BundleStats, load: Load, limits: Limits, rules: Rules) -> str | None:
    """Return the first limit that the bundle exceeds, as Pulsar names it; None: it exceeds none."""
    if bundle.topics > limits.topics:
        return "Topics"
    if (limits.sessions > 0 or rules.sessions_always_count) and bundle.sessions > limits.sessions:
        return "Sessions"
    if load.rate > limits.rate:
        return "MsgRate"
    return "Bandwidth" if load.throughput > limits.throughput else None


# ---- the modular load manager ----


class Cluster(NamedTuple):
    """The leader's data, in the order of its maps."""

    brokers: tuple[tuple[str, tuple[BundleStats, ...]], ...]
    """Of each broker the bundles that it reports."""
    long_term: tuple[tuple[str, Load], ...] = ()
    """Long-term averages of bundles; without one a bundle counts as idle."""
    counts: tuple[tuple[str, int], ...] = ()
    """The number of bundles of a namespace; the count of one that is not listed is unavailable."""
    limits: Limits = Limits()
    rules: Rules = Rules()


def modular_trigger(cluster: Cluster) -> tuple[tuple[str, str | None], ...]:
    """Return the bundles to split, each with its broker if the release says it, by name."""
    long_term, counts = dict(cluster.long_term), dict(cluster.counts)
    limits, rules = cluster.limits, cluster.rules
    found: dict[str, str | None] = {}
    chosen: dict[str, int] = {}
    for broker, bundles in cluster.brokers:
        for bundle in bundles:
            if bundle.topics == 1 or (bundle.topics < 1 and not rules.idle_may_split):
                continue
            if reason_to_split(bundle, long_term.get(bundle.name, Load()), limits, rules) is None:
                continue
            count, more = counts.get(bundle.namespace), chosen.get(bundle.namespace, 0)
            if count is not None and count + more * rules.counts_chosen < limits.bundles:
                found[bundle.name] = broker if rules.names_broker else None
                chosen[bundle.namespace] = more + 1
    return tuple(sorted(found.items()))


# ---- the extensible load manager ----


class Cycle(NamedTuple):
    """A broker's input of one cycle, in the order of its map of bundles."""

    bundles: tuple[BundleStats, ...]
    boundaries: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The split algorithm's proposals by bundle; for a bundle that is not listed there is none."""
    not_owned: frozenset[str] = frozenset()
    splitting: tuple[str, ...] = ()
    """Bundles of any broker whose split is under way."""
    counts: tuple[tuple[str, int], ...] = ()
    limits: Limits = Limits()
    hits: int = 3
    """``loadBalancerNamespaceBundleSplitConditionHitCountThreshold``; a negative one splits what is small, too."""
    most: int = 10
    """``loadBalancerMaxNumberOfBundlesToSplitPerCycle``; 0 is no limit."""


class Split(NamedTuple):
    """A bundle that is to be split, and into which two."""

    bundle: str
    reason: str
    children: tuple[Range, Range]


class Decided(NamedTuple):
    """The decision of a cycle."""

    splits: tuple[Split, ...]
    hits: tuple[tuple[str, int], ...] = ()
    """In how many cycles one after another a bundle was too large; the next cycle is given it."""
    failures: int = 0
    """The increments of the counter of failures."""
    thrown: Thrown | None = None
    """It ended the cycle: nothing of it is carried out."""


def extensible_trigger(cycle: Cycle, before: Mapping[str, int]) -> Decided:
    """Return the bundles to split; *before*: the hits of the cycle before."""
    names = {bundle.name for bundle in cycle.bundles}
    hits = {name: count for name, count in before.items() if name in names}
    counts, proposals = dict(cycle.counts), dict(cycle.boundaries)
    splits, failures, chosen = list[Split](), 0, dict[str, int]()
    for bundle in cycle.bundles:
        if bundle.topics < 2 or bundle.name in cycle.not_owned:
            continue
        parent = range_of(bundle.name)
        if not can_split(parent):
            failures += 1
            continue
        reason = reason_to_split(bundle, Load(bundle.rate, bundle.throughput), cycle.limits, Rules())
        if reason is None:
            hits.pop(bundle.name, None)
        else:
            hits[bundle.name] = hits.get(bundle.name, 0) + 1
        if hits.get(bundle.name, 0) <= cycle.hits:
            continue
        count, more = counts.get(bundle.namespace), chosen.get(bundle.namespace, 0)
        if count is None:
            failures += 1
            continue
        if count + more >= cycle.limits.bundles or is_being_split(bundle, cycle.splitting):
            continue
        proposed = proposals.get(bundle.name, ())
        if len(proposed) != 1:
            failures += 1
            continue
        low, high = children(parent, proposed)
        if why := refusal(low) or refusal(high):
            return Decided((), tuple(hits.items()), failures, Thrown("IllegalArgumentException", why))
        splits.append(Split(bundle.name, reason or "Unknown", (low, high)))
        chosen[bundle.namespace] = more + 1
        hits.pop(bundle.name, None)
        if len(splits) == cycle.most:
            break
    return Decided(tuple(splits), tuple(hits.items()), failures)


def refusal(child: Range) -> str | None:
    """Return why the constructor of ``NamespaceBundle``, or of its range, refuses a part; None: it does not."""
    if child.low > child.high:
        return f"Invalid range: [{child.low}..{child.high}{']' if child.high == RING_END else ')'}"
    if is_constructible(child) or child == LAST_HASH:
        return None
    return "Cannot create bundle object for an empty key range"


def range_of(bundle: str) -> Range:
    """Return the range in a bundle's name."""
    low, _, high = bundle.rpartition("/")[2].partition("_")
    return Range(int(low, 16), int(high, 16))


def is_being_split(bundle: BundleStats, splitting: tuple[str, ...]) -> bool:
    """
    Return whether a split is under way that this bundle may be a part of.

    The namespace is taken for a prefix of the name, so that one whose name begins with it counts, too.
    """
    low, _, high = bundle.name.rpartition("/")[2].partition("_")
    return any(
        name.startswith(bundle.namespace) and (ends.startswith(low) or ends.endswith(high))
        for name in splitting
        for ends in [name.rpartition("/")[2]]
    )
