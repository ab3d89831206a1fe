"""
The Python engine: the traced model as generated Python. Where there is no C compiler, it takes over.

It visits states in the order of the native search and finds the same, several times as fast. States are whole
``bytes`` objects: nothing is hashed away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from checkers.compile.program import Program, trace
from checkers.compile.python import emit
from checkers.explore.exploration import NO_LIMITS, Exploration, Limits, Progress
from checkers.explore.native import confirm
from checkers.explore.search import Search, Stopped
from model.guards import BoundReached
from model.system import Bounds
from spec.property import Law, Witness

DEFAULT_MAX_STATES = 10_000_000
"""States that are visited unless more are asked for: about 4 GiB."""


def explore_generated(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
) -> Exploration:
    """Visit every state within *bounds*, as ``native.explore`` does."""
    program = trace(bounds, laws, witnesses)
    within = limits._replace(states=limits.states or DEFAULT_MAX_STATES)
    found = _Generated(program, bounds, laws, witnesses, stop_at, within, on_progress).run()
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
        self._candidates, self._normalise, self._spent = space["candidates"], space["normalise"], space["spent"]
        self._judge_state = space["judge_state"]
        self._of_states = _Tally([check.name for check in program.state_laws], self.result)
        tallies = [_Tally([check.name for check in checks], self.result) for checks in program.step_checks]
        self._functions = list(zip(self.actions, space["actions"], space["judge"], tallies, strict=True))
        self._initial = [bytes(codes) for codes in program.initial]

    def initial(self) -> Sequence[bytes]:
        return self._initial

    def key(self, state: bytes) -> bytes:
        return state

    def perturbations(self, state: bytes) -> int:
        spent: int = self._spent(state)[0]
        return spent

    def expand(self, number: int, state: bytes, following: list[bytes]) -> None:
        is_terminal, is_limited = True, self.limits.perturbations is not None
        known, normalise = self.graph.numbers, self._normalise
        for place in self._candidates(state):
            action, run, judge, tally = self._functions[place]
            after = run(state)
            if after is None:
                continue
            if isinstance(after, str):
                self._give_up(after)
                continue
            while (further := normalise(after)) is not None:
                if isinstance(further, str):
                    raise Stopped(OUTSIDE)
                after = further
            if is_limited and self.is_too_perturbed(after):
                continue
            is_terminal = False
            same = tally[judge(state, after)]
            same.times += 1
            for name in same.broken:
                self.violate(name, number, action, after)
            if after not in known:
                self.discover(following, after, number, action)
        self.result.terminal += is_terminal

    def _give_up(self, bound: str) -> None:
        if not bound:
            raise Stopped(OUTSIDE)
        self.beyond(BoundReached(bound))

    def judge(self, number: int, state: bytes) -> None:
        same = self._of_states[self._judge_state(state)]
        same.times += 1
        for name in same.broken:
            self.violate(name, number, None, state)

    def tally(self) -> None:
        result = self.result
        result.fired = dict.fromkeys(result.fired, 0)
        for law in result.laws.values():
            law.exercised = 0
        for action, _, _, tally in self._functions:
            result.fired[action.name] += tally.put_into(result)
        self._of_states.put_into(result)
        result.transitions = sum(result.fired.values())


@dataclass(slots=True)
class _Same:
    """States or steps of which all checks say the same."""

    broken: Sequence[str]
    """The laws that they break."""
    times: int = 0


class _Tally(dict[tuple[int, ...], _Same]):
    """How often the checks of a state, or of a step by one action, gave each combination of answers."""

    def __init__(self, names: Sequence[str], result: Exploration) -> None:
        super().__init__()
        self._names, self._laws = names, frozenset(result.laws)

    def __missing__(self, answers: tuple[int, ...]) -> _Same:
        pairs = zip(self._names, answers, strict=True)
        same = self[answers] = _Same([name for name, answer in pairs if answer == 2 and name in self._laws])
        return same

    def put_into(self, result: Exploration) -> int:
        """Add what was counted to *result*; return how often the checks were asked."""
        for answers, same in self.items():
            for name, answer in zip(self._names, answers, strict=True):
                if name in result.witnesses:
                    result.witnesses[name] |= answer == 2
                elif answer:
                    result.laws[name].exercised += same.times
        return sum(same.times for same in self.values())


OUTSIDE = "a value leaves its domain, which traced models cannot hold; --engine native shows it"
