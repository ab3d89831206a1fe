"""Lemmas of the ring: z3's verdicts, and their words against plain numbers."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from oneowner.checkers.engines.prove.proof import Proven, prove
from oneowner.model.pulsar.boundaries import (
    BEHIND,
    HASHES,
    boundary,
    divides_ring,
    find_bundle,
    initial_boundaries,
    initial_bundle,
    times,
    topic_hash,
)
from oneowner.model.pulsar.bundles import RING_END, Range, is_empty
from oneowner.spec.balancer.splitting.find_bundle import FIND_BUNDLE
from oneowner.spec.balancer.splitting.ring_lemmas import LAST, RING_LEMMAS, increases, lay_before
from tests.model.channel.strategies import steadily

PATIENCE = 300
"""Seconds for z3 on a machine that has other work; it needs less than one of its own."""


@cache
def proven(name: str) -> Proven:
    (lemma,) = (lemma for lemma in RING_LEMMAS if lemma.name == name)
    return prove(replace(lemma, seconds=PATIENCE), FIND_BUNDLE)


def test_as_many_bundles_as_hashes_leave_the_last_one_empty() -> None:
    witness = proven("initial-boundaries-increase-always").witness
    assert witness is not None
    assert witness == {"count": 2**32, "segment": 1, "number": 2**32 - 1}
    assert is_empty(initial_bundle(witness["number"], witness["count"], witness["segment"]))


def test_hash_that_the_published_search_does_not_find_is_that_of_two_topics() -> None:
    witness = proven("search-finds-bundle-always").witness
    assert witness is not None
    assert find_bundle(witness["boundaries"], LAST, witness["point"]) == BEHIND
    for topic in ("persistent://public/default/xa-PeL5", "persistent://public/default/xmr9f-b"):
        assert topic_hash(topic) == witness["point"] == 0xFFFFFFFF


@steadily
@given(st.integers(1, HASHES), st.integers(-2, 2))
def test_segment_is_the_quotient_and_no_other(count: int, off: int) -> None:
    assert divides_ring(count, HASHES // count + off) == (off == 0)


@steadily
@given(st.integers(1, 500))
def test_boundaries_by_number_are_those_of_the_list_and_increase(count: int) -> None:
    found = initial_boundaries(count)
    assert [boundary(number, count, HASHES // count) for number in range(count + 1)] == list(found)
    assert all(increases(count, HASHES // count, number) for number in range(count))
    assert all(initial_bundle(n, count, HASHES // count) == Range(found[n], found[n + 1]) for n in range(count))


@steadily
@given(st.integers(1, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_boundaries_of_very_many_bundles_increase(count: int, number: int) -> None:
    assume(number < count)
    assert increases(count, HASHES // count, number)


@steadily
@given(
    st.lists(st.integers(1, RING_END - 1) | st.integers(1, 9), max_size=12, unique=True),
    st.integers(0, RING_END) | st.integers(0, 9),
)
def test_induction_over_the_boundaries_counts_bundles(inner: list[int], point: int) -> None:
    namespace, count = [0, *sorted(inner), RING_END], 0
    for low, high in pairwise(namespace):
        assert count == lay_before(point, low)
        count += times(Range(low, high), point)
    assert count == lay_before(point, RING_END) == 1
