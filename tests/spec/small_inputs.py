"""The inputs of a decision that are judged as a whole, and its laws by name."""

from functools import cache
from typing import Any

from oneowner.checkers.engines.decide.inputs import every_input
from oneowner.model.kernel.decision import Decision
from oneowner.spec.systems import decisions


@cache
def small_inputs(name: str) -> list[Any]:
    """Return every input of the sizes that a decision has by default."""
    decision = decisions()[name]
    return list(every_input(decision, decision.sizes()))


def decisions_of(home: str) -> dict[str, Decision]:
    """Return the decisions of one folder, by name."""
    return {name: one for name, one in decisions().items() if one.home == home}


def laws_of(home: str) -> list[tuple[str, str]]:
    """Return the laws of these, each with the name of its decision."""
    return [(name, law.name) for name, one in decisions_of(home).items() for law in one.laws]
