"""The lock of ``model.locks``, seen from outside, does what ``model.lock_manager`` takes a lock to do."""

from collections.abc import Iterator

import pytest

from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.rules import RELEASES
from oneowner.model.locks.state import NOBODY, Acquire, Kind, Outcome, State, believes, clients
from oneowner.spec.locks.laws import is_settled


def steps(release: str) -> Iterator[tuple[State, State]]:
    """Yield every step of locks/holders."""
    bounds = Bounds(expiries=1, timers=0, rules=RELEASES[release])
    found = {state.key(): state for state in initial_states(bounds)}
    ahead = list(found.values())
    while ahead:
        before = ahead.pop()
        for action in actions(bounds):
            try:
                after = step(before, action)
            except Disabled:
                continue
            yield before, after
            if after.key() not in found:
                found[after.key()] = after
                ahead.append(after)


def holds(state: State, client: int) -> bool:
    """Return whether the store has confirmed the lock to *client*, and nothing has contradicted that since."""
    got_it = any(one.outcome == Outcome.DONE and one.request.kind == Kind.PUT for one in state.answers[client])
    return believes(state, client) or got_it


def breach(before: State, after: State) -> str:
    """Return an effect of a step that no lock of the manager has; an empty string if there is none."""
    old, new = before.node, after.node
    if old != new:
        if NOBODY not in (old, new):
            return "a node changes hands at once"
        if new and not (holds(before, new) or before.acquired[new] == Acquire.PENDING):
            return "a node is created for who neither wants nor holds the lock"
        if old and after.live[old]:
            return "a node vanishes, and its session has not ended"
    for client in clients(before):
        if holds(after, client) and not holds(before, client) and new != client:
            return "a client begins to hold without the node"
        if holds(before, client) and not holds(after, client) and old == client:
            return "a client that has the node holds no more"
    if is_settled(after) and any(believes(after, client) and new != client for client in clients(after)):
        return "a client holds for good without the node"
    return ""


def test_every_step_of_the_lock_is_one_of_the_contract() -> None:
    seen = list(steps("4.0.6"))
    assert len(seen) > 1000
    assert {breach(before, after) for before, after in seen} == {""}
    assert any(holds(before, 1) and not holds(after, 1) for before, after in seen)


@pytest.mark.parametrize("release", ["2.9.2"])
def test_a_lock_that_keeps_what_it_has_lost_is_none_of_the_contract(release: str) -> None:
    assert {breach(before, after) for before, after in steps(release)} == {
        "",
        "a client holds for good without the node",
    }
