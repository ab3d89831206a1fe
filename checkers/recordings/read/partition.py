"""
Work on many items is done apart: here one after the other, or spread over a cluster (``spark_partition.py``).

What the work makes of an item comes in parts, and in the order of the items, whoever did it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Part = TypeVar("Part")


class Each(Protocol):
    """Yields all parts of the first item, then those of the second, and so on; items and parts can be pickled."""

    def __call__(self, work: Callable[[Any], Iterator[Part]], items: Sequence[Any]) -> Iterator[Part]: ...


def in_turn(work: Callable[[Item], Iterator[Part]], items: Sequence[Item]) -> Iterator[Part]:
    """Do the work in this process."""
    for item in items:
        yield from work(item)
