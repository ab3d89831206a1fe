"""``RANGE_EQUALLY_DIVIDE`` judges where that algorithm splits a bundle."""

from oneowner.model.balancer.splitting.split_bundles import accepts, children
from oneowner.model.balancer.splitting.split_inputs import BundleSizes, SplitOption, by_range, read_option, some_bundle
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind
from oneowner.spec.balancer.splitting.boundary_laws import ACCEPTED_ALWAYS, ACCEPTED_TILES, PROPOSED_WITHIN, proposes
from oneowner.spec.balancer.splitting.split_lemmas import RANGE_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def is_halved(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    """There are two parts, and the upper one is as wide as the lower, or one hash wider, by their ends."""
    low, high = children(option.bundle, boundaries)
    return (high.high - high.low) - (low.high - low.low) in (0, 1)


def is_wide(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return option.bundle.high - option.bundle.low > 1


def is_accepted(option: SplitOption, boundaries: tuple[int, ...]) -> bool:
    return len(boundaries) > 0 and accepts(option.bundle, boundaries)


RANGE_EQUALLY_DIVIDE = Decision(
    "balancer/range-equally-divide",
    "Where a bundle is split by its range (RangeEquallyDivideBundleSplitAlgorithm)",
    BundleSizes,
    some_bundle,
    by_range,
    (
        InputLaw("range-is-halved", "The ends of the upper half are as far apart as those of the lower one, or one hash"
                 " farther.", "RangeEquallyDivideBundleSplitAlgorithm", proposes, is_halved, kind=LawKind.PROTOCOL),
        InputLaw("wide-bundle-is-split", "The middle of a bundle whose ends are two or more apart is proposed, and"
                 " accepted.", "RangeEquallyDivideBundleSplitAlgorithm, NamespaceBundleFactory.canSplitBundle", is_wide,
                 is_accepted, kind=LawKind.PROTOCOL),
        ACCEPTED_TILES,
        PROPOSED_WITHIN,
        ACCEPTED_ALWAYS,
    ),
    read_option,
    RANGE_LEMMAS,
    MODULES,
)  # fmt: skip
