"""
``Graph`` holds a model within its bounds as arrays: it answers questions about whole runs.

States are numbered in the order of the breadth-first search, so they are the states that every engine counts. The
graph is whole, never reduced by symmetry: an orbit's representative does not say which broker is owed a step, so
fairness for each broker would be lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.engines.compile.column_program import Written
from oneowner.checkers.engines.compile.program import Traced, trace
from oneowner.checkers.engines.explore.generated import BATCH, OUTSIDE
from oneowner.checkers.engines.explore.known_states import KnownStates, Words
from oneowner.checkers.engines.explore.model_cache import kept
from oneowner.checkers.engines.explore.state_columns import Expansion, Model, Outside
from oneowner.checkers.engines.liveness.obligations import Demand, demands_of
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.fairness import every_step
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law, LawKind, OnState, StateLaw, Status, StepLaw, any_state
from oneowner.model.kernel.system import actions

Numbers = NDArray[np.int32]
Truths = NDArray[np.bool_]

MOST_STATES = 300_000
"""States of the largest graph that is built: about 300 MB, ten seconds."""

NOBODYS = -1
"""The demand of a step that nobody owes."""

BROKEN = 2
"""The answer of a check where its law does not hold (``compile.program.Check``)."""


class Incomplete(Exception):
    """The graph cannot be built whole, so nothing can be concluded about infinite runs."""


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
    codes: Sequence[bytes] = ()
    """[states] the flat form of each, if it was asked for."""

    @property
    def states(self) -> int:
        return len(self.offsets) - 1

    @property
    def sources(self) -> Numbers:
        """The state in which each transition begins."""
        return np.repeat(np.arange(self.states, dtype=np.int32), np.diff(self.offsets))


def build(
    bounds: Bounds,
    predicates: Sequence[OnState],
    most: int = MOST_STATES,
    keeps_codes: bool = False,
    like: Traced | None = None,
    steps: Written | None = None,
) -> Graph:
    """
    Return the whole graph within *bounds*, with the truth of *predicates*; raise Incomplete if that cannot be.

    A program of the same bounds, *like* this one, spares tracing its actions again; its *steps* as they are written
    already, whatever is asked of them there, spare writing and compiling them again.
    """
    traced = _Traced(bounds, predicates, like, steps)
    model = traced.model
    known = KnownStates(model.words)
    initial = known.add(model.initial())[0].size
    parts: list[tuple[NDArray[Any], ...]] = []
    depth, first, end = 0, 0, known.count
    while first < end:
        for at in range(first, end, BATCH):
            try:
                found, beyond = model.expand(known.states[at : min(at + BATCH, end)])
            except Outside:
                raise Incomplete(OUTSIDE) from None
            if beyond:
                raise Incomplete(str(BoundReached(min(beyond)[2])))
            parts.append((found.counts, found.places, known.add(found.packed)[0], traced.demands_met(found)))
            if known.count > most:
                raise Incomplete(f"there are more than {most:,} states")
        first, end = end, known.count
        depth += first < end
    counts, labels, targets, answers = (np.concatenate(part).astype(np.int32) for part in zip(*parts, strict=True))
    return Graph(
        actions=traced.actions,
        demands=traced.demands,
        initial=initial,
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        labels=labels,
        targets=targets,
        answers=answers,
        truths=traced.judged(known.states),
        depth=depth,
        codes=traced.codes(known.states) if keeps_codes else (),
    )


def questions(predicates: Sequence[OnState], demands: Sequence[Demand]) -> list[Law]:
    """Return what is asked of a model beside its steps, as laws: the predicates, and which steps answer a demand."""
    laws: list[Law] = [
        StateLaw(str(number), "", "", any_state, one, Status.HOLDS, kind=LawKind.PROTOCOL)
        for number, one in enumerate(predicates)
    ]
    conditions = {demand.actions[0].name: demand.owed for demand in demands}
    for name, owed in conditions.items():
        if owed is not every_step:
            laws.append(StepLaw(name, "", "", every_step, owed, Status.HOLDS, kind=LawKind.PROTOCOL))
    return laws


class _Traced:
    """The traced model, with the predicates on its states, and the owner of each owed step."""

    def __init__(
        self, bounds: Bounds, predicates: Sequence[OnState], like: Traced | None, steps: Written | None
    ) -> None:
        self._predicates = list(dict.fromkeys(predicates))
        self.actions = tuple(actions(bounds))
        self.demands = demands_of(self.actions, bounds.system.fairness)
        laws = questions(self._predicates, self.demands)
        asked = kept(bounds, laws, lambda: trace(bounds, laws, (), like), steps is None)
        self.model = Model(steps or asked)  # the one that was searched comes first: it is still compiled
        self._asked = self.model if steps is None else Model(asked)
        self.slots = len(asked.places)
        places = {action: number for number, demand in enumerate(self.demands) for action in demand.actions}
        self._demand = np.array([places.get(action, NOBODYS) for action in self.actions], np.int32)
        self._conditions = {
            label: place
            for label, (action, checks) in enumerate(zip(self.actions, asked.step_checks, strict=True))
            for place, check in enumerate(checks)
            if check == action.name
        }

    def demands_met(self, found: Expansion) -> Numbers:
        """Return the number of the demand that each step answers, or NOBODYS."""
        met = self._demand[found.places]
        first = 0
        for steps in found.steps:
            ranks = found.ranks[first : first + len(steps.rows)]
            first += len(steps.rows)
            if steps.place in self._conditions:
                before = found.states.at(steps.rows)
                answer = self._asked.judge[steps.place](before, steps.after)[self._conditions[steps.place]]
                met[ranks] = np.where(answer == BROKEN, NOBODYS, met[ranks])
        return met

    def codes(self, states: Words) -> list[bytes]:
        """Return the flat form of each state."""
        columns = self.model.unpacked(states)
        rows = np.stack([columns[slot] for slot in range(self.slots)], axis=1).astype(np.uint8)
        return [row.tobytes() for row in rows]

    def judged(self, packed: Words) -> dict[OnState, Truths]:
        """Return where each predicate is true."""
        truths = {one: np.empty(len(packed), np.bool_) for one in self._predicates}
        for first in range(0, len(packed), BATCH):
            some = slice(first, first + BATCH)
            answers = self._asked.judge_state(self._asked.unpacked(packed[some]))
            for one, answer in zip(self._predicates, answers, strict=True):
                truths[one][some] = answer != BROKEN
        return truths
