"""``SPECIFIED_POSITIONS_DIVIDE`` judges where that algorithm splits a bundle."""

from typing import Any

from oneowner.model.balancer.splitting.split_bundles import accepts
from oneowner.model.balancer.splitting.split_inputs import (
    PositionSizes,
    SplitOption,
    by_positions,
    read_option,
    with_positions,
)
from oneowner.model.kernel.decision import Decision, InputLaw, throws
from oneowner.model.kernel.law import LawKind
from oneowner.spec.balancer.splitting.boundary_laws import (
    ACCEPTED_ALWAYS,
    ACCEPTED_TILES,
    PROPOSED_WITHIN,
    proposes_nothing,
)
from oneowner.spec.balancer.splitting.many_split_lemmas import POSITIONS_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def inner(option: SplitOption) -> list[int]:
    """Return the positions that are no end of the bundle and lie in it, in order."""
    return sorted(
        position for position in option.positions if position in range(option.bundle.low + 1, option.bundle.high)
    )


def has_positions(option: SplitOption, answer: Any) -> bool:
    return len(option.positions) > 0 and len(option.topics) > 1


def has_no_positions(option: SplitOption, answer: Any) -> bool:
    return len(option.positions) == 0


def has_positions_for_few_topics(option: SplitOption, answer: Any) -> bool:
    return len(option.positions) > 0 and len(option.topics) < 2


def inner_ones_are_kept(option: SplitOption, answer: Any) -> bool:
    return isinstance(answer, tuple) and list(answer) == inner(option)


def has_different_positions_inside(option: SplitOption, answer: Any) -> bool:
    inside = inner(option)
    return has_positions(option, answer) and len(inside) > 0 and len(set(inside)) == len(inside)


def are_accepted(option: SplitOption, answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) > 0 and accepts(option.bundle, answer)


SPECIFIED_POSITIONS_DIVIDE = Decision(
    "balancer/specified-positions-divide",
    "Where a bundle is split by an operator's positions (SpecifiedPositionsBundleSplitAlgorithm)",
    PositionSizes,
    with_positions,
    by_positions,
    (
        InputLaw("inner-positions-are-kept", "Of two topics or more, all positions inside the bundle are proposed, in"
                 " order, repeated ones repeated.", "SpecifiedPositionsBundleSplitAlgorithm", has_positions,
                 inner_ones_are_kept, kind=LawKind.PROTOCOL),
        InputLaw("different-positions-are-accepted", "Positions inside the bundle that are pairwise different are"
                 " accepted.", "SpecifiedPositionsBundleSplitAlgorithm, NamespaceBundleFactory.splitBundles",
                 has_different_positions_inside, are_accepted, kind=LawKind.PROTOCOL),
        InputLaw("no-position-is-refused", "Without any position the algorithm throws, whatever the bundle holds.",
                 "SpecifiedPositionsBundleSplitAlgorithm", has_no_positions, throws, kind=LawKind.MIRROR),
        InputLaw("positions-without-two-topics-are-ignored", "With positions, a bundle with less than two topics is not"
                 " split.", "SpecifiedPositionsBundleSplitAlgorithm", has_positions_for_few_topics, proposes_nothing,
                 kind=LawKind.MIRROR),
        ACCEPTED_TILES,
        PROPOSED_WITHIN,
        ACCEPTED_ALWAYS,
    ),
    read_option,
    POSITIONS_LEMMAS,
    MODULES,
)  # fmt: skip
