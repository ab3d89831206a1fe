"""Splits: the algorithms' proposals and the ones accepted, against brute force."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.balancer.splitting.policies import Policies, after_write, is_current, with_split
from oneowner.model.balancer.splitting.split_algorithms import (
    Limits,
    Topic,
    flow_or_qps_equally_divide,
    is_middle,
    middle,
    range_equally_divide,
    specified_positions_divide,
    topic_count_equally_divide,
)
from oneowner.model.balancer.splitting.split_bundles import accepts, can_split, children, split_bundles
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.boundaries import includes
from oneowner.model.pulsar.bundles import RING_END, Range
from tests.model.channel.strategies import steadily

FULL = Range(0, RING_END)

TOP = 24
"""Hashes of small rings; a ring may also end with the real one, whose last bundle is closed."""
points = st.integers(0, TOP)
parents = st.tuples(points, points).filter(lambda ends: ends[0] < ends[1]).map(lambda ends: Range(*ends))
last_parents = st.integers(1, 9).map(lambda width: Range(RING_END - width, RING_END))
loads = st.lists(st.builds(Topic, points, st.integers(0, 9), st.integers(0, 9)), max_size=8)
LIMITS = Limits(rate=10, throughput=12, percentage=10)


def inside(bundle: Range) -> list[int]:
    """The hashes of a bundle, each asked."""
    span = range(max(bundle.low - 2, 0), min(bundle.high + 2, RING_END) + 1)
    return [point for point in span if includes(bundle, point)]


def cut(parent: Range, boundaries: list[int]) -> list[list[int]]:
    """The hashes of a bundle, in groups that begin at the boundaries."""
    ends = [*sorted(boundaries), RING_END + 1]
    low = [point for point in inside(parent) if point < ends[0]]
    return [low, *([h for h in inside(parent) if one <= h < other] for one, other in pairwise(ends))]


# ---- what is accepted ----


@steadily
@given(parents | last_parents, st.lists(st.integers(-2, TOP + 2), min_size=1, max_size=4))
def test_accepted_boundaries_cut_the_bundle_into_parts_of_which_none_is_empty(parent: Range, drawn: list[int]) -> None:
    offset = parent.high - TOP if parent.high == RING_END else 0
    boundaries = [boundary + offset for boundary in drawn]
    groups = cut(parent, boundaries)
    strictly = all(parent.low < boundary < parent.high for boundary in boundaries)
    assert accepts(parent, boundaries) == (strictly and all(groups))
    if accepts(parent, boundaries):
        assert [inside(child) for child in children(parent, boundaries)] == groups


@pytest.mark.parametrize(
    ("parent", "wide"), [(Range(4, 5), False), (Range(4, 6), True), (Range(RING_END - 1, RING_END), False)]
)
def test_bundle_of_one_hash_or_the_last_of_two_cannot_be_split(parent: Range, wide: bool) -> None:
    assert can_split(parent) == wide


def test_full_bundle_is_split_as_upstream_splits_it() -> None:
    """policies.2.2: NamespaceBundlesTest."""
    namespace: tuple[int, ...] = (0, RING_END)
    for _ in range(3):
        for parent in [Range(*ends) for ends in pairwise(namespace)]:
            found = split_bundles(namespace, parent, range_equally_divide(parent))
            assert isinstance(found, tuple)
            namespace = found
    assert [f"{boundary:08x}" for boundary in namespace] == [
        "00000000", "1fffffff", "3fffffff", "5fffffff", "7fffffff", "9fffffff", "bfffffff", "dfffffff", "ffffffff",
    ]  # fmt: skip


def test_split_of_what_is_no_bundle_is_none_and_boundaries_that_do_not_fit_are_refused() -> None:
    assert split_bundles((0, 8, 16), Range(0, 16), [4]) is None
    refused = split_bundles((0, 8, 16), Range(0, 8), [8])
    assert isinstance(refused, Thrown)
    assert refused.exception == "IllegalArgumentException"
    assert refused.why.startswith("boundaries refused: [8]; they lie inside 0x00000000_0x00000008")


@steadily
@given(parents, st.lists(points, min_size=1, max_size=4))
def test_split_adds_the_boundaries_and_nothing_else(parent: Range, boundaries: list[int]) -> None:
    namespace = tuple(sorted({0, parent.low, parent.high, TOP + 1}))
    if not accepts(parent, boundaries):
        return
    found = split_bundles(namespace, parent, boundaries)
    assert isinstance(found, tuple)
    assert set(found) == {*namespace, *boundaries}
    assert list(found) == sorted(set(found))


# ---- the algorithms against brute force ----


@steadily
@given(points, points)
def test_middle_is_the_only_one_that_a_tracer_takes_for_it(low: int, wide: int) -> None:
    assert [point for point in range(-2, 3 * TOP) if is_middle(point, low, low + wide)] == [middle(low, low + wide)]


@steadily
@given(parents)
def test_range_is_halved(parent: Range) -> None:
    (boundary,) = range_equally_divide(parent)
    low, high = cut(parent, [boundary])
    assert len(high) - len(low) in (0, 1)
    assert accepts(parent, [boundary]) == (len(inside(parent)) > 1)


@steadily
@given(st.lists(points, max_size=8))
def test_topics_are_halved_by_count_unless_the_middle_ones_are_neighbours(hashes: list[int]) -> None:
    proposed = topic_count_equally_divide(hashes)
    assert bool(proposed) == (len(hashes) > 1)
    if proposed:
        (boundary,) = proposed
        ordered = sorted(hashes)
        below, upper = ordered[len(ordered) // 2 - 1], ordered[len(ordered) // 2]
        fair = [point for point in range(-1, TOP + 2) if sum(h < point for h in hashes) == len(hashes) // 2]
        assert (boundary in fair) == (upper - below > 1)
        assert below <= boundary <= upper


@steadily
@given(parents, st.integers(0, 4), st.lists(points, min_size=1, max_size=6))
def test_positions_that_lie_inside_are_proposed(parent: Range, topics: int, positions: list[int]) -> None:
    inner = [position for position in positions if position in inside(parent) and position != parent.low]
    proposed = specified_positions_divide(parent, topics, positions)
    assert isinstance(proposed, tuple)
    assert list(proposed) == (sorted(inner) if topics > 1 else [])
    if proposed:
        assert accepts(parent, proposed) == (len(set(proposed)) == len(proposed))


def test_positions_that_are_missing_are_refused() -> None:
    refused = specified_positions_divide(FULL, 2, [])
    assert isinstance(refused, Thrown)
    assert refused.why.startswith("positions refused: none")


def loads_of(ordered: list[Topic], boundaries: list[int]) -> list[list[Topic]]:
    ends = [-1, *boundaries, RING_END + 2]
    return [[t for t in ordered if one <= t.hash < other] for one, other in pairwise(ends)]


def fits(group: list[Topic]) -> bool:
    rate, throughput = sum(topic.rate for topic in group), sum(topic.throughput for topic in group)
    return rate <= LIMITS.rate and throughput <= LIMITS.throughput


@steadily
@given(loads.filter(lambda topics: len({topic.hash for topic in topics}) == len(topics)))
def test_topics_are_cut_into_groups_that_fit_and_could_not_take_one_more(topics: list[Topic]) -> None:
    """Of different hashes: groups are as long as they can be, from the lowest hash on."""
    loaded = sorted((t for t in topics if t.rate or t.throughput), key=lambda topic: topic.hash)
    whole_rate, whole_throughput = sum(t.rate for t in loaded), sum(t.throughput for t in loaded)
    proposed = list(flow_or_qps_equally_divide(topics, LIMITS))
    if len(loaded) < 2 or (10 * whole_rate < 11 * LIMITS.rate and 10 * whole_throughput < 11 * LIMITS.throughput):
        assert proposed == []
        return
    groups = loads_of(loaded, proposed)
    assert all(groups)
    assert all(fits(group) for group in groups)  # none carries too much alone: at most 9
    assert not any(fits([*one, other[0]]) for one, other in pairwise(groups))


@steadily
@given(loads)
def test_boundary_of_loads_lies_behind_one_topic_and_not_behind_the_next(topics: list[Topic]) -> None:
    loaded = sorted(topic.hash for topic in topics if topic.rate or topic.throughput)
    for boundary in flow_or_qps_equally_divide(topics, LIMITS):
        pairs = pairwise(loaded)
        assert any(one < boundary <= max(other, one + 1) for one, other in pairs)


def test_loads_that_share_the_last_hash_of_the_ring_are_proposed_a_boundary_behind_it() -> None:
    heavy = [Topic(point, LIMITS.rate) for point in (3, RING_END, RING_END)]
    assert flow_or_qps_equally_divide(heavy, LIMITS)[-1] == RING_END + 1


# ---- splits at the same time ----

NAMESPACE = (0, 0x7FFFFFFF, RING_END)


def test_last_writer_loses_the_boundary_of_the_other_and_the_ring_stays_partitioned() -> None:
    """bugs.R63: both have read the same boundaries, and write their own results."""
    first = split_bundles(NAMESPACE, Range(*NAMESPACE[:2]), [0x3FFFFFFF])
    last = split_bundles(NAMESPACE, Range(*NAMESPACE[1:]), [0xBFFFFFFF])
    assert first == (0, 0x3FFFFFFF, 0x7FFFFFFF, RING_END)
    assert last == (0, 0x7FFFFFFF, 0xBFFFFFFF, RING_END)
    assert 0x3FFFFFFF not in last
    assert list(last) == sorted(set(last))
    assert split_bundles(last, Range(0, 0x3FFFFFFF), [0x1FFFFFFF]) is None  # "Invalid upper boundary"


@steadily
@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(1, TOP - 1)), max_size=30),
    st.integers(1, TOP - 1),
    st.integers(0, TOP - 1),
    st.booleans(),
)
def test_policies_say_of_one_boundary_and_one_hash_what_whole_boundaries_say(
    steps: list[tuple[int, bool, int]], watched: int, point: int, compared: bool
) -> None:
    """Three brokers read and split; with compare-and-set nothing that was acknowledged is lost."""
    held, acknowledged = Policies(0, False, 1), set[int]()
    boundaries: tuple[int, ...] = (0, TOP)
    cached = dict.fromkeys(range(3), (held, boundaries))
    for broker, reads, boundary in steps:
        if reads:
            cached[broker] = (held, boundaries)
            continue
        policies, known = cached[broker]
        parents = [Range(*ends) for ends in pairwise(known)]
        (parent,) = (parent for parent in parents if includes(parent, boundary))
        if not accepts(parent, [boundary]):
            continue
        written = with_split(policies, parent, boundary, watched, point)
        if compared and not is_current(held, written):
            continue
        held, found = after_write(held, written), split_bundles(known, parent, [boundary])
        assert isinstance(found, tuple)
        boundaries = found
        acknowledged.add(boundary)
        assert held.has_boundary == (watched in boundaries)
        ranges = [Range(*ends) for ends in pairwise(boundaries)]
        assert held.bundles == sum(includes(bundle, point) for bundle in ranges) == 1
        assert not compared or acknowledged <= set(boundaries)
