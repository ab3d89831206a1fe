"""Lemmas of splits: z3's verdicts, their words against whole splits, and every witness as a running example."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.prove.proof import Proven, prove
from oneowner.model.balancer.splitting.split_algorithms import (
    Limits,
    Topic,
    flow_or_qps_equally_divide,
    middle,
    range_equally_divide,
    specified_positions_divide,
    topic_count_equally_divide,
)
from oneowner.model.balancer.splitting.split_bundles import accepts, children
from oneowner.model.pulsar.bundles import RING_END, Range, split, tiles
from oneowner.spec.balancer.splitting.concurrent_split_lemmas import CONCURRENT_SPLIT_LEMMAS
from oneowner.spec.balancer.splitting.many_split_lemmas import MANY_SPLIT_LEMMAS, accepts_two
from oneowner.spec.balancer.splitting.split_bundles import SPLIT_BUNDLES
from oneowner.spec.balancer.splitting.split_lemmas import SPLIT_LEMMAS, accepts_one, cut_in_two
from tests.model.channel.strategies import steadily
from tests.spec.balancer.test_ring_lemmas import PATIENCE

LEMMAS = (*SPLIT_LEMMAS, *MANY_SPLIT_LEMMAS, *CONCURRENT_SPLIT_LEMMAS)
EAGER = Limits(rate=0, throughput=0)
"""A boundary before every topic but the first."""

points = st.integers(0, 12)
ranges = st.builds(Range, points, points) | st.integers(0, 9).map(lambda width: Range(RING_END - width, RING_END))


@cache
def proven(name: str) -> Proven:
    (lemma,) = (lemma for lemma in LEMMAS if lemma.name == name)
    return prove(replace(lemma, seconds=PATIENCE), SPLIT_BUNDLES)


def witness(name: str) -> Mapping[str, Any]:
    found = proven(name).witness
    assert found is not None
    return found


@steadily
@given(ranges, points | st.integers(RING_END - 9, RING_END), points)
def test_words_of_the_lemmas_are_those_of_the_model(bundle: Range, one: int, wide: int) -> None:
    other = one + wide
    assert accepts_one(bundle, one) == accepts(bundle, [one])
    assert accepts_two(bundle, one, other) == accepts(bundle, [one, other])
    tiled = tiles(bundle, *split(bundle, one))
    assert tiled == all(cut_in_two(bundle, one, point) for point in (bundle.low, one - 1, one, bundle.high - 1))


def test_half_of_a_bundle_of_one_hash_is_refused() -> None:
    found = witness("range-split-accepted-always")
    assert range_equally_divide(found["bundle"]) == (found["found"],)
    assert not accepts(found["bundle"], [found["found"]])


def test_boundary_at_the_first_hash_is_refused() -> None:
    found = witness("topic-count-split-accepted-always")
    assert found["low"] == found["bundle"].low == found["high"] - 1
    assert topic_count_equally_divide([found["low"], found["high"]]) == (found["found"],)
    assert not accepts(found["bundle"], [found["found"]])


def test_neighbours_lie_on_one_side_of_the_boundary() -> None:
    found = witness("topic-count-split-parts-topics-always")
    (boundary,) = topic_count_equally_divide([found["low"], found["high"]])
    assert accepts(found["bundle"], [boundary])
    assert boundary == found["low"] < found["high"]


def test_topics_with_one_hash_are_refused_in_the_second_round() -> None:
    found = witness("topic-count-split-second-round-always")
    (boundary,) = topic_count_equally_divide([found["low"], found["high"]])
    assert accepts(found["bundle"], [boundary])
    child = children(found["bundle"], [boundary])[1]
    assert topic_count_equally_divide([found["low"], found["high"]]) == (child.low,)


def proposed_by_load(*hashes: int) -> tuple[int, ...]:
    return flow_or_qps_equally_divide([Topic(point, 1) for point in hashes], EAGER)


def test_boundary_behind_the_last_hash_is_refused() -> None:
    found = witness("flow-split-accepted-always")
    assert found["low"] == found["high"] == found["bundle"].high - 1
    assert proposed_by_load(found["bundle"].low, found["low"], found["high"])[-1] == found["bundle"].high
    end = witness("flow-split-accepted-at-end-always")
    assert (end["high"], end["bundle"].high) == (RING_END, RING_END)
    assert proposed_by_load(end["low"], end["high"]) == (RING_END,)
    assert not accepts(end["bundle"], [RING_END])


def test_boundary_that_two_loads_are_given_is_refused() -> None:
    found = witness("flow-split-two-accepted-always")
    assert found["low"] == found["high"] == found["third"] == found["fourth"] - 1
    proposed = proposed_by_load(found["low"], found["high"], found["fourth"])
    assert proposed == (found["fourth"], found["fourth"])
    assert not accepts(found["bundle"], proposed)


def test_position_given_twice_is_refused() -> None:
    found = witness("positions-split-accepted-always")
    proposed = specified_positions_divide(found["bundle"], 2, [found["one"], found["other"]])
    assert isinstance(proposed, tuple)
    assert proposed == (found["one"], found["one"])
    assert not accepts(found["bundle"], proposed)


def test_boundary_that_is_lost_was_acknowledged_after_the_last_writer_had_read() -> None:
    found = witness("acknowledged-boundary-stays-always")
    assert found["acknowledged"]
    assert found["held"].has_boundary
    assert not found["cached"].has_boundary
    assert found["cached"].version < found["held"].version


@steadily
@given(ranges.filter(lambda bundle: bundle.low < bundle.high), points, points)
def test_boundary_of_two_topics_is_refused_where_the_lemma_says(bundle: Range, first: int, more: int) -> None:
    width = bundle.high - bundle.low
    low, high = sorted((bundle.low + first % width, bundle.low + more % width))
    assert topic_count_equally_divide([low, high]) == (middle(low, high),)
    refused = low == bundle.low and high <= bundle.low + 1
    assert accepts(bundle, topic_count_equally_divide([low, high])) == (not refused)
