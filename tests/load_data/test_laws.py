"""Shutdowns of a broker, with and without the fixes of later releases."""

import pytest

from oneowner.model.kernel.guards import Disabled
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.leaving import begin_shutdown, leave
from oneowner.model.load_data.reports import report
from oneowner.model.load_data.rules import Rules
from oneowner.model.load_data.state import Report, State
from tests.cells import where


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
