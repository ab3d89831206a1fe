"""Every law of a streams group has a crafted state or step that breaks it, and every switch has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.rules import Rules
from oneowner.model.streams_group.state import NOTHING, Client, Kind, Message, Phase, Role, State
from oneowner.spec.streams_group.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, step_breaks, taken_step_breaks

AMPLE = Bounds(joined=2, epochs=4, refreshes=1, expiries=1, losses=1, delays=1, standbys=1)
Cells = dict[str, Any]

BOTH_RUN: Cells = {"running": {(1, 1): Role.ACTIVE, (2, 1): Role.ACTIVE}}
REMOVED: Cells = {"removed": {1: True}, "member": {1: False}, "assigned": {(1, 1): Role.NONE}}
TAKEN: Cells = {"denied": {(1, 1): True}, "assigned": {(1, 1): Role.NONE}}
UNTOLD: Cells = {"wanted": {(1, 1): Role.NONE}, "running": {(1, 1): Role.NONE}}

STATES: dict[str, Cells] = {
    "one-owner": {"pending": {(2, 1): Role.ACTIVE}},
    "one-runner": BOTH_RUN,
    "one-runner-always": BOTH_RUN | REMOVED,
    "runs-what-is-counted": {"assigned": {(1, 1): Role.NONE}},
    "taken-is-not-run": TAKEN,
    "one-copy-a-process": {"pending": {(1, 1): Role.STANDBY}},
    "target-epoch-is-revoked": {"pending": {(2, 1): Role.ACTIVE}},
    "stable-has-target": {"target": {(1, 1): Role.NONE, (2, 1): Role.ACTIVE}},
    "clients-go-on": {"taking_on": {1: True}, "client": {1: Client.GONE}},
}
"""By law, the cells of a state that breaks it."""

JOINS: Cells = {"message": {2: NOTHING._replace(kind=Kind.JOIN)}}
BEATS: Cells = {"message": {2: NOTHING._replace(kind=Kind.BEAT, epoch=2)}}
OWNS_FOREIGN: Cells = {"message": {2: Message(Kind.FULL, 1, Role.ACTIVE, Role.NONE)}}
FENCED: Cells = {"message": {2: NOTHING._replace(kind=Kind.FENCED)}}

STEPS: dict[str, tuple[Cells, Cells, str]] = {
    "release-before-assign": ({"assigned": {(1, 1): Role.NONE}}, {"assigned": {(2, 1): Role.ACTIVE}}, "serve"),
    "window-shrinks": (REMOVED | {"client": {1: Client.FENCED}}, {"client": {1: Client.STABLE}}, "receive"),
    "epochs-rise": ({}, {"epoch": {1: 1}}, "serve"),
    "join-is-accepted": (JOINS, FENCED, "serve"),
    "retry-is-accepted": (BEATS, FENCED, "serve"),
    "earlier-epoch-owns-assigned": (
        OWNS_FOREIGN,
        {"message": {2: NOTHING._replace(kind=Kind.ACCEPTED, epoch=2)}},
        "serve",
    ),
}
"""By law, the cells of a state, those that a step changes so that the law breaks, and the step."""

TAKEN_STEPS: dict[str, tuple[Cells, str, Cells]] = {
    "client-does-as-told": ({"message": {1: NOTHING._replace(kind=Kind.UNKNOWN)}}, "receive", {"client_epoch": {1: 1}}),
    "admitted-or-refused": (
        {"message": {1: NOTHING._replace(kind=Kind.BEAT)}, "previous": {1: 1}},
        "serve",
        {"message": {1: NOTHING._replace(kind=Kind.ACCEPTED, epoch=2)}},
    ),
    "epoch-before-is-known": (
        {"message": {1: NOTHING._replace(kind=Kind.BEAT, epoch=1)}, "epoch": {1: 1}, "previous": {1: 0}},
        "serve",
        {"previous": {1: 2}},
    ),
    "late-request-is-carried-out-once": (
        {"late": NOTHING._replace(kind=Kind.BEAT, epoch=1), "late_of": 1},
        "serve_late",
        {"late": NOTHING._replace(kind=Kind.BEAT, epoch=1)},
    ),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {
    "window-closes": REMOVED,
    "taken-is-stopped": TAKEN,
    "assigned-is-told": UNTOLD,
    "task-is-run": UNTOLD,
    "group-settles": {"phase": {1: Phase.UNRELEASED}},
}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN_STEPS, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(AMPLE), STATES[name])


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    cells, changes, taken = STEPS[name]
    step_breaks(SYSTEM, name, State(AMPLE), cells, changes, taken)


@pytest.mark.parametrize("name", TAKEN_STEPS)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN_STEPS[name]
    taken_step_breaks(SYSTEM, name, State(AMPLE), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(AMPLE), LIVENESS[name])


def test_two_may_run_a_task_while_one_of_them_was_removed_or_denied_it() -> None:
    law = SYSTEM.laws_by_name["one-runner"]
    assert isinstance(law, StateLaw)
    for excuse in (REMOVED, TAKEN):
        assert law.holds(where(State(AMPLE), **(BOTH_RUN | excuse)))


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "streams_group" and isinstance(row, Fault)]
    turned = [switch for row in rows for switch in (*row.rules, *row.repaired)]
    assert sorted(turned) == sorted(Rules.__dataclass_fields__)


@pytest.mark.parametrize(
    ("row", "law", "verdict"),
    [
        ("start", "taken-is-not-run", Verdict.INVALID),
        ("retarget", "taken-is-not-run", Verdict.VALID),
        ("retarget", "one-runner-always", Verdict.VALID),
        ("expiry", "one-runner-always", Verdict.INVALID),
        ("lost-farewell", "join-is-accepted", Verdict.INVALID),
    ],
)
def test_families_tell_where_the_holes_are(row: str, law: str, verdict: Verdict) -> None:
    family = families()[f"streams_group/{row}"]
    assert family.is_pinned
    assert family.laws[law] == verdict
