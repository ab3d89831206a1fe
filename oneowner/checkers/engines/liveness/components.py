"""
Fair components are the sets of states where a run can stay for ever without neglecting an owed step.

A run that never ends visits all of some strongly connected set of states again and again. The set is fair if each
weak demand is answered by a step inside or not enabled in some state of it, and each strong one is answered inside or
enabled in no state of it. A set that fails a strong demand alone may hold a smaller fair one: the states in which that
demand is enabled are taken away and what is left is decomposed again (Emerson and Lei 1987, as for Streett automata).
That makes the answer exact. A run may rest, so every state is a component, with or without a step to itself.

The only import of SciPy.
"""

import numpy as np

from oneowner.checkers.engines.liveness.graph import NOBODYS, Graph, Numbers, Truths
from oneowner.model.kernel.fairness import Strength

NO_COMPONENT = -1


def fair_components(graph: Graph, region: Truths, must: Truths | None = None) -> Numbers:
    """
    Return the number of the fair component of each state, or NO_COMPONENT for states in none.

    Components lie within *region* and hold a state of *must*, if that is given. A state in no component cannot lie on
    any fair loop within the region.
    """
    found = np.full(graph.states, NO_COMPONENT, np.int32)
    sources, enabled = graph.sources, enabled_in(graph)
    left, names = region.copy(), 0
    while left.any():
        count, labels, inside = _strong_components(graph, sources, left)
        sizes = np.bincount(labels[left], minlength=count)
        hopeless = np.zeros(count, bool)  # no part of such a component is fair
        divisible = np.zeros(count, bool)  # a part of such a component may be
        if must is not None:
            hopeless |= np.bincount(labels[left & must], minlength=count) == 0
        smaller = left.copy()
        for number, demand in enumerate(graph.demands):
            answered = np.zeros(count, bool)
            answered[labels[sources[inside & (graph.answers == number)]]] = True
            asking = enabled[number] & left
            asked = np.bincount(labels[asking], minlength=count)
            if demand.strength == Strength.WEAK:
                hopeless |= ~answered & (asked == sizes)
            else:
                unanswered = ~answered & (asked > 0)
                divisible |= unanswered
                smaller &= ~(asking & unanswered[labels])
        fair = left & ~(hopeless | divisible)[labels]
        found[fair] = labels[fair] + names
        names += count
        left = smaller & (divisible & ~hopeless)[labels]
    return found


def _strong_components(graph: Graph, sources: Numbers, region: Truths) -> tuple[int, Numbers, Truths]:
    """Return how many numbers there are, the component of each state (outside: its own) and the transitions inside."""
    labels, count = np.arange(graph.states, dtype=np.int32), graph.states
    cyclic = _peeled(graph, sources, region)
    if cyclic.any():
        from scipy.sparse import csr_array  # it takes long to load, and most regions have no cycle
        from scipy.sparse.csgraph import connected_components

        within = cyclic[sources] & cyclic[graph.targets]
        edges = np.ones(int(within.sum()), bool), (sources[within], graph.targets[within])
        matrix = csr_array(edges, shape=(graph.states, graph.states))
        number, found = connected_components(matrix, directed=True, connection="strong")
        labels[cyclic] = count + found[cyclic]
        count += number
    inside = region[sources] & region[graph.targets] & (labels[sources] == labels[graph.targets])
    return count, labels, inside


def _peeled(graph: Graph, sources: Numbers, region: Truths) -> Truths:
    """Return *region* without the states that lie on no cycle for want of a state before or after them."""
    while True:
        within = region[sources] & region[graph.targets]
        before, after = np.zeros_like(region), np.zeros_like(region)
        before[graph.targets[within]] = True
        after[sources[within]] = True
        peeled = region & before & after
        if (peeled == region).all():
            return region
        region = peeled


def enabled_in(graph: Graph) -> list[Truths]:
    """Return for each demand the states in which a step that answers it is enabled."""
    enabled = np.zeros((len(graph.demands), graph.states), bool)
    owed = graph.answers != NOBODYS
    enabled[graph.answers[owed], graph.sources[owed]] = True
    return list(enabled)
