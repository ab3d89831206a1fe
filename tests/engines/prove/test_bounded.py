"""Bounded model checking and induction by z3 come to the verdicts of exploration."""

import pytest

from oneowner.checkers.catalogue.families import families, faults
from oneowner.checkers.engines.prove.bounded import Unrolled
from oneowner.checkers.ledger import bounded_faults, gate_rows
from oneowner.checkers.ledger.bounded_faults import DEEPEST, first_failures, shallow_faults
from oneowner.checkers.ledger.gate import tasks_of
from oneowner.checkers.verdict import EngineError, Verdict
from tests.channel import LAWS

pytestmark = pytest.mark.slow

TRANSFER = families()["transfer-metadata-store"].bounds


def test_fault_fails_by_z3_after_as_many_steps_as_by_exploration_and_not_without_it() -> None:
    fault = faults()["start_keeps_old_node"]
    assert first_failures(fault) == (fault.steps, None)


def test_gate_looks_for_every_shallow_fault_each_night() -> None:
    names = {task.name for task in tasks_of("nightly") if task.kind == "bounded"}
    assert names == {fault.name for fault in shallow_faults()}
    assert len(names) >= 10
    assert all(0 < faults()[name].steps <= DEEPEST for name in names)


def test_gate_refuses_other_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    for found, verdict in (
        ((2, None), "killed"),
        ((1, None), "survived"),
        ((2, 2), "survived"),
        ((None, None), "survived"),
    ):
        monkeypatch.setattr(bounded_faults, "first_failures", lambda fault, found=found: found)
        expected, is_so, reasons, _ = gate_rows.check_bounded("start_keeps_old_node")
        assert (expected, is_so, bool(reasons)) == ("killed", verdict, verdict != "killed")


def test_law_of_steps_holds_of_every_step_from_any_state_of_the_domain() -> None:
    """Agrees with exploration, which visits only reachable states."""
    assert families()["transfer-metadata-store"].laws["version-chain"] == Verdict.VALID
    assert Unrolled(TRANSFER, LAWS["version-chain"]).induction(1) == 1


def test_law_that_needs_its_history_is_not_inductive() -> None:
    assert Unrolled(TRANSFER, LAWS["one-owner"]).induction(1) is None


def test_depth_for_which_time_does_not_suffice_is_an_error() -> None:
    with pytest.raises(EngineError, match="z3 cannot tell within"):
        Unrolled(TRANSFER, LAWS["version-chain"]).first_failure(4, 0.001)
