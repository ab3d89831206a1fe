"""
These functions judge a lasso, a run that goes on for ever by a stem and a loop, with the model's own functions.

A lasso is a counterexample to a law of liveness if its loop closes, if it is fair (nothing that is owed is put off
for ever), and if the law's *good* is missing where it is due. A loop without steps is a run at rest: its last state
lasts for ever.
"""

from collections.abc import Sequence

from oneowner.checkers.engines.liveness.obligations import Demand, demands_of
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.fairness import Strength
from oneowner.model.kernel.guards import BoundReached, Disabled, Full
from oneowner.model.kernel.law import LivenessLaw
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, step


def _demands(state: State) -> tuple[Demand, ...]:
    return demands_of(actions(state.bounds), state.bounds.system.fairness)


def not_closed(states: Sequence[State], loop: int) -> str:
    """Report why a run of *states* does not close to a loop that begins at step *loop* (from 1), or nothing."""
    differences = states[-1].differences(states[loop - 1])
    cells = ", ".join(cell for cell, _, _ in differences)
    return f"the last step does not lead back to where step {loop} begins: {cells} differ" if cells else ""


def short_of_room(states: Sequence[State], steps: Sequence[Action], loop: int) -> str:
    """
    Report the owed step that the bounds alone prevent in the loop, or nothing.

    Its queue is full here and would not be in Pulsar, so such a loop proves nothing.
    """
    for demand in _demands(states[0]):
        for action in demand.actions:
            if action not in steps[loop - 1 :]:
                for state in states[loop - 1 :]:
                    try:
                        step(state, action)
                    except Full as full:
                        return f"{action} is owed, but waits for room: {full.guard}"
                    except (Disabled, BoundReached):
                        continue
    return ""


def unfair(states: Sequence[State], steps: Sequence[Action], loop: int) -> str:
    """Report the owed step that the loop neglects for ever, or nothing if the loop is fair."""
    taken = list(zip(states[loop - 1 :], steps[loop - 1 :], states[loop:], strict=False))
    for demand in _demands(states[0]):
        if any(action in demand.actions and demand.owed(before, action, after) for before, action, after in taken):
            continue
        enabled = [_is_enabled(demand, state) for state in states[loop - 1 :]]
        if demand.strength == Strength.WEAK and all(enabled):
            return f"{demand.words} is owed: it stays enabled and is never taken"
        if demand.strength == Strength.STRONG and any(enabled):
            return f"{demand.words} is owed: it is enabled again and again and is never taken"
    return ""


def _is_enabled(demand: Demand, state: State) -> bool:
    for action in demand.actions:
        try:
            after = step(state, action)
        except Disabled:
            continue
        except BoundReached:  # a step of Pulsar that the bounds cannot hold is enabled all the same
            return True
        if demand.owed(state, action, after):
            return True
    return False


def occasions(law: LivenessLaw, states: Sequence[State]) -> int:
    """Count the states in which the law asks for something that is not there yet."""
    return sum(1 for state in states if law.when(state) and not law.good(state))


def kept(law: LivenessLaw, states: Sequence[State], loop: int) -> str:
    """Report why a run of *states* that repeats from step *loop* on does not break *law*, or nothing if it does."""
    if law.stays:
        broken = any(not law.good(state) for state in states[loop - 1 :])
        return "" if broken else "what is asked for holds all along the loop"
    last = max((number for number, state in enumerate(states) if law.good(state)), default=-1)
    if last >= loop - 1:
        return f"what is asked for holds in the loop, after step {last}"
    asked = any(law.when(state) for state in states[last + 1 :])
    return "" if asked else "it is not asked for where it is missing"
