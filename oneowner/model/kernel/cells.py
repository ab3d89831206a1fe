"""Cells of an array count from 1; those of a state that steps lead to never change, and other states share them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")

Number = int | tuple[int, int]
"""The position of a cell in an array: its number, or those of its row and its column, from 1."""


class Cells(Generic[T]):
    """
    The cells of an ``Array``, indexed from 1 like brokers and units: ``view[broker, unit]``.

    Index 0 means "no broker" and is refused, so that it can never silently mean the last one.
    """

    __slots__ = ("_items", "_places")

    def __init__(self, places: Mapping[Number, int], items: list[T] | tuple[T, ...]) -> None:
        self._places = places
        self._items = items

    def __getitem__(self, at: Number) -> T:
        try:
            return self._items[self._places[at]]
        except KeyError:
            raise self._refused(at) from None

    def __setitem__(self, at: Number, value: T) -> None:
        if isinstance(self._items, tuple):
            raise TypeError("assignment refused: steps lead to this state; assign the cells of a copy of it")
        try:
            self._items[self._places[at]] = value
        except KeyError:
            raise self._refused(at) from None

    def _refused(self, at: Number) -> IndexError:
        return IndexError(f"cell refused: {at}; cells count from 1 to {[0, *self._places][-1]}")

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def copy(self) -> Cells[T]:
        return Cells(self._places, list(self._items))

    def fixed(self) -> Cells[T]:
        """Return the same cells for good: several states may share them, and none can assign one."""
        return self if isinstance(self._items, tuple) else Cells(self._places, tuple(self._items))

    def settled(self, given: Cells[T]) -> Cells[T]:
        """Return the *given* cells, which never change, if these are equal, or else these for good."""
        return given if self.key() == given.key() else self.fixed()

    def key(self) -> tuple[T, ...]:
        return tuple(self._items)
