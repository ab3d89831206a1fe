"""Random graphs with demands, and fair sets found by trying every set of states."""

from itertools import chain, combinations
from random import Random

import networkx
import numpy as np
from hypothesis import strategies as st

from oneowner.checkers.engines.liveness.graph import NOBODYS, Graph
from oneowner.checkers.engines.liveness.obligations import Demand
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.fairness import Strength, every_step

STATES, DEMANDS = 6, 3
ACTIONS = tuple(Action(f"act_{number}", (), lambda state: None) for number in range(DEMANDS + 1))
"""Action n answers demand n, and the last one nobody's."""


def graph_of(states: int, edges: list[tuple[int, int, int]], strengths: list[Strength]) -> Graph:
    """Return a graph of edges (source, target, action), whose state 0 is the initial one."""
    edges = sorted(set(edges))
    out = [sum(source == state for source, _, _ in edges) for state in range(states)]
    demands = [Demand(f"demand {n}", strength, (ACTIONS[n],), every_step) for n, strength in enumerate(strengths)]
    return Graph(
        actions=ACTIONS,
        demands=tuple(demands),
        initial=1,
        offsets=np.cumsum([0, *out], dtype=np.int32),
        labels=np.array([action for _, _, action in edges], np.int32),
        targets=np.array([target for _, target, _ in edges], np.int32),
        answers=np.array([action if action < len(demands) else NOBODYS for _, _, action in edges], np.int32),
        truths={},
        depth=0,
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any small graph; by a seed, for lists of edges drawn one by one would be short ones."""
    random = Random(draw(st.integers(0, 2**32)))
    states, nobodys = random.randint(2, STATES), random.uniform(0.5, 1)
    strengths = random.choices([Strength.WEAK, Strength.STRONG], k=random.randint(0, DEMANDS))
    edges = [
        (
            random.randrange(states),
            random.randrange(states),
            DEMANDS if random.random() < nobodys else random.randrange(DEMANDS),
        )
        for _ in range(random.randint(states, 4 * states))
    ]
    return graph_of(states, edges, strengths)


def edges_of(graph: Graph) -> list[tuple[int, int, int]]:
    """Return (source, target, demand answered) for every transition."""
    return [(int(s), int(t), int(a)) for s, t, a in zip(graph.sources, graph.targets, graph.answers, strict=True)]


def is_fair(graph: Graph, states: set[int], answered: set[int]) -> bool:
    """Return whether a run may visit exactly *states* for ever while it answers the demands *answered*."""
    edges = edges_of(graph)
    for number, demand in enumerate(graph.demands):
        enabled = {source for source, _, answer in edges if answer == number} & states
        if demand.strength == Strength.WEAK and enabled == states and number not in answered:
            return False
        if demand.strength == Strength.STRONG and enabled and number not in answered:
            return False
    return True


def as_networkx(graph: Graph) -> networkx.MultiDiGraph:
    whole = networkx.MultiDiGraph()
    whole.add_nodes_from(range(graph.states))
    whole.add_edges_from((source, target, {"answer": answer}) for source, target, answer in edges_of(graph))
    return whole


def unfair_components(graph: Graph, region: set[int]) -> list[set[int]]:
    """Return the strongly connected components of *region* that are not fair as a whole."""
    inside = as_networkx(graph).subgraph(region)
    return [
        component
        for component in networkx.strongly_connected_components(inside)
        if not is_fair(graph, component, {a for _, _, a in inside.subgraph(component).edges(data="answer")})
    ]


def states_of_fair_sets(graph: Graph, region: set[int], must: set[int]) -> set[int]:
    """Return the states of all strongly connected, fair sets within *region* that hold a state of *must*."""
    whole = as_networkx(graph)
    sets = chain.from_iterable(combinations(sorted(region), size) for size in range(1, len(region) + 1))
    found: set[int] = set()
    for chosen in map(set, sets):
        inside = whole.subgraph(chosen)
        answered = {answer for _, _, answer in inside.edges(data="answer")}
        if chosen & must and networkx.is_strongly_connected(inside) and is_fair(graph, chosen, answered):
            found |= chosen
    return found
