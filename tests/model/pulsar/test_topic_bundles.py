"""Topics and their bundles: hashes and boundaries against facts, the search against a count, and where it throws."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oneowner.model.pulsar.boundaries import (
    BEHIND,
    HASHES,
    find_bundle,
    found_at,
    includes,
    initial_boundaries,
    intended_bundle,
    times,
    topic_hash,
)
from oneowner.model.pulsar.bundles import RING_END, Range
from tests.model.channel.strategies import steadily
from tests.model.channel.vectors import vector

FACTS: dict[str, Any] = vector("topic-bundles.yaml")

hashes = st.integers(0, RING_END)
inner = st.lists(st.integers(1, RING_END - 1) | st.integers(1, 9), max_size=20, unique=True)
namespaces = inner.map(lambda boundaries: (0, *sorted(boundaries), RING_END))
"""The boundaries of any namespace."""
near = st.tuples(st.integers(0, 21), st.integers(-1, 1))
"""A hash at a boundary, or next to one: which, and how far from it."""
words = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=12)
topics = st.builds("{}://{}/{}/{}".format, st.sampled_from(["persistent", "non-persistent"]), words, words, words)


def bundles(namespace: tuple[int, ...]) -> list[Range]:
    return [Range(*ends) for ends in pairwise(namespace)]


def including(namespace: tuple[int, ...], point: int) -> list[int]:
    """The bundles that include a hash, each asked."""
    return [number for number, bundle in enumerate(bundles(namespace)) if includes(bundle, point)]


@pytest.mark.parametrize("topic", FACTS["hashes"])
def test_hash_of_a_topic_is_the_fact(topic: str) -> None:
    assert topic_hash(topic) == FACTS["hashes"][topic]


@pytest.mark.parametrize("count", FACTS["boundaries"])
def test_initial_boundaries_are_the_facts(count: int) -> None:
    assert list(initial_boundaries(count)) == FACTS["boundaries"][count]


def test_initial_boundaries_of_twenty_bundles_are_the_facts() -> None:
    found = initial_boundaries(20)
    assert len(found) == 21
    assert {number: found[number] for number in FACTS["of-twenty"]} == FACTS["of-twenty"]


@steadily
@given(st.integers(1, 2_000))
def test_initial_bundles_have_one_size_but_the_last_which_takes_the_rest(count: int) -> None:
    found = initial_boundaries(count)
    sizes = [bundle.high - bundle.low for bundle in bundles(found)]
    assert (found[0], found[-1], len(found)) == (0, RING_END, count + 1)
    assert set(sizes[:-1]) <= {HASHES // count}
    assert sizes[-1] + 1 == HASHES // count + HASHES % count


@pytest.mark.parametrize("topic", FACTS["never-found"])
@pytest.mark.parametrize("count", [1, 4])
def test_topic_at_the_last_hash_is_never_found_although_the_last_bundle_includes_it(topic: str, count: int) -> None:
    namespace = initial_boundaries(count)
    assert topic_hash(topic) == RING_END
    assert including(namespace, topic_hash(topic)) == [count - 1]
    assert find_bundle(namespace, count, topic_hash(topic)) == BEHIND
    assert intended_bundle(namespace, count, topic_hash(topic)) == count - 1


@steadily
@given(namespaces, hashes)
@example((0, RING_END), RING_END)
@example((0, RING_END - 1, RING_END), RING_END - 1)
def test_search_finds_the_bundle_that_includes_the_hash(namespace: tuple[int, ...], point: int) -> None:
    last = len(namespace) - 1
    assert including(namespace, point) == [intended_bundle(namespace, last, point)]
    assert find_bundle(namespace, last, point) == (BEHIND if point == RING_END else including(namespace, point)[0])
    assert found_at(namespace, last, point) == sum(boundary <= point for boundary in namespace) - 1


@steadily
@given(namespaces, near)
def test_search_is_right_at_every_boundary_and_next_to_it(namespace: tuple[int, ...], at: tuple[int, int]) -> None:
    number, off = at
    point = min(max(namespace[number % len(namespace)] + off, 0), RING_END)
    assert including(namespace, point) == [intended_bundle(namespace, len(namespace) - 1, point)]


@steadily
@given(st.integers(1, 300), topics)
def test_topic_lies_in_one_bundle_of_its_namespace(count: int, topic: str) -> None:
    namespace = initial_boundaries(count)
    point = topic_hash(topic)
    assert 0 <= point <= RING_END
    assert sum(times(bundle, point) for bundle in bundles(namespace)) == 1
    assert including(namespace, point) == [min(point // (HASHES // count), count - 1)]


@steadily
@given(topics)
def test_partitions_of_a_topic_have_different_hashes(topic: str) -> None:
    """CRC-32 distinguishes any texts that differ within four bytes in a row."""
    assert len({topic_hash(f"{topic}-partition-{number}") for number in range(10)}) == 10
