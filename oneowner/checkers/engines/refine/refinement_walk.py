"""
The walk holds every step of a family's whole graph against an abstract specification.

A mapping may remember more than a state holds, so the walk visits pairs of a state and an abstract state, breadth first
in the order of the search; few states have more than one. What was decided once of two abstract states is
not asked again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from oneowner.checkers.engines.liveness.graph import MOST_STATES, Graph, build
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.refinement import Refinement
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import initial_states, step


@dataclass(frozen=True, slots=True)
class Failure:
    """The first step, breadth first, that the abstract specification does not allow."""

    steps: tuple[Action, ...]
    """The actions from an initial state on; the last one is the step."""
    states: tuple[State, ...]
    """The initial state, and that after each of the actions."""
    abstract_before: Any
    abstract_after: Any


@dataclass(slots=True)
class Walked:
    """The findings on one refinement in one family."""

    refinement: Refinement
    states: int = 0
    pairs: int = 0
    """States with their memory: at least as many as states, if nothing failed."""
    edges: int = 0
    """Steps from these pairs."""
    taken: Counter[str] = field(default_factory=Counter)
    """The number of times that each abstract action was taken."""
    failure: Failure | None = None

    @property
    def never(self) -> list[str]:
        """Return the abstract actions that were never taken."""
        return [name for name in self.refinement.actions if not self.taken[name]]


def refinements_of(bounds: Bounds) -> tuple[Refinement, ...]:
    """Return the refinements that are about a model within these bounds."""
    return tuple(refinement for refinement in bounds.system.refinements if refinement.applies(bounds))


def walk_all(bounds: Bounds, most: int = MOST_STATES) -> Iterator[Walked]:
    """Walk each refinement through the whole graph within *bounds*; raise Incomplete if there is none."""
    graph = build(bounds, (), most, keeps_codes=True)
    for refinement in refinements_of(bounds):
        yield walk(bounds, graph, refinement)


class Pair(NamedTuple):
    """A state of the graph and an abstract state, by their numbers."""

    state: int
    abstract: int


class _Numbered(dict[Any, int]):
    """Values, numbered as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.values_in_order: list[Any] = []

    def number(self, value: Any) -> int:
        found = self.setdefault(value, len(self))
        if found == len(self.values_in_order):
            self.values_in_order.append(value)
        return found


def walk(bounds: Bounds, graph: Graph, refinement: Refinement) -> Walked:
    """Walk *refinement* through *graph*, which holds the codes of its states, up to the first failure."""
    result = Walked(refinement, states=graph.states)
    blank = initial_states(bounds)[0]
    seen, known = _Numbered(), _Numbered()
    observed = [seen.number(refinement.observe(blank.with_codes(codes))) for codes in graph.codes]
    offsets, targets = graph.offsets.tolist(), graph.targets.tolist()
    decided: dict[tuple[int, int], tuple[int, tuple[str, ...] | None]] = {}

    def decide(abstract: int, observation: int) -> tuple[int, tuple[str, ...] | None]:
        before = known.values_in_order[abstract]
        after = refinement.follow(before, seen.values_in_order[observation])
        return known.number(after), refinement.explain(before, after)

    parents: dict[Pair, tuple[Pair, int] | None] = {}
    for state in range(graph.initial):
        start = refinement.start(seen.values_in_order[observed[state]])
        parents[Pair(state, known.number(start))] = None
    queue = list(parents)
    for pair in queue:  # it grows meanwhile
        for transition in range(offsets[pair.state], offsets[pair.state + 1]):
            target = targets[transition]
            question = pair.abstract, observed[target]
            if question not in decided:
                decided[question] = decide(*question)
            abstract, names = decided[question]
            result.edges += 1
            if names is None:
                way = [*_way(parents, pair), transition]
                abstracts = known.values_in_order[pair.abstract], known.values_in_order[abstract]
                result.pairs = len(parents)
                result.failure = _failure(bounds, refinement, [graph.actions[graph.labels[t]] for t in way], *abstracts)
                return result
            result.taken.update(names)
            after = Pair(target, abstract)
            if after not in parents:
                parents[after] = (pair, transition)
                queue.append(after)
    result.pairs = len(parents)
    return result


def _way(parents: dict[Pair, tuple[Pair, int] | None], pair: Pair) -> list[int]:
    transitions = []
    while (by := parents[pair]) is not None:
        pair, transition = by
        transitions.append(transition)
    return transitions[::-1]


def _failure(bounds: Bounds, refinement: Refinement, steps: Sequence[Action], *abstracts: Any) -> Failure:
    """Return the failing run as the model's own functions take it; raise EngineError if they disagree."""
    states = [initial_states(bounds)[0]]
    last = abstract = refinement.start(refinement.observe(states[0]))
    for action in steps:
        try:
            states.append(step(states[-1], action))
        except (Disabled, BoundReached) as refused:
            raise EngineError(f"{action} of a run against {refinement.name} cannot be taken: {refused}") from None
        last, abstract = abstract, refinement.follow(abstract, refinement.observe(states[-1]))
    if (last, abstract) != abstracts or refinement.explain(last, abstract) is not None:
        raise EngineError(f"the model's own functions do not confirm a run against {refinement.name}")
    return Failure(tuple(steps), tuple(states), last, abstract)
