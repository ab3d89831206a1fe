"""A fault that no step of a protocol shows names a law of a decision, which is pinned broken."""

import re

import pytest

from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Unkilled
from oneowner.checkers.ledger.decision_pins import decision_rows
from oneowner.checkers.verdict import Verdict

NAMED = re.compile(r"the decision (\S+) breaks (\S+) by it")
DECIDED = {
    name: found.groups()
    for name, row in catalogue().items()
    if isinstance(row, Unkilled) and (found := NAMED.search(row.why))
}


def test_five_faults_are_those_of_decisions() -> None:
    assert set(DECIDED) == {
        "cap_ignores_selected", "or_update_max_min", "ema_lag", "plan_key_mutable", "own_namespace_counted",
    }  # fmt: skip


@pytest.mark.parametrize("fault", DECIDED)
def test_law_that_a_fault_breaks_in_a_decision_is_pinned_broken(fault: str) -> None:
    decision, law = DECIDED[fault]
    assert decision_rows()[decision].laws[law].verdict == Verdict.INVALID
