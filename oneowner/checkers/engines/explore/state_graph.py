"""``StateGraph`` holds every state and every step of a small model, in the order of the native search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.engines.explore.exploration import Limits, Progress
from oneowner.checkers.engines.explore.native import Native
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law
from oneowner.model.kernel.state import State


@dataclass(slots=True)
class Node:
    """A state: its position and its special properties."""

    state: State
    depth: int
    """The fewest steps to it from an initial state."""
    broken: list[str] = field(default_factory=list)
    """The laws of states that it breaks."""
    beyond: list[str] = field(default_factory=list)
    """The bounds that its steps would need to be larger; those steps are no part of the graph."""
    is_terminal: bool = False
    """True if nothing is enabled."""


class Edge(NamedTuple):
    """A step, by the numbers of the states before and after it."""

    before: int
    after: int
    action: Action
    broken: tuple[str, ...]
    """The laws of steps that it breaks."""


@dataclass(slots=True)
class StateGraph:
    """States are numbered from 0 as the search finds them, breadth first; the first ones are the initial states."""

    initial: int
    """The number of initial states."""
    nodes: list[Node]
    edges: list[Edge]
    stopped: str
    """The reason that the search did not visit every state, or an empty string."""
    is_cut_short: bool
    """True if it ended at its budget of states."""


def state_graph(
    bounds: Bounds,
    laws: Sequence[Law],
    max_states: int,
    on_progress: Callable[[Progress], None] | None = None,
    start: Sequence[State] = (),
) -> StateGraph:
    """
    Return the graph of all states within *bounds*, or what was found of it within *max_states*.

    The search begins with the states *start*, each once, or else with the initial ones.
    """
    return _Recorded(bounds, laws, Limits(max_states), on_progress, start).graph_of_states()


class _Recorded(Native):
    def __init__(
        self,
        bounds: Bounds,
        laws: Sequence[Law],
        limits: Limits,
        on_progress: Callable[[Progress], None] | None,
        start: Sequence[State],
    ) -> None:
        super().__init__(bounds, laws, (), frozenset(), limits, on_progress)
        self._start = start
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []
        self._broken: list[str] = []
        """The laws broken by the step that is being taken, or by the state that is being judged."""
        self._depth = 0
        self._expanded = 0

    def initial(self) -> Sequence[State]:
        return self._start or super().initial()

    def graph_of_states(self) -> StateGraph:
        found = self.run()
        return StateGraph(len(self.initial()), self._nodes, self._edges, found.stopped, found.is_cut_short)

    def expand(self, number: int, state: State, following: list[State]) -> None:
        node, edges, self._expanded = self._nodes[number], len(self._edges), number
        super().expand(number, state, following)
        node.is_terminal = len(self._edges) == edges and not node.beyond

    def discover(self, level: list[State], state: State, parent: int, action: Action | None) -> None:
        broken, self._broken = tuple(self._broken), []
        self._depth = self.result.depth + (action is not None)
        super().discover(level, state, parent, action)
        if action is not None:
            self._edges.append(Edge(parent, self.graph.numbers[self.key(state)], action, broken))

    def judge(self, number: int, state: State) -> None:
        super().judge(number, state)
        self._nodes.append(Node(state, self._depth, self._broken))
        self._broken = []

    def violate(self, law: str, number: int, action: Action | None, after: State) -> None:
        super().violate(law, number, action, after)
        self._broken.append(law)

    def beyond(self, reached: BoundReached) -> None:
        super().beyond(reached)
        found = self._nodes[self._expanded].beyond
        found += [reached.bound] if reached.bound not in found else []
