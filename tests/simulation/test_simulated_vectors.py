"""Decisions inside simulated runs are those of the unmodified classes, cycle by cycle (``tools.oracle.simulated``)."""

import json

import pytest

from oneowner.checkers.simulation.run import RELEASES
from oneowner.checkers.simulation.traces import GENERATORS, Sizes
from tests.packed_vectors import rows_of
from tools.oracle.simulated import of_answer, run_of

SIZES = Sizes(brokers=6, bundles=30, cycles=8, seed=1)
"""Of the runs that are kept."""


@pytest.mark.parametrize("shedder", RELEASES)
def test_every_cycle_of_a_run_decides_as_the_class_did(shedder: str) -> None:
    kept = {vector["input"]["id"]: vector for vector in rows_of(f"simulated/4.0.6/{shedder}")}
    assert kept.keys() == {f"{trace}-{shedder}-1" for trace in GENERATORS}
    moving = 0
    for trace in GENERATORS:
        row, decided = run_of(trace, shedder, "4.0.6", SIZES)
        vector = kept[row["id"]]
        assert json.loads(json.dumps(row)) == vector["input"]
        answers = [of_answer(shedder, cycle) for cycle in vector["answer"]["cycles"]]
        assert json.loads(json.dumps(decided)) == answers
        moving += sum(map(bool, answers))
    assert moving
