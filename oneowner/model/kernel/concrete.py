"""``@concrete`` marks functions whose result is concrete while the model runs, so that a law may quantify over it."""

from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, TypeVar

Numbers = TypeVar("Numbers", bound=Callable[..., Iterable[Any]])

_CONCRETE: set[object] = set()


def concrete(numbers: Numbers) -> Numbers:
    """
    Mark a function of a state that reads its bounds alone: ``any`` and ``all`` may loop over what it gives.

    A tracer runs it as it is, each time anew; so it may give an iterator.
    """
    _CONCRETE.add(numbers)
    return numbers


def is_concrete(function: object) -> bool:
    """Return whether a function is so marked."""
    return isinstance(function, FunctionType | MethodType) and function in _CONCRETE
