"""
The search is breadth-first, whatever a state is: it keeps levels, the ways to states, budgets and progress.

``Search`` is what every search in this process has in common; ``StateByState`` takes one state at a time.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from oneowner.checkers.engines.compile.watched import OUT_OF_MEMORY, OUT_OF_TIME, Stopped, memory_of_process
from oneowner.checkers.engines.explore.exploration import (
    Exploration,
    LawResult,
    Limits,
    Progress,
    beyond_budget,
    budget_of_memory,
)
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import actions

S = TypeVar("S")


@dataclass(slots=True)
class Graph:
    """The states found so far, numbered as they came: their keys, and for each the step by which it was found first."""

    numbers: dict[Hashable, int] = field(default_factory=dict)
    parents: array[int] = field(default_factory=lambda: array("q"))
    actions: list[Action | None] = field(default_factory=list)

    def add(self, key: Hashable, parent: int, action: Action | None) -> int:
        """Add a state that is new; return its number."""
        number = self.numbers[key] = len(self.numbers)
        self.parents.append(parent)
        self.actions.append(action)
        return number

    def path(self, number: int) -> tuple[Action, ...]:
        """Return the actions that lead to state *number*."""
        steps: list[Action] = []
        while (action := self.actions[number]) is not None:
            steps.append(action)
            number = self.parents[number]
        return tuple(reversed(steps))


class Search(ABC):
    """
    A breadth-first search; engines define how states are visited.

    Every state and every step within the bounds is visited once, in a fixed order, so the same model gives the
    same counts and the same counterexample every time. A counterexample has the fewest steps, then the fewest
    perturbations, then comes first in that order.
    """

    def __init__(
        self,
        bounds: Bounds,
        laws: Sequence[Law],
        witnesses: Sequence[Witness],
        stop_at: frozenset[str],
        limits: Limits,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.actions = actions(bounds)
        self.stop_at = stop_at
        most = memory_of_process() + budget_of_memory() if limits.bytes is None else limits.bytes
        self.limits = limits._replace(bytes=most)
        self.on_progress = on_progress
        self.started = self.reported = self.heeded = time.monotonic()
        self.result = Exploration(
            bounds=bounds,
            laws={law.name: LawResult() for law in laws},
            fired={action.name: 0 for action in self.actions},
            witnesses={witness.name: False for witness in witnesses},
        )

    def run(self) -> Exploration:
        result = self.result
        try:
            result.finished = self.visit() and not result.stopped
        except Stopped as budget:
            result.stopped, result.is_cut_short = str(budget), self.distinct == self.limits.states
        except KeyboardInterrupt:  # what was found until now is true all the same
            result.stopped = "interrupted"
        result.distinct = self.distinct
        result.seconds = time.monotonic() - self.started
        result.memory = memory_of_process()
        return result

    @abstractmethod
    def visit(self) -> bool:
        """Visit level by level; return whether the last level was reached."""

    @property
    @abstractmethod
    def distinct(self) -> int:
        """The number of states found."""

    @abstractmethod
    def path(self, number: int) -> tuple[Action, ...]:
        """Return the actions that lead to state *number*."""

    @property
    def is_to_end(self) -> bool:
        """True if a law is broken that ends the search with its level."""
        return any(self.result.laws[name].steps is not None for name in self.stop_at)

    def beyond(self, reached: BoundReached) -> None:
        """Note that a step needs more than the bounds hold; the search goes on elsewhere."""
        self.result.stopped = self.result.stopped or f"{reached} at step {self.result.depth + 1}"

    def break_law(self, law: str, number: int, action: Action | None, spent: int) -> None:
        """Note that a law breaks after the way to state *number* and one more action, if there is one."""
        found = self.result.laws[law]
        if found.steps is not None and spent >= found.perturbations:
            return
        steps = self.path(number) + ((action,) if action is not None else ())
        if found.steps is None or len(steps) == len(found.steps):
            found.steps, found.perturbations = steps, spent

    def report(self, began: float, finished: int, frontier: int, following: int) -> None:
        now = self.reported = time.monotonic()
        result, memory = self.result, memory_of_process()
        passed = now - self.started
        if self.on_progress is not None:
            rest = (now - began) / finished * frontier
            counts = (self.distinct, result.transitions, result.depth, frontier, following)
            self.on_progress(Progress(*counts, passed, memory, rest))
        self.heed()

    def heed(self) -> None:
        """Raise Stopped beyond the limits of memory and time."""
        self.heeded = time.monotonic()
        if self.limits.bytes is not None and memory_of_process() > self.limits.bytes:
            raise Stopped(OUT_OF_MEMORY)
        if self.limits.seconds is not None and self.heeded - self.started > self.limits.seconds:
            raise Stopped(OUT_OF_TIME)


class StateByState(Search, Generic[S]):
    """A search that takes one state at a time; engines define states, their expansion and their judgement."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.graph = Graph()

    @property
    def distinct(self) -> int:
        return len(self.graph.numbers)

    def path(self, number: int) -> tuple[Action, ...]:
        return self.graph.path(number)

    def visit(self) -> bool:
        level: list[S] = []
        for state in self.initial():
            self.discover(level, state, 0, None)
        while level:
            following: list[S] = []
            began, first = time.monotonic(), len(self.graph.numbers) - len(level)
            for place, state in enumerate(level):
                self.expand(first + place, state, following)
                if time.monotonic() - self.reported >= 1.0:
                    self.report(began, place + 1, len(level) - place - 1, len(following))
            if following:
                self.result.depth += 1
            if self.is_to_end:
                return False
            level = following
        return True

    @abstractmethod
    def initial(self) -> Sequence[S]:
        """Return the initial states."""

    @abstractmethod
    def key(self, state: S) -> Hashable:
        """Return what a state is known by."""

    @abstractmethod
    def perturbations(self, state: S) -> int:
        """Return how many perturbations led to a state."""

    @abstractmethod
    def expand(self, number: int, state: S, following: list[S]) -> None:
        """Take every step from state *number*: count it, judge it and discover where it leads."""

    @abstractmethod
    def judge(self, number: int, state: S) -> None:
        """Put a new state to the laws of states."""

    def discover(self, level: list[S], state: S, parent: int, action: Action | None) -> None:
        """Add a state to *level* and judge it, if it is new; the steps of one state may take longer than all may."""
        if time.monotonic() - self.heeded >= 1.0:
            self.heed()
        key = self.key(state)
        if key in self.graph.numbers:
            return
        if len(self.graph.numbers) == self.limits.states:
            raise Stopped(beyond_budget(len(self.graph.numbers)))
        level.append(state)
        self.judge(self.graph.add(key, parent, action), state)

    def is_too_perturbed(self, state: S) -> bool:
        """Return whether a step to this state is not to be taken."""
        most = self.limits.perturbations
        return most is not None and self.perturbations(state) > most

    def violate(self, law: str, number: int, action: Action | None, after: S) -> None:
        """Note that a law breaks after the way to state *number* and one more action, if there is one."""
        self.break_law(law, number, action, self.perturbations(after))
