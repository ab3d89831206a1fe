"""``TOPIC_COUNT_EQUALLY_DIVIDE`` judges where that algorithm splits a bundle."""

from oneowner.model.balancer.splitting.split_bundles import accepts
from oneowner.model.balancer.splitting.split_inputs import (
    SplitOption,
    TopicSizes,
    by_topic_count,
    read_option,
    with_topics,
)
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.model.pulsar.bundles import RING_END
from oneowner.spec.balancer.splitting.boundary_laws import (
    ACCEPTED_ALWAYS,
    ACCEPTED_TILES,
    FEW_TOPICS,
    PROPOSED_WITHIN,
    proposes_what_is_accepted,
)
from oneowner.spec.balancer.splitting.split_lemmas import COUNT_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def middle_topics(option: SplitOption) -> tuple[int, int]:
    """Return the hashes of the two topics in the middle, of an even number or the lower ones of an odd number."""
    ordered = sorted(topic.hash for topic in option.topics)
    return ordered[len(ordered) // 2 - 1], ordered[len(ordered) // 2]


def middle_topics_are_apart(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    if len(option.topics) < 2:
        return False
    lower, upper = middle_topics(option)
    return upper > lower + 1


def has_two_topics_that_are_found(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """There are two topics, and none at 0xffffffff, where a topic is never found (last-hash-is-not-found)."""
    return len(option.topics) > 1 and option.topics[-1].hash < RING_END


def half_lies_below(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """There is one boundary, and half of the topics, rounded down, lie below it."""
    if len(boundaries) != 1:
        return False
    return sum(topic.hash < boundaries[0] for topic in option.topics) == len(option.topics) // 2


def is_refused_at_low_end_alone(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """It is refused in one case: the lower topic is at the first hash of the bundle, the upper one there or next."""
    lower, upper = middle_topics(option)
    is_at_low_end = lower == option.bundle.low and upper <= option.bundle.low + 1
    return len(boundaries) == 1 and accepts(option.bundle, boundaries) != is_at_low_end


def both_parts_have_topics(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    below = sum(topic.hash < boundaries[0] for topic in option.topics)
    return 0 < below < len(option.topics)


TOPIC_COUNT_EQUALLY_DIVIDE = Decision(
    "balancer/topic-count-equally-divide",
    "Where a bundle is split by the number of its topics (TopicCountEquallyDivideBundleSplitAlgorithm)",
    TopicSizes,
    with_topics,
    by_topic_count,
    (
        InputLaw("topics-are-halved", "Of topics of which the two middle ones are two hashes apart or more, half lie"
                 " below the boundary.", "TopicCountEquallyDivideBundleSplitAlgorithm", middle_topics_are_apart,
                 half_lies_below, kind=LawKind.PROTOCOL),
        InputLaw("topic-count-is-refused-at-the-low-end-alone", "The boundary is refused in one case exactly: of the"
                 " two middle topics the lower one is at the first hash of the bundle, and the upper one there, too, or"
                 " at the next.", "TopicCountEquallyDivideBundleSplitAlgorithm", has_two_topics_that_are_found,
                 is_refused_at_low_end_alone, kind=LawKind.MIRROR),
        FEW_TOPICS,
        ACCEPTED_TILES,
        PROPOSED_WITHIN,
        ACCEPTED_ALWAYS,
        InputLaw("both-parts-have-topics-always", "After a split both parts have topics. (Of two topics that are"
                 " neighbours, or share a hash, both lie above the boundary.)",
                 "TopicCountEquallyDivideBundleSplitAlgorithm", proposes_what_is_accepted, both_parts_have_topics,
                 Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read_option,
    COUNT_LEMMAS,
    MODULES,
)  # fmt: skip
