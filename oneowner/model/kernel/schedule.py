"""
``follow`` leads a model along a schedule: the steps of the real class, and its observed state after each.

A model is put to it: it must take every step, and stand where the class stands. A schedule need not say all; every
state of the model that agrees with the record so far is kept.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from oneowner.model.kernel.action import Action

State = Any


class Difference(NamedTuple):
    """The place where a schedule leaves the model: the step, from 1 on, the field, and both values."""

    step: int
    action: str
    field: str
    model: Any
    recorded: Any

    def __str__(self) -> str:
        return f"step {self.step}, {self.action}: {self.field}: the model has {self.model}, the class {self.recorded}"


class Taken(NamedTuple):
    """One step of a schedule: the action, None for a look at the start, and the observation of the state after it."""

    action: Action | None
    told: Any


class Unreadable(ValueError):
    """A schedule that does not have the form of one."""


Reader = Callable[[Mapping[str, Any], str], Difference | None]
"""Puts a schedule to the rules of a release: where it differs first, None if the model takes every step."""


def follow(
    start: Iterable[State],
    steps: Sequence[Taken],
    outcomes: Callable[[State, Action], Iterable[State | str]],
    compare: Callable[[int, State, Any], Iterable[tuple[str, Any, Any]]],
) -> Difference | None:
    """
    Return where *steps* differ first from every run of the model; None if they do not.

    *outcomes*: the states that an action may lead to, or why it is refused. *compare*: of a step's number, a state and
    what is told of it, rows of (field, what the model has, what was recorded).
    """
    states = list(start)
    for number, (action, told) in enumerate(steps, 1):
        agreeing: dict[Any, State] = {}
        first: Difference | None = None
        for after in states if action is None else [one for state in states for one in outcomes(state, action)]:
            if isinstance(after, str):
                rows: Iterable[tuple[str, Any, Any]] = [("the step", f"a guard: {after}", "it taken")]
            else:
                rows = compare(number, after, told)
            wrong = next((row for row in rows if row[1] != row[2]), None)
            if wrong is None and not isinstance(after, str):
                agreeing[after.key()] = after
            elif first is None and wrong is not None:
                first = Difference(number, str(action or "the start"), *wrong)
        if not agreeing:
            return first
        states = list(agreeing.values())
    return None
