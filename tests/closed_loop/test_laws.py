"""Every law of the closed loop has a crafted state or step that breaks it, and every switch turns a law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Fault
from oneowner.model.closed_loop.bounds import Bounds
from oneowner.model.closed_loop.cycle import decide, hand_over
from oneowner.model.closed_loop.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import StepLaw
from oneowner.spec.closed_loop.system import SYSTEM
from tests.cells import where

DECIDE = Action("decide", (), decide)
HAND_OVER = Action("hand_over", (("bundle", 1), ("broker", 2)), hand_over)
FLIES = {"may": {(1, 2): True}}
BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], Action, dict[str, Any]]] = {
    "no-return": ({"window": 2}, {"left": {1: 2}, **FLIES}, HAND_OVER, {"owner": {1: 2}}),
    "settles": ({"horizon": 1}, {"cycles": 1}, DECIDE, FLIES),
    "unload-changes-owner": ({}, {"owner": {1: 2}, **FLIES}, HAND_OVER, {"rest": {1: 1}, "owner": {1: 2}}),
    "resting-stay": ({}, {"rest": {1: 1}}, DECIDE, FLIES),
    "flight-is-left-alone": ({"lag": 1}, FLIES, DECIDE, {"may": {(1, 1): True}}),
}
"""By law: bounds, cells before a step that breaks it, the step, and cells after."""


@pytest.mark.parametrize("name", BROKEN)
def test_crafted_step_breaks_its_law(name: str) -> None:
    sizes, before, action, after = BROKEN[name]
    law = next(law for law in SYSTEM.laws if law.name == name)
    assert isinstance(law, StepLaw)
    start = State(Bounds(**sizes))
    assert law.when(where(start, **before), action, where(start, **after))
    assert not law.holds(where(start, **before), action, where(start, **after))


def test_every_law_of_steps_is_crafted() -> None:
    assert BROKEN.keys() == {law.name for law in SYSTEM.laws}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("moves-end", {"rest": {1: 1}}),
        ("idle-broker-is-used", {"placed": 3, "owner": {1: 2, 2: 2, 3: 2}}),
    ],
)
def test_state_that_may_not_last(name: str, cells: dict[str, Any]) -> None:
    law = next(law for law in SYSTEM.liveness if law.name == name)
    state = where(State(Bounds()), **cells)
    assert law.when(state)
    assert not law.good(state)


def test_bundle_that_is_passed_over_has_not_moved() -> None:
    law = next(law for law in SYSTEM.liveness if law.name == "moves-end")
    assert law.good(where(State(Bounds()), rest={1: 1}, **FLIES))


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "closed_loop" and isinstance(row, Fault)]
    assert {switch for row in rows for switch in (*row.rules, *row.repaired)} == {"chooses_first", "narrows"}
