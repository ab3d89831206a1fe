"""
These functions draw lassos from a graph: a shortest way to where a run can stay, a loop that does all that is owed.

The stem is as short as possible. The loop is short, not proved shortest: it walks to the nearest place that meets a
need which is still open, until none is, and back.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from oneowner.checkers.engines.explore.exploration import Lasso
from oneowner.checkers.engines.liveness.components import NO_COMPONENT, enabled_in
from oneowner.checkers.engines.liveness.graph import Graph, Numbers, Truths
from oneowner.model.kernel.fairness import Strength

Place = tuple[int, bool]
"""A state, and whether the law has asked on the way there."""


class Move(NamedTuple):
    """A transition, and the state that it leads to."""

    transition: int
    state: int


class Need(NamedTuple):
    """A need of a fair loop: to pass one of some states, or to answer a demand."""

    states: Truths | None
    answer: int | None

    def is_met_at(self, state: int) -> bool:
        return self.states is not None and bool(self.states[state])

    def is_met_by(self, graph: Graph, move: Move) -> bool:
        return graph.answers[move.transition] == self.answer or self.is_met_at(move.state)


def lasso_to(
    graph: Graph, asked: Truths, waiting: Truths, components: Numbers, must: Truths | None, trap: Truths
) -> Lasso:
    """
    Return a lasso with the shortest stem into a fair one of *components*.

    The law has *asked* at some state of the stem, and the run stays in *waiting* from there on. The loop passes a state
    of *must*, if that is given. States of *trap* are those from which the law cannot be met any more.
    """
    stem, states = _stem(graph, asked, waiting, components != NO_COMPONENT)
    start = states[-1]
    loop = _loop(graph, components == components[start], start, must)
    steps = tuple(graph.actions[graph.labels[transition]] for transition in (*stem, *loop))
    trapped = next((number for number, state in enumerate(states) if trap[state]), None)
    is_dead_end = bool(graph.offsets[start] == graph.offsets[start + 1])
    return Lasso(steps, len(stem) + 1, trapped, is_dead_end)


def _stem(graph: Graph, asked: Truths, waiting: Truths, goal: Truths) -> tuple[list[int], list[int]]:
    """Return the transitions of the shortest way to *goal*, and its states."""
    before: dict[Place, tuple[Place, int] | None] = {}
    queue: deque[Place] = deque()

    def discover(state: int, has_asked: bool, by: tuple[Place, int] | None) -> None:
        for place in ((state, has_asked), (state, has_asked or bool(asked[state]))):
            if place not in before and (waiting[state] or not place[1]):
                before[place] = by
                queue.append(place)

    for state in range(graph.initial):
        discover(state, False, None)
    while queue:
        place = queue.popleft()
        state, has_asked = place
        if has_asked and goal[state]:
            return _back(before, place)
        for transition in range(graph.offsets[state], graph.offsets[state + 1]):
            discover(int(graph.targets[transition]), has_asked, (place, transition))
    raise ValueError("no state of the goal can be reached")


def _back(before: dict[Place, tuple[Place, int] | None], place: Place) -> tuple[list[int], list[int]]:
    transitions, states = [], [place[0]]
    while (by := before[place]) is not None:
        place, transition = by
        transitions.append(transition)
        states.append(place[0])
    return transitions[::-1], states[::-1]


def _loop(graph: Graph, home: Truths, start: int, must: Truths | None) -> list[int]:
    """Return the transitions of a loop through *start* within *home* that meets every need; none if it may rest."""
    enabled = enabled_in(graph)
    if not any(states[start] for states in enabled) and (must is None or must[start]):
        return []
    needs = [need for need in _needs(graph, home, enabled, must) if not need.is_met_at(start)]
    loop: list[Move] = []
    while needs:
        way = _way(graph, home, loop[-1].state if loop else start, partial(_meets_one, graph, tuple(needs)))
        needs = [need for need in needs if not any(need.is_met_by(graph, move) for move in way)]
        loop += way
    if loop and loop[-1].state != start:
        loop += _way(graph, home, loop[-1].state, lambda move: move.state == start)
    return [move.transition for move in loop]


def _meets_one(graph: Graph, needs: Sequence[Need], move: Move) -> bool:
    return any(need.is_met_by(graph, move) for need in needs)


def _needs(graph: Graph, home: Truths, enabled: Sequence[Truths], must: Truths | None) -> Iterator[Need]:
    if must is not None:
        yield Need(must, None)
    for number, demand in enumerate(graph.demands):
        if demand.strength == Strength.WEAK:
            yield Need(~enabled[number], number)
        elif (enabled[number] & home).any():
            yield Need(None, number)


def _way(graph: Graph, home: Truths, start: int, arrives: Callable[[Move], bool]) -> list[Move]:
    """Return the shortest way from *start* within *home* whose last move arrives."""
    before: dict[int, tuple[int, Move]] = {}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for transition in range(graph.offsets[state], graph.offsets[state + 1]):
            move = Move(transition, int(graph.targets[transition]))
            if not home[move.state]:
                continue
            if arrives(move):
                return [*_moves_to(before, start, state), move]
            if move.state not in before and move.state != start:
                before[move.state] = state, move
                queue.append(move.state)
    raise ValueError("the component is not strongly connected")


def _moves_to(before: dict[int, tuple[int, Move]], start: int, state: int) -> list[Move]:
    moves: list[Move] = []
    while state != start:
        state, move = before[state]
        moves.append(move)
    return moves[::-1]
