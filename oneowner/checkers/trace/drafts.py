"""A draft is a state while an action runs: it separates the slots that the action sets from the others."""

from operator import is_
from typing import Any

from oneowner.checkers.trace.symbolic import SymbolicCells, SymbolicState


class Draft(SymbolicState):
    """A state of the same values as *state* whose cells can be set."""

    def __init__(self, state: SymbolicState) -> None:
        for name, value in vars(state).items():
            self.__dict__[name] = (
                SymbolicCells(value.shape, [*value.items]) if isinstance(value, SymbolicCells) else value
            )


def is_untouched(before: Any, after: Any) -> bool:
    """Return whether a cell of a draft, or an array of them, is what it was; without looking into it."""
    if isinstance(before, SymbolicCells):
        return all(map(is_, before.items, after.items))
    return before is after
