"""
``chosen`` picks the edges to walk within a budget: the rarest things that happen come first, never a mere prefix.

The class of an edge is its action and the change that it makes: the parts of the projection that differ, with states of
entries and without brokers and versions. The edges of each class come in the order of depth, and the classes in turn.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from oneowner.checkers.real_classes.edges import Edges
from oneowner.checkers.real_classes.projection import Projection

T = TypeVar("T")
_NUMBERS: Final = re.compile(r"\d+")


def chosen(edges: Edges, projection: Projection, budget: int) -> list[int]:
    """Return the numbers of at most *budget* edges."""
    if budget >= len(edges.sources):
        return list(range(len(edges.sources)))
    classes: dict[object, list[int]] = {}
    parts = [dict(projection.of(codes)) for codes in edges.codes]
    for number, (source, label, target) in enumerate(
        zip(edges.sources.tolist(), edges.labels.tolist(), edges.targets.tolist(), strict=True)
    ):
        kind = edges.actions[label].name, _change(parts[source], parts[target])
        classes.setdefault(kind, []).append(number)
    return in_turn(list(classes.values()), budget)


def _change(before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    names = {**before, **after}
    changed = [name for name in names if before.get(name) != after.get(name)]
    return tuple(_NUMBERS.sub("", f"{name}: {before.get(name)}, {after.get(name)}") for name in changed)


def in_turn(classes: Sequence[Sequence[T]], budget: int) -> list[T]:
    """Take one of each class, then another one of each, until there are enough."""
    found: list[T] = []
    for rank in range(max(map(len, classes))):
        found += [numbers[rank] for numbers in classes if rank < len(numbers)]
        if len(found) >= budget:
            break
    return found[:budget]
