"""When something was first so of each record of the channel: eight bytes a record, as there are millions of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np

from oneowner.checkers.recordings.read.event_columns import Array

_NEVER: Final = 2**63 - 1
"""Later than every time: where nothing was so."""


class FirstTimes(Mapping[int, int]):
    """The first time of some places of the topic, epoch milliseconds."""

    __slots__ = ("times",)

    def __init__(self, number: int) -> None:
        """:param number: of all places; none of them has a time yet."""
        self.times = array("q", [_NEVER]) * number

    @staticmethod
    def earliest(pieces: Iterable[FirstTimes]) -> FirstTimes:
        """Return the first time of each place in any of *pieces*, of which there is one at least."""
        first, *others = pieces
        times = np.array(first.times)
        for other in others:
            np.minimum(times, np.frombuffer(other.times, np.int64), out=times)
        found = FirstTimes(0)
        found.times.frombytes(times.tobytes())
        return found

    def note_all(self, places: Array, times: Array) -> None:
        """Note that it was so at each of *places* at a time."""
        np.minimum.at(np.frombuffer(self.times, np.int64), places, times)

    def no_later_than_what_follows(self) -> None:
        """Where there is a time, let it be no later than those of places behind it."""
        times = np.array(self.times)
        least = np.minimum.accumulate(times[::-1])[::-1]
        self.times = array("q", np.where(times == _NEVER, times, least).tobytes())

    def forget(self, where: Iterable[int]) -> None:
        """Forget the times of some places."""
        for place in where:
            self.times[place] = _NEVER

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < len(self.times) or self.times[place] == _NEVER:
            raise KeyError(place)
        return self.times[place]

    def __iter__(self) -> Iterator[int]:
        return (place for place, time in enumerate(self.times) if time != _NEVER)

    def __len__(self) -> int:
        return len(self.times) - self.times.count(_NEVER)
