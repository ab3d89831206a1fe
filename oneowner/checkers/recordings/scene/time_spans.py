"""
Things that last are indexed by time, so that those of some time are found quickly.

Clocks go back, so neither beginnings nor ends need be in order. The greatest end so far and the least beginning from
here on are, and between the two places that they give lies all that can meet a time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from oneowner.checkers.recordings.scene.timeline import Lasting, meets

T = TypeVar("T", bound=Lasting)


class Spans(Generic[T]):
    """Items, each with its beginning and its end."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = items
        self._latest = list(accumulate((one.until for one in items), max))
        self._earliest = list(accumulate((one.since for one in reversed(items)), min))[::-1]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def meeting(self, since: int, until: int) -> Iterator[T]:
        """Yield, in their order, the items of some moment of [since, until], its ends included."""
        first, last = bisect_left(self._latest, since), bisect_right(self._earliest, until)
        return (one for one in self._items[first:last] if meets(one, since, until))
