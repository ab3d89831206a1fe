"""Laws of the settings by which bundles are split."""

from collections.abc import Iterator
from typing import Final

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.splitting import LIMITS, SPLIT_TRIGGER_MODULAR
from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.splitting import split_algorithms as algorithms
from oneowner.model.balancer.splitting.triggers import (
    MEGABYTE,
    Cluster,
    Cycle,
    Limits,
    Load,
    extensible_trigger,
    modular_trigger,
    range_of,
)
from oneowner.model.kernel.decision import Thrown
from oneowner.spec.settings.clusters import culprits, judged_by, of_release
from oneowner.spec.settings.conf import Broken, Conf, manager, setting_law

TOPICS, SESSIONS, RATE, BANDWIDTH = (key for key in LIMITS if "NamespaceBundleMax" in key)
BUNDLES: Final = "loadBalancerNamespaceMaximumBundles"
INITIAL: Final = "defaultNumberOfNamespaceBundles"
ALGORITHM: Final = "defaultNamespaceBundleSplitAlgorithm"
HITS: Final = "loadBalancerNamespaceBundleSplitConditionHitCountThreshold"
MOST: Final = "loadBalancerMaxNumberOfBundlesToSplitPerCycle"
NAME: Final = "t/n/0x00000000_0x80000000"
ENDLESS: Final = 2**31 - 1
READ: Final = (ALGORITHM, BUNDLES, INITIAL, TOPICS, SESSIONS, RATE, BANDWIDTH, HITS)


def splits(conf: Conf) -> bool:
    """Return whether the broker splits bundles by itself, in a way that the model has."""
    is_known = judged_by(SPLIT_TRIGGER_MODULAR.rules, conf) != ""
    by_manager = manager(conf) == "modular" or (manager(conf) == "extensible" and conf.flag("loadBalancerEnabled"))
    return conf.flag("loadBalancerAutoBundleSplitEnabled") and by_manager and is_known


def is_split(conf: Conf, bundle: BundleStats, count: int = 1) -> bool:
    """Return whether a bundle is split, one of *count* in its namespace, once it was too large in enough cycles."""
    limits = configured(Limits(), conf.changed(), LIMITS)
    counts, proposed = ((bundle.namespace, count),), boundaries(conf, bundle)
    if manager(conf) == "modular":
        load, rules = Load(bundle.rate, bundle.throughput), of_release(SPLIT_TRIGGER_MODULAR.rules, conf)
        chosen = modular_trigger(Cluster((("b", (bundle,)),), ((bundle.name, load),), counts, limits, rules))
        return bool(chosen) and bool(proposed)
    cycle = Cycle((bundle,), ((bundle.name, proposed),), counts=counts, limits=limits, hits=int(conf.number(HITS)))
    before = {bundle.name: max(0, cycle.hits)}
    return bool(extensible_trigger(cycle, before).splits)


def boundaries(conf: Conf, bundle: BundleStats) -> tuple[int, ...]:
    """Return where the algorithm of *conf* splits a bundle whose topics are alike, and evenly spread."""
    parent, many = range_of(bundle.name), min(bundle.topics, 100)
    hashes = [parent.low + (parent.high - parent.low) * (2 * index + 1) // (2 * many) for index in range(many)]
    name = conf.text(ALGORITHM)
    if name == "topic_count_equally_divide":
        return algorithms.topic_count_equally_divide(hashes)
    if name == "specified_positions_divide":
        found = algorithms.specified_positions_divide(parent, bundle.topics, ())
        return () if isinstance(found, Thrown) else found
    if name == "flow_or_qps_equally_divide":
        topics = [algorithms.Topic(one, bundle.rate / many, bundle.throughput / many) for one in hashes]
        percentage = int(conf.number("flowOrQpsDifferenceThresholdPercentage"))
        limits = algorithms.Limits(int(conf.number(RATE)), int(conf.number(BANDWIDTH)) * MEGABYTE, percentage)
        return algorithms.flow_or_qps_equally_divide(topics, limits)
    return algorithms.range_equally_divide(parent)


def beyond(conf: Conf, *keys: str, topics: int = 2) -> BundleStats:
    """Return a bundle that has twice as much as it may of these, and little of the rest."""
    much = {key: 2 * max(1, int(conf.number(key))) if key in keys else 0 for key in (TOPICS, SESSIONS, RATE, BANDWIDTH)}
    return BundleStats(
        NAME,
        topics=max(topics, much[TOPICS]),
        producers=much[SESSIONS],
        rate_in=float(much[RATE]),
        throughput_in=float(much[BANDWIDTH] * MEGABYTE),
    )


def has_limit(conf: Conf, key: str) -> bool:
    """Return whether a limit is one: some numbers mean that there is none."""
    return 0 < conf.number(key) < ENDLESS // 2


@setting_law("PoliciesUtil.getBundles", lambda conf: True)
def new_namespace_has_a_bundle(conf: Conf) -> Iterator[Broken]:
    """A namespace that is created without a number of bundles has one at least."""
    if conf.number(INITIAL) < 1:
        follows = "no namespace is created unless its number of bundles is given"
        witness = f"a namespace of {conf.text(INITIAL)} bundles: 400 Bad Request, for the range is (0, 2^32]"
        yield Broken((INITIAL,), follows, witness, conf.defaults([INITIAL]))


def large_bundle(conf: Conf) -> BundleStats:
    return beyond(conf, *(key for key in (TOPICS, SESSIONS, RATE, BANDWIDTH) if has_limit(conf, key)))


def large_is_split(conf: Conf) -> bool:
    return is_split(conf, large_bundle(conf), max(1, int(conf.number(INITIAL))))


@setting_law("BundleSplitterTask, DefaultNamespaceBundleSplitStrategyImpl; NamespaceBundleSplitAlgorithm", splits)
def new_namespace_can_split(conf: Conf) -> Iterator[Broken]:
    """A bundle of a new namespace that exceeds all limits is split."""
    if not large_is_split(conf):
        keys = culprits(conf, tuple(key for key in READ if conf.has(key)), large_is_split)
        follows = "a bundle of a new namespace is never split, however large it is"
        initial = max(1, int(conf.number(INITIAL)))
        witness = f"one of {initial} bundles has twice what it may have of each limit: it is not split"
        yield Broken(keys, follows, witness, conf.defaults(keys))


def can_split(conf: Conf) -> bool:
    return splits(conf) and large_is_split(conf)


def idle_is_whole(conf: Conf) -> bool:
    return not is_split(conf, BundleStats(NAME, topics=2))


@setting_law(
    "BundleSplitterTask, DefaultNamespaceBundleSplitStrategyImpl", lambda conf: splits(conf) and not wraps(conf)
)
def idle_bundle_stays_whole(conf: Conf) -> Iterator[Broken]:
    """A bundle of two topics without traffic is not split."""
    if not idle_is_whole(conf):
        keys = culprits(conf, tuple(key for key in READ if conf.has(key)), idle_is_whole)
        follows = f"bundles are split without traffic, until a namespace has {conf.text(BUNDLES)} of them"
        yield Broken(keys, follows, "a bundle of two topics without traffic is split", conf.defaults(keys))


def wraps(conf: Conf) -> bool:
    """Return whether the limit of bandwidth in bytes is more than an int of Java can be."""
    megabytes = int(conf.number(BANDWIDTH))
    return megabytes > 0 and Limits(megabytes=megabytes).throughput != megabytes * MEGABYTE


@setting_law("BundleSplitterTask, DefaultNamespaceBundleSplitStrategyImpl; LoadManagerShared", splits)
def limit_is_as_set(conf: Conf) -> Iterator[Broken]:
    """A bundle within the limit of bandwidth is not split for its bandwidth."""
    counted = Limits(megabytes=int(conf.number(BANDWIDTH))).throughput
    bundle = BundleStats(NAME, topics=2, throughput_in=float(max(0, counted + 1)))
    if wraps(conf) and is_split(conf, bundle):
        follows = f"the limit is {counted:,} bytes a second: the product wraps at 2^31"
        witness = f"a bundle of two topics and {bundle.throughput:,.0f} bytes a second is split"
        yield Broken((BANDWIDTH,), follows, witness, {BANDWIDTH: "2047"})


@setting_law("FlowOrQpsEquallyDivideBundleSplitAlgorithm", can_split)
def every_limit_splits(conf: Conf) -> Iterator[Broken]:
    """A bundle that exceeds one limit alone is split."""
    limits = [key for key in (TOPICS, SESSIONS, RATE, BANDWIDTH) if has_limit(conf, key)]
    idle = [key for key in limits if not is_split(conf, beyond(conf, key))]
    if idle:
        follows = f"{' and '.join(idle)} split nothing alone: the algorithm proposes no boundary"
        witness = f"a bundle that has twice what it may of {' or '.join(idle)}, and else nothing, is not split"
        yield Broken((ALGORITHM, *idle), follows, witness, conf.defaults([ALGORITHM]))


@setting_law(
    "DefaultNamespaceBundleSplitStrategyImpl; FlowOrQpsEquallyDivideBundleSplitAlgorithm",
    lambda conf: can_split(conf) and has_limit(conf, RATE),
)
def busy_topics_part(conf: Conf) -> Iterator[Broken]:
    """A bundle of some topics, each too busy for a bundle, is split (#22254)."""
    for topics in range(2, 5):
        many = {RATE: str(int(conf.number(RATE)) * topics)}
        bundle = beyond(conf.with_values(many), RATE, topics=topics)
        if not is_split(conf, bundle):
            cuts = len(boundaries(conf, bundle))
            follows = f"a bundle that the algorithm would cut into {cuts + 1} is never split, for a split makes two"
            witness = (
                f"{topics} topics of {bundle.rate / topics:,.0f} messages a second each: {cuts} boundaries, no split"
            )
            yield Broken((ALGORITHM,), follows, witness, conf.defaults([ALGORITHM]))
            return


@setting_law("DefaultNamespaceBundleSplitStrategyImpl", lambda conf: can_split(conf) and manager(conf) == "extensible")
def no_more_splits_than_set(conf: Conf) -> Iterator[Broken]:
    """A cycle splits no more bundles than the setting says."""
    most, many = int(conf.number(MOST)), 20
    bundles = tuple(large_bundle(conf)._replace(name=f"t/n{number}/0x00000000_0x80000000") for number in range(many))
    cycle = Cycle(
        bundles, tuple((one.name, (2**30,)) for one in bundles), counts=tuple((one.namespace, 1) for one in bundles),
        limits=configured(Limits(), conf.changed(), LIMITS), hits=0, most=most,
    )  # fmt: skip
    found = len(extensible_trigger(cycle, {}).splits)
    if found > max(0, most):
        follows = f"{most} is taken for no limit: as many bundles are split in a cycle as are too large"
        yield Broken((MOST,), follows, f"{many} bundles that are too large: {found} are split", {MOST: "1"})


LAWS: Final = (
    new_namespace_has_a_bundle,
    new_namespace_can_split,
    idle_bundle_stays_whole,
    limit_is_as_set,
    every_limit_splits,
    busy_topics_part,
    no_more_splits_than_set,
)
