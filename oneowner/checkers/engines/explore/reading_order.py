"""
The order here is a reader's: steps of a counterexample that do not depend on each other are grouped by their broker.

The search finds a shortest run and, of several, the one whose actions come first; a reader wants to follow one broker
until something happens elsewhere that matters to it. Two neighbouring steps are independent where they stand if either
order is enabled and leads to the same state (Mazurkiewicz, 1977). Swapping them changes neither the length nor the end.
"""

from collections.abc import Sequence

from oneowner.checkers.engines.explore.shrinking import broken
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import Law
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import initial_states, step


def in_reading_order(bounds: Bounds, law: Law, steps: Sequence[Action]) -> tuple[Action, ...]:
    """
    Return the same steps, grouped by actor as far as that is a run that breaks *law* by the same last step.

    From left to right, the next step of the broker that acted last is brought forward if all steps in between are
    independent of it. The order is that of the input if *law* would then break before the last step.
    """
    order = list(steps)
    state = initial_states(bounds)[0]
    for place in range(1, len(order) - 1):
        state = step(state, order[place - 1])
        if actor(order[place]) == actor(order[place - 1]):
            continue
        for later in range(place + 1, len(order) - 1):
            if actor(order[later]) == actor(order[place - 1]):
                moved = brought_forward(state, order[place : later + 1])
                if moved is not None:
                    order[place : later + 1] = moved
                    break
    return tuple(order) if breaks_at_its_end(bounds, law, order) else tuple(steps)


def actor(action: Action) -> int:
    """Return the broker that takes a step: the first argument of every action."""
    return action.arguments[0][1] if action.arguments else 0


def brought_forward(state: State, steps: Sequence[Action]) -> list[Action] | None:
    """Return *steps* with the last one first if it is independent of each before it, else None."""
    *others, last = steps
    for count in range(len(others), 0, -1):
        before = state
        for action in others[: count - 1]:
            before = step(before, action)
        if not are_independent(before, others[count - 1], last):
            return None
    return [last, *others]


def are_independent(state: State, one: Action, other: Action) -> bool:
    """Return whether both orders of two steps are enabled in *state* and lead to the same state."""
    try:
        return bool(step(step(state, one), other) == step(step(state, other), one))
    except (Disabled, BoundReached):
        return False


def breaks_at_its_end(bounds: Bounds, law: Law, steps: Sequence[Action]) -> bool:
    """Return whether *law* breaks by the last of these steps and by none before."""
    before = initial_states(bounds)[0]
    failed = [broken(law, None, None, before)]
    for action in steps:
        after = step(before, action)
        failed.append(broken(law, before, action, after))
        before = after
    return failed[-1] and not any(failed[:-1])
