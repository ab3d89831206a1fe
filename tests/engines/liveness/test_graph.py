"""The graph of a model: the same whoever traced its steps."""

import numpy as np

from oneowner.checkers.engines.compile.column_program import written
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.model.channel.bounds import Bounds
from oneowner.spec.channel.registry import LIVENESS


def test_graph_by_the_steps_that_a_search_took_is_the_graph_by_steps_of_its_own() -> None:
    bounds, laws = Bounds(brokers=2, owner=2, expiries=1, closings=2), [*LIVENESS]
    searched = written(trace(bounds, bounds.system.laws, ()))
    own, found = check_liveness(bounds, laws)
    shared, found_too = check_liveness(bounds, laws, steps=searched)
    assert found == found_too
    for part in ("offsets", "labels", "targets", "answers"):
        assert np.array_equal(getattr(own, part), getattr(shared, part)), part
    assert all(np.array_equal(own.truths[one], shared.truths[one]) for one in own.truths)
    assert any(result.exercised for result in found.values())
    assert (own.answers >= 0).any()
