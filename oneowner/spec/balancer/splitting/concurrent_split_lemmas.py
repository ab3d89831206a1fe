"""
Lemmas of concurrent splits prove whose boundary a namespace keeps (``model/balancer/splitting/policies.py``).

Every broker splits what it has cached and writes the whole of it. Each lemma is one step of an induction over the
writes, for any number of brokers, bundles and splits: of one boundary and one hash, whichever they are.
"""

from typing import Final

from oneowner.model.balancer.splitting.policies import Policies, after_write, is_current, with_split
from oneowner.model.kernel.language import BOOLEAN, Domain, Fields
from oneowner.model.kernel.lemma import REFUTED, Interval, Lemma, Mutant
from oneowner.model.pulsar.bundles import Range
from oneowner.spec.balancer.splitting.ring_lemmas import HASH, RANGES, TIMES
from oneowner.spec.balancer.splitting.split_lemmas import accepts_one

VERSIONS: Final = Interval(0, 2**62)
"""As many as will ever be."""
POLICIES: Final = Fields(Policies, version=VERSIONS, has_boundary=BOOLEAN, bundles=TIMES)
WRITE: dict[str, Domain] = {"held": POLICIES, "cached": POLICIES, "bundle": RANGES, "boundary": HASH}
RACE: dict[str, Domain] = {**WRITE, "rival": POLICIES, "watched": HASH, "acknowledged": BOOLEAN}
"""*watched* is the boundary that the policies speak of; it may have been *acknowledged*. A rival has its own cache."""
RING: dict[str, Domain] = {**WRITE, "point": HASH}
FIRST: Final = 0
"""A hash, or a boundary, of a lemma that does not speak of any."""


# ---- is every acknowledged boundary kept? ----


def is_accepted(bundle: Range, boundary: int) -> bool:
    return accepts_one(bundle, boundary)


def was_held(held: Policies, cached: Policies) -> bool:
    """A cached value was held before: at the same version it is equal."""
    return cached.version <= held.version and (cached.version < held.version or cached == held)


def was_held_by_rival(held: Policies, rival: Policies) -> bool:
    return was_held(held, rival)


def acknowledged_is_kept(held: Policies, acknowledged: bool) -> bool:
    return not acknowledged or held.has_boundary


def keeps_acknowledged(
    held: Policies, cached: Policies, rival: Policies, bundle: Range, boundary: int, watched: int, acknowledged: bool
) -> bool:
    """The same after the write, which acknowledges its own boundary; and the rival's cached value was held before."""
    written = with_split(cached, bundle, boundary, watched, FIRST)
    if not is_current(held, written):
        return True  # refused: nothing changes, and the broker reads anew
    after = after_write(held, written)
    return acknowledged_is_kept(after, acknowledged or boundary == watched) and was_held(after, rival)


def keeps_acknowledged_unchecked(
    held: Policies, cached: Policies, bundle: Range, boundary: int, watched: int, acknowledged: bool
) -> bool:
    after = after_write(held, with_split(cached, bundle, boundary, watched, FIRST))
    return acknowledged_is_kept(after, acknowledged or boundary == watched)


BOUNDARY_STAYS = Lemma(
    "acknowledged-boundary-stays",
    "With compare-and-set every boundary of a split that was acknowledged is in all later boundaries, however many"
    " brokers split at once; by induction over the writes.",
    "NamespaceService.updateNamespaceBundles",  # policies.1.3, policies.2.3
    RACE,
    keeps_acknowledged,
    (is_accepted, was_held, was_held_by_rival, acknowledged_is_kept),
    mutant=Mutant(
        "what is cached may be altered under its version (apache/pulsar#9598)",
        keeps_acknowledged,
        (is_accepted, was_held_by_rival, acknowledged_is_kept),
    ),
)

BOUNDARY_STAYS_ALWAYS = Lemma(
    "acknowledged-boundary-stays-always",
    "Without compare-and-set, too. (The last writer writes what it has cached, and the other's boundary is lost.)",
    "NamespaceService.updateNamespaceBundles; apache/pulsar#1428",  # bugs.R63
    RACE,
    keeps_acknowledged_unchecked,
    (is_accepted, was_held, was_held_by_rival, acknowledged_is_kept),
    expected=REFUTED,
)


# ---- does the ring stay partitioned? ----


def is_in_one_bundle(held: Policies, cached: Policies) -> bool:
    """The hash lies in one held bundle, and in one cached bundle."""
    return held.bundles == 1 and cached.bundles == 1


def stays_in_one_bundle(held: Policies, cached: Policies, bundle: Range, boundary: int, point: int) -> bool:
    return after_write(held, with_split(cached, bundle, boundary, FIRST, point)).bundles == 1


RING_STAYS = Lemma(
    "ring-stays-partitioned",
    "With or without compare-and-set every hash lies in exactly one bundle after a split: what is written was cut from"
    " a partition, if not from the last one; by induction over the writes.",
    "NamespaceBundleFactory.splitBundles; apache/pulsar#1428, #9598",  # bugs.R63, policies.2.2
    RING,
    stays_in_one_bundle,
    (is_in_one_bundle, is_accepted),
    mutant=Mutant("the boundary may lie outside the bundle", stays_in_one_bundle, (is_in_one_bundle,)),
)

CONCURRENT_SPLIT_LEMMAS = (BOUNDARY_STAYS, BOUNDARY_STAYS_ALWAYS, RING_STAYS)
