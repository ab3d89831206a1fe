"""Findings make of random walks an exploration like any other: violations confirmed and minimised."""

from collections.abc import Sequence

from oneowner.checkers.engines.explore.exploration import Exploration, LawResult
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.explore.shrinking import minimised
from oneowner.checkers.engines.walks.plan import Walks
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import initial_states, perturbations, step


def explored(bounds: Bounds, laws: Sequence[Law], walks: Walks) -> Exploration:
    """
    Return what *walks* met as an exploration, which did not finish: walks never show that there is no violation.

    Every violation is replayed by the native interpreter before and after it is minimised; raise EngineError if it
    is none.
    """
    results = {}
    for law in laws:
        row = results[law.name] = LawResult(walks.exercised[law.name])
        if law.name in walks.broken:
            found = walks.broken[law.name].steps
            confirm(bounds, law, found)
            row.steps = minimised(bounds, law, found)
            confirm(bounds, law, row.steps)
            row.perturbations = perturbations(after(bounds, row.steps))
    return Exploration(
        bounds=bounds,
        laws=results,
        fired=walks.fired,
        witnesses=walks.witnesses,
        distinct=walks.distinct,
        transitions=walks.steps,
        depth=walks.longest,
        terminal=walks.terminal,
        seconds=walks.seconds,
        stopped=in_words(walks),
        memory=walks.memory,
    )


def after(bounds: Bounds, steps: Sequence[Action]) -> State:
    state: State = initial_states(bounds)[0]
    for action in steps:
        state = step(state, action)
    return state


def in_words(walks: Walks) -> str:
    """Return why walks prove nothing about the states that they did not meet."""
    plan = walks.plan
    taken = f"{walks.walks:,} random walks of at most {plan.depth} steps"
    if walks.walks < plan.walks:
        taken += f", of {plan.walks:,} asked for"
    return f"{taken}{f'; {walks.stopped}' if walks.stopped else ''}"
