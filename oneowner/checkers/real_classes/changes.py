"""``changes`` lists the methods of the load balancer that differ between two jars of a broker, by their byte code."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.bytecode import Method, changed_pieces, methods_of
from oneowner.checkers.real_classes.jars import BROKER, entries_of
from oneowner.checkers.verdict import Misuse

PLACE: Final = "org/apache/pulsar/broker/loadbalance/"
"""The package whose methods are compared, and whose entries are traced."""


class Kind(StrEnum):
    """The kind of a change."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


class Change(NamedTuple):
    """A method that differs; a lambda belongs to the method in which it stands."""

    kind: Kind
    type: str
    """Its class, as in a trace of entries."""
    method: str
    """``name(form)``."""
    pieces: tuple[str, ...] = ()
    """The changed code that is entered by itself: the method, or lambdas in it."""

    def missed(self, entered: Collection[str]) -> list[str]:
        """Return the changed code that was not entered; that of a removed method is in no class."""
        return [piece for piece in self.pieces if f"{self.type}.{piece}" not in entered]

    @property
    def short(self) -> str:
        """Return the method without its package and descriptor."""
        return f"{self.type.rpartition('/')[2].replace('$', '.')}.{self.method.partition('(')[0]}"


def broker_jar(path: Sequence[Path]) -> Path | None:
    """Return the first jar on a class path that holds the channel."""
    return next((jar for jar in path if entries_of(jar, BROKER)), None)


def changes(before: Path, after: Path) -> Iterator[Change]:
    """Yield the methods of the jar *after* that are changed or added, and those that are removed; by class and name."""
    old, new = _classes(before), _classes(after)
    for name in sorted({*old, *new}):
        was, now = old.get(name, {}), new.get(name, {})
        for method in sorted({*was, *now}):
            if method not in now:
                yield Change(Kind.REMOVED, name, method)
            elif pieces := changed_pieces(was.get(method), now[method]):
                kind = Kind.CHANGED if method in was else Kind.ADDED
                yield Change(kind, name, method, tuple(piece.name for piece in pieces))


def _classes(jar: Path) -> dict[str, dict[str, Method]]:
    """Return the methods of each class of the load balancer."""
    found = {}
    for name, data in entries_of(jar, PLACE).items():
        try:
            found[name.removesuffix(".class")] = methods_of(data)
        except ValueError as error:
            raise Misuse(f"{jar}: {name} cannot be read: {error}") from None
    return found
