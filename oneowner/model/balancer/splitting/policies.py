"""
These functions write a split by compare-and-set into a namespace's local policies in the metadata store.

Source: policies.1.3 and 2.3 (master of April 2025).
"""

from typing import NamedTuple

from oneowner.model.pulsar.boundaries import times
from oneowner.model.pulsar.bundles import Range


class Policies(NamedTuple):
    """The local policies of a namespace, as far as one boundary and one hash go."""

    version: int
    has_boundary: bool
    """True if that one is among its boundaries."""
    bundles: int
    """The number of its bundles that include the hash."""


def with_split(cached: Policies, parent: Range, boundary: int, watched: int, point: int) -> Policies:
    """
    Return what a split writes: the policies that the broker has cached, with one boundary more.

    *watched* is the boundary that ``has_boundary`` is about, *point* the hash of ``bundles``.
    """
    low, high = Range(parent.low, boundary), Range(boundary, parent.high)
    bundles = cached.bundles - times(parent, point) + times(low, point) + times(high, point)
    return Policies(cached.version, cached.has_boundary or boundary == watched, bundles)


def is_current(held: Policies, written: Policies) -> bool:
    """Return whether the metadata store takes a write by compare-and-set: nothing was written since it was read."""
    return written.version == held.version


def after_write(held: Policies, written: Policies) -> Policies:
    """Return what the metadata store holds after a write, whatever it held."""
    return Policies(held.version + 1, written.has_boundary, written.bundles)
