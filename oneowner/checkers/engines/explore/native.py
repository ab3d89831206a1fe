"""The native search runs the model's own functions on plain values. Other engines must agree with it."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from oneowner.checkers.engines.explore.breadth_first import StateByState
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits, Progress
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import Law, StateLaw, StepLaw, Witness
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import initial_states, perturbations, step

DEFAULT_MAX_STATES = 2_000_000
"""About 4 GiB with this engine: beyond that the answer is "unknown", not a dead machine."""


def explore(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
) -> Exploration:
    """
    Visit every state within *bounds*.

    The first violation of a law in *stop_at* ends the search when its level is finished; with none the
    whole graph is visited. So does a limit that is reached, with ``stopped`` set; without one on states
    there may be ``DEFAULT_MAX_STATES``.
    """
    within = limits._replace(states=limits.states or DEFAULT_MAX_STATES)
    return Native(bounds, laws, witnesses, stop_at, within, on_progress).run()


def confirm(bounds: Bounds, law: Law, steps: Sequence[Action]) -> None:
    """Raise EngineError unless the native interpreter finds that *law* breaks after *steps*."""
    before: State | None = None
    after, last = initial_states(bounds)[0], None
    for action in steps:
        try:
            before, after, last = after, step(after, action), action
        except (Disabled, BoundReached) as refused:
            raise EngineError(f"{action} of a counterexample to {law.name} cannot be taken: {refused}") from None
    if isinstance(law, StateLaw):
        broken = law.when(after) and not law.holds(after)
    else:
        broken = before is not None and last is not None and law.when(before, last, after)
        broken = broken and not law.holds(before, last, after)
    if not broken:
        raise EngineError(f"{law.name} holds after the steps of its counterexample")


class Native(StateByState[State]):
    """The search over the model's own functions."""

    def __init__(self, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], *more: Any) -> None:
        super().__init__(bounds, laws, witnesses, *more)
        self.state_laws = [law for law in laws if isinstance(law, StateLaw)]
        self.step_laws = [law for law in laws if isinstance(law, StepLaw)]
        self.unseen = list(witnesses)

    def initial(self) -> Sequence[State]:
        return initial_states(self.result.bounds)

    def key(self, state: State) -> Hashable:
        return state.key()

    def perturbations(self, state: State) -> int:
        return int(perturbations(state))

    def expand(self, number: int, state: State, following: list[State]) -> None:
        before = self.result.transitions
        for action in self.actions:
            try:
                after = step(state, action)
            except Disabled:
                continue
            except BoundReached as reached:
                self.beyond(reached)
                continue
            if self.is_too_perturbed(after):
                continue
            self.result.transitions += 1
            self.result.fired[action.name] += 1
            self._check_step(number, state, action, after)
            self.discover(following, after, number, action)
        if self.result.transitions == before:
            self.result.terminal += 1

    def judge(self, number: int, state: State) -> None:
        for law in self.state_laws:
            if law.when(state):
                self.result.laws[law.name].exercised += 1
                if not law.holds(state):
                    self.violate(law.name, number, None, state)

    def _check_step(self, number: int, before: State, action: Action, after: State) -> None:
        for law in self.step_laws:
            if law.when(before, action, after):
                self.result.laws[law.name].exercised += 1
                if not law.holds(before, action, after):
                    self.violate(law.name, number, action, after)
        for witness in self.unseen[:]:
            if witness.reached(before, action, after):
                self.result.witnesses[witness.name] = True
                self.unseen.remove(witness)
