"""Inputs of a split algorithm hold, as upstream's ``BundleSplitOption``, a bundle, its topics, positions, limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from oneowner.model.balancer.splitting.split_algorithms import (
    Limits,
    Topic,
    flow_or_qps_equally_divide,
    range_equally_divide,
    specified_positions_divide,
    topic_count_equally_divide,
)
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose, Thrown
from oneowner.model.pulsar.boundaries import topic_hash
from oneowner.model.pulsar.bundles import RING_END, Range


@dataclass(frozen=True, slots=True)
class BundleSizes(Bounds):
    """The size of a bundle."""

    hashes: int = size(6, "how many hashes a bundle has at most", least=1)


@dataclass(frozen=True, slots=True)
class PositionSizes(BundleSizes):
    """The size of a bundle, and of an operator's request."""

    positions: int = size(3, "how many positions an operator gives at most")


@dataclass(frozen=True, slots=True)
class TopicSizes(BundleSizes):
    """The size of a bundle, and of its topics."""

    topics: int = size(4, "how many topics a bundle holds at most")


@dataclass(frozen=True, slots=True)
class LoadSizes(TopicSizes):
    """The same with loads, of which there are many, so that bundles are smaller."""

    hashes: int = size(3, "how many hashes a bundle has at most", least=1)
    topics: int = size(3, "how many topics a bundle holds at most")
    rate: int = size(2, "how many messages a second a topic has at most, and a bundle should have at most", least=1)
    throughput: int = size(1, "how many bytes a second a topic has at most, and a bundle should have", least=1)


class SplitOption(NamedTuple):
    """All that an algorithm may look at."""

    bundle: Range
    topics: tuple[Topic, ...] = ()
    positions: tuple[int, ...] = ()
    """The operator's."""
    limits: Limits = Limits()


# ---- all inputs ----


def some_bundle(choose: Choose, sizes: BundleSizes) -> SplitOption:
    """Return a bundle that begins at 0 or 1, or that ends the ring, and is closed."""
    width = choose(1, min(sizes.hashes, RING_END))
    lows = [low for low in (0, 1) if low < RING_END - width] + [RING_END - width]
    low = lows[choose(0, len(lows) - 1)]
    return SplitOption(Range(low, low + width))


def with_topics(choose: Choose, sizes: TopicSizes) -> SplitOption:
    """Return a bundle with topics, in the order of their hashes."""
    option = some_bundle(choose, sizes)
    here, topics = option.bundle.low, list[Topic]()
    for _ in range(choose(0, sizes.topics)):
        here = choose(here, last_hash(option.bundle))
        topics.append(Topic(here))
    return option._replace(topics=tuple(topics))


def with_loads(choose: Choose, sizes: LoadSizes) -> SplitOption:
    """Return a bundle with topics that have loads, and limits."""
    option = with_topics(choose, sizes)
    loads = [Topic(topic.hash, choose(0, sizes.rate), choose(0, sizes.throughput)) for topic in option.topics]
    return option._replace(topics=tuple(loads), limits=Limits(choose(1, sizes.rate), sizes.throughput))


def with_positions(choose: Choose, sizes: PositionSizes) -> SplitOption:
    """Return a bundle with up to two topics, which are only counted, and positions in it or one beside."""
    option = some_bundle(choose, sizes)
    low, high = option.bundle
    topics = tuple(Topic(low) for _ in range(choose(0, 2)))
    here, positions = low - 1, list[int]()
    for _ in range(choose(0, sizes.positions)):
        here = choose(here, high + 1)
        positions.append(here)
    return option._replace(topics=topics, positions=tuple(positions))


def last_hash(bundle: Range) -> int:
    """Return the greatest hash that the bundle includes."""
    return bundle.high if bundle.high == RING_END else bundle.high - 1


# ---- what is decided ----


def by_range(option: SplitOption) -> tuple[int, ...]:
    """Return the boundaries that ``range_equally_divide`` proposes."""
    return range_equally_divide(option.bundle)


def by_topic_count(option: SplitOption) -> tuple[int, ...]:
    """Return the boundaries that ``topic_count_equally_divide`` proposes."""
    return topic_count_equally_divide([topic.hash for topic in option.topics])


def by_positions(option: SplitOption) -> tuple[int, ...] | Thrown:
    """Return the boundaries that ``specified_positions_divide`` proposes."""
    return specified_positions_divide(option.bundle, len(option.topics), option.positions)


def by_load(option: SplitOption) -> tuple[int, ...]:
    """Return the boundaries that ``flow_or_qps_equally_divide`` proposes."""
    return flow_or_qps_equally_divide(option.topics, option.limits)


# ---- inputs from facts ----


def read_option(row: Mapping[str, Any]) -> SplitOption:
    """
    Return the input that a fact gives as ``bundle``, ``topics``, ``positions``, ``limits``, as far as it has them.

    A topic is a name, or a list of its name, messages and bytes a second; limits are a list as in ``Limits``.
    """
    topics = [[topic] if isinstance(topic, str) else topic for topic in row.get("topics", ())]
    return SplitOption(
        bundle=Range(*row.get("bundle", (0, RING_END))),
        topics=tuple(Topic(topic_hash(name), *load) for name, *load in topics),
        positions=tuple(row.get("positions", ())),
        limits=Limits(*row.get("limits", ())),
    )
