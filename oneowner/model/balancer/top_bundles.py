"""
``top_bundles`` says which bundles a broker reports as its heaviest (``TopKBundles``): the shedder moves no other.

They are listed from the lightest on. Before 4.0.7 the comparison is no order (``bundle_stats``), so that the map's
order decides which bundles are reported, and the sort may throw, which loses the report.
"""

import re
from typing import Final, NamedTuple, TypeVar

from oneowner.model.balancer.bundle_stats import BundleStats, compare
from oneowner.model.java.tim_sort import Compare, NoOrder, java_sorted
from oneowner.model.kernel.decision import Thrown

T = TypeVar("T")


class Rules(NamedTuple):
    """By what releases differ."""

    skips_idle: bool = True
    """A bundle without traffic is not listed (since 3.1; #20926)."""
    rounds: bool = False
    """Comparison is an order (since 4.0.7; #24772)."""
    excludes_namespaces: bool = False
    """``loadBalancerSheddingExcludedNamespaces`` is read (since 4.1, PIP-380)."""
    has_clusters: bool = True
    """A namespace may be named by its cluster, too, such as ``tenant/cluster/name`` (until 4.1)."""


class Held(NamedTuple):
    """A broker's data on its bundles, in the order of its map, and its settings for the report."""

    bundles: tuple[BundleStats, ...]
    most: int = 10
    """``loadBalancerMaxNumberOfBundlesInBundleLoadReport``"""
    with_policies: bool = False
    """``loadBalancerSheddingBundlesWithPoliciesEnabled``"""
    bound: frozenset[str] = frozenset()
    """The namespaces that have an isolation policy or an anti-affinity group."""
    excluded: frozenset[str] = frozenset()
    """``loadBalancerSheddingExcludedNamespaces``"""
    rules: Rules = Rules()


SYSTEM: Final = re.compile(r"pulsar/system|(sla-monitor|pulsar)/[^/]+/[^:]+:\d+|pulsar/[^:]+:\d+", re.ASCII)
SYSTEM_WITHOUT_CLUSTERS: Final = re.compile(r"pulsar/system|(sla-monitor|pulsar)/[^:]+:\d+", re.ASCII)
NAME: Final = re.compile(r"[-=:.\w]+", re.ASCII)


def top_bundles(held: Held) -> tuple[str, ...] | Thrown:
    """Return the names of the heaviest bundles, the lightest of them first; Thrown: the report is lost."""
    listed = []
    for bundle in held.bundles:
        if (held.rules.skips_idle and bundle.throughput == 0) or is_left_out(bundle, held):
            continue
        if not held.with_policies:
            if not is_namespace(bundle.namespace, held.rules):
                allowed = "<tenant>/<namespace>" + " or <tenant>/<cluster>/<namespace>" * held.rules.has_clusters
                why = f"Invalid namespace format. expected {allowed} but got: {bundle.namespace}"
                return Thrown("IllegalArgumentException", why)
            if bundle.namespace in held.bound:
                continue
        listed.append(bundle)
    if not listed:
        return ()
    most = min(held.most, len(listed))
    try:
        heaviest_first(listed, most, lambda one, other: compare(one, other, held.rules.rounds))
    except NoOrder as error:
        return Thrown("IllegalArgumentException", str(error))
    return tuple(bundle.name for bundle in reversed(listed[: max(most, 0)]))


def is_left_out(bundle: BundleStats, held: Held) -> bool:
    """Return whether the bundle's namespace is one of Pulsar's own, or excluded by name."""
    if not is_namespace(bundle.namespace, held.rules):
        return False
    pattern = SYSTEM if held.rules.has_clusters else SYSTEM_WITHOUT_CLUSTERS
    excluded = held.rules.excludes_namespaces and bundle.namespace in held.excluded
    return excluded or pattern.fullmatch(bundle.namespace) is not None


def is_namespace(name: str, rules: Rules) -> bool:
    """Return whether ``NamespaceName`` takes the name: tenant, perhaps a cluster, and name."""
    parts = name.split("/")
    return len(parts) in ((2, 3) if rules.has_clusters else (2,)) and all(NAME.fullmatch(part) for part in parts)


def heaviest_first(listed: list[T], most: int, by: Compare) -> None:
    """Bring the heaviest to the front, as many as *most*: parts around a pivot (the last), then a sort of the front."""
    start, end, target = 0, len(listed) - 1, most - 1
    while start < end:
        low, high, here, pivot = start, end, start, listed[end]
        while here <= high:
            compared = by(pivot, listed[here])
            if compared < 0:
                listed[low], listed[here] = listed[here], listed[low]
                low, here = low + 1, here + 1
            elif compared > 0:
                listed[here], listed[high] = listed[high], listed[here]
                high -= 1
            else:
                here += 1
        if low <= target < here:
            end = low
            break
        if target < low:
            end = low - 1
        else:
            start = here
    if end < 0:  # of a report of no bundles
        raise NoOrder(f"fromIndex(0) > toIndex({end})")
    listed[:end] = java_sorted(listed[:end], lambda one, other: by(other, one))
