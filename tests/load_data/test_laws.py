"""Every law of load data has a crafted state that breaks it, and every switch turns a law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.law import StateLaw
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.leaving import begin_shutdown, leave
from oneowner.model.load_data.reports import report
from oneowner.model.load_data.rules import Rules
from oneowner.model.load_data.state import CleanUp, Report, State
from oneowner.spec.load_data.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, state_breaks, taken_step_breaks

KEPT: dict[str, Any] = {"registered": {2: False}, "up": {2: False}, "view": {(1, 2): Report.OLD}}
"""Broker 2 has gone, and broker 1, who leads, still has its report."""

LIVENESS = {
    "shedding-is-not-blocked": KEPT,
    "reports-go-with-brokers": KEPT,
    "leader-is-told": {"view": {(1, 1): Report.FRESH}},
}
"""By law of runs, the cells of a state that may not last."""


STATES: dict[str, dict[str, Any]] = {
    "sorted-are-registered": KEPT,
    "brokers-go-on": {"leaving": {2: True}, "up": {2: False}},
}
"""By law, the cells of a state that breaks it."""
GIVEN = {"cleaning": {(1, 1): CleanUp.UNITS_GIVEN}}
TAKEN: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "change-is-known": ({}, "report", {"view": {(2, 1): Report.OLD}}),
    "clean-up-goes-on": (GIVEN, "delete_report", {"view": {(2, 1): Report.OLD}}),
    "who-shuts-down-leaves-nothing": ({}, "begin_shutdown", {"owns": {1: True}}),
    "role-reads-anew": ({"role_due": {1: True}}, "play_role", {"view": {(1, 2): Report.OLD}}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, TAKEN, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(Bounds(shutdowns=1)), STATES[name])


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(Bounds(shutdowns=1)), cells, taken, changes)


@pytest.mark.parametrize(
    "innocent",
    [{"registered": {2: True}}, {"view": {(1, 2): Report.NONE}}, {"leader": 0}, {"role_due": {1: True}}],
    ids=lambda cells: str(*cells),
)
def test_leader_without_such_a_report_is_innocent(innocent: dict[str, Any]) -> None:
    law = SYSTEM.laws_by_name["sorted-are-registered"]
    assert isinstance(law, StateLaw)
    assert law.holds(where(where(State(Bounds()), **KEPT), **innocent))


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    law = SYSTEM.liveness_by_name[name]
    state = where(State(Bounds()), **LIVENESS[name])
    assert law.when(state)
    assert not law.good(state)


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "load_data" and isinstance(row, Fault)]
    turned = {switch for row in rows for switch in (*row.rules, *row.repaired)}
    assert turned == {"clean_up_deletes", "role_empties_view", "old_reports_deleted", "sorts_registered"}


@pytest.mark.parametrize(
    ("row", "release", "verdict"),
    [
        ("lost-tombstone", "pip-192", Verdict.VALID),
        ("lost-tombstone", "4.0.6", Verdict.INVALID),
        ("gone", "pip-192", Verdict.VALID),
        ("gone", "3.0.0", Verdict.INVALID),
        ("gone", "4.2.4", Verdict.VALID),
    ],
)
def test_shedding_is_blocked_for_good_where_nobody_deletes_old_reports(
    row: str, release: str, verdict: Verdict
) -> None:
    family = families()[f"load_data/{row}"].under(release)
    assert family.is_pinned
    assert family.liveness["shedding-is-not-blocked"] == verdict


@pytest.mark.parametrize(
    ("rules", "row", "owns"),
    [(Rules(), Report.NONE, False), (Rules(cleans_up_itself=False), Report.FRESH, True)],
    ids=["since 3.0.7", "3.0.0"],
)
def test_broker_that_shuts_down_cleans_up_behind_itself_since_a_release(rules: Rules, row: Report, owns: bool) -> None:
    state = where(State(Bounds(shutdowns=1, rules=rules)), view={(1, 2): Report.FRESH})
    begin_shutdown(state, 2)
    assert (state.view[1, 2], state.owns[2], state.registered[2]) == (row, owns, True)
    leave(state, 2)
    assert (state.view[1, 2], state.registered[2], state.told[1, 2]) == (row, False, True)


@pytest.mark.parametrize("stops", [True, False])
def test_broker_that_shuts_down_reports_on_until_a_release(stops: bool) -> None:
    state = State(Bounds(shutdowns=1, rules=Rules(stops_reporting=stops)))
    begin_shutdown(state, 2)
    if stops:
        with pytest.raises(Disabled, match="reports on meanwhile"):
            report(state, 2)
    else:
        report(state, 2)
    assert (state.view[1, 2] == Report.FRESH) is not stops
