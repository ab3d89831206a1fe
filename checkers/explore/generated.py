"""
The Python engine: the traced model as generated Python. Where there is no C compiler, it takes over.

It visits states in the order of the native search and finds the same, several times as fast. States are whole
``bytes`` objects: nothing is hashed away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkers.compile.program import Program, trace
from checkers.compile.python import emit
from checkers.explore.exploration import Exploration, Limits, Progress
from checkers.explore.native import confirm
from checkers.explore.search import Search, Stopped
from model.guards import BoundReached
from model.system import Bounds
from spec.property import Law, StateLaw, Witness


def explore_generated(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = Limits(),  # noqa: B008 - it cannot change
    on_progress: Callable[[Progress], None] | None = None,
) -> Exploration:
    """Visit every state within *bounds*, as ``native.explore`` does."""
    program = trace(bounds, laws, witnesses)
    found = _Generated(program, bounds, laws, witnesses, stop_at, limits, on_progress).run()
    for law in laws:
        steps = found.laws[law.name].steps
        if steps is not None:
            confirm(bounds, law, steps)
    return found


class _Generated(Search[bytes]):
    """The search over generated functions."""

    def __init__(self, program: Program, bounds: Bounds, laws: Sequence[Law], *more: Any) -> None:
        super().__init__(bounds, laws, *more)
        space: dict[str, Any] = {}
        exec(compile(emit(program), "<generated model>", "exec"), space)
        self._functions = list(zip(self.actions, space["actions"], space["judge"], strict=True))
        self._normalise, self._judge_state, self._spent = space["normalise"], space["judge_state"], space["spent"]
        self._state_names = [law.name for law in laws if isinstance(law, StateLaw)]
        self._step_names = [[check.name for check in checks] for checks in program.step_checks]
        self._initial = [bytes(codes) for codes in program.initial]

    def initial(self) -> Sequence[bytes]:
        return self._initial

    def key(self, state: bytes) -> bytes:
        return state

    def perturbations(self, state: bytes) -> int:
        spent: int = self._spent(state)[0]
        return spent

    def expand(self, number: int, state: bytes, following: list[tuple[int, bytes]]) -> None:
        before = self.result.transitions
        for place, (action, run, judge) in enumerate(self._functions):
            after = run(state)
            if after is None:
                continue
            if isinstance(after, str):
                self._give_up(after)
                continue
            while (further := self._normalise(after)) is not None:
                if isinstance(further, str):
                    raise Stopped(OUTSIDE)
                after = further
            if self.is_too_perturbed(after):
                continue
            self.result.transitions += 1
            self.result.fired[action.name] += 1
            for name, answer in zip(self._step_names[place], judge(state, after), strict=True):
                if name in self.result.witnesses:
                    self.result.witnesses[name] = self.result.witnesses[name] or answer == 2
                elif answer:
                    self.result.laws[name].exercised += 1
                    if answer == 2:
                        self.violate(name, number, action, after)
            self.discover(following, after, number, action)
        if self.result.transitions == before:
            self.result.terminal += 1

    def _give_up(self, bound: str) -> None:
        if not bound:
            raise Stopped(OUTSIDE)
        self.beyond(BoundReached(bound))

    def judge(self, number: int, state: bytes) -> None:
        for name, answer in zip(self._state_names, self._judge_state(state), strict=True):
            if answer:
                self.result.laws[name].exercised += 1
                if answer == 2:
                    self.violate(name, number, None, state)


OUTSIDE = "a value leaves its domain, which traced models cannot hold; --engine native shows it"
