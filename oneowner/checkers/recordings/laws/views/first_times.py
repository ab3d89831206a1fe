"""The first time of a property of each record of the channel: eight bytes a record, as there are millions of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array

_NEVER: Final = 2**63 - 1
"""Later than every time: where nothing was so."""


class FirstTimes(Mapping[int, int]):
    """The first time of some places of the topic, epoch milliseconds."""

    __slots__ = ("times",)

    def __init__(self, number: int) -> None:
        """:param number: of all places; none of them has a time yet."""
        self.times: array[int] | memoryview = array("q", [_NEVER]) * number

    def __reduce__(self) -> tuple[Any, ...]:
        return _of, (self._array,)

    @property
    def _array(self) -> Array:
        return np.asarray(self.times)

    def note_all(self, places: Array, times: Array) -> None:
        """Record a time of the property for each of *places*."""
        np.minimum.at(self._array, places, times)

    def note(self, other: FirstTimes) -> FirstTimes:
        """Merge the times of another for the same places; return this one."""
        np.minimum(self._array, other._array, out=self._array)
        return self

    def no_later_than_what_follows(self) -> None:
        """Lower every time to the least of those at later places."""
        least = np.minimum.accumulate(self._array[::-1])[::-1]
        np.copyto(self._array, least, where=self._array != _NEVER)

    def forget(self, where: Array) -> None:
        """Forget the times of the places for which *where* is true."""
        self._array[where] = _NEVER

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < len(self.times) or self.times[place] == _NEVER:
            raise KeyError(place)
        return self.times[place]

    def __iter__(self) -> Iterator[int]:
        return (place for place, time in enumerate(self.times) if time != _NEVER)

    def __len__(self) -> int:
        return int((self._array != _NEVER).sum())


def _of(times: Array) -> FirstTimes:
    found = FirstTimes(0)
    found.times = times.data
    return found
