"""``SPLIT_TRIGGER_MODULAR`` and ``SPLIT_TRIGGER_EXTENSIBLE`` judge which bundles are to be split."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.balancer.batch.splitting import MODULAR, cluster_of, cycle_of
from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.splitting.trigger_inputs import Due, TriggerSizes, decide, some_cluster, some_cycle
from oneowner.model.balancer.splitting.triggers import (
    MEGABYTE,
    Cluster,
    Decided,
    Limits,
    Load,
    modular_trigger,
    range_of,
)
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.model.pulsar.bundles import tiles

Chosen = tuple[tuple[str, str | None], ...]
MODULAR_CLASS = "BundleSplitterTask.findBundlesToSplit"
EXTENSIBLE_CLASS = "DefaultNamespaceBundleSplitStrategyImpl.findBundlesToSplit"


def exceeds_a_limit(bundle: BundleStats, load: Load, limits: Limits) -> bool:
    """A limit as it was set, in numbers of any size; a limit of 0 sessions is none."""
    too_many = bundle.topics > limits.topics or 0 < limits.sessions < bundle.sessions
    return too_many or load.rate > limits.rate or load.throughput > limits.megabytes * MEGABYTE


# ---- modular ----


def chooses(cluster: Cluster, found: Chosen) -> bool:
    return bool(found)


def chooses_today_below_2048(cluster: Cluster, found: Chosen) -> bool:
    return bool(found) and cluster.limits.megabytes < 2048 and not cluster.rules.sessions_always_count


def chooses_today(cluster: Cluster, found: Chosen) -> bool:
    return bool(found) and cluster.rules.counts_chosen


def chooses_and_passes_idle_ones(cluster: Cluster, found: Chosen) -> bool:
    return bool(found) and not cluster.rules.idle_may_split


def has_too_large_ones_alone(cluster: Cluster, found: Chosen) -> bool:
    bundles = {bundle.name: bundle for _, listed in cluster.brokers for bundle in listed}
    loads = dict(cluster.long_term)
    return all(
        name in bundles and exceeds_a_limit(bundles[name], loads.get(name, Load()), cluster.limits) for name, _ in found
    )


def has_two_topics_each(cluster: Cluster, found: Chosen) -> bool:
    topics = {bundle.name: bundle.topics for _, listed in cluster.brokers for bundle in listed}
    return all(topics.get(name, 0) > 1 for name, _ in found)


def keeps_the_maximum(cluster: Cluster, found: Chosen) -> bool:
    return dict(cluster.counts)["t/n"] + len(found) <= cluster.limits.bundles


def looks_below_2048(cluster: Cluster, found: Chosen) -> bool:
    return cluster.limits.megabytes < 2048 and cluster.rules.counts_chosen


def splits_the_first_that_have_room(cluster: Cluster, found: Chosen) -> bool:
    loads, room = dict(cluster.long_term), cluster.limits.bundles - dict(cluster.counts)["t/n"]
    due = [
        bundle.name
        for _, bundles in cluster.brokers
        for bundle in bundles
        if bundle.topics > 1 and exceeds_a_limit(bundle, loads.get(bundle.name, Load()), cluster.limits)
    ]
    return [name for name, _ in found] == sorted(due[: max(room, 0)])


def chooses_the_same_in_any_order(cluster: Cluster, found: Chosen) -> bool:
    turned = tuple((broker, bundles[::-1]) for broker, bundles in cluster.brokers)
    return modular_trigger(cluster._replace(brokers=turned)) == found


def read_cluster(row: Mapping[str, Any]) -> Cluster:
    """Return the input that a fact gives as a line of a batch, with its release."""
    return cluster_of(row, MODULAR[row["release"]])


SPLIT_TRIGGER_MODULAR = Decision(
    "balancer/split-trigger-modular",
    "Which bundles the leader splits (BundleSplitterTask)",
    TriggerSizes,
    some_cluster,
    modular_trigger,
    (
        InputLaw("too-large-bundles-are-split", "Since 2.10, with a limit below 2,048 MB a second, no bundle is split"
                 " that exceeds no limit.", MODULAR_CLASS, chooses_today_below_2048, has_too_large_ones_alone,
                 kind=LawKind.PROTOCOL),
        InputLaw("split-namespace-keeps-its-maximum", "Since 2.9.4 and 2.10.2 a namespace has no more bundles after the"
                 " splits than it may have.", MODULAR_CLASS, chooses_today, keeps_the_maximum, kind=LawKind.PROTOCOL),
        InputLaw("split-bundle-has-two-topics", "Since 2.9.2 a bundle that is split has two topics or more.",
                 MODULAR_CLASS, chooses_and_passes_idle_ones, has_two_topics_each, kind=LawKind.PROTOCOL),
        InputLaw("first-with-room-are-split", "Since 2.10.2, below 2,048 MB a second, exactly those with two topics"
                 " are split that exceed a limit, the first ones while the namespace has room.", MODULAR_CLASS,
                 looks_below_2048, splits_the_first_that_have_room, kind=LawKind.MIRROR),
        InputLaw("too-large-bundles-are-split-always", "No bundle is split that exceeds no limit. (A limit of 2,048 MB"
                 " a second wraps, and is below any throughput; in 2.9 a limit of 0 sessions is one.)", MODULAR_CLASS,
                 chooses, has_too_large_ones_alone, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("split-namespace-keeps-its-maximum-always", "A namespace has no more bundles after the splits than it"
                 " may have. (Before #16552 the splits of one cycle do not count.)", MODULAR_CLASS, chooses,
                 keeps_the_maximum, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("order-decides-no-split", "The order of the leader's maps changes nothing. (Near the maximum of the"
                 " namespace the first too large bundles are split.)", MODULAR_CLASS, chooses,
                 chooses_the_same_in_any_order, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read_cluster,
    told=lambda found: [list(one) for one in found],
)  # fmt: skip


# ---- extensible ----


def splits(due: Due, found: Decided) -> bool:
    return bool(found.splits)


def splits_below_2048(due: Due, found: Decided) -> bool:
    return bool(found.splits) and due.cycle.limits.megabytes < 2048


def had_its_hits(due: Due, found: Decided) -> bool:
    hits = dict(due.hits)
    return all(hits.get(split.bundle, 0) >= due.cycle.hits for split in found.splits)


def splits_as_many_as_asked(due: Due, found: Decided) -> bool:
    room = due.cycle.limits.bundles - dict(due.cycle.counts)["t/n"]
    return len(found.splits) <= min(due.cycle.most, room)


def tiles_each(due: Due, found: Decided) -> bool:
    return all(tiles(range_of(split.bundle), *split.children) for split in found.splits)


def splits_too_large_ones_alone(due: Due, found: Decided) -> bool:
    chosen = {split.bundle for split in found.splits}
    large = {
        one.name for one in due.cycle.bundles if exceeds_a_limit(one, Load(one.rate, one.throughput), due.cycle.limits)
    }
    return chosen <= large


def is_alone_below_2048(due: Due, found: Decided) -> bool:
    return found.thrown is None and not due.cycle.splitting and due.cycle.limits.megabytes < 2048


def counts_and_splits_exactly(due: Due, found: Decided) -> bool:
    """One bundle after another, until the limit of splits; a bundle that is not visited keeps its hits."""
    cycle, hits, boundaries = due.cycle, dict(due.hits), dict(due.cycle.boundaries)
    splits, failures, room = list[str](), 0, cycle.limits.bundles - dict(cycle.counts)["t/n"]
    for bundle in cycle.bundles:
        if len(splits) == cycle.most:
            break
        is_large = exceeds_a_limit(bundle, Load(bundle.rate, bundle.throughput), cycle.limits)
        hits[bundle.name] = hits.get(bundle.name, 0) + 1 if is_large else 0
        if hits[bundle.name] > cycle.hits and room > len(splits):
            if len(boundaries.get(bundle.name, ())) == 1:
                splits.append(bundle.name)
                hits[bundle.name] = 0
            else:
                failures += 1
    left = {name: count for name, count in hits.items() if count}
    told = {name: count for name, count in found.hits if count}
    return ([one.bundle for one in found.splits], told, found.failures) == (splits, left, failures)


def is_not_lost(due: Due, found: Decided) -> bool:
    return found.thrown is None


def has_a_split_beside(due: Due, found: Decided) -> bool:
    return bool(due.cycle.splitting) and found.thrown is None


def splits_as_without_it(due: Due, found: Decided) -> bool:
    alone = decide(due._replace(cycle=due.cycle._replace(splitting=())))
    return alone.thrown is not None or alone.splits == found.splits


def is_given_several(due: Due, found: Decided) -> bool:
    return found.thrown is None and any(len(proposed) > 1 for _, proposed in due.cycle.boundaries)


def splits_as_with_the_first(due: Due, found: Decided) -> bool:
    """A bundle for which several boundaries are proposed is split if it were for the first of them alone."""
    alone = decide(due._replace(cycle=due.cycle._replace(
        boundaries=tuple((name, proposed[:1]) for name, proposed in due.cycle.boundaries)
    )))  # fmt: skip
    return alone.thrown is not None or {one.bundle for one in alone.splits} == {one.bundle for one in found.splits}


def read_due(row: Mapping[str, Any]) -> Due:
    """Return the input that a fact gives as a cycle of a batch, with ``conf``."""
    return Due(cycle_of(row, row.get("conf") or {}))


def told(found: Decided) -> Any:
    """Return what upstream's tests compare."""
    if found.thrown is not None:
        return {"error": found.thrown.exception}
    return {"split": [[one.bundle, one.reason] for one in found.splits], "failures": found.failures}


SPLIT_TRIGGER_EXTENSIBLE = Decision(
    "balancer/split-trigger-extensible",
    "Which bundles a broker splits (DefaultNamespaceBundleSplitStrategyImpl)",
    TriggerSizes,
    some_cycle,
    decide,
    (
        InputLaw("split-bundle-had-its-hits", "A bundle that is split was too large in as many cycles before as the"
                 " threshold says.", EXTENSIBLE_CLASS, splits, had_its_hits, kind=LawKind.PROTOCOL),
        InputLaw("no-more-splits-than-asked", "A cycle splits no more bundles than it may, nor than the namespace has"
                 " room for.", EXTENSIBLE_CLASS, splits, splits_as_many_as_asked, kind=LawKind.PROTOCOL),
        InputLaw("split-parts-tile", "The two parts of a bundle cut it exactly.", EXTENSIBLE_CLASS, splits, tiles_each,
                 kind=LawKind.PURPOSE),
        InputLaw("too-large-own-bundles-are-split", "With a limit below 2,048 MB a second no bundle is split that"
                 " exceeds no limit.", EXTENSIBLE_CLASS, splits_below_2048, splits_too_large_ones_alone,
                 kind=LawKind.PROTOCOL),
        InputLaw("hits-are-counted-bundle-by-bundle", "Below 2,048 MB a second: a bundle that exceeds a limit is hit,"
                 " another has no hits; with more than the threshold it is split and has none, if the namespace has"
                 " room and one boundary is proposed; no or several boundaries are a failure.", EXTENSIBLE_CLASS,
                 is_alone_below_2048, counts_and_splits_exactly, kind=LawKind.MIRROR),
        InputLaw("too-large-own-bundles-are-split-always", "No bundle is split that exceeds no limit. (A limit of"
                 " 2,048 MB a second wraps, and is below any throughput.)", EXTENSIBLE_CLASS, splits,
                 splits_too_large_ones_alone, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("split-cycle-is-not-lost", "No bundle ends the cycle for all others. (One does whose boundary is its"
                 " own end: its part is empty, and the constructor throws. It will do so in every cycle.)",
                 "NamespaceBundle", always, is_not_lost, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("other-namespace-stops-no-split", "A split in another namespace stops none. (It does if that name"
                 " begins with this one's: the slash behind it is not compared.)", EXTENSIBLE_CLASS,
                 has_a_split_beside, splits_as_without_it, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("several-boundaries-split-too", "A bundle is also split if the algorithm proposes several boundaries."
                 " (It is not, so flow_or_qps_equally_divide often splits nothing: #22254.)", EXTENSIBLE_CLASS,
                 is_given_several, splits_as_with_the_first, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read_due,
    told=told,
)  # fmt: skip
