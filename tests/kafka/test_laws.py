"""Every law of rebalances has a crafted state or step that breaks it, and every switch has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.rules import RELEASES, Rules
from oneowner.model.kafka.rebalance.state import FollowUp, State, Store
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.system import actions
from oneowner.spec.kafka.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, taken_step_breaks

AMPLE = Bounds(running=2, starts=1, leaves=1, crashes=1, timeouts=1, cleanings=1, refreshes=1, behind=1)
"""Member 1 runs task 1, member 2 runs task 2."""
Cells = dict[str, Any]

TWICE: Cells = {"role": {(2, 1): Role.ACTIVE}}
ZOMBIE: Cells = {"listed": {1: False}}
UNEVEN: Cells = {"role": {(1, 2): Role.ACTIVE, (2, 2): Role.NONE}}
SAME: Cells = {"given": {(1, 1): Role.ACTIVE, (2, 2): Role.ACTIVE}}
SWAPPED: Cells = {"given": {(2, 1): Role.ACTIVE, (1, 2): Role.ACTIVE}}
NOBODY_READY: Cells = {"store": {(1, 1): Store.BEHIND}}
EXTRA: Cells = {"given": {(1, 1): Role.ACTIVE, (2, 2): Role.ACTIVE, (1, 2): Role.STANDBY, (2, 1): Role.STANDBY}}

STATES: dict[str, Cells] = {
    "single-runner": TWICE,
    "single-runner-always": TWICE | ZOMBIE,
    "zombie-commits-nothing": ZOMBIE | {"foreign": True},
    "task-has-a-runner": {"role": {(1, 1): Role.STANDBY}},
    "even-at-rest": UNEVEN,
    "copies-at-rest": {"role": {(2, 1): Role.STANDBY}},
    "members-go-on": {"due": {1: True}, "listed": {1: False}},
}
"""By law, the cells of a state that breaks it."""

STEPS: dict[str, tuple[str, Cells, Cells]] = {
    "revoked-before-assigned": ("sync", {}, TWICE),
    "running-is-not-stopped": ("join", {}, {"role": {(1, 1): Role.NONE}}),
    "ready-clients-run": ("assign", {}, SWAPPED),
    "ready-clients-run-always": ("assign", {}, SWAPPED),
    "least-behind-restores": ("assign", NOBODY_READY, SWAPPED),
    "warm-ups-are-few": ("assign", {}, EXTRA),
    "reported-state-is-kept": ("sync", {"promised": {(1, 2): True}}, {"promised": {(1, 2): False}, "state_lost": True}),
    "settled-stays": ("assign", {}, SWAPPED),
    "even-stays": ("assign", {}, SWAPPED),
}
"""By law, an action, the cells of a state, and those that the step changes so that the law breaks."""

INNOCENT: dict[str, tuple[str, Cells, Cells]] = {
    "revoked-before-assigned": ("sync", ZOMBIE, TWICE),
    "running-is-not-stopped": ("sync", {"due": {1: True}}, {"due": {1: False}, "role": {(1, 1): Role.NONE}}),
    "ready-clients-run": ("assign", {}, SAME),
    "ready-clients-run-always": ("assign", {}, SAME | {"heir": {1: 1}}),
    "least-behind-restores": ("assign", NOBODY_READY, SAME),
    "warm-ups-are-few": ("assign", {}, EXTRA | {"heir": {1: 2}}),
    "reported-state-is-kept": ("sync", {"promised": {(1, 2): True}}, {"promised": {(1, 2): False}}),
    "settled-stays": ("assign", {}, SAME),
    "even-stays": ("assign", {}, SAME),
}
"""By law, a step that it judges and that keeps it."""

ALONE: Cells = {"up": {2: False}, "listed": {2: False}, "role": {(2, 2): Role.NONE}, "store": {(2, 2): Store.NONE}}
JOINED: Cells = ALONE | {"preparing": True, "joined": {1: True}}
TAKEN_STEPS: dict[str, tuple[Cells, str, Cells]] = {
    "group-knows": ({"due": {1: True}}, "sync", {"follow_up": {1: FollowUp.NONE}}),
    "owned-is-withheld": (JOINED, "assign", {"given": {(1, 1): Role.NONE}}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {
    "zombie-is-fenced": ZOMBIE,
    "task-runs-again": {"store": {(1, 1): Store.BEHIND}},
    "group-comes-to-rest": {"follow_up": {1: FollowUp.PROBING}},
}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN_STEPS, LIVENESS)
    assert INNOCENT.keys() == STEPS.keys()


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(AMPLE), STATES[name])


def judged(name: str, steps: dict[str, tuple[str, Cells, Cells]]) -> bool:
    """Return what a law says of a crafted step, of which it must have an occasion."""
    law = SYSTEM.laws_by_name[name]
    assert isinstance(law, StepLaw)
    action, cells, changed = steps[name]
    before = where(State(AMPLE), **cells)
    after = where(before, **changed)
    taken = next(one for one in actions(AMPLE) if one.name == action)
    assert before.in_domain()
    assert after.in_domain()
    assert law.when(before, taken, after)
    return law.holds(before, taken, after)


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    assert not judged(name, STEPS)


@pytest.mark.parametrize("name", INNOCENT)
def test_step_keeps_its_law(name: str) -> None:
    assert judged(name, INNOCENT)


@pytest.mark.parametrize("name", TAKEN_STEPS)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN_STEPS[name]
    taken_step_breaks(SYSTEM, name, State(AMPLE), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(AMPLE), LIVENESS[name])


def test_zombie_beside_the_owner_is_excused_by_the_guarded_law_alone() -> None:
    beside = where(State(AMPLE), **(TWICE | ZOMBIE))
    guarded, bare = (SYSTEM.laws_by_name[name] for name in ("single-runner", "single-runner-always"))
    assert isinstance(guarded, StateLaw)
    assert isinstance(bare, StateLaw)
    assert guarded.holds(beside)
    assert not bare.holds(beside)


def test_client_that_does_not_tell_its_lag_is_excused_by_the_guarded_law_alone() -> None:
    bounds = Bounds(running=1, older=1, starts=1)
    before = where(State(bounds), listed={2: True}, up={2: True}, store={(2, 2): Store.BEHIND})
    after = where(before, given={(1, 1): Role.ACTIVE}, heir={2: 2})
    taken = next(one for one in actions(bounds) if one.name == "assign")
    guarded, bare = (SYSTEM.laws_by_name[name] for name in ("ready-clients-run", "ready-clients-run-always"))
    assert isinstance(guarded, StepLaw)
    assert isinstance(bare, StepLaw)
    assert guarded.holds(before, taken, after)
    assert not bare.holds(before, taken, after)


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "kafka" and isinstance(row, Fault)]
    assert {switch for row in rows for switch in (*row.rules, *row.repaired)} == set(Rules.__dataclass_fields__)
    assert {row.law for row in rows} >= {name for name in STEPS if name not in ("settled-stays", "even-stays")} - {
        "ready-clients-run"
    }


def test_least_behind_restores_since_a_release() -> None:
    family = families()["kafka/from-scratch"]
    assert family.laws["least-behind-restores"] == Verdict.VALID
    assert family.under("2.6.3").laws["least-behind-restores"] == Verdict.INVALID
    assert not RELEASES["2.6.3"].least_lag


@pytest.mark.parametrize("sizes", [{"members": 4}, {"tasks": 3}, {"standbys": 2}, {"running": 3}])
def test_sizes_for_which_the_choice_is_not_traced_are_refused(sizes: Cells) -> None:
    with pytest.raises(ValueError, match="refused"):
        Bounds(**sizes)
