"""``KnownStates`` is the set of states seen, for many at once: packed states by number, an open table of numbers."""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Packed states, a row each."""
Numbers = NDArray[np.int64]

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_TAG = np.uint64(0xFFFFFFFF00000000)
_PLACE = np.uint64(0x00000000FFFFFFFF)
_HALF = np.uint64(32)


class KnownStates:
    """
    States are compared whole: a fingerprint only leads to where they may be.

    An entry of the table is the upper half of a fingerprint and the number of its state plus one; 0 is a free place.
    """

    def __init__(self, words: int) -> None:
        self.count = 0
        self._states = np.empty((1 << 12, words), np.uint64)
        self._table = np.zeros(1 << 13, np.uint64)

    def __len__(self) -> int:
        return self.count

    @property
    def states(self) -> Words:
        return self._states[: self.count]

    def add(self, batch: Words) -> tuple[Numbers, NDArray[np.bool_]]:
        """
        Add the states that are new, numbered in their order.

        Returns the number of every state of the batch, and whether it was new there for the first time.
        """
        size = len(batch)
        self._make_room(size)
        prints = fingerprints(batch)
        self._states[self.count : self.count + size] = batch  # so that all that can be met has a number
        numbers = np.full(size, -1, np.int64)
        where = np.empty(size, np.int64)
        waiting = np.arange(size)
        places = self._first_places(prints)
        while waiting.size:
            entries = self._table[places]
            free = entries == 0
            if free.any():
                mine = waiting[free]
                claims = prints[mine] & _TAG | (mine + (self.count + 1)).astype(np.uint64)
                # Where several states claim a place, the last assignment stays: that of the first state.
                self._table[places[free][::-1]] = claims[::-1]
                entries[free] = self._table[places[free]]
            found = (entries & _PLACE).astype(np.int64) - 1
            alike = (entries ^ prints[waiting]) & _TAG == 0
            at = np.flatnonzero(alike)
            alike[at] = (self._states[found[at]] == batch[waiting[at]]).all(axis=1)
            numbers[waiting[alike]] = found[alike]
            where[waiting[alike]] = places[alike]
            waiting = waiting[~alike]
            places = places[~alike] + 1 & len(self._table) - 1
        is_new = numbers == np.arange(self.count, self.count + size)
        return self._settled(batch, prints, numbers, where, is_new), is_new

    def _settled(
        self, batch: Words, prints: Words, numbers: Numbers, where: Numbers, is_new: NDArray[np.bool_]
    ) -> Numbers:
        """Close the gaps between the numbers of new states; return the numbers of all."""
        final = self.count + np.cumsum(is_new) - 1
        self._table[where[is_new]] = prints[is_new] & _TAG | (final[is_new] + 1).astype(np.uint64)
        ranks = np.where(numbers >= self.count, final[np.maximum(numbers - self.count, 0)], numbers)
        news = int(is_new.sum())
        self._states[self.count : self.count + news] = batch[is_new]
        self.count += news
        return ranks

    def _first_places(self, prints: Words) -> Numbers:
        return (prints & np.uint64(len(self._table) - 1)).astype(np.int64)

    def _make_room(self, more: int) -> None:
        if self.count + more > len(self._states):
            bigger = np.empty((2 * (self.count + more), self._states.shape[1]), np.uint64)
            bigger[: self.count] = self.states
            self._states = bigger
        if 2 * (self.count + more) > len(self._table):
            self._table = np.zeros(1 << (4 * (self.count + more)).bit_length(), np.uint64)
            for first in range(0, self.count, 1 << 16):
                self._put_back(first, min(first + (1 << 16), self.count))

    def _put_back(self, first: int, end: int) -> None:
        """Enter known states into a new table."""
        prints = fingerprints(self._states[first:end])
        entries = prints & _TAG | np.arange(first + 1, end + 1, dtype=np.uint64)
        places = self._first_places(prints)
        while entries.size:
            free = self._table[places] == 0
            self._table[places[free]] = entries[free]
            left = self._table[places] != entries
            entries, places = entries[left], places[left] + 1 & len(self._table) - 1


def fingerprints(states: Words) -> Words:
    """Return a number for every state, as good as random."""
    prints = np.full(len(states), 0x9E3779B97F4A7C15, np.uint64)
    for word in range(states.shape[1]):
        prints = (prints ^ states[:, word]) * _MIX
        prints ^= prints >> _HALF
    return prints
