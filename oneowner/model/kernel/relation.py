"""``Relation`` is a finite relation as data, which model code may look up: a tracer can follow it, unlike a dict."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Relation(Generic[T]):
    """
    A finite relation as data: rows ``(before, after, what)``; no pair may occur twice.

    >>> moves = Relation((("red", "green", "go"), ("green", "red", "stop")))
    >>> moves.get("red", "red"), moves.get("red", "green")
    (None, 'go')
    """

    def __init__(self, rows: Iterable[tuple[Hashable, Hashable, T]]) -> None:
        self.rows = tuple(rows)
        self._index = {(before, after): what for before, after, what in self.rows}
        if len(self._index) != len(self.rows):
            raise ValueError(f"relation refused: {self.rows}; every pair may occur once")

    def get(self, before: Hashable, after: Hashable) -> T | None:
        """Return what stands beside the pair, or None if it is not in the relation."""
        return self._index.get((before, after))
