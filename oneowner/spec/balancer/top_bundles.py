"""``TOP_BUNDLES`` judges which bundles a broker reports as its heaviest, so that a shedder may move them."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from oneowner.model.balancer.batch.bundles import RULES, held_of
from oneowner.model.balancer.bundle_stats import BundleStats, compare
from oneowner.model.balancer.top_bundles import Held, top_bundles
from oneowner.model.balancer.top_bundles_inputs import ReportSizes, some_bundles
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, always
from oneowner.model.kernel.law import LawKind, Status

Found = tuple[str, ...] | Thrown
CLASS = "TopKBundles.update"
COMPARED = "NamespaceBundleStats.compareTo"


def reports(held: Held, found: Found) -> bool:
    return isinstance(found, tuple)


def reports_some(held: Held, found: Found) -> bool:
    return isinstance(found, tuple) and bool(found)


def reports_by_an_order(held: Held, found: Found) -> bool:
    return held.rules.rounds and isinstance(found, tuple)


def eligible(held: Held) -> list[BundleStats]:
    return [one for one in held.bundles if one.throughput and one.namespace not in held.bound]


def is_heavier(one: BundleStats, other: BundleStats, held: Held) -> bool:
    return compare(one, other, held.rules.rounds) > 0


def has_the_heaviest(held: Held, found: tuple[str, ...]) -> bool:
    left = [one for one in eligible(held) if one.name not in found]
    listed = [one for one in held.bundles if one.name in found]
    return not any(is_heavier(one, other, held) for one in left for other in listed)


def has_as_many_as_asked(held: Held, found: tuple[str, ...]) -> bool:
    return len(found) == len(set(found)) == min(held.most, len(eligible(held)))


def has_a_bound_one(held: Held, found: Found) -> bool:
    return isinstance(found, tuple) and any(one.namespace in held.bound for one in held.bundles)


def leaves_out_the_bound(held: Held, found: tuple[str, ...]) -> bool:
    return not any(one.name in found for one in held.bundles if one.namespace in held.bound)


def lists_the_lighter_first(held: Held, found: tuple[str, ...]) -> bool:
    by_name = {one.name: one for one in held.bundles}
    if not by_name.keys() >= set(found):
        return False
    return not any(is_heavier(by_name[one], by_name[other], held) for one, other in pairwise(found))


def reports_the_same_in_any_order(held: Held, found: tuple[str, ...]) -> bool:
    turned = top_bundles(held._replace(bundles=held.bundles[::-1]))
    return isinstance(turned, tuple) and set(turned) == set(found)


def read_held(row: Mapping[str, Any]) -> Held:
    """Return the input that a fact gives as a line of a batch, with its release."""
    return held_of(row, RULES[row["release"]])


TOP_BUNDLES = Decision(
    "balancer/top-bundles",
    "Which bundles a broker reports as its heaviest (TopKBundles)",
    ReportSizes,
    some_bundles,
    top_bundles,
    (
        InputLaw("as-many-as-asked-are-reported", "As many bundles are reported as are asked for, or as there are with"
                 " traffic and without policies.", CLASS, reports, has_as_many_as_asked, kind=LawKind.PROTOCOL),
        InputLaw("bundles-with-policies-stay-out", "No bundle is reported whose namespace has a policy.", CLASS,
                 has_a_bound_one, leaves_out_the_bound, kind=LawKind.PROTOCOL),
        InputLaw("heaviest-are-reported", "Since 4.0.7 no bundle is left out that is heavier than one that is"
                 " reported.", COMPARED, reports_by_an_order, has_the_heaviest, kind=LawKind.PROTOCOL),
        InputLaw("lighter-come-first", "Since 4.0.7 the lighter of two bundles is listed first.", COMPARED,
                 reports_by_an_order, lists_the_lighter_first, kind=LawKind.PROTOCOL),
        InputLaw("heaviest-are-reported-always", "No bundle is left out that is heavier than one that is reported."
                 " (Before 4.0.7 bundles near each other are called equal, and one that is near all may stand for"
                 " lighter ones: #24754.)", COMPARED, reports, has_the_heaviest, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("order-of-the-map-decides-nothing", "The order of the broker's map changes nothing of what is"
                 " reported. (It does among equal bundles.)", CLASS, reports_some, reports_the_same_in_any_order,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("report-is-made", "A report is made. (Of none, loadBalancerMaxNumberOfBundlesInBundleLoadReport=0,"
                 " the sort throws unless the lightest bundle comes last.)", "TopKBundles.partitionSort", always,
                 reports, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read_held,
)  # fmt: skip
