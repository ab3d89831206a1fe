"""
Where a bundle is split: what each algorithm proposes, and what ``splitBundles`` makes of it.

An algorithm proposes boundaries inside one bundle; none means: do not split. ``splitBundles`` puts them between those
of the namespace, or refuses them. What is published is kept as it is, with its edge cases; what is accepted, and the
middle of two hashes, can be traced. Sources: policies.2.1 and 2.2 (master of April 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from oneowner.model.channel.boundaries import times
from oneowner.model.channel.bundles import Range, is_empty

__traced__ = False  # functions of whole bundles and their topics, concrete


class Topic(NamedTuple):
    """A topic of the bundle with its load: messages and bytes a second, in and out together."""

    hash: int
    rate: float = 0
    throughput: float = 0


class Limits(NamedTuple):
    """
    How much a bundle should carry at most (broker.conf).

    ``loadBalancerNamespaceBundleMaxMsgRate``, ``...MaxBandwidthMbytes`` in bytes, and by how many percent it must carry
    more to be split, ``flowOrQpsDifferenceThresholdPercentage``.
    """

    rate: int = 30_000
    throughput: int = 100 * 2**20
    percentage: int = 10


# ---- what the algorithms compute ----


def middle(low: int, high: int) -> int:
    """Return the hash half way between two, rounded down."""
    return low + (high - low) // 2


def is_middle(found: int, low: int, high: int) -> bool:
    """Say whether *found* is half way between two hashes, rounded down: what a tracer sees of ``middle``."""
    return 2 * (found - low) <= high - low and high - low < 2 * (found - low) + 2


def range_equally_divide(parent: Range) -> tuple[int, ...]:
    """
    Propose the middle of the range.

    policies.2.1, RangeEquallyDivideBundleSplitAlgorithm.

    >>> range_equally_divide(Range(0, 16)), range_equally_divide(Range(5, 6))
    ((8,), (5,))
    """
    return (middle(parent.low, parent.high),)


def topic_count_equally_divide(hashes: Sequence[int]) -> tuple[int, ...]:
    """
    Propose the middle between the two middle topics; *hashes* are those of the bundle's topics.

    policies.2.1, TopicCountEquallyDivideBundleSplitAlgorithm.

    >>> topic_count_equally_divide([40, 10, 20, 30]), topic_count_equally_divide([10])
    ((25,), ())
    """
    if len(hashes) < 2:
        return ()
    ordered = sorted(hashes)
    half = len(ordered) // 2
    return (middle(ordered[max(half - 1, 0)], ordered[half]),)


def specified_positions_divide(parent: Range, topics: int, positions: Sequence[int]) -> tuple[int, ...]:
    """
    Propose those of the operator's positions that lie inside the range, in order; a repeated one is repeated.

    *topics* is their number. Without any position it raises ValueError, as upstream throws
    ``IllegalArgumentException``. policies.2.1, SpecifiedPositionsBundleSplitAlgorithm.

    >>> specified_positions_divide(Range(0, 16), 2, [16, 4, 12, 0])
    (4, 12)
    """
    if not positions:
        raise ValueError("positions refused: none; there must be one at least")
    if topics < 2:
        return ()
    return tuple(position for position in sorted(positions) if lie_inside(parent, position, position))


def flow_or_qps_equally_divide(topics: Sequence[Topic], limits: Limits) -> tuple[int, ...]:
    """
    Propose a boundary wherever the topics up to there carry as much as a bundle should.

    Of topics that share a hash, the load of the last one counts for each. policies.2.1,
    FlowOrQpsEquallyDivideBundleSplitAlgorithm.

    >>> flow_or_qps_equally_divide([Topic(10, 6), Topic(20, 6), Topic(30, 6)], Limits(rate=9))
    (16, 26)
    """
    loaded = [topic for topic in topics if topic.rate > 0 or topic.throughput > 0]
    load = {topic.hash: topic for topic in loaded}
    if len(topics) < 2 or len(load) < 2 or not _exceed(loaded, limits):
        return ()
    ordered = sorted(topic.hash for topic in loaded)
    proposed = []
    rate, throughput = load[ordered[0]].rate, load[ordered[0]].throughput
    for before, here in pairwise(ordered):
        rate, throughput = rate + load[here].rate, throughput + load[here].throughput
        if rate > limits.rate or throughput > limits.throughput:
            proposed.append(middle(before, here) + 1)
            rate, throughput = load[here].rate, load[here].throughput
    return tuple(proposed)


def _exceed(topics: Sequence[Topic], limits: Limits) -> bool:
    """Say whether the topics together carry as much more than a bundle should as it takes to split it."""
    rate, throughput = sum(topic.rate for topic in topics), sum(topic.throughput for topic in topics)
    tolerated = 1 + limits.percentage / 100
    return rate >= limits.rate * tolerated or throughput >= limits.throughput * tolerated


# ---- what splitBundles accepts ----


def can_split(parent: Range) -> bool:
    """Say whether the bundle is wide enough: by its ends, so the last bundle counts without its last hash."""
    return parent.high - parent.low > 1


def lie_inside(parent: Range, first: int, last: int) -> bool:
    """Say whether the lowest and the highest boundary lie inside the bundle, strictly."""
    return parent.low < first and last < parent.high


def is_constructible(child: Range) -> bool:
    """Say whether the constructor of ``NamespaceBundle`` takes the range: an empty one it refuses (policies.1.2)."""
    return not is_empty(child)


def children(parent: Range, boundaries: Sequence[int]) -> tuple[Range, ...]:
    """
    Return the parts into which the boundaries cut a bundle.

    >>> children(Range(0, 16), [4, 12])
    (0x00000000_0x00000004, 0x00000004_0x0000000c, 0x0000000c_0x00000010)
    """
    return tuple(Range(low, high) for low, high in pairwise([parent.low, *sorted(boundaries), parent.high]))


def accepts(parent: Range, boundaries: Sequence[int]) -> bool:
    """
    Say whether ``splitBundles`` takes one or more boundaries for a bundle of the namespace.

    policies.2.2, NamespaceBundleFactory.splitBundles with the constructors that it calls.

    >>> accepts(Range(0, 16), [4, 12]), accepts(Range(0, 16), [4, 4]), accepts(Range(0, 16), [0])
    (True, False, False)
    """
    if not can_split(parent) or not lie_inside(parent, min(boundaries), max(boundaries)):
        return False
    return all(is_constructible(child) for child in children(parent, boundaries))


def split_bundles(namespace: Sequence[int], parent: Range, boundaries: Sequence[int]) -> tuple[int, ...] | None:
    """
    Return the namespace's boundaries with the new ones among them; None if *parent* is no bundle of it.

    Raise ValueError for boundaries that it does not take. policies.2.2, NamespaceBundleFactory.splitBundles.

    >>> split_bundles((0, 8, 16), Range(8, 16), [12]), split_bundles((0, 8, 16), Range(0, 16), [12])
    ((0, 8, 12, 16), None)
    """
    if not accepts(parent, boundaries):
        raise ValueError(f"boundaries refused: {list(boundaries)}; they lie inside {parent!r}, pairwise different")
    if parent not in [Range(low, high) for low, high in pairwise(namespace)]:
        return None
    return tuple(sorted([*namespace, *boundaries]))


# ---- what becomes of it in the metadata store ----


class Policies(NamedTuple):
    """The local policies of a namespace, as far as one boundary and one hash go."""

    version: int
    has_boundary: bool
    """Whether that one is among its boundaries."""
    bundles: int
    """How many of its bundles include the hash."""


def with_split(cached: Policies, parent: Range, boundary: int, watched: int, point: int) -> Policies:
    """
    Return what a split writes: the policies that the broker has cached, with one boundary more.

    *watched* is the boundary that ``has_boundary`` is about, *point* the hash of ``bundles``.
    """
    low, high = Range(parent.low, boundary), Range(boundary, parent.high)
    bundles = cached.bundles - times(parent, point) + times(low, point) + times(high, point)
    return Policies(cached.version, cached.has_boundary or boundary == watched, bundles)


def is_current(held: Policies, written: Policies) -> bool:
    """Say whether the metadata store takes a write by compare-and-set: nothing was written since it was read."""
    return written.version == held.version


def after_write(held: Policies, written: Policies) -> Policies:
    """Return what the metadata store holds after a write, whatever it held."""
    return Policies(held.version + 1, written.has_boundary, written.bundles)
