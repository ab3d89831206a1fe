"""Laws of the boundaries that any split algorithm may propose."""

from itertools import pairwise
from typing import Any

from oneowner.model.balancer.splitting.split_bundles import accepts, children
from oneowner.model.balancer.splitting.split_inputs import SplitOption
from oneowner.model.kernel.decision import InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.model.pulsar.bundles import RING_END, is_empty


def proposes(option: SplitOption, answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) > 0


def proposes_for_found_topics(option: SplitOption, answer: Any) -> bool:
    """Some boundary is proposed, and no topic is at 0xffffffff, where none is ever found (last-hash-is-not-found)."""
    return proposes(option, answer) and all(topic.hash < RING_END for topic in option.topics)


def proposes_what_is_accepted(option: SplitOption, answer: Any) -> bool:
    """Some boundary is proposed, and ``splitBundles`` takes what is proposed."""
    return proposes(option, answer) and accepts(option.bundle, answer)


def parts_tile(option: SplitOption, answer: Any) -> bool:
    """The parts follow each other from end to end of the bundle, and none is empty."""
    parts = children(option.bundle, answer)
    ends = (parts[0].low, parts[-1].high) == (option.bundle.low, option.bundle.high)
    return ends and not any(map(is_empty, parts)) and all(one.high == next_.low for one, next_ in pairwise(parts))


def is_accepted(option: SplitOption, answer: Any) -> bool:
    return accepts(option.bundle, answer)


def ascends_within(option: SplitOption, answer: Any) -> bool:
    """Proposed boundaries ascend, with repetitions adjacent, from end to end of the bundle at most."""
    ordered = [option.bundle.low, *answer, option.bundle.high]
    return ordered == sorted(ordered)


def has_no_two_topics(option: SplitOption, answer: Any) -> bool:
    return len(option.topics) < 2


def proposes_nothing(option: SplitOption, answer: Any) -> bool:
    return bool(answer == ())


ACCEPTED_TILES = InputLaw(
    "accepted-boundaries-tile",
    "The parts into which accepted boundaries cut a bundle tile it, and none is empty.",
    "NamespaceBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",  # policies.2.1, policies.2.2
    proposes_what_is_accepted,
    parts_tile,
    kind=LawKind.PURPOSE,
)

PROPOSED_WITHIN = InputLaw(
    "boundaries-ascend-within-the-bundle",
    "Proposed boundaries ascend, between the ends of the bundle or at them, if no topic is at 0xffffffff. (Of two"
    " topics there, flow_or_qps_equally_divide proposes 0x100000000.)",
    "NamespaceBundleSplitAlgorithm",  # policies.2.1
    proposes_for_found_topics,
    ascends_within,
    Status.GUARDED,
    kind=LawKind.PROTOCOL,
)

ACCEPTED_ALWAYS = InputLaw(
    "proposed-boundaries-are-accepted-always",
    "What an algorithm proposes, splitBundles takes. (Each algorithm has inputs of which it does not.)",
    "NamespaceBundleSplitAlgorithm",  # policies.2.1
    proposes,
    is_accepted,
    Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)

FEW_TOPICS = InputLaw(
    "bundle-without-two-topics-stays",
    "A bundle with less than two topics is not split.",
    "NamespaceBundleSplitAlgorithm",  # policies.2.1
    has_no_two_topics,
    proposes_nothing,
    kind=LawKind.PROTOCOL,
)
