"""
``proved`` proves, for these bounds, that no action or law distinguishes interchangeable things, so symmetry is sound.

For every state of the domain, reachable or not (but what a sequence does not use is at its first value), z3 must show
that an action, the normalisation after it, every law and the count of perturbations do the same before and after an
exchange of two neighbours in a class; such exchanges make up all permutations. What cannot be shown is refused, with
what differs.
"""

from collections.abc import Iterator

import z3

from oneowner.checkers.engines.compile.exchange import Exchange, Interchangeable, classes, length_of
from oneowner.checkers.engines.compile.program import Check, Program
from oneowner.checkers.engines.compile.trees import Tree
from oneowner.checkers.engines.compile.watched import At, unheard
from oneowner.checkers.engines.compile.z3 import State, Symbolic
from oneowner.checkers.trace.expressions import Expression
from oneowner.checkers.verdict import Misuse

PATIENCE = 60_000
"""Milliseconds that one question may take."""


def proved(program: Program, kinds: tuple[str, ...], at: At = unheard) -> list[Interchangeable]:
    """Return the classes whose permutations change nothing; raise Misuse with the reason if that cannot be shown."""
    if not kinds:
        raise Misuse("symmetry refused: the family does not declare any (symmetry: [broker, unit])")
    found = classes(program, kinds)
    if not found:
        raise Misuse(f"symmetry refused: the initial states tell all things of kind {' and '.join(kinds)} apart")
    for same in found:
        for exchange in same.neighbours(program):
            at(f"proving that {exchange} are interchangeable")
            for complaint in _Proof(program, exchange).complaints():
                raise Misuse(f"symmetry refused: {exchange} are not interchangeable: {complaint}")
    return found


class _Proof:
    def __init__(self, program: Program, exchange: Exchange) -> None:
        self.program = program
        self.exchange = exchange
        self.model = Symbolic(program)
        self.before = self.model.variables("s")
        self.after = self.model.variables("t")
        states = self.before, self.after
        self.domain = z3.And([z3.And(self.model.in_domain(state), self.is_tidy(state)) for state in states])

    def complaints(self) -> Iterator[str]:
        """Yield what an exchange changes, or may change."""
        before, after = self.exchanged(self.before), self.exchanged(self.after)
        known: set[tuple[Expression, Expression]] = set()
        answer = Check("", self.program.perturbations)
        yield from self.differs(
            "perturbations", self.model.answer(answer, self.before), self.model.answer(answer, before)
        )
        for number, action in enumerate(self.program.actions):
            other = self.exchange.action(action, self.program.actions)
            if other is None:
                yield f"{action} has no counterpart"
                continue
            yield from self.carried(str(action), self.program.trees[number], self.program.trees[other])
            checks = {check.name: check for check in self.program.step_checks[other]}
            if checks.keys() != {check.name for check in self.program.step_checks[number]}:
                yield f"{action} and {self.program.actions[other]} are put to different laws"
                continue
            for check in self.program.step_checks[number]:
                pair = check.answer, checks[check.name].answer
                if pair in known:  # most laws do not look at the action
                    continue
                same = self.model.answer(check, self.before, self.after) == self.model.answer(
                    checks[check.name], before, after
                )
                if not any(self.refuted("", same)):
                    known.add(pair)
                else:  # what it says of a step that cannot be taken does not matter
                    enabled = self.model.effect(number, self.before).enabled
                    yield from self.refuted(f"law {check.name} of {action}", z3.Implies(enabled, same))
        yield from self.carried("the normalisation", self.program.normalisation, self.program.normalisation)
        for check in self.program.state_laws:
            one, two = self.model.answer(check, self.before), self.model.answer(check, before)
            yield from self.differs(f"law {check.name}", one, two)

    def carried(self, what: str, tree: Tree, other: Tree) -> Iterator[str]:
        """Yield whether a step and its counterpart lead to states that are not each other's exchange."""
        mine, its = self.model.tree(tree, self.before), self.model.tree(other, self.exchanged(self.before))
        reached = self.exchanged(mine.after)
        same = [mine.enabled == its.enabled, mine.beyond == its.beyond, mine.outside == its.outside]
        same.append(z3.Implies(mine.enabled, self.model.same(reached, its.after)))
        same.append(z3.Implies(z3.And(mine.enabled, z3.Not(mine.outside)), self.is_tidy(mine.after)))
        yield from self.refuted(what, z3.And(same))

    def is_tidy(self, state: State) -> z3.BoolRef:
        """Return that what is not in use of a sequence holds its first value; steps must keep it so."""
        places = self.program.places
        rows = [(slot, used) for slot in range(len(places)) if (used := length_of(places, slot)) is not None]
        return z3.And(
            [z3.Or(state[length] >= least, state[slot] == places[slot].low) for slot, (length, least) in rows]
        )

    def exchanged(self, state: State) -> State:
        one, other = map(self.model.number, (self.exchange.one, self.exchange.other))
        found = []
        for slot in self.exchange.origin:
            term, used = state[slot], self.exchange.length_of(slot)
            if self.program.places[slot].kind == self.exchange.kind:
                renamed = z3.If(term == one, other, z3.If(term == other, one, term))
                term = renamed if used is None else z3.If(state[used[0]] >= used[1], renamed, term)
            found.append(term)
        return tuple(found)

    def differs(self, what: str, one: z3.BitVecRef, other: z3.BitVecRef) -> Iterator[str]:
        yield from self.refuted(what, one == other)

    def refuted(self, what: str, claim: z3.BoolRef) -> Iterator[str]:
        solver = z3.SolverFor("QF_BV")  # what it learned of one question makes the next one slower
        solver.set(timeout=PATIENCE)
        found = solver.check(self.domain, z3.Not(claim))
        if found == z3.sat:
            yield f"{what} tells them apart"
        elif found == z3.unknown:
            yield f"{what}: z3 cannot tell ({solver.reason_unknown()})"
