"""Bounded model checking by z3 comes to the verdicts of exploration."""

import pytest

from oneowner.checkers.catalogue.families import families, faults
from oneowner.checkers.engines.prove.bounded import Unrolled
from oneowner.checkers.ledger import bounded_faults, gate_rows
from oneowner.checkers.ledger.bounded_faults import DEEPEST, first_failures, shallow_faults
from oneowner.checkers.ledger.gate import tasks_of
from oneowner.checkers.verdict import EngineError
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


def test_depth_for_which_time_does_not_suffice_is_an_error() -> None:
    with pytest.raises(EngineError, match="z3 cannot tell within"):
        Unrolled(TRANSFER, LAWS["version-chain"]).first_failure(4, 0.001)
