"""Single laws of load data: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.law import StateLaw
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.leaving import begin_shutdown, leave
from oneowner.model.load_data.reports import report
from oneowner.model.load_data.rules import Rules
from oneowner.model.load_data.state import Report, State
from oneowner.spec.load_data.system import SYSTEM
from tests.cells import where
from tests.load_data.law_cases import KEPT


@pytest.mark.parametrize(
    "innocent",
    [{"registered": {2: True}}, {"view": {(1, 2): Report.NONE}}, {"leader": 0}, {"role_due": {1: True}}],
    ids=lambda cells: str(*cells),
)
def test_leader_without_such_a_report_is_innocent(innocent: dict[str, Any]) -> None:
    law = SYSTEM.laws_by_name["sorted-are-registered"]
    assert isinstance(law, StateLaw)
    assert law.holds(where(where(State(Bounds()), **KEPT), **innocent))


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
