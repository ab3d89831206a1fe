"""
``Model`` steps many states at once, by columns.

A column holds the code of one slot for every row. Columns are made when they are first asked for: a step changes few
slots, and most tests look at few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.engines.compile.column_program import BEYOND, BRANCH, DISABLED, UPDATE, Node, Written
from oneowner.checkers.engines.explore.known_states import Words

Column = NDArray[Any]
Rows = NDArray[np.int64]


class Columns(dict[int, Column]):
    """The columns of a batch of states by slot; those that nobody asked for are still to be made by *make*."""

    def __init__(self, make: Callable[[int], Column], length: int) -> None:
        super().__init__()
        self._make = make
        self.length = length

    def __missing__(self, slot: int) -> Column:
        column = self[slot] = self._make(slot)
        return column

    def at(self, rows: Rows) -> Columns:
        """Return some of the states, by rows in ascending order."""
        return self if len(rows) == self.length else self.ordered(rows)

    def ordered(self, rows: Rows) -> Columns:
        """Return the states in these rows, in this order."""
        return Columns(lambda slot: self[slot].take(rows), len(rows))

    def changed(self, columns: dict[int, Column]) -> Columns:
        """Return states that differ in these columns."""
        after = Columns(self.__getitem__, self.length)
        after.update(columns)
        return after


@dataclass(slots=True)
class Steps:
    """The steps of one action: the rows of the states before, the states after, and those packed."""

    place: int
    """The number of the action."""
    rows: Rows
    after: Columns
    packed: Words

    def at(self, kept: Rows) -> Steps:
        return Steps(self.place, self.rows[kept], self.after.at(kept), self.packed[kept])


class Expansion:
    """All steps of a batch of states, in the order of the search: by state, then by action."""

    def __init__(self, states: Columns, steps: Sequence[Steps], actions: int) -> None:
        self.states, self.steps = states, steps
        none = np.zeros(0, np.int64)
        rows = np.concatenate([none, *(some.rows for some in steps)])
        places = np.repeat(np.array([some.place for some in steps], np.int64), [len(some.rows) for some in steps])
        order = np.argsort(rows * actions + places, kind="stable")
        self.rows, self.places = rows[order], places[order]
        self.ranks = np.empty(len(order), np.int64)
        """The place in this order of every step, as they are listed in *steps*."""
        self.ranks[order] = np.arange(len(order))
        self.counts = np.bincount(rows, minlength=states.length)
        """The number of steps of each state."""
        self.packed = np.concatenate([some.packed for some in steps])[order] if steps else np.zeros((0, 1), np.uint64)


class Outside(Exception):
    """A value leaves its domain."""


class Model:
    """A traced model whose functions answer for whole batches."""

    def __init__(self, model: Written) -> None:
        space: dict[str, Any] = {}
        exec(model.code, space)
        self.kind = np.dtype(model.kind)
        self.step_checks = model.step_checks
        self._tests, self._updates = space["decide"], space["update"]
        self._model = model
        self.judge_state, self.judge, self._spent = space["judge_state"], space["judge"], space["spent"]
        self._layout = _layout([size for _, size in model.places])
        self.words = 1 + max((word for word, _ in self._layout.values()), default=0)

    def initial(self) -> Words:
        codes = np.array(self._model.initial, np.int64).T
        packed = np.zeros((codes.shape[1], self.words), np.uint64)
        for slot in self._layout:
            self._add(packed, slot, codes[slot])
        return packed

    def unpacked(self, packed: Words) -> Columns:
        across = np.ascontiguousarray(packed.T)

        def make(slot: int) -> Column:
            if slot not in self._layout:
                return np.zeros(len(packed), self.kind)
            word, first = self._layout[slot]
            width = (self._model.places[slot][1] - 1).bit_length()
            codes: Column = across[word] >> np.uint64(first) & np.uint64((1 << width) - 1)
            return codes.astype(self.kind)

        return Columns(make, len(packed))

    def expand(self, packed: Words, most: int | None = None) -> tuple[Expansion, list[tuple[int, int, str]]]:
        """
        Return all steps of these states, to states of at most so many perturbations.

        And the first row of each action, with its number, that needs more than a bound of this name holds.
        """
        states = self.unpacked(packed)
        taken: list[Steps] = []
        beyond: list[tuple[int, int, str]] = []
        for place, root in enumerate(self._model.trees):
            for rows, among, leaf in self._decided(root, states):
                if leaf.kind == BEYOND:
                    beyond.append((int(rows[0]), place, leaf.bound))
                elif leaf.kind == UPDATE:
                    taken += self._normalised(place, rows, *self._updated(leaf.number, among, packed[rows]))
        if most is not None:
            taken = [some.at(np.flatnonzero(self.spent(some.after) <= most)) for some in taken]
        return Expansion(states, taken, len(self._model.trees)), beyond

    def spent(self, states: Columns) -> Column:
        """Return how many perturbations led to each state."""
        (spent,) = self._spent(states)
        column: Column = np.broadcast_to(spent, states.length)
        return column

    def _normalised(self, place: int, rows: Rows, states: Columns, packed: Words) -> Iterator[Steps]:
        for some, among, leaf in self._decided(self._model.normalisation, states, skips_disabled=False):
            words = packed[some]
            if leaf.kind == UPDATE:
                yield from self._normalised(place, rows[some], *self._updated(leaf.number, among, words))
            elif leaf.kind == DISABLED:
                yield Steps(place, rows[some], among, words)
            else:
                raise Outside

    def _decided(
        self, root: int, states: Columns, rows: Rows | None = None, skips_disabled: bool = True
    ) -> Iterator[tuple[Rows, Columns, Node]]:
        """Yield each leaf that some of these rows reach, those rows, and their states; all rows by default."""
        rows = np.arange(states.length) if rows is None else rows
        among, node = states.at(rows), self._model.nodes[root]
        while node.kind == BRANCH:
            (holds,) = self._tests[node.number](among)
            chosen = holds.nonzero()[0]
            if 0 < len(chosen) < len(rows):
                for side, which in ((node.then, chosen), (node.otherwise, (~holds).nonzero()[0])):
                    if self._model.nodes[side].kind != DISABLED or not skips_disabled:
                        yield from self._decided(side, states, rows[which], skips_disabled)
                return
            node = self._model.nodes[node.then if len(chosen) else node.otherwise]  # with the columns that are made
        yield rows, among, node

    def _updated(self, update: int, before: Columns, packed: Words) -> tuple[Columns, Words]:
        columns = {}
        packed = packed.copy()
        changes = self._model.updates[update]
        for (slot, least, most), value in zip(changes, self._updates[update](before), strict=True):
            low, size = self._model.places[slot]
            code = value - low if low else value
            if least < low or most >= low + size:
                if np.any(code < 0) or np.any(code >= size):
                    raise Outside
            if not isinstance(code, np.ndarray):
                code = np.full(before.length, code, self.kind)
            if slot in self._layout:
                self._add(packed, slot, np.subtract(code, before[slot], dtype=np.int64))
            columns[slot] = code
        return before.changed(columns), packed

    def _add(self, packed: Words, slot: int, difference: Rows) -> None:
        """Change a slot of packed states by so much; what is negative borrows and is paid back by the slot itself."""
        word, first = self._layout[slot]
        column = packed[:, word]
        column += (difference << first).view(np.uint64)


def _layout(sizes: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the word and the first bit of every slot that has more than one value; no slot lies in two words."""
    places, word, used = {}, 0, 0
    for slot, size in enumerate(sizes):
        width = (size - 1).bit_length()
        if used + width > 64:
            word, used = word + 1, 0
        if width:
            places[slot] = (word, used)
        used += width
    return places
