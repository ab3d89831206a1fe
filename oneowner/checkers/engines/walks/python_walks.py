"""Random walks in Python go one step at a time: without a C compiler, and as the referee of ``walk.c``."""

import time
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Generic, TypeVar

from oneowner.checkers.engines.compile.watched import OUT_OF_TIME, memory_of_process
from oneowner.checkers.engines.walks.plan import OUTSIDE, Broken, Pace, Plan, Walks, beyond, class_slots
from oneowner.checkers.engines.walks.stepping import Answer, Beyond, Outside, Stepper
from oneowner.checkers.engines.walks.swarm import Chance, Swarm
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import initial_states

S = TypeVar("S")


def walk(
    model: Stepper[S],
    bounds: Bounds,
    stop_at: frozenset[str],
    plan: Plan,
    on_progress: Callable[[Pace], None] | None = None,
) -> Walks:
    """Take random walks; a law in *stop_at* ends the walk that breaks it, and unless the plan goes on, all."""
    return _Walker(model, bounds, stop_at, plan, on_progress).run()


class _Over(Exception):
    """All walks end here."""


class _Walker(Generic[S]):
    def __init__(
        self,
        model: Stepper[S],
        bounds: Bounds,
        stop_at: frozenset[str],
        plan: Plan,
        on_progress: Callable[[Pace], None] | None,
    ) -> None:
        self.model, self.stop_at, self.plan, self.on_progress = model, stop_at, plan, on_progress
        self.class_of = itemgetter(*class_slots(initial_states(bounds)[0].slots(), bounds.system.state_class))
        self.seen: set[bytes] = set()
        self.classes: set[Any] = set()
        self.pairs: set[tuple[Any, str]] = set()
        self.steps: list[Action] = []
        self.number = plan.first
        self.bound = ""
        self.started = self.reported = time.monotonic()
        self.found = Walks(
            plan,
            fired={action.name: 0 for action in model.actions},
            exercised={law.name: 0 for law in model.laws},
            witnesses={witness.name: False for witness in model.witnesses},
        )

    def run(self) -> Walks:
        found, plan = self.found, self.plan
        try:
            for self.number in range(plan.first, plan.first + plan.walks):
                found.walks += 1
                if self._walk() and not plan.goes_on:
                    break
        except _Over as over:
            found.stopped = str(over)
        except Outside:
            found.stopped = OUTSIDE
        except KeyboardInterrupt:  # what was met until now is true all the same
            found.stopped = "interrupted"
        found.stopped = found.stopped or self.bound
        found.longest = max(found.longest, len(self.steps))
        found.last = tuple(self.steps)
        found.distinct, found.classes = len(self.seen), len(self.classes)
        found.pairs = {name: sum(name == taken for _, taken in self.pairs) for name in found.fired}
        found.seconds = time.monotonic() - self.started
        found.memory = memory_of_process()
        return found

    def _walk(self) -> bool:
        """Take one walk; return whether it broke a law that ends it."""
        chance, self.steps = Chance(self.plan.seed, self.number), []
        swarm = Swarm(chance, self.model.actions)
        initial = self.model.initial()
        state = initial[chance.below(len(initial))]
        is_over = self._note(self.model.of_state(state))
        before = self._visit(state)
        while not is_over and len(self.steps) < self.plan.depth:
            self._look_up()
            chosen = swarm.choose(lambda number, state=state: self._attempt(state, number))  # type: ignore[misc]
            if chosen is None:
                self.found.terminal += 1
                break
            number, after = chosen
            action = self.model.actions[number]
            self.steps.append(action)
            self.found.fired[action.name] += 1
            self.found.steps += 1
            self.pairs.add((before, action.name))
            is_over = self._note(self.model.of_step(state, number, after))
            is_over |= self._note(self.model.of_state(after))
            state, before = after, self._visit(after)
        self.found.longest = max(self.found.longest, len(self.steps))
        return is_over

    def _attempt(self, state: S, number: int) -> S | None:
        try:
            return self.model.take(state, number)
        except Beyond as reached:
            self.bound = self.bound or beyond(str(reached), len(self.steps) + 1)
            return None

    def _note(self, answers: Iterable[Answer]) -> bool:
        """Record the results of laws and witnesses; return whether a law is broken that ends the walk."""
        is_over = False
        for name, bad in answers:
            if name in self.found.witnesses:
                self.found.witnesses[name] |= bad
                continue
            self.found.exercised[name] += 1
            if bad:
                kept = self.found.broken.get(name)
                if kept is None or len(self.steps) < len(kept.steps):
                    self.found.broken[name] = Broken(self.number, tuple(self.steps))
                is_over |= name in self.stop_at
        return is_over

    def _visit(self, state: S) -> Any:
        """Count a state; return its class."""
        codes = self.model.codes(state)
        self.found.state = codes
        self.seen.add(codes)
        self.classes.add(kind := self.class_of(codes))
        return kind

    def _look_up(self) -> None:
        now = time.monotonic()
        if self.plan.seconds is not None and now - self.started > self.plan.seconds:
            raise _Over(OUT_OF_TIME)
        if now - self.reported >= 1.0:
            self.reported = now
            if self.on_progress is not None:
                self.on_progress(Pace(self.number, self.found.steps, now - self.started))
