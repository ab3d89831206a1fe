"""
Formulas evaluate the model's resolver and the laws of the channel on thousands of records at once.

``refusal``, ``ownerless`` and the conditions of laws are traced, as the searches trace the model; the results are
expressions, which NumPy evaluates on columns. So the rules are still those of the model and the laws, and are nowhere
written twice. A law that cannot be traced is left to the fold.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.channel_law import ChannelLaw, OverlapLaw, SuccessionLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS, STUCK
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.event_columns import CODES, STATES
from oneowner.checkers.trace.expressions import Expression, below, choose, constant, variable
from oneowner.checkers.trace.leaves import Untraceable, leaf
from oneowner.checkers.trace.paths import Fork, all_paths
from oneowner.checkers.trace.symbolic import record
from oneowner.checkers.trace.tracing import Twins
from oneowner.model.channel import dialects, resolver
from oneowner.model.channel import record as records
from oneowner.model.channel.record import NOBODY, Record, ServiceUnitState
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage

HIGHEST: Final = 2**61
"""Versions and times beyond it, either way, are left to the fold: here no sum or difference may overflow 64 bits."""

FIELDS: Final = (
    ("state", ServiceUnitState, 0, len(ServiceUnitState) - 1),
    ("destination", int, NOBODY, 2**31 - 1),
    ("source", int, NOBODY, 2**31 - 1),
    ("force", bool, 0, 1),
    ("version", int, -HIGHEST, HIGHEST),
)
"""The fields of a record, in order: name, kind, lowest and highest value of its column."""


class FormulaNode(NamedTuple):
    """One step of a formula: an operator on the results of earlier steps; a constant; or a column, by its number."""

    operator: str
    operands: tuple[int, ...]
    value: int


class Formula(NamedTuple):
    """Steps of which the last gives the answer. Plain data: workers have no source to trace."""

    nodes: tuple[FormulaNode, ...]

    def of(self, column: Callable[[int], Array], count: int) -> Array:
        """Return the answers for *count* pairs of records, held and proposed, whose fields *column* has by number."""
        known: list[Any] = []
        for operator, operands, value in self.nodes:
            if operator == "variable":
                known.append(column(value))
            elif operator == "constant":
                known.append(value)
            else:
                known.append(_OPERATORS[operator](*[known[operand] for operand in operands]))
        return np.broadcast_to(known[-1], (count,))


NO_OCCASION, HOLDS, MAY_BREAK, LOOKS_FURTHER = range(4)
"""
The answers of a law on an accepted record of a plain unit.

Where it may be broken, the unit goes to the fold; where it looks further than at this unit, the whole namespace.
"""


class LawFormula(NamedTuple):
    """The formula of one law for the records of some states."""

    law: str
    states: Array
    """True for the codes of the states whose records it is asked about."""
    said: Formula


class Formulas(NamedTuple):
    """The input of the fold on columns from the model and the laws."""

    refused: Formula
    laws: tuple[LawFormula, ...]


@cache
def traced(storage: Storage, laws: tuple[ChannelLaw, ...] = CHANNEL_LAWS) -> Formulas:
    """Return the model's resolver and the laws of messages as formulas."""
    of_laws = [LawFormula(law.name, among(*law.states), _said_by(law)) for law in laws if not law.is_of_histories]
    never = Formula((FormulaNode("constant", (), NO_OCCASION),))
    return Formulas(traced_refusal(storage), tuple(one for one in of_laws if one.said != never))


@cache
def traced_refusal(storage: Storage) -> Formula:
    """Return the formula of whether the model's resolver refuses a record, given the entry."""
    twins = Twins([records, dialects, resolver])
    asked, also_asked = twins.of(refusal), twins.of(ownerless)
    held, proposed = _symbolic(0), _symbolic(len(FIELDS))

    def refuses() -> bool:
        return asked(held, proposed, storage) is not None or also_asked(held, proposed, storage) is not None

    return _formula("refusal", refuses)


class PlainUnit(NamedTuple):
    """The properties of a plain unit for a law: it is part of no split, and no unit that overlaps it matters."""

    held: Record
    split_away: bool = False
    children: None = None


def _said_by(law: ChannelLaw) -> Formula:
    held, proposed = _symbolic(0), _symbolic(len(FIELDS))

    def says() -> int:
        if not law.when(PlainUnit(held), proposed):  # type: ignore[arg-type]  # needs more than a plain unit
            return NO_OCCASION
        if isinstance(law, SuccessionLaw):
            return HOLDS if law.holds(held, proposed) else MAY_BREAK
        return HOLDS if law is STUCK or isinstance(law, OverlapLaw) else LOOKS_FURTHER

    try:
        return _formula(law.name, says)
    except (Untraceable, AttributeError, TypeError, OverflowError):
        return Formula((FormulaNode("constant", (), LOOKS_FURTHER),))


def _formula(what: str, answer: Callable[[], int]) -> Formula:
    nodes = below([_joined(all_paths(what, answer))])
    too_big = [node for node in nodes if max(-node.low, node.high) >= 2**63]
    if too_big:
        raise OverflowError(f"{too_big[0]}: does not fit into 64 bits")
    place = {node: number for number, node in enumerate(nodes)}
    return Formula(tuple(FormulaNode(n.operator, tuple(place[part] for part in n.arguments), n.value) for n in nodes))


def among(*states: ServiceUnitState) -> Array:
    """Return a table from the code of a state to whether it is one of these."""
    return np.isin(np.arange(len(STATES)), [CODES[state] for state in states])


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
