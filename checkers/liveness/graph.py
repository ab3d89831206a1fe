"""
The graph of a model within its bounds as arrays: what questions about whole runs are asked of.

States are numbered in the order of the breadth-first search, so they are the states that every engine counts. The
graph is whole, never reduced by symmetry: an orbit's representative does not say which broker is owed a step, so
fairness for each broker would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checkers.compile.program import trace
from checkers.compile.python import emit
from checkers.explore.generated import OUTSIDE
from checkers.fairness import Demand, demands_of
from model.guards import BoundReached
from model.system import Action, Bounds, actions
from spec.fairness import every_step
from spec.property import Law, OnState, StateLaw, Status, StepLaw, any_state

Numbers = NDArray[np.int32]
Truths = NDArray[np.bool_]

MOST_STATES = 300_000
"""States of the largest graph that is built: about 300 MB, ten seconds."""

NOBODYS = -1
"""The demand of a step that nobody owes."""

BROKEN = 2
"""The answer of a check where its law does not hold (``compile.program.Check``)."""


class Incomplete(Exception):
    """The graph cannot be built whole, in words: nothing is known of infinite runs then."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Transition t in offsets[s] .. offsets[s + 1] - 1 leads from state s to state targets[t] by actions[labels[t]]."""

    actions: tuple[Action, ...]
    demands: tuple[Demand, ...]
    initial: int
    """States 0 .. initial - 1 are initial ones."""
    offsets: Numbers  # [states + 1]
    labels: Numbers  # [transitions]
    targets: Numbers  # [transitions]
    answers: Numbers  # [transitions] the number of the demand that the transition answers, or NOBODYS
    truths: dict[OnState, Truths]  # [states] for each predicate
    depth: int

    @property
    def states(self) -> int:
        return len(self.offsets) - 1

    @property
    def sources(self) -> Numbers:
        """The state in which each transition begins."""
        return np.repeat(np.arange(self.states, dtype=np.int32), np.diff(self.offsets))


def build(bounds: Bounds, predicates: Sequence[OnState], most: int = MOST_STATES) -> Graph:
    """Return the whole graph within *bounds*, with the truth of *predicates*; raise Incomplete if that cannot be."""
    model = _Generated(bounds, predicates)
    numbers = {state: number for number, state in enumerate(model.initial)}
    order, offsets = list(numbers), [0]
    labels: list[int] = []
    targets: list[int] = []
    answers: list[int] = []
    depth, end_of_level = 0, len(order)
    for place, state in enumerate(order):  # it grows meanwhile
        if place == end_of_level:
            depth, end_of_level = depth + 1, len(order)
        for label in model.candidates(state):
            after = model.runs[label](state)
            if after is None:
                continue
            after = model.normalised(after)
            number = numbers.setdefault(after, len(order))
            if number == len(order):
                order.append(after)
            labels.append(label)
            targets.append(number)
            answers.append(model.demand_of(label, state, after))
        offsets.append(len(targets))
        if len(order) > most:
            raise Incomplete(f"there are more than {most:,} states")
    return Graph(
        actions=model.actions,
        demands=model.demands,
        initial=len(model.initial),
        offsets=np.array(offsets, np.int32),
        labels=np.array(labels, np.int32),
        targets=np.array(targets, np.int32),
        answers=np.array(answers, np.int32),
        truths=model.judged(order),
        depth=depth,
    )


class _Generated:
    """The traced model as generated Python; a state is a ``bytes`` object."""

    def __init__(self, bounds: Bounds, predicates: Sequence[OnState]) -> None:
        self._predicates = list(dict.fromkeys(predicates))
        self.actions = tuple(actions(bounds))
        self.demands = demands_of(self.actions)
        numbered = enumerate(self._predicates)
        laws: list[Law] = [StateLaw(str(number), "", "", any_state, one, Status.HOLDS) for number, one in numbered]
        conditions = {demand.actions[0].name: demand.owed for demand in self.demands}
        for name, owed in conditions.items():
            if owed is not every_step:
                laws.append(StepLaw(name, "", "", every_step, owed, Status.HOLDS))
        program = trace(bounds, laws, ())
        space: dict[str, Any] = {}
        exec(compile(emit(program), "<generated model>", "exec"), space)
        self._normalise, self._judge_state = space["normalise"], space["judge_state"]
        self.candidates: Callable[[bytes], Iterator[int]] = space["candidates"]
        self.runs: list[Callable[[bytes], bytes | str | None]] = space["actions"]
        self.initial = [bytes(codes) for codes in program.initial]
        places = {action: number for number, demand in enumerate(self.demands) for action in demand.actions}
        self._demand = [places.get(action, NOBODYS) for action in self.actions]
        self._conditions = {
            label: (space["judge"][label], place)
            for label, (action, checks) in enumerate(zip(self.actions, program.step_checks, strict=True))
            for place, check in enumerate(checks)
            if check.name == action.name
        }

    def normalised(self, after: bytes | str) -> bytes:
        """Return the state after a step, normalised; raise Incomplete if there is none within the bounds."""
        while not isinstance(after, str):
            further = self._normalise(after)
            if further is None:
                return after
            after = further
        raise Incomplete(str(BoundReached(after)) if after else OUTSIDE)

    def demand_of(self, label: int, before: bytes, after: bytes) -> int:
        """Return the number of the demand that a step answers, or NOBODYS."""
        condition = self._conditions.get(label)
        if condition is not None and condition[0](before, after)[condition[1]] == BROKEN:
            return NOBODYS
        return self._demand[label]

    def judged(self, states: Sequence[bytes]) -> dict[OnState, Truths]:
        """Return where each predicate is true."""
        answers = np.array([self._judge_state(state) for state in states], np.int8).reshape(len(states), -1)
        return {one: answers[:, number] != BROKEN for number, one in enumerate(self._predicates)}
