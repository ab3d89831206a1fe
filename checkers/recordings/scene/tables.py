"""
A table is what all parts of a run say together: small, put together from parts, and known before a law asks for it.

A part holds the lines of some brokers. What a law must know of the others, such as by when anybody had read a record,
it reads here, so that it says of its part what it would say of the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from oneowner.checkers.recordings.scene.scene import Scene

Piece = TypeVar("Piece")
Whole = TypeVar("Whole")


@dataclass(frozen=True, slots=True)
class Table(Generic[Piece, Whole]):
    """What *of_part* makes of each part, put *together* in their order, for the whole; neither may depend on limits."""

    of_part: Callable[[Scene], Piece]
    together: Callable[[Scene, Sequence[Piece]], Whole]

    def of(self, scene: Scene) -> Whole:
        """Return the table of the run that *scene* is, or is a part of; a run that was not cut is its only part."""
        whole = scene.whole or scene
        if self not in whole.tables:
            whole.tables[self] = self.together(whole, [self.of_part(whole)])
        found: Whole = whole.tables[self]
        return found


def seen_in(part: Scene, tables: Sequence[Table[Any, Any]]) -> list[Any]:
    """Return what a part says for each of *tables*."""
    return [table.of_part(part) for table in tables]


def put_together(whole: Scene, tables: Sequence[Table[Any, Any]], seen: Sequence[Sequence[Any]]) -> None:
    """Put *tables* of a run together from what was *seen* in each of its parts."""
    for number, table in enumerate(tables):
        whole.tables[table] = table.together(whole, [piece[number] for piece in seen])
