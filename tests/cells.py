"""A state with some of its cells set by hand."""

from typing import Any, TypeVar

from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.state import State

S = TypeVar("S", bound=State)


def where(at: S, /, **cells: Any) -> S:
    """
    Return *at* with some cells set, those of an array by their numbers; a list is a sequence.

    ``where(state, leader=2, view={(2, 1): held})`` sets the leader, and the entry that broker 2 holds for unit 1.
    """
    at = at.copy()
    for name, value in cells.items():
        if isinstance(value, dict):
            for numbers, element in value.items():
                getattr(at, name)[numbers] = sequence(element)
        else:
            setattr(at, name, sequence(value))
    return at


def sequence(value: Any) -> Any:
    return Sequence(value) if isinstance(value, list) else value
