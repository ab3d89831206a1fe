"""The bundle of each topic, and the spread of topics over bundles."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from oneowner.checkers.topics.topic_names import ListedTopic
from oneowner.model.pulsar.boundaries import BEHIND, find_bundle, initial_boundaries, intended_bundle, topic_hash
from oneowner.model.pulsar.bundles import Range

TRIED: Final = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)
"""Numbers of bundles that are compared."""


class PlacedTopic(NamedTuple):
    """A topic in its bundle."""

    topic: ListedTopic
    hash: int
    number: int
    """Of the bundle, from 0."""
    bundle: Range
    is_found: bool
    """False: Pulsar finds no bundle for the greatest hash, 0xffffffff, although the last one includes it."""


class Spread(NamedTuple):
    """The topics of a namespace over its bundles."""

    bundles: int
    counts: Mapping[int, int]
    """Topics of each bundle that has any, by the number of the bundle."""

    @property
    def used(self) -> int:
        return len(self.counts)

    @property
    def most(self) -> int:
        return max(self.counts.values(), default=0)


def placed(topic: ListedTopic, boundaries: tuple[int, ...]) -> PlacedTopic:
    """
    Return the bundle of a topic among those with these *boundaries*.

    >>> placed(ListedTopic("persistent://public/default/my-topic"), initial_boundaries(4)).bundle
    0x00000000_0x40000000
    """
    point, last = topic_hash(topic.name), len(boundaries) - 1
    number = intended_bundle(boundaries, last, point)
    is_found = find_bundle(boundaries, last, point) != BEHIND
    return PlacedTopic(topic, point, number, Range(boundaries[number], boundaries[number + 1]), is_found)


def spread(topics: Iterable[PlacedTopic], bundles: int) -> Spread:
    """Return the counts of topics by bundle."""
    return Spread(bundles, dict(sorted(Counter(one.number for one in topics).items())))


def spread_over(topics: Iterable[ListedTopic], bundles: int) -> Spread:
    """Return the spread of topics of one namespace over equal bundles."""
    boundaries = initial_boundaries(bundles)
    return spread((placed(one, boundaries) for one in topics), bundles)


def contradictions(topics: Iterable[PlacedTopic]) -> dict[int, list[str]]:
    """Return the bundles whose topics are listed at several brokers, with these: a bundle has one owner."""
    at = defaultdict[int, set[str]](set)
    for one in topics:
        if one.topic.broker:
            at[one.number].add(one.topic.broker)
    return {number: sorted(brokers) for number, brokers in sorted(at.items()) if len(brokers) > 1}


def numbers_that_fit(topics: list[ListedTopic]) -> list[int]:
    """Return the numbers of equal bundles, among those tried, in which no bundle has two of the listed brokers."""
    return [
        count for count in TRIED if not contradictions(placed(one, initial_boundaries(count)) for one in topics)
    ]  # fmt: skip
