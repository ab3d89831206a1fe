"""``SPLIT_BUNDLES`` judges the boundaries of a namespace after a split."""

from itertools import pairwise
from typing import Any

from oneowner.model.balancer.splitting.ring_inputs import CutSizes, Split, cut, read_split, some_split
from oneowner.model.kernel.decision import Decision, InputLaw, throws
from oneowner.model.kernel.law import LawKind
from oneowner.model.pulsar.boundaries import times
from oneowner.model.pulsar.bundles import RING_END, Range
from oneowner.spec.balancer.splitting.concurrent_split_lemmas import CONCURRENT_SPLIT_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def inside(asked: Split) -> bool:
    return all(asked.parent.low < boundary < asked.parent.high for boundary in asked.boundaries)


def differ(asked: Split) -> bool:
    return len(set(asked.boundaries)) == len(asked.boundaries)


def is_known(asked: Split) -> bool:
    return asked.parent in [Range(*ends) for ends in pairwise(asked.namespace)]


def fit_a_known_bundle(asked: Split, answer: Any) -> bool:
    return inside(asked) and differ(asked) and is_known(asked)


def are_added(asked: Split, answer: Any) -> bool:
    """All boundaries that there were and the new ones are there, each once, and no other."""
    return bool(answer == tuple(sorted({*asked.namespace, *asked.boundaries})))


def is_split(asked: Split, answer: Any) -> bool:
    return isinstance(answer, tuple)


def every_hash_lies_in_one(asked: Split, answer: Any) -> bool:
    """Each hash at a boundary, or beside one, lies in exactly one bundle."""
    bundles = [Range(*ends) for ends in pairwise(answer)]
    points = {near for boundary in answer for near in (boundary - 1, boundary, boundary + 1) if 0 <= near <= RING_END}
    return all(sum(times(bundle, point) for bundle in bundles) == 1 for point in points)


def do_not_fit(asked: Split, answer: Any) -> bool:
    return not inside(asked) or (is_known(asked) and not differ(asked))


def lie_in_an_unknown_bundle(asked: Split, answer: Any) -> bool:
    return inside(asked) and not is_known(asked)


def is_none(asked: Split, answer: Any) -> bool:
    return answer is None


SPLIT_BUNDLES = Decision(
    "balancer/split-bundles",
    "The boundaries of a namespace after a split (NamespaceBundleFactory.splitBundles)",
    CutSizes,
    some_split,
    cut,
    (
        InputLaw("split-adds-the-boundaries", "Boundaries inside a bundle of the namespace, pairwise different, are"
                 " added to those of the namespace.", "NamespaceBundleFactory.splitBundles", fit_a_known_bundle,
                 are_added, kind=LawKind.PROTOCOL),
        InputLaw("every-hash-in-one-bundle-after-a-split", "After a split every hash lies in exactly one bundle.",
                 "NamespaceBundle.includes, NamespaceBundleFactory.splitBundles", is_split, every_hash_lies_in_one,
                 kind=LawKind.PURPOSE),
        InputLaw("unfit-boundaries-are-refused", "Boundaries at the ends of the bundle or outside it are refused, and"
                 " those given twice for a bundle of the namespace.", "NamespaceBundleFactory.splitBundles", do_not_fit,
                 throws, kind=LawKind.PROTOCOL),
        InputLaw("unknown-bundle-is-not-split", "A range that is no bundle of the namespace is not split: nothing is"
                 " returned of boundaries inside it, even if one is given twice.",
                 "NamespaceBundleFactory.splitBundles", lie_in_an_unknown_bundle, is_none, kind=LawKind.MIRROR),
    ),
    read_split,
    CONCURRENT_SPLIT_LEMMAS,
    MODULES,
)  # fmt: skip
