"""Every law of a shard has a crafted state or step that breaks it, and every switch of the rules has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.rules import RELEASES, Rules
from oneowner.model.elasticsearch.state import Delay, Mode, Recovery, Request, Role, Stage, State
from oneowner.model.kernel.law import StateLaw
from oneowner.spec.elasticsearch.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, step_breaks, taken_step_breaks

AMPLE = Bounds(
    nodes=3,
    replicas=1,
    writes=1,
    recoveries=1,
    losses=1,
    cuts=1,
    crashes=1,
    stops=1,
    restarts=1,
    relocations=1,
    cancels=1,
    delays=1,
)
Cells = dict[str, Any]

BOTH: Cells = {"mode": {2: Mode.PRIMARY}}
OPEN: Cells = {"stage": {1: Stage.OPEN}, "author": {1: 2}, "write_term": {1: 1}}
ACKNOWLEDGED: Cells = {"stage": {1: Stage.ACKNOWLEDGED}, "author": {1: 1}, "write_term": {1: 1}}
LOST: Cells = ACKNOWLEDGED | {"holds": {(2, 1): True}}

STATES: dict[str, Cells] = {
    "single-primary-in-term": BOTH,
    "single-primary-always": BOTH | {"copy_term": {2: 2}},
    "hand-over-is-drained": OPEN,
    "source-lets-go-first": {"mode": {1: Mode.RELOCATED, 2: Mode.PRIMARY, 3: Mode.TAKEN_OVER}, "copy_term": {3: 1}},
    "in-sync-has-acknowledged": LOST,
    "in-sync-has-acknowledged-always": LOST | {"last_failed": True},
    "primary-has-acknowledged": LOST,
    "primary-has-acknowledged-always": LOST | {"last_failed": True},
    "copies-agree": {"holds": {(1, 1): True}},
    "recoveries-within-limit": {"role": {2: Role.INITIALIZING, 3: Role.TARGET}},
    "copies-are-counted": {"role": {3: Role.REPLICA}},
    "delay-is-kept": {"delay": {3: Delay.RUNNING}},
    "cluster-goes-on": {"role": {3: Role.TARGET}, "member": {3: False}},
    "writes-go-on": {"stage": {1: Stage.OPEN}},
}
"""By law, the cells of a state that breaks it."""

STEPS: dict[str, tuple[Cells, str, Cells]] = {
    "promoted-is-in-sync": ({"in_sync": {2: False}}, "remove", {"role": {1: Role.NONE, 2: Role.PRIMARY}, "term": 2}),
    "terms-grow": ({"copy_term": {2: 2}}, "deliver", {"copy_term": {2: 1}}),
    "promotion-begins-a-term": ({}, "remove", {"role": {1: Role.NONE, 2: Role.PRIMARY}}),
    "roles-are-legal": ({}, "relocate", {"role": {1: Role.REPLICA}}),
    "acknowledged-by-all-in-sync": (OPEN, "acknowledge", {"stage": {1: Stage.ACKNOWLEDGED}}),
    "acknowledged-by-all-in-sync-always": (
        OPEN | {"last_failed": True},
        "acknowledge",
        {"stage": {1: Stage.ACKNOWLEDGED}},
    ),
    "older-term-is-refused": (OPEN | {"copy_term": {2: 2}}, "deliver", {"holds": {(2, 1): True}}),
    "current-primary-fails-copies": (OPEN | {"term": 2}, "report", {"role": {2: Role.NONE}}),
}
"""By law, the cells of a state, an action, and the cells that it changes so that the law breaks."""

TAKEN: dict[str, tuple[Cells, str, Cells]] = {
    "table-is-as-decided": ({}, "cut", {"behind": {2: False}}),
    "sent-to-all-tracked": ({}, "accept", {"request": {(1, 2): Request.NONE}}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {
    "primary-comes-back": {"mode": {1: Mode.CLOSED}},
    "views-converge": {"behind": {1: True}},
    "delay-ends": {"delay": {2: Delay.DUE}},
    "write-ends": {"stage": {1: Stage.OPEN}},
    "recovery-ends": {"role": {3: Role.INITIALIZING}},
}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(AMPLE), STATES[name])


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    cells, taken, changes = STEPS[name]
    step_breaks(SYSTEM, name, State(AMPLE), cells, changes, taken)


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(AMPLE), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(AMPLE), LIVENESS[name])


@pytest.mark.parametrize(
    "cells",
    [
        {"stage": {1: Stage.OPEN}},
        {"request": {(1, 2): Request.SENT}},
        {"behind": {2: True}},
        {"resync": {2: True}},
        {"recovery": {3: Recovery.COPYING}},
        {"up": {3: False}},
        {"closing": {3: True}},
    ],
    ids=lambda cells: str(*cells),
)
def test_copies_may_differ_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["copies-agree"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(where(State(AMPLE), holds={(1, 1): True}), **cells))


def test_target_that_took_over_accepts_only_what_its_source_passes_on() -> None:
    law = SYSTEM.laws_by_name["single-primary-in-term"]
    assert isinstance(law, StateLaw)
    taken = where(State(AMPLE), mode={3: Mode.TAKEN_OVER}, copy_term={3: 1})
    assert law.holds(taken)
    assert law.when(where(taken, mode={1: Mode.RELOCATED}))
    assert not law.when(where(taken, mode={1: Mode.HANDING_OVER}))


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "elasticsearch" and isinstance(row, Fault)]
    turned = [switch for row in rows for switch in (*row.rules, *row.repaired)]
    assert sorted(turned) == sorted(Rules.__dataclass_fields__)


def test_releases_mend_one_thing_after_another() -> None:
    kept = [sum(getattr(rules, switch) for switch in Rules.__dataclass_fields__) for rules in RELEASES.values()]
    assert kept == sorted(kept)


@pytest.mark.parametrize(
    ("row", "law", "verdict"),
    [
        ("partition", "single-primary-in-term", Verdict.VALID),
        ("partition", "single-primary-always", Verdict.INVALID),
        ("relocation-loss", "in-sync-has-acknowledged", Verdict.VALID),
        ("relocation-loss", "in-sync-has-acknowledged-always", Verdict.INVALID),
        ("relocation-loss", "primary-has-acknowledged-always", Verdict.INVALID),
        ("relocation-cancelled", "in-sync-has-acknowledged-always", Verdict.VALID),
    ],
)
def test_terms_and_last_copies_make_the_difference(row: str, law: str, verdict: Verdict) -> None:
    assert families()[f"elasticsearch/{row}"].laws[law] == verdict
