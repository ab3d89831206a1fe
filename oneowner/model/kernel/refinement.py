"""``Refinement`` maps states of a system to those of an abstract specification, and holds the steps that it allows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refinement:
    """A mapping from a system to an abstract specification; its abstract states are values that can be printed."""

    name: str
    statement: str
    source: str
    applies: Callable[[Any], object]
    """True if it is about a model within some bounds."""
    actions: tuple[str, ...]
    """The abstract actions, in the order of reports."""
    observe: Callable[[Any], Any]
    """The part of a state that the mapping sees."""
    start: Callable[[Any], Any]
    """The abstract state of an initial state, from the part that is seen."""
    follow: Callable[[Any, Any], Any]
    """The abstract state after a step, from the one before it and the part that is seen afterwards."""
    explain: Callable[[Any, Any], tuple[str, ...] | None]
    """The abstract actions that lead from one abstract state to another: none for a stutter; None if it may not be."""
