"""
``check_liveness`` gives exact verdicts under the declared fairness, and lassos against laws that fail.

A law asks for *good*: a run breaks it that is asked and then stays for ever, fairly, where good is not. First the cheap
question, from which states good can be reached at all (AG EF good); a state from which it cannot is a trap. Then the
fair components of what is not good decide.
"""

from collections.abc import Sequence

import numpy as np

from oneowner.checkers.engines.compile.column_program import Written
from oneowner.checkers.engines.compile.program import Traced
from oneowner.checkers.engines.explore.exploration import Lasso, LiveResult
from oneowner.checkers.engines.liveness.components import NO_COMPONENT, fair_components
from oneowner.checkers.engines.liveness.graph import MOST_STATES, Graph, Numbers, Truths, build
from oneowner.checkers.engines.liveness.lasso import kept, not_closed, short_of_room, unfair
from oneowner.checkers.engines.liveness.lassos import lasso_to
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import LivenessLaw
from oneowner.model.kernel.system import initial_states, step


def check_liveness(
    bounds: Bounds, laws: Sequence[LivenessLaw], like: Traced | None = None, steps: Written | None = None
) -> tuple[Graph, dict[str, LiveResult]]:
    """Judge *laws* on the whole graph within *bounds* (``graph.build``); raise Incomplete if it is too big."""
    predicates = [predicate for law in laws for predicate in (law.when, law.good)]
    graph = build(bounds, predicates, MOST_STATES, like=like, steps=steps)
    results = {law.name: judge(graph, law) for law in laws}
    for law in laws:
        found = results[law.name]
        undecided = confirm_lasso(bounds, law, found.lasso) if found.lasso is not None else ""
        if undecided:
            results[law.name] = LiveResult(found.exercised, undecided=undecided)
    return graph, results


def judge(graph: Graph, law: LivenessLaw) -> LiveResult:
    """Judge one law by the graph alone."""
    good, everywhere = graph.truths[law.good], np.ones(graph.states, bool)
    due = graph.truths[law.when] & ~good
    if law.stays:
        asked, waiting, must, trap = everywhere, everywhere, ~good, ~everywhere
    else:
        asked, waiting, must = due, reachable(graph, due, ~good), None
        trap = waiting & ~reaching(graph, good)
    components = fair_components(graph, trap if trap.any() else waiting, must)
    fails = bool((components != NO_COMPONENT).any())
    lasso = lasso_to(graph, asked, waiting, components, must, trap) if fails else None
    return LiveResult(int(due.sum()), lasso)


def reachable(graph: Graph, seeds: Truths, within: Truths) -> Truths:
    """Return the states that can be reached from *seeds* without leaving *within*; seeds outside do not count."""
    return _closure(seeds & within, graph.sources, graph.targets, within)


def reaching(graph: Graph, goal: Truths) -> Truths:
    """Return the states from which *goal* can be reached."""
    return _closure(goal, graph.targets, graph.sources, np.ones_like(goal))


def _closure(found: Truths, sources: Numbers, targets: Numbers, within: Truths) -> Truths:
    while True:
        grown = found.copy()
        grown[targets[found[sources]]] = True
        grown &= within
        if (grown == found).all():
            return found
        found = grown


def confirm_lasso(bounds: Bounds, law: LivenessLaw, lasso: Lasso) -> str:
    """
    Raise EngineError unless the native interpreter finds that *lasso* is a fair run that breaks *law*.

    Return why it proves nothing of Pulsar, if only the bounds make it one.
    """
    states = [initial_states(bounds)[0]]
    for action in lasso.steps:
        try:
            states.append(step(states[-1], action))
        except (Disabled, BoundReached) as refused:
            raise EngineError(f"{action} of a lasso against {law.name} cannot be taken: {refused}") from None
    against = not_closed(states, lasso.loop) or unfair(states, lasso.steps, lasso.loop) or kept(law, states, lasso.loop)
    if against:
        raise EngineError(f"a lasso against {law.name} is none: {against}")
    return short_of_room(states, lasso.steps, lasso.loop)
