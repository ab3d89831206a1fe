"""
The hash ring is cut into ranges (bundles), and a split cuts one in two.

A topic's hash is a 32-bit number; a bundle is a half-open range of the ring ``[low, high)``, except
that the last boundary of a namespace is written ``0xffffffff`` and stands for the end of the ring.
Ranges are written ``0xLOW_0xHIGH`` with eight hex digits (Pulsar's ``NamespaceBundle.getBundleRange``).
"""

from typing import NamedTuple

RING_END = 0xFFFFFFFF
"""The last boundary of every namespace (``NamespaceBundles.FULL_UPPER_BOUND``)."""


class Range(NamedTuple):
    """
    A half-open range of the hash ring.

    >>> Range(0, 0x40000000)
    0x00000000_0x40000000
    """

    low: int
    high: int

    def __repr__(self) -> str:
        return f"0x{self.low:08x}_0x{self.high:08x}"


def is_empty(bundle: Range) -> bool:
    """Return whether no hash lies in *bundle*."""
    return bundle.low >= bundle.high


def overlap(one: Range, other: Range) -> bool:
    """
    Return whether some hash lies in both ranges; an empty range overlaps nothing.

    >>> overlap(Range(0, 8), Range(8, 16)), overlap(Range(0, 8), Range(7, 16))
    (False, True)
    """
    return max(one.low, other.low) < min(one.high, other.high)


def split(parent: Range, boundary: int) -> tuple[Range, Range]:
    """
    Cut *parent* in two at *boundary*: the two children that a Splitting record names.

    >>> split(Range(0, 16), 4)
    (0x00000000_0x00000004, 0x00000004_0x00000010)
    """
    return Range(parent.low, boundary), Range(boundary, parent.high)


def tiles(parent: Range, one: Range, other: Range) -> bool:
    """
    Return whether two non-empty ranges cut *parent* exactly in two; their order does not matter.

    ``Split`` (loadbalance/extensions/models) demands two ranges but not that they fit the parent.

    >>> tiles(Range(0, 16), Range(4, 16), Range(0, 4)), tiles(Range(0, 16), Range(0, 4), Range(5, 16))
    (True, False)
    """
    boundary = max(one.low, other.low)
    in_order = (one, other) == split(parent, boundary) or (other, one) == split(parent, boundary)
    return in_order and not is_empty(one) and not is_empty(other)
