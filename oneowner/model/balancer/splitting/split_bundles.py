"""
``split_bundles`` takes or refuses the boundaries that are proposed for a bundle.

It puts them between those of the namespace. The acceptance can be traced. Source: policies.2.2 (master of April
2025).
"""

from collections.abc import Sequence
from itertools import pairwise

from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.bundles import Range, is_empty

__traced__ = False  # functions of whole bundles and their boundaries, concrete


def can_split(parent: Range) -> bool:
    """Return whether the bundle is wide enough: by its ends, so the last bundle counts without its last hash."""
    return parent.high - parent.low > 1


def lie_inside(parent: Range, first: int, last: int) -> bool:
    """Return whether the lowest and the highest boundary lie inside the bundle, strictly."""
    return parent.low < first and last < parent.high


def is_constructible(child: Range) -> bool:
    """Return whether the constructor of ``NamespaceBundle`` takes the range: an empty one it refuses (policies.1.2)."""
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
    Return whether ``splitBundles`` takes one or more boundaries for a bundle of the namespace.

    policies.2.2, NamespaceBundleFactory.splitBundles with the constructors that it calls.

    >>> accepts(Range(0, 16), [4, 12]), accepts(Range(0, 16), [4, 4]), accepts(Range(0, 16), [0])
    (True, False, False)
    """
    if not can_split(parent) or not lie_inside(parent, min(boundaries), max(boundaries)):
        return False
    return all(is_constructible(child) for child in children(parent, boundaries))


def split_bundles(
    namespace: Sequence[int], parent: Range, boundaries: Sequence[int]
) -> tuple[int, ...] | Thrown | None:
    """
    Return the namespace's boundaries with the new ones among them; None if *parent* is no bundle of it.

    Boundaries that it does not take it throws back. policies.2.2, NamespaceBundleFactory.splitBundles.

    >>> split_bundles((0, 8, 16), Range(8, 16), [12]), split_bundles((0, 8, 16), Range(0, 16), [12])
    ((0, 8, 12, 16), None)
    """
    is_known = parent in [Range(low, high) for low, high in pairwise(namespace)]
    if not is_known and can_split(parent) and lie_inside(parent, min(boundaries), max(boundaries)):
        return None  # before its parts are constructed, so whether boundaries differ is not asked
    if not accepts(parent, boundaries):
        why = f"boundaries refused: {list(boundaries)}; they lie inside {parent!r}, pairwise different"
        return Thrown("IllegalArgumentException", why)
    return tuple(sorted([*namespace, *boundaries]))
