"""
Split algorithms propose the boundaries at which a bundle is split.

An algorithm proposes boundaries inside one bundle; none means: do not split. Published boundaries are kept as they are,
with its edge cases; the middle of two hashes can be traced. Source: policies.2.1 (master of April 2025).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from oneowner.model.balancer.splitting.split_bundles import lie_inside
from oneowner.model.java.arithmetic import added
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.bundles import Range

__traced__ = False  # functions of whole bundles and their topics, concrete


class Topic(NamedTuple):
    """A topic of the bundle with its load: messages and bytes a second, in and out together."""

    hash: int
    rate: float = 0
    throughput: float = 0


class Limits(NamedTuple):
    """
    The load that a bundle should carry at most (broker.conf).

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
    """Return whether *found* is half way between two hashes, rounded down, as a tracer sees ``middle``."""
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


def specified_positions_divide(parent: Range, topics: int, positions: Sequence[int]) -> tuple[int, ...] | Thrown:
    """
    Propose those of the operator's positions that lie inside the range, in order; a repeated one is repeated.

    *topics* is their number. policies.2.1, SpecifiedPositionsBundleSplitAlgorithm.

    >>> specified_positions_divide(Range(0, 16), 2, [16, 4, 12, 0])
    (4, 12)
    """
    if not positions:
        return Thrown("IllegalArgumentException", "positions refused: none; there must be one at least")
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
    """Return whether the topics together carry as much more than a bundle should as it takes to split it."""
    rate, throughput = added(topic.rate for topic in topics), added(topic.throughput for topic in topics)
    tolerated = 1 + limits.percentage / 100
    return rate >= limits.rate * tolerated or throughput >= limits.throughput * tolerated
