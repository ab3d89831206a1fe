"""Steps of many states at once: none is lost, whichever way the tree of the normalisation goes."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.compile.column_program import BRANCH, DISABLED, Node, Written, written
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.state_columns import Model


def steps_of(model: Written, rounds: int) -> list[list[int]]:
    """Return how many steps each state has, of those that some rounds of steps reach."""
    ready = Model(model)
    packed, found = ready.initial(), []
    for _ in range(rounds):
        expansion, _ = ready.expand(packed)
        found.append(expansion.counts.tolist())
        packed = np.unique(expansion.packed, axis=0)
    return found


def test_state_to_which_no_branch_of_the_normalisation_applies_keeps_its_steps() -> None:
    model = written(trace(families()["transfer"].bounds, (), ()))
    number = len(model.nodes)
    tests = sorted({node.number for node in model.nodes if node.kind == BRANCH})
    plain = steps_of(replace(model, nodes=(*model.nodes, Node(DISABLED)), normalisation=number), 4)
    pairs = list(pairwise(tests[::6]))
    for first, second in pairs:
        inner, outer = (Node(BRANCH, test, side, number) for test, side in ((second, number), (first, number + 1)))
        nested = replace(model, nodes=(*model.nodes, Node(DISABLED), inner, outer), normalisation=number + 2)
        assert steps_of(nested, 4) == plain
    assert len(pairs) > 10
    assert sum(map(sum, plain)) > 100
