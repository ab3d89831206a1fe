"""Fair components against every set of states tried one by one; lassos out of them are fair and close."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.engines.liveness.check import reachable, reaching
from oneowner.checkers.engines.liveness.components import NO_COMPONENT, fair_components
from oneowner.checkers.engines.liveness.graph import Graph, Truths
from oneowner.checkers.engines.liveness.lassos import lasso_to
from oneowner.model.kernel.fairness import Strength
from tests.engines.liveness.random_graphs import (
    ACTIONS,
    edges_of,
    graph_of,
    graphs,
    is_fair,
    states_of_fair_sets,
    unfair_components,
)
from tests.model.channel.strategies import steadily

WEAK, STRONG = Strength.WEAK, Strength.STRONG


def mask(graph: Graph, states: set[int]) -> Truths:
    return np.array([state in states for state in range(graph.states)], bool)


def components_of(graph: Graph, region: set[int], must: set[int] | None = None) -> set[int]:
    components = fair_components(graph, mask(graph, region), None if must is None else mask(graph, must))
    return {int(state) for state in np.flatnonzero(components != NO_COMPONENT)}


def test_fair_components_are_those_that_trying_every_set_finds() -> None:
    seen: Counter[str] = Counter()

    @settings(steadily, max_examples=500)
    @given(graphs(), st.sets(st.integers(2, 5), min_size=1), st.sets(st.integers(0, 5)), st.booleans())
    def compare(graph: Graph, outside: set[int], must: set[int], asks: bool) -> None:
        region = set(range(graph.states)) - outside
        expected = states_of_fair_sets(graph, region, must if asks else region)
        assert components_of(graph, region, must if asks else None) == expected
        seen["none" if not expected else "all" if expected == region else "some"] += 1
        seen["inner"] += any(component & expected for component in unfair_components(graph, region))

    compare()
    assert min(seen["none"], seen["some"], seen["all"], seen["inner"]) > 5


def test_components_are_strongly_connected_and_apart() -> None:
    two = graph_of(4, [(0, 1, 3), (1, 0, 3), (1, 2, 3), (2, 3, 3), (3, 2, 3)], [])
    components = fair_components(two, mask(two, {0, 1, 2, 3}))
    assert components[0] == components[1] != components[2] == components[3]


@pytest.mark.parametrize(("strength", "fair"), [(WEAK, {0, 1}), (STRONG, set[int]())])
def test_demand_that_is_enabled_only_now_and_then_is_owed_if_it_is_strong(strength: Strength, fair: set[int]) -> None:
    """Two states take turns; in one of them a step that leaves both is enabled and never taken."""
    blinking = graph_of(3, [(0, 1, 3), (1, 0, 3), (0, 2, 0)], [strength])
    assert components_of(blinking, {0, 1}) == (fair or {1})  # in state 1 alone nothing is enabled: a run may rest there


def test_fair_component_inside_an_unfair_one_is_found() -> None:
    """
    One pass over the components finds none. Demand 0, strong, is enabled in state 2 alone, so no run may pass it again
    and again; the other two states may take turns, and have to, for demand 1 is enabled in both.
    """
    edges = [(0, 1, 3), (1, 0, 1), (1, 2, 3), (2, 0, 3), (2, 3, 0), (0, 3, 1), (1, 3, 1)]
    assert components_of(graph_of(4, edges, [STRONG, WEAK]), {0, 1, 2}) == {0, 1}


def test_lasso_is_fair_closes_and_passes_what_it_must() -> None:
    seen: Counter[str] = Counter()

    @steadily
    @given(graphs(), st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)), st.booleans())
    def draw(graph: Graph, good: set[int], must: set[int], stays: bool) -> None:
        everywhere = np.ones(graph.states, bool)
        asked, waiting = everywhere, everywhere
        if not stays:
            asked = ~mask(graph, good)
            waiting = reachable(graph, asked, ~mask(graph, good))
        needed = mask(graph, must) if stays else None
        trap = waiting & ~reaching(graph, mask(graph, good))
        components = fair_components(graph, waiting, needed)
        goal = (components != NO_COMPONENT) & reachable(graph, mask(graph, {0}), everywhere)
        if not goal.any():
            seen["none"] += 1
            return
        lasso = lasso_to(graph, asked, waiting, np.where(goal, components, NO_COMPONENT), needed, trap)
        walks = walk(graph, {0}, [ACTIONS.index(action) for action in lasso.steps], lasso.loop)
        assert any(is_run(graph, states, answered, waiting, must if stays else None) for states, answered in walks)
        seen["rest" if lasso.loop > len(lasso.steps) else "loop"] += 1

    draw()
    assert min(seen["none"], seen["rest"], seen["loop"]) > 0


def walk(graph: Graph, start: set[int], labels: list[int], loop: int) -> list[tuple[list[int], set[int]]]:
    """Return the loop's states and answered demands of every run that takes these actions and closes."""
    runs: list[tuple[list[int], list[int]]] = [([state], []) for state in start]
    for label in labels:
        runs = [
            ([*states, target], [*answers, answer])
            for states, answers in runs
            for (source, target, answer), taken in zip(edges_of(graph), graph.labels, strict=True)
            if source == states[-1] and taken == label
        ]
    return [
        (states[loop - 1 :], set(answers[loop - 1 :])) for states, answers in runs if states[-1] == states[loop - 1]
    ]


def is_run(graph: Graph, loop: list[int], answered: set[int], waiting: Truths, must: set[int] | None) -> bool:
    stays = all(waiting[state] for state in loop)
    return stays and is_fair(graph, set(loop), answered) and (must is None or bool(set(loop) & must))
