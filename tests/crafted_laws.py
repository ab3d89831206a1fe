"""A law is broken by the state, the step or the state that lasts that was crafted to break it, and not before."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import System, actions, step
from tests.cells import where

Cells = dict[str, Any]


def every_law_is_crafted(
    system: System, states: Collection[str], steps: Collection[str], liveness: Collection[str]
) -> None:
    """Fail if a law of *system* is not among the names, or a name is none of its laws."""
    assert set(states) == {law.name for law in system.laws if isinstance(law, StateLaw)}
    assert set(steps) == {law.name for law in system.laws if isinstance(law, StepLaw)}
    assert set(liveness) == {law.name for law in system.liveness}


def state_breaks(system: System, name: str, state: State, cells: Cells) -> None:
    """Fail unless *state* is judged well or not at all, and is broken with *cells*."""
    law = system.laws_by_name[name]
    assert isinstance(law, StateLaw)
    assert law.holds(state) or not law.when(state)
    broken = where(state, **cells)
    assert law.when(broken)
    assert not law.holds(broken)
    assert broken.in_domain()


def step_breaks(system: System, name: str, state: State, cells: Cells, changes: Cells, taken: str = "") -> None:
    """
    Fail unless a step that changes nothing is well, and one that changes *changes* is broken.

    It begins in *state* with *cells*, by the first instance of the action *taken*, or by any.
    """
    law = system.laws_by_name[name]
    assert isinstance(law, StepLaw)
    action = instance(state, taken)
    before = where(state, **cells)
    after = where(before, **changes)
    assert before.in_domain()
    assert after.in_domain()
    assert law.holds(state, action, state) or not law.when(state, action, state)
    assert law.when(before, action, after)
    assert not law.holds(before, action, after)


def taken_step_breaks(system: System, name: str, state: State, cells: Cells, taken: str, changes: Cells) -> None:
    """
    Fail unless a step is judged and well, and is broken with *changes*.

    It is the first instance of the action *taken* that is enabled in *state* with *cells*.
    """
    law = system.laws_by_name[name]
    assert isinstance(law, StepLaw)
    before = where(state, **cells)
    action, after = first_step(before, taken)
    broken = where(after, **changes)
    assert before.in_domain()
    assert broken.in_domain()
    assert law.when(before, action, after)
    assert law.holds(before, action, after)
    assert not law.holds(before, action, broken)


def may_not_last(system: System, name: str, state: State, cells: Cells) -> None:
    """Fail unless *state* is well or no occasion, and a run that stays in *state* with *cells* is not."""
    law = system.liveness_by_name[name]
    assert law.good(state) or not law.when(state)
    lasting = where(state, **cells)
    assert law.when(lasting)
    assert not law.good(lasting)


def first_step(state: State, name: str) -> tuple[Action, State]:
    """Return the first instance of an action that is enabled in *state*, and the state after it."""
    for one in actions(state.bounds):
        if one.name == name:
            with suppress(Disabled):
                return one, step(state, one)
    raise AssertionError(f"{name} is not enabled")


def instance(state: State, name: str = "") -> Action:
    """Return the first instance of an action in the bounds of *state*, or the first of all."""
    return next(one for one in actions(state.bounds) if name in ("", one.name))
