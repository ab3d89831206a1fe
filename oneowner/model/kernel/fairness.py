"""
``weak``, ``strong`` and ``never`` declare how an action is owed: which steps a run may not put off for ever.

*Weak*: an action that stays enabled from some time on is taken. *Strong*: an action that is enabled again and again is
taken, even if it is disabled in between. Without such assumptions nothing ever has to happen, and no law of liveness
could hold. Perturbations are never owed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

OnStep = Callable[[Any, Any, Any], bool]
"""Says something of a step: the state before it, the action, the state after it."""


class Strength(StrEnum):
    """The strength with which an action is owed."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


def every_step(before: Any, action: Any, after: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Fairness:
    """The fairness of an action: how it is owed, and why."""

    action: str
    strength: Strength
    source: str
    choice: str = ""
    """The argument that the actor may choose freely: some value of it is taken, not each."""
    owed: OnStep = every_step
    """The steps of the action that are owed: the others may be put off."""


@dataclass(frozen=True, slots=True)
class Owed:
    """The fairness that an action declares where it is defined (``action``)."""

    strength: Strength
    source: str
    choice: str = ""
    owed: OnStep = every_step

    def of(self, action: str) -> Fairness:
        """Return this as the fairness of an action."""
        return Fairness(action, self.strength, self.source, self.choice, self.owed)


def never(source: str) -> Owed:
    """Declare that an action may be put off for ever: a perturbation, a command."""
    return Owed(Strength.NONE, source)


def weak(source: str, choice: str = "", owed: OnStep = every_step) -> Owed:
    """Declare that an action is taken if it stays enabled."""
    return Owed(Strength.WEAK, source, choice, owed)


def strong(source: str, choice: str = "") -> Owed:
    """Declare that an action is taken if it is enabled again and again."""
    return Owed(Strength.STRONG, source, choice)
