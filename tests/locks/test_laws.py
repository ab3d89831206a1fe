"""Every law of the lock has a crafted state or step that breaks it, and every fault has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import (
    FIRST_VERSION,
    NOBODY,
    Acquire,
    Answer,
    Kind,
    Notice,
    Outcome,
    Purpose,
    Request,
    Stage,
    State,
)
from oneowner.spec.locks.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, step_breaks, taken_step_breaks

HOLDER = {"stage": {1: Stage.VALID}, "acquired": {1: Acquire.DONE}, "registered": {1: True}}
BOTH_HOLD = {
    "stage": {1: Stage.VALID, 2: Stage.VALID},
    "acquired": {1: Acquire.DONE, 2: Acquire.DONE},
    "registered": {1: True, 2: True},
    "node": 1,
}
RELEASING = HOLDER | {"stage": {1: Stage.RELEASING}}

Cells = dict[str, Any]
STATES: dict[str, Cells] = {
    "one-holder": BOTH_HOLD,
    "one-holder-for-good": BOTH_HOLD,
    "holder-is-in-store-in-the-end": HOLDER,
    "no-node-without-a-lock": HOLDER
    | {"stage": {1: Stage.RELEASED}, "expired": {1: True}, "registered": {1: False}, "node": 1},
    "adopted-is-valid": HOLDER | {"stage": {1: Stage.INIT}, "node": 1},
    "release-ends": RELEASING,
    "clients-go-on": {"stage": {1: Stage.VALID}},
}
"""By law, the cells of a state that breaks it."""

STEPS: dict[str, tuple[Cells, Cells]] = {
    "expired-has-lost-it": (HOLDER | {"node": 1}, {"expired": {1: True}}),
    "releasing-is-left-alone": (RELEASING, {"revalidating": {1: True}}),
}
"""By law, the cells of a state, and those that a step changes so that the law breaks."""


PUT = Request(Purpose.ACQUIRE, Kind.PUT, False, FIRST_VERSION)
GET = Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)
ASKING = {"acquired": {1: Acquire.PENDING}}
REVALIDATING = HOLDER | {"revalidating": {1: True}}
TAKEN: dict[str, tuple[Cells, str, Cells]] = {
    "operation-is-begun": ({}, "acquire", {"flagged": {1: True}}),
    "answer-goes-on": (ASKING | {"answers": {1: [Answer(PUT, Outcome.BAD_VERSION)]}}, "answer", {"sent": {1: []}}),
    "revalidated-when-told": (HOLDER | {"notices": {1: [Notice.DELETED]}}, "notify", {"sent": {1: []}}),
    "failed-revalidation-is-not-forgotten": (
        REVALIDATING | {"answers": {1: [Answer(GET, Outcome.BAD_VERSION)]}},
        "answer",
        {"expired": {1: False}},
    ),
    "one-revalidation-at-a-time": (REVALIDATING | {"sent": {1: [GET]}}, "carry_out", {"answers": {1: []}}),
    "store-carries-out": (ASKING | {"sent": {1: [PUT]}}, "carry_out", {"node": NOBODY}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {"told-in-the-end": BOTH_HOLD}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(Bounds()), STATES[name])


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    cells, changes = STEPS[name]
    step_breaks(SYSTEM, name, State(Bounds()), cells, changes)


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(Bounds()), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(Bounds()), LIVENESS[name])


@pytest.mark.parametrize(
    "cells",
    [
        {"live": {1: False}},
        {"timers": {1: 1}},
        {"handling": {1: True}},
        {"sent": {1: [Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)]}},
    ],
    ids=list,
)
def test_two_may_believe_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["one-holder-for-good"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(State(Bounds()), **BOTH_HOLD, **cells))


def test_two_that_believe_in_turn_break_the_law_of_runs() -> None:
    (law,) = SYSTEM.liveness
    state = State(Bounds())
    assert law.good(state)
    assert not law.when(state)
    state = where(state, **BOTH_HOLD)
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
