"""
Lemmas of splits in two prove which proposals are accepted, and with which result (``model/balancer``).

For an algorithm that looks at topics, *low* and *high* are the hashes of two adjacent topics of the bundle, *found* is
half way between them: the number of topics does not matter.
"""

from oneowner.model.balancer.splitting.split_algorithms import is_middle
from oneowner.model.balancer.splitting.split_bundles import can_split, is_constructible, lie_inside
from oneowner.model.kernel.language import Domain
from oneowner.model.kernel.lemma import REFUTED, Lemma, Mutant
from oneowner.model.pulsar.boundaries import times
from oneowner.model.pulsar.bundles import Range, is_empty
from oneowner.spec.balancer.splitting.ring_lemmas import HASH, RANGES, begins_before_it_ends

HALVES: dict[str, Domain] = {"bundle": RANGES, "found": HASH}
BETWEEN: dict[str, Domain] = {**HALVES, "low": HASH, "high": HASH}


# ---- one boundary ----


def accepts_one(bundle: Range, boundary: int) -> bool:
    """``splitBundles`` with one boundary (``accepts``)."""
    fits = can_split(bundle) and lie_inside(bundle, boundary, boundary)
    return fits and is_constructible(Range(bundle.low, boundary)) and is_constructible(Range(boundary, bundle.high))


def cut_in_two(bundle: Range, boundary: int, point: int) -> bool:
    """Neither child is empty, and each hash of the bundle lies in one of them, no other in any."""
    low, high = Range(bundle.low, boundary), Range(boundary, bundle.high)
    tile = times(bundle, point) == times(low, point) + times(high, point)
    return tile and not is_empty(low) and not is_empty(high)


def accepted_is_cut_in_two(bundle: Range, found: int, point: int) -> bool:
    return not accepts_one(bundle, found) or cut_in_two(bundle, found, point)


def cut_in_two_at_once(bundle: Range, found: int, point: int) -> bool:
    return cut_in_two(bundle, found, point)


def taken_at_low_end_is_cut_in_two(bundle: Range, found: int, point: int) -> bool:
    taken = can_split(bundle) and bundle.low <= found and found < bundle.high
    return not taken or cut_in_two(bundle, found, point)


def is_accepted(bundle: Range, found: int) -> bool:
    return accepts_one(bundle, found)


# ---- range_equally_divide ----


def halves_the_range(bundle: Range, found: int) -> bool:
    return is_middle(found, bundle.low, bundle.high)


def is_wide(bundle: Range) -> bool:
    return can_split(bundle)


RANGE_TILES = Lemma(
    "range-split-tiles",
    "range_equally_divide: if its boundary is accepted, the two children tile the bundle and none is empty.",
    "RangeEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    {**HALVES, "point": HASH},
    accepted_is_cut_in_two,
    (begins_before_it_ends, halves_the_range),
    mutant=Mutant("whether it is accepted or not", cut_in_two_at_once),
)

RANGE_ACCEPTED = Lemma(
    "range-split-accepted",
    "range_equally_divide: its boundary is accepted if the ends of the bundle are two or more apart.",
    "RangeEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.canSplitBundle",  # policies.2.1, policies.2.2
    HALVES,
    is_accepted,
    (is_wide, halves_the_range),
    mutant=Mutant("if they are apart", is_accepted, (begins_before_it_ends, halves_the_range)),
)

RANGE_ACCEPTED_ALWAYS = Lemma(
    "range-split-accepted-always",
    "range_equally_divide: its boundary is accepted. (If the ends of the bundle are neighbours, it is the lower one.)",
    "RangeEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    HALVES,
    is_accepted,
    (begins_before_it_ends, halves_the_range),
    expected=REFUTED,
)


# ---- topic_count_equally_divide ----


def topics_are_found_there(bundle: Range, low: int, high: int) -> bool:
    """Both topics lie in the bundle, and not at 0xffffffff, where a topic is never found (search-finds-bundle)."""
    return bundle.low <= low <= high < bundle.high


def lies_between(low: int, high: int, found: int) -> bool:
    return is_middle(found, low, high)


def are_next_to_each_other(low: int, high: int) -> bool:
    return high == low + 1


def are_apart(low: int, high: int) -> bool:
    return high > low + 1


def collide(low: int, high: int) -> bool:
    return low == high


def lie_above_the_low_end(bundle: Range, low: int) -> bool:
    return bundle.low < low


def is_refused_at_low_end_alone(bundle: Range, low: int, high: int, found: int) -> bool:
    """It is refused in one case: the lower topic is the first hash of the bundle, the upper one that or the next."""
    return accepts_one(bundle, found) != (low == bundle.low and high <= bundle.low + 1)


def is_refused_if_both_at_low_end(bundle: Range, low: int, high: int, found: int) -> bool:
    return accepts_one(bundle, found) != (low == bundle.low and high == bundle.low)


def parts_topics(low: int, high: int, found: int) -> bool:
    """One of the two topics lies on either side of the boundary."""
    return low < found <= high


def second_round_is_accepted(bundle: Range, found: int) -> bool:
    """Of the child that holds both topics now, the same boundary is proposed again."""
    return accepts_one(Range(found, bundle.high), found)


COUNT_TILES = Lemma(
    "topic-count-split-tiles",
    "topic_count_equally_divide: if its boundary is accepted, the two children tile the bundle and none is empty.",
    "TopicCountEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    {**BETWEEN, "point": HASH},
    accepted_is_cut_in_two,
    (topics_are_found_there, lies_between),
    mutant=Mutant("a boundary at the lower end is taken, too", taken_at_low_end_is_cut_in_two),
)

COUNT_ACCEPTED = Lemma(
    "topic-count-split-accepted",
    "topic_count_equally_divide: its boundary is refused in one case exactly: of the two middle topics the lower one is"
    " at the first hash of the bundle, and the upper one there, too, or at the next.",
    "TopicCountEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    is_refused_at_low_end_alone,
    (topics_are_found_there, lies_between),
    mutant=Mutant("only if both are at the first hash", is_refused_if_both_at_low_end),
)

COUNT_ACCEPTED_ALWAYS = Lemma(
    "topic-count-split-accepted-always",
    "topic_count_equally_divide: its boundary is accepted if the two middle topics are neighbours. (At the first hash"
    " of the bundle it is the lower end.)",
    "TopicCountEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    is_accepted,
    (topics_are_found_there, lies_between, are_next_to_each_other),
    expected=REFUTED,
)

COUNT_PARTS = Lemma(
    "topic-count-split-parts-topics",
    "topic_count_equally_divide: of two middle topics that are two hashes apart or more, one lies on either side of the"
    " boundary.",
    "TopicCountEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    parts_topics,
    (topics_are_found_there, lies_between, are_apart),
    mutant=Mutant("also of neighbours", parts_topics, (topics_are_found_there, lies_between, are_next_to_each_other)),
)

COUNT_PARTS_ALWAYS = Lemma(
    "topic-count-split-parts-topics-always",
    "topic_count_equally_divide: of two middle topics that differ, one lies on either side of the boundary. (Of"
    " neighbours the lower one is the boundary, and both lie above it: the counts are off by one.)",
    "TopicCountEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    parts_topics,
    (topics_are_found_there, lies_between, are_next_to_each_other, lie_above_the_low_end),
    expected=REFUTED,
)

COUNT_SECOND_ROUND = Lemma(
    "topic-count-split-second-round-always",
    "topic_count_equally_divide: of two topics with one hash, the child that holds them can be split again. (The"
    " boundary was their hash and is now the lower end: it is refused for ever.)",
    "TopicCountEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    second_round_is_accepted,
    (topics_are_found_there, lies_between, collide, lie_above_the_low_end),
    expected=REFUTED,
)

RANGE_LEMMAS = (RANGE_TILES, RANGE_ACCEPTED, RANGE_ACCEPTED_ALWAYS)
COUNT_LEMMAS = (COUNT_TILES, COUNT_ACCEPTED, COUNT_ACCEPTED_ALWAYS, COUNT_PARTS, COUNT_PARTS_ALWAYS, COUNT_SECOND_ROUND)
SPLIT_LEMMAS = (*RANGE_LEMMAS, *COUNT_LEMMAS)
