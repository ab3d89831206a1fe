"""
Lemmas of splits into many parts prove which proposals are accepted (``model/balancer``).

Words as in ``split_lemmas.py``. What fails of two boundaries that follow each other fails of all; what holds of any two
holds of all of them, for the first lies above the lower end and the last below the upper one.
"""

from oneowner.model.balancer.splitting.split_algorithms import is_middle
from oneowner.model.balancer.splitting.split_bundles import can_split, is_constructible, lie_inside
from oneowner.model.kernel.language import Domain
from oneowner.model.kernel.lemma import REFUTED, Lemma, Mutant, guarded
from oneowner.model.pulsar.boundaries import includes, times
from oneowner.model.pulsar.bundles import Range, is_empty
from oneowner.spec.balancer.splitting.ring_lemmas import HASH, RANGES, TIMES, begins_before_it_ends
from oneowner.spec.balancer.splitting.split_lemmas import BETWEEN, accepts_one, lies_between, topics_are_found_there

TWICE: dict[str, Domain] = {**BETWEEN, "second": HASH, "third": HASH, "fourth": HASH}
"""Also half way between two later topics."""
POSITIONS: dict[str, Domain] = {"bundle": RANGES, "one": HASH, "other": HASH}


def accepts_two(bundle: Range, one: int, other: int) -> bool:
    """``splitBundles`` with two boundaries in order (``accepts``)."""
    ends = is_constructible(Range(bundle.low, one)) and is_constructible(Range(other, bundle.high))
    return can_split(bundle) and lie_inside(bundle, one, other) and ends and is_constructible(Range(one, other))


# ---- flow_or_qps_equally_divide ----


def topics_are_included(bundle: Range, low: int, high: int) -> bool:
    """Both topics lie in the bundle, which includes its end if it is the last one."""
    return includes(bundle, low) and includes(bundle, high) and low <= high


def differ(low: int, high: int) -> bool:
    return low < high


def just_behind_is_accepted(bundle: Range, found: int) -> bool:
    return accepts_one(bundle, found + 1)


def later_topics_are_found_there(bundle: Range, high: int, third: int, fourth: int) -> bool:
    """Two topics more, of which the lower one may be the upper of the first two."""
    return high <= third <= fourth < bundle.high


def second_lies_between(third: int, fourth: int, second: int) -> bool:
    return is_middle(second, third, fourth)


def no_two_collide(low: int, high: int, third: int, fourth: int) -> bool:
    return low < high and third < fourth


def boundaries_are_accepted(bundle: Range, found: int, second: int) -> bool:
    return accepts_two(bundle, found + 1, second + 1)


def accepted_is_cut_in_three(bundle: Range, found: int, second: int, point: int) -> bool:
    return not boundaries_are_accepted(bundle, found, second) or cut_in_three(bundle, found + 1, second + 1, point)


def unchecked_is_cut_in_three(bundle: Range, found: int, second: int, point: int) -> bool:
    """The same for bundles that the constructor need not accept."""
    inside = can_split(bundle) and lie_inside(bundle, found + 1, second + 1)
    return not inside or cut_in_three(bundle, found + 1, second + 1, point)


def cut_in_three(bundle: Range, one: int, other: int, point: int) -> bool:
    """No child is empty, and each hash of the bundle lies in one of them, no other in any."""
    low, centre, high = Range(bundle.low, one), Range(one, other), Range(other, bundle.high)
    tile = times(bundle, point) == times(low, point) + times(centre, point) + times(high, point)
    return tile and not is_empty(low) and not is_empty(centre) and not is_empty(high)


def last_two_differ(bundle: Range, third: int, fourth: int) -> bool:
    """The later topics have different hashes, and the last is not at the last hash of the bundle."""
    return third < fourth and fourth + 1 < bundle.high


_FLOW = (topics_are_found_there, lies_between, later_topics_are_found_there, second_lies_between)

FLOW_TILES = Lemma(
    "flow-split-tiles",
    "flow_or_qps_equally_divide: if two boundaries that follow each other are accepted, the three children tile the"
    " bundle and none is empty.",
    "FlowOrQpsEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    {**TWICE, "point": HASH},
    accepted_is_cut_in_three,
    _FLOW,
    mutant=Mutant("without the constructor, which refuses an empty range", unchecked_is_cut_in_three),
)

FLOW_ACCEPTED = Lemma(
    "flow-split-accepted",
    "flow_or_qps_equally_divide: two boundaries that follow each other are accepted if no two topics share a hash.",
    "FlowOrQpsEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    TWICE,
    boundaries_are_accepted,
    (*_FLOW, no_two_collide),
    mutant=Mutant("if the first two have not", boundaries_are_accepted, (*_FLOW, differ)),
)

FLOW_ACCEPTED_ALWAYS = Lemma(
    "flow-split-accepted-always",
    "flow_or_qps_equally_divide: its boundary is accepted. (Of two topics at the last hash of a bundle it is the upper"
    " end.)",
    "FlowOrQpsEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    just_behind_is_accepted,
    (topics_are_found_there, lies_between),
    expected=REFUTED,
)

FLOW_ACCEPTED_END = Lemma(
    "flow-split-accepted-at-end-always",
    "flow_or_qps_equally_divide: its boundary between topics of different hashes is accepted. (If the upper one is at"
    " the last hash of the ring, and the lower one no more than two before it, it is the end of the ring.)",
    "FlowOrQpsEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    BETWEEN,
    just_behind_is_accepted,
    (topics_are_included, lies_between, differ),
    expected=REFUTED,
)

FLOW_DUPLICATES = Lemma(
    "flow-split-two-accepted-always",
    "flow_or_qps_equally_divide: two boundaries that follow each other are accepted if one of them is between different"
    " hashes. (Of two topics with one hash and one with the next, both are that next hash.)",
    "FlowOrQpsEquallyDivideBundleSplitAlgorithm",  # policies.2.1
    TWICE,
    boundaries_are_accepted,
    (*_FLOW, last_two_differ),
    expected=REFUTED,
)


# ---- specified_positions_divide ----


def positions_are_kept(bundle: Range, one: int, other: int) -> bool:
    """In order, and of those inside the bundle."""
    return bundle.low < one <= other < bundle.high


def positions_differ(one: int, other: int) -> bool:
    return one != other


def positions_are_accepted(bundle: Range, one: int, other: int) -> bool:
    return accepts_two(bundle, one, other)


def follow_in_bundle(bundle: Range, one: int, other: int) -> bool:
    """Two that follow each other of: the lower end, the positions in order, the upper end."""
    return bundle.low <= one <= other <= bundle.high


def child_is_constructible(one: int, other: int) -> bool:
    return is_constructible(Range(one, other))


def lay_below(bundle: Range, point: int, end: int) -> int:
    """Return in how many children up to a boundary a hash should lie: in one if it is the bundle's and below it."""
    return 1 if includes(bundle, point) and includes(Range(0, end), point) else 0


def was_so_below(bundle: Range, one: int, below: int, point: int) -> bool:
    return below == lay_below(bundle, point, one)


def is_so_below(bundle: Range, one: int, other: int, below: int, point: int) -> bool:
    """It is so up to the child's upper end; at that of the bundle, each of its hashes lies in one. It is not empty."""
    all_told = (
        lay_below(bundle, point, bundle.high) == times(bundle, point) and lay_below(bundle, point, bundle.low) == 0
    )
    here = times(Range(one, other), point)
    return all_told and below + here == lay_below(bundle, point, other) and not is_empty(Range(one, other))


POSITIONS_TILE = Lemma(
    "positions-split-tiles",
    "specified_positions_divide: if its boundaries, however many, are accepted, the children tile the bundle and none"
    " is empty; by induction over the boundaries.",
    "SpecifiedPositionsBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    {**POSITIONS, "below": TIMES, "point": HASH},
    is_so_below,
    (begins_before_it_ends, follow_in_bundle, child_is_constructible, was_so_below),
    mutant=Mutant(
        "without the constructor, which refuses an empty range",
        is_so_below,
        (begins_before_it_ends, follow_in_bundle, was_so_below),
    ),
)

POSITIONS_ACCEPTED, POSITIONS_ACCEPTED_ALWAYS = guarded(
    Lemma(
        "positions-split-accepted",
        "specified_positions_divide: two positions that follow each other are accepted if they differ.",
        "SpecifiedPositionsBundleSplitAlgorithm",  # policies.2.1
        POSITIONS,
        positions_are_accepted,
        (positions_are_kept, positions_differ),
        mutant=Mutant("even if they do not", positions_are_accepted, (positions_are_kept,)),
    ),
    "specified_positions_divide: what it keeps is accepted. (A position that is given twice is kept twice, and an empty"
    " range lies between.)",
    "SpecifiedPositionsBundleSplitAlgorithm",  # policies.2.1
    without=positions_differ,
)

FLOW_LEMMAS = (FLOW_TILES, FLOW_ACCEPTED, FLOW_ACCEPTED_ALWAYS, FLOW_ACCEPTED_END, FLOW_DUPLICATES)
POSITIONS_LEMMAS = (POSITIONS_TILE, POSITIONS_ACCEPTED, POSITIONS_ACCEPTED_ALWAYS)
MANY_SPLIT_LEMMAS = (*FLOW_LEMMAS, *POSITIONS_LEMMAS)
