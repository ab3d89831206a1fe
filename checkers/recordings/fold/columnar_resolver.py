"""
The model's resolver, traced to columns, tells which of many records are refused.

``model.channel.resolver.refusal`` and ``ownerless`` are traced, as the searches trace the model; what comes out is one
expression, which NumPy works out for all pairs at once. So the law is still the model's, and is nowhere written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.engines.compile.expressions import Expression, choose, constant, variable
from oneowner.checkers.engines.compile.leaves import leaf
from oneowner.checkers.engines.compile.paths import Fork, all_paths
from oneowner.checkers.engines.compile.symbolic import record
from oneowner.checkers.engines.compile.tracing import Twins
from oneowner.checkers.engines.compile.writing import below
from oneowner.checkers.recordings.read.event_columns import Array
from oneowner.model.channel import dialects, resolver
from oneowner.model.channel import record as records
from oneowner.model.channel.record import NOBODY, Record, ServiceUnitState
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage

HIGHEST: Final = 2**62
"""Versions and times beyond it, either way, are left to the fold: here nothing may overflow 64 bits."""

FIELDS: Final = (
    ("state", ServiceUnitState, 0, len(ServiceUnitState) - 1),
    ("destination", int, NOBODY, 2**31 - 1),
    ("source", int, NOBODY, 2**31 - 1),
    ("force", bool, 0, 1),
    ("version", int, -HIGHEST, HIGHEST),
)
"""What a record has, in order: name, kind, lowest and highest value of its column."""


class FormulaNode(NamedTuple):
    """One step of a formula: an operator on the results of earlier steps; a constant; or a column, by its number."""

    operator: str
    operands: tuple[int, ...]
    value: int


class Formula(NamedTuple):
    """What is refused, as steps of which the last gives the answer. Plain data: workers have no source to trace."""

    nodes: tuple[FormulaNode, ...]

    def refuses(self, held: Sequence[Array], proposed: Sequence[Array]) -> Array:
        """Say of records, given by their columns, whether they are refused by the held ones."""
        columns = [*held, *proposed]
        known: list[Any] = []
        for operator, operands, value in self.nodes:
            if operator == "variable":
                known.append(columns[value])
            elif operator == "constant":
                known.append(value)
            else:
                known.append(_OPERATORS[operator](*[known[operand] for operand in operands]))
        return np.broadcast_to(known[-1], proposed[0].shape)


@cache
def traced(storage: Storage) -> Formula:
    """Return the model's resolver as a formula."""
    twins = Twins([records, dialects, resolver])
    asked, also_asked = twins.of(refusal), twins.of(ownerless)
    held, proposed = _symbolic(0), _symbolic(len(FIELDS))

    def refuses() -> bool:
        return asked(held, proposed, storage) is not None or also_asked(held, proposed, storage) is not None

    nodes = below([_joined(all_paths(refusal.__name__, refuses))])
    too_big = [node for node in nodes if max(-node.low, node.high) >= 2**63]
    if too_big:
        raise OverflowError(f"{too_big[0]}: does not fit into 64 bits")
    place = {node: number for number, node in enumerate(nodes)}
    return Formula(tuple(FormulaNode(n.operator, tuple(place[part] for part in n.arguments), n.value) for n in nodes))


def _symbolic(first: int) -> Any:
    leaves = [leaf(variable(first + number, low, high), kind) for number, (_, kind, low, high) in enumerate(FIELDS)]
    return record(Record, leaves)


def _joined(paths: Any) -> Expression:
    if isinstance(paths, Fork):
        return choose(paths.test, _joined(paths.then), _joined(paths.otherwise))
    return constant(paths)


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "equal": np.equal,
    "less": np.less,
    "not": np.logical_not,
    "and": np.logical_and,
    "choose": np.where,
}
