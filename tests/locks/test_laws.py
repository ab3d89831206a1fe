"""Every law of the lock has a crafted state or step that breaks it, and every fault has its law."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from oneowner.checkers.ledger.families import catalogue, families
from oneowner.checkers.ledger.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.system import actions
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import FIRST_VERSION, Acquire, Kind, Purpose, Request, Stage, State
from oneowner.spec.locks.system import SYSTEM


def holder(state: State, client: int) -> None:
    state.stage[client] = Stage.VALID
    state.acquired[client] = Acquire.DONE
    state.registered[client] = True


def two_hold(state: State) -> None:
    holder(state, 1)
    holder(state, 2)
    state.node = 1


def holds_without_a_node(state: State) -> None:
    holder(state, 1)


def ended_with_a_node(state: State) -> None:
    holder(state, 1)
    state.stage[1] = Stage.RELEASED
    state.expired[1] = True
    state.registered[1] = False
    state.node = 1


def adopted(state: State) -> None:
    holder(state, 1)
    state.stage[1] = Stage.INIT
    state.node = 1


def releases_for_ever(state: State) -> None:
    holder(state, 1)
    state.stage[1] = Stage.RELEASING


STATES: dict[str, Callable[[State], None]] = {
    "one-holder": two_hold,
    "one-holder-for-good": two_hold,
    "holder-is-in-store-in-the-end": holds_without_a_node,
    "no-node-without-a-lock": ended_with_a_node,
    "adopted-is-valid": adopted,
    "release-ends": releases_for_ever,
}


def told_of_its_end(before: State, after: State) -> None:
    for state in (before, after):
        holder(state, 1)
        state.node = 1
    after.expired[1] = True


def revalidated_while_it_is_released(before: State, after: State) -> None:
    for state in (before, after):
        releases_for_ever(state)
    after.revalidating[1] = True


STEPS: dict[str, Callable[[State, State], None]] = {
    "expired-has-lost-it": told_of_its_end,
    "releasing-is-left-alone": revalidated_while_it_is_released,
}


def test_every_law_is_crafted() -> None:
    assert STATES.keys() == {law.name for law in SYSTEM.laws if isinstance(law, StateLaw)}
    assert STEPS.keys() == {law.name for law in SYSTEM.laws if isinstance(law, StepLaw)}


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    law = SYSTEM.laws_by_name[name]
    assert isinstance(law, StateLaw)
    state = State(Bounds())
    assert law.holds(state) or not law.when(state)
    STATES[name](state)
    assert law.when(state)
    assert not law.holds(state)
    assert state.in_domain()


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    law = SYSTEM.laws_by_name[name]
    assert isinstance(law, StepLaw)
    before, after = State(Bounds()), State(Bounds())
    action = actions(Bounds())[0]
    assert law.holds(before, action, after)
    STEPS[name](before, after)
    assert law.when(before, action, after)
    assert not law.holds(before, action, after)


@pytest.mark.parametrize(
    "is_told",
    [
        lambda state: state.live.__setitem__(1, False),
        lambda state: state.timers.__setitem__(1, 1),
        lambda state: state.handling.__setitem__(1, True),
        lambda state: state.sent.__setitem__(
            1, state.sent[1].plus(Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION))
        ),
    ],
)
def test_two_may_believe_while_something_is_under_way(is_told: Callable[[State], None]) -> None:
    law = SYSTEM.laws_by_name["one-holder-for-good"]
    assert isinstance(law, StateLaw)
    state = State(Bounds())
    two_hold(state)
    is_told(state)
    assert not law.when(state)


def test_two_that_believe_in_turn_break_the_law_of_runs() -> None:
    (law,) = SYSTEM.liveness
    state = State(Bounds())
    assert law.good(state)
    assert not law.when(state)
    two_hold(state)
    assert law.when(state)
    assert not law.good(state)


def test_every_switch_is_a_fault_or_says_why_not() -> None:
    rows = {name: row for name, row in catalogue().items() if row.system == "locks"}
    turned = {switch for row in rows.values() if isinstance(row, Fault) for switch in row.rules}
    assert turned == {"busy_expires", "retried", "serialised", "failed_acquire_expires", "only_valid"}
    assert not isinstance(rows["failure_is_not_flagged"], Fault)


@pytest.mark.parametrize(
    ("row", "release", "verdict"),
    [
        ("locks/holders", "2.9.2", Verdict.INVALID),
        ("locks/holders", "2.10.5", Verdict.VALID),
        ("locks/holders", "3.0.7", Verdict.VALID),
        ("locks/holders", "4.2.4", Verdict.VALID),
        ("locks/lost-answer", "2.9.2", Verdict.INVALID),
        ("locks/lost-answer", "2.10.5", Verdict.INVALID),
        ("locks/lost-answer", "3.0.7", Verdict.VALID),
        ("locks/lost-answer", "4.2.4", Verdict.VALID),
    ],
)
def test_two_hold_one_lock_for_good_in_old_releases(row: str, release: str, verdict: Verdict) -> None:
    family = families()[row].under(release)
    assert family.is_pinned
    assert family.laws["one-holder-for-good"] == family.liveness["told-in-the-end"] == verdict
    assert family.laws["one-holder"] == Verdict.INVALID
