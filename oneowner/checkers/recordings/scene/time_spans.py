"""
Things that last are indexed by time, so that those of some time are found quickly.

Clocks go back, so neither beginnings nor ends need be in order. The greatest end so far and the least beginning from
here on are, and between the two places that they give lies all that can meet a time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class Spans(Generic[T]):
    """Items, each with its beginning and its end."""

    def __init__(self, items: Sequence[T], span: Callable[[T], tuple[int, int]]) -> None:
        self._items = items
        spans = [span(item) for item in items]
        self._since = [since for since, _ in spans]
        self._until = [until for _, until in spans]
        self._latest = list(accumulate(self._until, max))
        self._earliest = list(accumulate(reversed(self._since), min))[::-1]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def meeting(self, since: int, until: int) -> Iterator[T]:
        """
        Yield, in their order, the items of some moment of [since, until], its ends included.

        >>> list(Spans([(0, 5), (9, 99), (2, 3)], lambda one: one).meeting(4, 8))
        [(0, 5)]
        """
        first, last = bisect_left(self._latest, since), bisect_right(self._earliest, until)
        for place in range(first, last):
            if self._since[place] <= until and self._until[place] >= since:
                yield self._items[place]
