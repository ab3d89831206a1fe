"""
What a law is: ``always`` (of every state), ``step_law`` (of every step), ``sometimes`` (a witness).

A law observes and never acts, and it reads no rule and no fault switch: it states what must be true
whatever the switches are. Its antecedent ``when`` says on which states or steps it could fail; a law that
was never exercised has shown nothing, and the verdict on it is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from model.system import Action, State

OnState = Callable[[State], bool]
OnStep = Callable[[State, Action, State], bool]


class Status(StrEnum):
    """What we know of a law; the words are those of SOURCES.md."""

    HOLDS = "holds"
    """It must hold in every configuration."""
    GUARDED = "guarded"
    """It holds under the guard in its statement and fails without it."""
    DOCUMENTED = "documented"
    """It looks like an invariant but is none: its violation must be reachable."""
    HOLE = "hole"
    """The design text does not announce the violation that the model finds."""


@dataclass(frozen=True, slots=True)
class StateLaw:
    """A law of every reachable state."""

    name: str
    statement: str
    source: str
    when: OnState
    holds: OnState
    status: Status


@dataclass(frozen=True, slots=True)
class StepLaw:
    """A law of every step: the state before, the action, the state after."""

    name: str
    statement: str
    source: str
    when: OnStep
    holds: OnStep
    status: Status


@dataclass(frozen=True, slots=True)
class Witness:
    """A step that must happen in a family that names it; otherwise its laws may hold vacuously."""

    name: str
    statement: str
    source: str
    reached: OnStep


Law = StateLaw | StepLaw


def always(
    name: str, statement: str, source: str, when: OnState, holds: OnState, status: Status = Status.HOLDS
) -> StateLaw:
    """Declare a law of every state: where *when* is true, *holds* must be."""
    return StateLaw(name, statement, source, when, holds, status)


def step_law(
    name: str, statement: str, source: str, when: OnStep, holds: OnStep, status: Status = Status.HOLDS
) -> StepLaw:
    """Declare a law of every step: where *when* is true, *holds* must be."""
    return StepLaw(name, statement, source, when, holds, status)


def sometimes(name: str, statement: str, source: str, reached: OnStep) -> Witness:
    """Declare a witness: some step must make *reached* true."""
    return Witness(name, statement, source, reached)
