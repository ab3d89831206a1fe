"""
Breadth-first search over the native model: the naive interpreter that every other engine must agree with.

Every state and every step within the bounds is visited once, in a fixed order, so the same model gives the
same counts and the same counterexample every time. A counterexample has the fewest steps, then the fewest
perturbations, then comes first in that order.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from model.guards import BoundReached, Disabled
from model.system import Action, Bounds, State, actions, initial_states, perturbations, step
from spec.property import Law, StateLaw, StepLaw, Witness

DEFAULT_MAX_STATES = 2_000_000
"""About 4 GiB with this engine: beyond that the answer is "unknown", not a dead machine."""


@dataclass(slots=True)
class LawResult:
    """What the search saw of one law: how often it could have failed, and its least counterexample."""

    exercised: int = 0
    steps: tuple[Action, ...] | None = None
    """The actions of the counterexample; the law fails after the last one."""
    perturbations: int = 0


@dataclass(slots=True)
class Progress:
    """Where the search stands; passed to the caller about once a second."""

    distinct: int
    transitions: int
    depth: int
    frontier: int
    """States of this level that are still to be expanded."""
    following: int
    """States found for the next level."""
    seconds: float
    memory: int
    """Bytes."""


class Limits(NamedTuple):
    """How much a search may take before it gives up, undecided."""

    states: int | None = None
    bytes: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Exploration:
    """The outcome of one search."""

    bounds: Bounds
    laws: dict[str, LawResult]
    fired: dict[str, int]
    """Enabled steps per action name; 0 for an action that never was enabled."""
    witnesses: dict[str, bool]
    distinct: int = 0
    transitions: int = 0
    depth: int = 0
    terminal: int = 0
    """States in which nothing is enabled."""
    seconds: float = 0.0
    finished: bool = False
    """Whether the whole graph was visited (not stopped by a violation or a budget)."""
    stopped: str = ""
    """The budget or bound that kept the search from visiting the whole graph."""
    is_cut_short: bool = False
    """Whether it ended at its budget of states."""
    memory: int = 0
    """The most bytes that the searching process held."""
    missed: float = 0.0
    """How likely it is that a state was taken for another one: fingerprints are not whole states."""

    def first_violation(self, among: Sequence[str]) -> str | None:
        """Return the law with the least counterexample among these laws, in their order."""
        violated = [name for name in among if self.laws[name].steps is not None]
        return min(violated, key=lambda name: self._size(self.laws[name]), default=None)

    @staticmethod
    def _size(result: LawResult) -> tuple[int, int]:
        return len(result.steps or ()), result.perturbations


@dataclass(slots=True)
class _Graph:
    """The states found so far: their keys, and for each the step by which it was found first."""

    numbers: dict[Hashable, int] = field(default_factory=dict)
    parents: list[tuple[int, Action | None]] = field(default_factory=list)

    def add(self, key: Hashable, parent: int, action: Action | None) -> int | None:
        """Return the number of a state that is new, or None."""
        if key in self.numbers:
            return None
        number = len(self.parents)
        self.numbers[key] = number
        self.parents.append((parent, action))
        return number

    def path(self, number: int) -> tuple[Action, ...]:
        """Return the actions that lead to state *number*."""
        steps: list[Action] = []
        parent, action = self.parents[number]
        while action is not None:
            steps.append(action)
            parent, action = self.parents[parent]
        return tuple(reversed(steps))


def explore(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    max_states: int = DEFAULT_MAX_STATES,
    on_progress: Callable[[Progress], None] | None = None,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
) -> Exploration:
    """
    Visit every state within *bounds*.

    The first violation of a law in *stop_at* ends the search when its level is finished; with none the
    whole graph is visited. More than *max_states* distinct states end it too, with ``stopped`` set.
    """
    limits = Limits(max_states, max_bytes, max_seconds)
    return _Search(bounds, laws, witnesses, stop_at, limits, on_progress).run()


def memory_of_process() -> int:
    """Return the most bytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def beyond_budget(states: int) -> str:
    """Return in words that a budget of states is used up."""
    return f"there are more than {states:,} distinct states"


OUT_OF_MEMORY = "the budget of memory is used up"
OUT_OF_TIME = "the budget of time is used up"


class _Stopped(Exception):
    """A budget is used up."""


class _Search:
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
        self.state_laws = [law for law in laws if isinstance(law, StateLaw)]
        self.step_laws = [law for law in laws if isinstance(law, StepLaw)]
        self.unseen = list(witnesses)
        self.stop_at = stop_at
        self.limits = limits
        self.on_progress = on_progress
        self.started = self.reported = time.monotonic()
        self.graph = _Graph()
        self.result = Exploration(
            bounds=bounds,
            laws={law.name: LawResult() for law in laws},
            fired={action.name: 0 for action in self.actions},
            witnesses={witness.name: False for witness in witnesses},
        )

    def run(self) -> Exploration:
        result = self.result
        try:
            result.finished = self._visit() and not result.stopped
        except _Stopped as budget:
            result.stopped, result.is_cut_short = str(budget), len(self.graph.parents) == self.limits.states
        except KeyboardInterrupt:  # what was found until now is true all the same
            result.stopped = "interrupted"
        result.distinct = len(self.graph.parents)
        result.seconds = time.monotonic() - self.started
        result.memory = memory_of_process()
        return result

    def _visit(self) -> bool:
        """Visit level by level; say whether the last level was reached."""
        level: list[tuple[int, State]] = []
        for state in initial_states(self.result.bounds):
            self._discover(level, state, 0, None)
        while level:
            following: list[tuple[int, State]] = []
            for place, (number, state) in enumerate(level, 1):
                self._expand(number, state, following)
                self._report(len(level) - place, len(following))
            if following:
                self.result.depth += 1
            if any(self.result.laws[name].steps is not None for name in self.stop_at):
                return False
            level = following
        return True

    def _expand(self, number: int, state: State, following: list[tuple[int, State]]) -> None:
        before = self.result.transitions
        for action in self.actions:
            try:
                after = step(state, action)
            except Disabled:
                continue
            except BoundReached as reached:
                self.result.stopped = self.result.stopped or f"{reached} at step {self.result.depth + 1}"
                continue
            self.result.transitions += 1
            self.result.fired[action.name] += 1
            self._check_step(number, state, action, after)
            self._discover(following, after, number, action)
        if self.result.transitions == before:
            self.result.terminal += 1

    def _discover(self, level: list[tuple[int, State]], state: State, parent: int, action: Action | None) -> None:
        key = state.key()
        if len(self.graph.parents) == self.limits.states and key not in self.graph.numbers:
            raise _Stopped(beyond_budget(len(self.graph.parents)))
        number = self.graph.add(key, parent, action)
        if number is None:
            return
        level.append((number, state))
        for law in self.state_laws:
            if law.when(state):
                self.result.laws[law.name].exercised += 1
                if not law.holds(state):
                    self._violate(law.name, number, None, state)

    def _check_step(self, number: int, before: State, action: Action, after: State) -> None:
        for law in self.step_laws:
            if law.when(before, action, after):
                self.result.laws[law.name].exercised += 1
                if not law.holds(before, action, after):
                    self._violate(law.name, number, action, after)
        for witness in self.unseen[:]:
            if witness.reached(before, action, after):
                self.result.witnesses[witness.name] = True
                self.unseen.remove(witness)

    def _violate(self, law: str, number: int, action: Action | None, after: State) -> None:
        found = self.result.laws[law]
        spent = perturbations(after)
        if found.steps is not None and spent >= found.perturbations:
            return
        steps = self.graph.path(number) + ((action,) if action is not None else ())
        if found.steps is None or len(steps) == len(found.steps):
            found.steps, found.perturbations = steps, spent

    def _report(self, frontier: int, following: int) -> None:
        now = time.monotonic()
        if now - self.reported < 1.0:
            return
        self.reported = now
        distinct, result, memory = len(self.graph.parents), self.result, memory_of_process()
        passed = now - self.started
        if self.on_progress is not None:
            self.on_progress(Progress(distinct, result.transitions, result.depth, frontier, following, passed, memory))
        if self.limits.bytes is not None and memory > self.limits.bytes:
            raise _Stopped(OUT_OF_MEMORY)
        if self.limits.seconds is not None and passed > self.limits.seconds:
            raise _Stopped(OUT_OF_TIME)
