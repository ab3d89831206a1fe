"""
A table is what all parts of a run say together: small, put together from parts, and known before a law asks for it.

A part holds the lines of some brokers. What a law must know of the others, such as by when anybody had read a record,
it reads here, so that it says of its part what it would say of the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from oneowner.checkers.recordings.scene.scene import Scene

Piece = TypeVar("Piece")
Whole = TypeVar("Whole")


@dataclass(frozen=True, slots=True)
class Table(Generic[Piece, Whole]):
    """
    What *of_part* makes of each part, and *of_both* of those of two, makes the *whole*; none may depend on limits.

    ``of_both`` may change the first of the two, which is of the parts that come before.
    """

    of_part: Callable[[Scene], Piece]
    of_both: Callable[[Piece, Piece], Piece]
    whole: Callable[[Scene, Piece], Whole]

    def of(self, scene: Scene) -> Whole:
        """Return the table of the run that *scene* is, or is a part of; a run that was not cut is its only part."""
        run = scene.whole or scene
        if self not in run.tables:
            run.tables[self] = self.whole(run, self.of_part(run))
        found: Whole = run.tables[self]
        return found


def as_it_is(_: Scene, piece: Piece) -> Piece:
    """The whole of a table that needs nothing else than what parts say."""
    return piece


def seen_in(part: Scene, tables: Sequence[Table[Any, Any]]) -> list[Any]:
    """Return what a part says for each of *tables*."""
    return [table.of_part(part) for table in tables]


def put_together(run: Scene, tables: Sequence[Table[Any, Any]], seen: Iterable[Sequence[Any]]) -> None:
    """Put *tables* of a run together from what was *seen* in each of its parts, of which there is one at least."""
    pieces: Sequence[Any] = ()
    for own in seen:
        both = zip(tables, pieces, own, strict=True) if pieces else ()
        pieces = [table.of_both(one, other) for table, one, other in both] or own
    for table, piece in zip(tables, pieces, strict=True):
        run.tables[table] = table.whole(run, piece)
