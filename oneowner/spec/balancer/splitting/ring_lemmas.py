"""
Lemmas of the ring prove that every hash lies in one bundle (``model/pulsar/boundaries.py``).
"""

from typing import Final, NamedTuple

from oneowner.model.kernel.language import Domain, Fields
from oneowner.model.kernel.lemma import REFUTED, Interval, Lemma, Mutant, guarded
from oneowner.model.pulsar.boundaries import (
    HASHES,
    boundary,
    divides_ring,
    find_bundle,
    includes,
    initial_bundle,
    intended_bundle,
    times,
)
from oneowner.model.pulsar.bundles import RING_END, Range

HASH: Final = Interval(0, RING_END)
COUNTS: Final = Interval(1, HASHES)
"""The number of bundles that a namespace may be created with."""
NUMBERS: Final = Interval(0, HASHES - 1)
"""The numbers of bundles, from 0."""
SEGMENTS: Final = Interval(0, HASHES)
RANGES: Final = Fields(Range, low=HASH, high=HASH)
TIMES: Final = Interval(0, 2**62)

INITIAL: dict[str, Domain] = {"count": COUNTS, "segment": SEGMENTS, "number": NUMBERS}


# ---- what a namespace begins with ----


def is_its(count: int, number: int) -> bool:
    """There is a bundle of that number."""
    return number < count


def is_no_bundle_per_hash(count: int) -> bool:
    return count < HASHES


def rounded_up(count: int, segment: int) -> bool:
    """*segment* is 2^32 divided by *count*, rounded up."""
    return count * segment >= HASHES and count * segment < HASHES + count


def increases(count: int, segment: int, number: int) -> bool:
    """The bundle of that number begins before it ends; the first one at 0, the last one ends with the ring."""
    bundle = initial_bundle(number, count, segment)
    begins = number > 0 or bundle.low == 0
    ends = number < count - 1 or bundle.high == RING_END
    return begins and ends and bundle.low < bundle.high


INITIAL_INCREASE, INITIAL_INCREASE_ALWAYS = guarded(
    Lemma(
        "initial-boundaries-increase",
        "The initial boundaries of n bundles increase from 0 to the end of the ring, for every n from 1 to 2^32 - 1: no"
        " bundle is empty, and each begins where the one before it ends.",
        "PoliciesUtil.getBundles",  # policies.1.4, policies.1.6
        INITIAL,
        increases,
        (divides_ring, is_its, is_no_bundle_per_hash),
        mutant=Mutant("the size of a bundle is rounded up", increases, (rounded_up, is_its, is_no_bundle_per_hash)),
    ),
    "The same for every n that Pulsar's message allows. (Of 2^32 bundles the last one begins where it ends, and its"
    " range is empty but for its closed end. No caller can ask for them: the number of bundles is an int.)",
    "PoliciesUtil.getBundles(int), whose message allows 2^32 bundles",  # policies.1.4
    without=is_no_bundle_per_hash,
)


def goes_on(count: int, segment: int, number: int, point: int) -> bool:
    """A hash lies in the bundle of its quotient by the segment, or in the last one if there is none of that number."""
    begins = number * segment
    return begins <= point and (point < begins + segment or number == count - 1)


def lies_in_that_alone(count: int, segment: int, number: int, point: int, other: int) -> bool:
    """It lies in the bundle of that number, and in no other."""
    mine, its = initial_bundle(number, count, segment), initial_bundle(other, count, segment)
    return includes(mine, point) and (other >= count or other == number or not includes(its, point))


def last_is_open(count: int, segment: int, number: int, point: int) -> bool:
    mine = initial_bundle(number, count, segment)
    return mine.low <= point < mine.high


INITIAL_PARTITION = Lemma(
    "initial-bundles-partition",
    "Of n initial bundles every hash lies in one and in no other, for every n from 1 to 2^32 - 1: in that of its"
    " quotient by the size of a bundle, or in the last one.",
    "PoliciesUtil.getBundles; NamespaceBundle.includes",  # policies.1.4, policies.1.6
    {**INITIAL, "point": HASH, "other": NUMBERS},
    lies_in_that_alone,
    (divides_ring, is_its, is_no_bundle_per_hash, goes_on),
    mutant=Mutant("the last bundle is open like the others", last_is_open),
)


def last_is_largest(count: int, segment: int) -> bool:
    """The last bundle has as many hashes as any other, its closed end included, and fewer than *count* more."""
    size = HASHES - boundary(count - 1, count, segment)
    return segment <= size < segment + count


def last_is_larger(count: int, segment: int) -> bool:
    return segment < HASHES - boundary(count - 1, count, segment)


LAST_IS_LARGEST = Lemma(
    "last-initial-bundle-is-largest",
    "The last of n initial bundles is never smaller than the others, and has less than n hashes more.",
    "PoliciesUtil.getBundles",  # policies.1.4
    {"count": COUNTS, "segment": SEGMENTS},
    last_is_largest,
    (divides_ring,),
    mutant=Mutant("it is always larger", last_is_larger),
)


# ---- any boundaries ----


def begins_before_it_ends(bundle: Range) -> bool:
    return bundle.low < bundle.high


def lay_before(point: int, end: int) -> int:
    """Return in how many bundles up to a boundary a hash should lie: in one if it lies before it, else in none."""
    return 1 if point < end or end == RING_END else 0


def was_so_before(bundle: Range, before: int, point: int) -> bool:
    """Up to the bundle's lower boundary it is so; of no bundles yet, it is."""
    return before == lay_before(point, bundle.low) and lay_before(point, 0) == 0


def is_so_after(bundle: Range, before: int, point: int) -> bool:
    """It is so up to its upper boundary; at the end of the ring, every hash lies in exactly one bundle."""
    return before + times(bundle, point) == lay_before(point, bundle.high)


def is_so_if_all_are_open(bundle: Range, before: int, point: int) -> bool:
    here = 1 if bundle.low <= point < bundle.high else 0
    return before + here == lay_before(point, bundle.high)


HASH_IN_ONE_BUNDLE = Lemma(
    "hash-in-one-bundle",
    "Whatever boundaries increase from 0 to the end of the ring, every hash lies in exactly one bundle; by induction"
    " over the boundaries, the last bundle being closed.",
    "NamespaceBundles; NamespaceBundle.includes",  # policies.1.2, policies.1.6
    {"bundle": RANGES, "before": TIMES, "point": HASH},
    is_so_after,
    (begins_before_it_ends, was_so_before),
    mutant=Mutant("the last bundle is open like the others", is_so_if_all_are_open),
)


# ---- the search ----


class FourBundles(NamedTuple):
    """The boundaries of as many bundles as a namespace has by default."""

    first: int
    second: int
    third: int
    fourth: int
    end: int


LAST: Final = 4
"""The index of their last boundary."""
BOUNDARIES: Final = Fields(FourBundles, first=HASH, second=HASH, third=HASH, fourth=HASH, end=HASH)
SEARCH: dict[str, Domain] = {"boundaries": BOUNDARIES, "point": HASH}


def cut_the_ring(boundaries: FourBundles) -> bool:
    """They increase from 0 to the end of the ring."""
    increase = all(boundaries[number] < boundaries[number + 1] for number in range(LAST))
    return increase and boundaries.first == 0 and boundaries.end == RING_END


def is_the_bundle(boundaries: FourBundles, point: int, found: int) -> bool:
    """Of all bundles the one that was found includes the hash, and no other does."""
    return all(
        includes(Range(boundaries[number], boundaries[number + 1]), point) == (number == found)
        for number in range(LAST)
    )


def finds_the_bundle(boundaries: FourBundles, point: int) -> bool:
    return is_the_bundle(boundaries, point, find_bundle(boundaries, LAST, point))


def finds_the_intended(boundaries: FourBundles, point: int) -> bool:
    return is_the_bundle(boundaries, point, intended_bundle(boundaries, LAST, point))


SEARCH_FINDS = Lemma(
    "search-finds-bundle",
    "A binary search that takes the last bundle for the last boundary, too, finds the one bundle that includes the"
    " hash. (Enumerated: of four bundles, with any boundaries.)",
    "NamespaceBundles.getBundle as it was meant",  # policies.1.2
    SEARCH,
    finds_the_intended,
    (cut_the_ring,),
    mutant=Mutant("as it is published", finds_the_bundle),
)

SEARCH_FINDS_ALWAYS = Lemma(
    "search-finds-bundle-always",
    "The published binary search finds the one bundle that includes the hash. (It finds 0xffffffff as the last"
    " boundary, behind the last bundle, and throws. Enumerated: of four bundles, with any boundaries.)",
    "NamespaceBundles.getBundle, ConsistentHashingTopicBundleAssigner",  # policies.1.2
    SEARCH,
    finds_the_bundle,
    (cut_the_ring,),
    expected=REFUTED,
)

INITIAL_LEMMAS = (INITIAL_INCREASE, INITIAL_INCREASE_ALWAYS, INITIAL_PARTITION, LAST_IS_LARGEST)
SEARCH_LEMMAS = (HASH_IN_ONE_BUNDLE, SEARCH_FINDS, SEARCH_FINDS_ALWAYS)
RING_LEMMAS = (*INITIAL_LEMMAS, *SEARCH_LEMMAS)
