"""The inputs of a decision that are judged as a whole, and the decisions of a folder."""

from functools import cache
from typing import Any

from oneowner.checkers.engines.decide.judging import every_input
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
