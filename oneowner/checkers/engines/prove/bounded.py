"""
Bounded model checking of a family by z3 is a third way to the verdicts of exploration.

The actions, traced, become terms over states that are variables (``compile/z3.py``): states in a row from an initial
one, each a step after the one before. Does a law fail at the last step? Nothing visits states, so nothing repeats a
mistake of a search.
"""

from collections.abc import Iterator

import z3

from oneowner.checkers.engines.compile.program import Program, trace
from oneowner.checkers.engines.compile.z3 import State, Symbolic
from oneowner.checkers.verdict import EngineError
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law

PATIENCE = 120.0
"""Seconds that one depth may take."""


class Unrolled:
    """A model and one law of states or steps, as rows of states of any length."""

    def __init__(self, bounds: Bounds, law: Law) -> None:
        self.program: Program = trace(bounds, [law], [])
        self.model = Symbolic(self.program)

    def first_failure(self, most: int, seconds: float = PATIENCE) -> int | None:
        """Return after how many steps from the beginning the law first fails, None if not within *most*."""
        solver = z3.SolverFor("QF_BV")
        state = self.model.variables("s0")
        solver.add(z3.Or([self.model.same(state, self.model.state(codes)) for codes in self.program.initial]))
        for depth, fails in enumerate(self._failures(solver, state, most)):
            if self._is_possible(solver, fails, seconds):
                return depth
        return None

    def _failures(self, solver: z3.Solver, state: State, most: int) -> Iterator[z3.BoolRef]:
        """Yield that the law fails in *state*, then at each of *most* steps after it, which are asserted as it goes."""
        yield z3.Or([self.model.answer(check, state) == 2 for check in self.program.state_laws])
        for number in range(1, most + 1):
            after = self.model.variables(f"s{number}")
            solver.add(self.model.in_domain(after))
            taken, broken = [], []
            for action, checks in enumerate(self.program.step_checks):
                effect = self.model.step(action, state)
                this = z3.And(effect.enabled, z3.Not(effect.outside), self.model.same(after, effect.after))
                taken.append(this)
                broken += [z3.And(this, self.model.answer(check, state, after) == 2) for check in checks]
            solver.add(z3.Or(taken))
            broken += [self.model.answer(check, after) == 2 for check in self.program.state_laws]
            yield z3.Or(broken)
            state = after

    @staticmethod
    def _is_possible(solver: z3.Solver, fails: z3.BoolRef, seconds: float) -> bool:
        solver.set(timeout=round(1000 * seconds))
        found = solver.check(fails)
        if found == z3.unknown:
            raise EngineError(f"z3 cannot tell within {seconds:.0f} s ({solver.reason_unknown()})")
        return bool(found == z3.sat)
