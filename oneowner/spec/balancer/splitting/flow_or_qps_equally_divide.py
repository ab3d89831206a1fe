"""``FLOW_OR_QPS_EQUALLY_DIVIDE`` judges where that algorithm splits a bundle."""

from collections.abc import Sequence
from itertools import pairwise

from oneowner.model.balancer.splitting.split_algorithms import Limits, Topic
from oneowner.model.balancer.splitting.split_bundles import accepts
from oneowner.model.balancer.splitting.split_inputs import LoadSizes, SplitOption, by_load, read_option, with_loads
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind
from oneowner.model.pulsar.bundles import RING_END
from oneowner.spec.balancer.splitting.boundary_laws import (
    ACCEPTED_ALWAYS,
    ACCEPTED_TILES,
    FEW_TOPICS,
    PROPOSED_WITHIN,
    proposes,
    proposes_nothing,
)
from oneowner.spec.balancer.splitting.many_split_lemmas import FLOW_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def loaded(option: SplitOption) -> list[Topic]:
    """Return the topics that have a load, by their hashes."""
    return sorted((topic for topic in option.topics if topic.rate or topic.throughput), key=lambda topic: topic.hash)


def exceed(topics: Sequence[Topic], limits: Limits, percentage: int = 0) -> bool:
    """Return whether the topics together carry more than a bundle should, or so much percent more, or just that."""
    rate, throughput = sum(topic.rate for topic in topics), sum(topic.throughput for topic in topics)
    if not percentage:
        return rate > limits.rate or throughput > limits.throughput
    tolerated = 100 + percentage
    return 100 * rate >= tolerated * limits.rate or 100 * throughput >= tolerated * limits.throughput


def have_different_hashes(option: SplitOption) -> bool:
    hashes = [topic.hash for topic in loaded(option)]
    return len(set(hashes)) == len(hashes)


def parts_of(option: SplitOption, boundaries: tuple[int, ...]) -> list[list[Topic]]:
    """Return the loaded topics between the boundaries."""
    ends = [0, *boundaries, RING_END + 1]
    return [[topic for topic in loaded(option) if low <= topic.hash < high] for low, high in pairwise(ends)]


def cuts_different_hashes(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return proposes(option, boundaries) and have_different_hashes(option)


def parts_fit(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """No part carries more than a bundle should, unless a single topic does."""
    return not any(len(part) != 1 and exceed(part, option.limits) for part in parts_of(option, boundaries))


def parts_are_full(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """No part is empty, nor could it carry the next part's first topic, too."""
    parts = parts_of(option, boundaries)
    return all(parts) and all(exceed([*one, other[0]], option.limits) for one, other in pairwise(parts))


def is_light(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return len(option.topics) > 1 and not exceed(loaded(option), option.limits, option.limits.percentage)


def is_heavy(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """Two topics of different hashes, or more, carry as much more than a bundle should as it takes."""
    several = len({topic.hash for topic in loaded(option)}) > 1
    return several and have_different_hashes(option) and exceed(loaded(option), option.limits, option.limits.percentage)


def is_cut(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return len(boundaries) > 0


def cuts_different_hashes_that_are_found(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """None of them at 0xffffffff, where a topic is never found (last-hash-is-not-found)."""
    return cuts_different_hashes(option, boundaries) and all(topic.hash < RING_END for topic in option.topics[-1:])


def is_accepted(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return accepts(option.bundle, boundaries)


FLOW_OR_QPS_EQUALLY_DIVIDE = Decision(
    "balancer/flow-or-qps-equally-divide",
    "Where a bundle is split by the load of its topics (FlowOrQpsEquallyDivideBundleSplitAlgorithm)",
    LoadSizes,
    with_loads,
    by_load,
    (
        InputLaw("parts-fit", "If no two topics share a hash, no part carries more than a bundle should, unless a"
                 " single topic does.", "FlowOrQpsEquallyDivideBundleSplitAlgorithm,"
                 " FlowOrQpsEquallyDivideBundleSplitAlgorithmTest", cuts_different_hashes, parts_fit,
                 kind=LawKind.PROTOCOL),
        InputLaw("parts-are-full", "If no two topics share a hash, every part has topics, and could not carry the next"
                 " one as well.", "FlowOrQpsEquallyDivideBundleSplitAlgorithm", cuts_different_hashes, parts_are_full,
                 kind=LawKind.PROTOCOL),
        InputLaw("light-bundle-stays", "A bundle is not split whose load exceeds neither limit by the percentage.",
                 "FlowOrQpsEquallyDivideBundleSplitOption.flowOrQpsDifferenceThresholdPercentage", is_light,
                 proposes_nothing, kind=LawKind.PROTOCOL),
        InputLaw("heavy-bundle-is-cut", "A boundary is proposed if topics of different hashes together exceed a limit"
                 " by the percentage.", "FlowOrQpsEquallyDivideBundleSplitAlgorithm", is_heavy, is_cut,
                 kind=LawKind.PROTOCOL),
        InputLaw("different-loads-are-accepted", "What is proposed is accepted if no two topics share a hash, and none"
                 " is at 0xffffffff.", "FlowOrQpsEquallyDivideBundleSplitAlgorithm",
                 cuts_different_hashes_that_are_found, is_accepted, kind=LawKind.PROTOCOL),
        FEW_TOPICS,
        ACCEPTED_TILES,
        PROPOSED_WITHIN,
        ACCEPTED_ALWAYS,
    ),
    read_option,
    FLOW_LEMMAS,
    MODULES,
)  # fmt: skip
