"""
A table holds facts of all parts of a run: small, put together from parts, and ready before a law asks for it.

A part holds the lines of some brokers. A law reads here the facts of the others that it needs, such as the time by
which any broker had read a record, so its findings on its part are those on the whole run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from oneowner.checkers.recordings.scene.scene import Scene

Piece = TypeVar("Piece")
Whole = TypeVar("Whole")


@dataclass(frozen=True, slots=True)
class Table(Generic[Piece, Whole]):
    """
    A table is made of each part, merged in pairs, then completed (*whole*); none of these may depend on limits.

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
    """The whole of a table that needs nothing but its parts."""
    return piece


def seen_in(part: Scene, tables: Sequence[Table[Any, Any]]) -> list[Any]:
    """Return the contribution of a part to each of *tables*."""
    return [table.of_part(part) for table in tables]


def put_together(run: Scene, tables: Sequence[Table[Any, Any]], seen: Iterable[Sequence[Any]]) -> None:
    """Merge *tables* of a run from the contributions *seen* in its parts, of which there is at least one."""
    pieces: Sequence[Any] = ()
    for own in seen:
        both = zip(tables, pieces, own, strict=True) if pieces else ()
        pieces = [table.of_both(one, other) for table, one, other in both] or own
    for table, piece in zip(tables, pieces, strict=True):
        run.tables[table] = table.whole(run, piece)
