"""
The search here finds counterexamples with the fewest perturbations, then the fewest steps.

A breadth-first search finds the fewest steps. So the model is searched with no perturbation at all, then with at most
one, and so on: perturbations only ever add up along a run (``perturbations``), so what breaks within k of
them and not within k - 1 needs exactly k, and the search within k finds the fewest steps.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, LawResult, Limits
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import budget

Explore = Callable[[Limits], tuple[Exploration, str]]
"""A search with everything but its limits fixed; it names its engine."""


def with_fewest_perturbations(
    explore: Explore, bounds: Bounds, stop_at: frozenset[str] = frozenset(), limits: Limits = NO_LIMITS
) -> tuple[Exploration, str]:
    """
    Return what *explore* finds within *limits*, but the least counterexample to a law has the fewest perturbations.

    The counts are those of the last search: of the whole graph, or of the part within the perturbations of the first
    violation of a law in *stop_at*. A search that was stopped ends it all: what it did not see may break a law.
    """
    least: dict[str, LawResult] = {}
    started, seconds = time.monotonic(), 0.0
    for most in range(budget(bounds) + 1):
        within = limits.left(started)._replace(perturbations=most if most < budget(bounds) else None)
        found, which = explore(within)
        seconds += found.seconds
        for name, row in found.laws.items():
            if row.steps is not None:
                least.setdefault(name, row)
        if found.stopped or any(name in least for name in stop_at):
            break
    for name, row in found.laws.items():
        if name in least:
            found.laws[name] = replace(least[name], exercised=row.exercised)
    found.seconds, found.perturbations_first = seconds, True
    return found, which
