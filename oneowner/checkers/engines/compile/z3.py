"""
These functions turn a traced model into z3 terms: what every action does in any state, reached or not.

A state is one bit-vector per slot, each holding the value that expressions read (the code plus the slot's ``low``).
All have one width, in which no expression of the model overflows; z3 decides such questions several times as fast
by bit-vectors as by integers. What expressions and trees share, the terms share.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import z3

from oneowner.checkers.engines.compile.program import Check, Place, Program
from oneowner.checkers.engines.compile.trees import Beyond, Leaf, Tree, Update, folded, leaves
from oneowner.checkers.engines.compile.writing import roots
from oneowner.checkers.trace.expressions import Expression, below, constant, either, is_boolean, less, variable
from oneowner.checkers.verdict import EngineError

State = tuple[z3.BitVecRef, ...]
"""One term per slot, in the order of ``Program.places``."""

MOST_REPEATED = 32
"""More repetitions of the normalisation than that are not unrolled."""

PATIENCE = 120_000
"""Milliseconds that the proof of a bound on the repetitions may take."""


@dataclass(frozen=True, slots=True)
class Effect:
    """
    The effect of a step in a state, as terms over that state.

    In every state in the domain it is enabled, or beyond the bounds, or neither (disabled); never both.
    """

    enabled: z3.BoolRef
    beyond: z3.BoolRef
    """The step needs more than the bounds hold: what lies behind it is unknown."""
    outside: z3.BoolRef
    """It is enabled and a value leaves its domain; a model without mistakes has no reachable such state."""
    after: State
    """The state after; the same state where the step is not enabled."""


class Symbolic:
    """The actions, the normalisation and the laws of a program, applied to states that are terms."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._sort = z3.BitVecSort(_width(program))
        self._steps: dict[int, _Step] = {}
        self._readings: dict[tuple[int, ...], Reading] = {}

    def number(self, value: int) -> z3.BitVecNumRef:
        """Return a value as states hold it."""
        return z3.BitVecVal(value, self._sort)

    def variables(self, prefix: str) -> State:
        """Return a state of fresh variables, named ``prefix.slot``; assert ``in_domain`` of it."""
        return tuple(z3.Const(f"{prefix}.{place.name}", self._sort) for place in self.program.places)

    def state(self, codes: Iterable[int]) -> State:
        """Return the state with these codes, one per slot."""
        return tuple(self.number(code + place.low) for code, place in zip(codes, self.program.places, strict=True))

    def codes(self, state: State) -> list[int]:
        """Return the codes of a state of numbers, such as one that a z3 model gives; raise EngineError for others."""
        found = [z3.simplify(term) for term in state]
        if not all(z3.is_bv_value(term) for term in found):
            raise EngineError("a state with variables has no codes")
        return [term.as_signed_long() - place.low for term, place in zip(found, self.program.places, strict=True)]

    def in_domain(self, state: State) -> z3.BoolRef:
        """Return that every slot holds a value of its domain."""
        pairs = zip(state, self.program.places, strict=True)
        return z3.And([z3.And(place.low <= term, term <= _high(place)) for term, place in pairs])

    def same(self, one: State, other: State) -> z3.BoolRef:
        """Return that two states are equal."""
        return z3.And([mine == its for mine, its in zip(one, other, strict=True) if not mine.eq(its)])

    def effect(self, number: int, state: State) -> Effect:
        """Return what action *number* does in *state*, before the normalisation."""
        return self.tree(self.program.trees[number], state)

    def step(self, number: int, state: State) -> Effect:
        """Return what action *number* and the normalisation after it do in *state*."""
        action = self.effect(number, state)
        beyond, outside, after = [action.beyond], [action.outside], action.after
        for _ in range(self.repetitions):
            more = self.tree(self.program.normalisation, after)
            beyond.append(z3.And(action.enabled, more.beyond))
            outside.append(z3.And(action.enabled, more.outside))
            after = more.after
        after = tuple(z3.If(action.enabled, new, old) for new, old in zip(after, state, strict=True))
        return Effect(z3.And(action.enabled, z3.Not(z3.Or(beyond))), z3.Or(beyond), z3.Or(outside), after)

    def normalised(self, state: State) -> State:
        """Return a state of the domain after the normalisation, repeated until it is not needed."""
        for _ in range(self.repetitions):
            state = self.tree(self.program.normalisation, state).after
        return state

    @cached_property
    def repetitions(self) -> int:
        """The number of normalisations needed in a row, from any state of the domain: the least proved bound."""
        state = self.variables("normalised")
        solver = z3.SolverFor("QF_BV")
        solver.set(timeout=PATIENCE)
        solver.add(self.in_domain(state))
        for times in range(MOST_REPEATED + 1):
            effect = self.tree(self.program.normalisation, state)
            found = solver.check(z3.Or(effect.enabled, effect.beyond))
            if found == z3.unsat:
                return times
            if found == z3.unknown:
                raise EngineError(f"z3 cannot tell how often the normalisation repeats: {solver.reason_unknown()}")
            state = effect.after
        raise EngineError(f"the normalisation is not known to end within {MOST_REPEATED} repetitions")

    def answer(self, check: Check, before: State, after: State = ()) -> z3.BitVecRef:
        """
        Return the result of a check of a state, or of a step: 0 no occasion, 1 it holds, 2 it is broken (reached).
        """
        return self._reading((*before, *after)).number(check.answer)

    def tree(self, tree: Tree, state: State) -> Effect:
        """Return what one decision tree of the program does in *state*."""
        if id(tree) not in self._steps:
            self._steps[id(tree)] = _Step.of(tree, self.program.places)
        step, reading = self._steps[id(tree)], self._reading(state)
        return Effect(
            enabled=reading.truth(step.enabled),
            beyond=reading.truth(step.beyond),
            outside=reading.truth(step.outside),
            after=tuple(
                reading.number(step.after[slot]) if slot in step.after else old for slot, old in enumerate(state)
            ),
        )

    def _reading(self, terms: State) -> Reading:
        key = tuple(term.get_id() for term in terms)  # no number is given twice: the reading keeps its terms alive
        if key not in self._readings:
            self._readings[key] = Reading(terms, self.number)
        return self._readings[key]


@dataclass(frozen=True, slots=True)
class _Step:
    """A decision tree as one expression per question."""

    enabled: Expression
    beyond: Expression
    outside: Expression
    after: dict[int, Expression]
    """The new values of the slots that some leaf changes."""

    @classmethod
    def of(cls, tree: Tree, places: Sequence[Place]) -> _Step:
        slots = {slot for update in _updates(tree) for slot, _ in update.slots}

        def becomes(slot: int) -> Expression:
            place = places[slot]
            old = variable(slot, place.low, _high(place))
            return folded(tree, lambda leaf: dict(leaf.slots).get(slot, old) if isinstance(leaf, Update) else old)

        def leaves_domain(leaf: Leaf) -> Expression:
            found = constant(0)
            for slot, new in leaf.slots if isinstance(leaf, Update) else ():
                place = places[slot]
                found = either(found, either(less(new, constant(place.low)), less(constant(_high(place)), new)))
            return found

        return cls(
            enabled=folded(tree, lambda leaf: constant(isinstance(leaf, Update))),
            beyond=folded(tree, lambda leaf: constant(isinstance(leaf, Beyond))),
            outside=folded(tree, leaves_domain),
            after={slot: becomes(slot) for slot in sorted(slots)},
        )


class Reading:
    """
    Expressions as terms over one state (or two in a row), each made once; what is true or false is a Bool.

    *variables* has a term for the number of each variable, *constant* makes one of a number.
    """

    def __init__(self, variables: Sequence[z3.ExprRef], constant: Callable[[int], z3.ExprRef]) -> None:
        self._variables = variables
        self._value = constant
        self._terms: dict[Expression, z3.ExprRef] = {}

    def number(self, root: Expression) -> z3.ExprRef:
        term = self._term(root)
        return z3.If(term, self._value(1), self._value(0)) if z3.is_bool(term) else term

    def truth(self, root: Expression) -> z3.BoolRef:
        if root.is_constant:
            return z3.BoolVal(bool(root.value))
        term = self._term(root)
        return term if z3.is_bool(term) else term == self._value(1)

    def _term(self, root: Expression) -> z3.ExprRef:
        for node in below([root], self._terms):
            self._terms[node] = self._made(node)
        return self._terms[root]

    def _made(self, node: Expression) -> z3.ExprRef:
        if node.operator == "constant":
            return self._value(node.value)
        if node.operator == "variable":
            return self._variables[node.value]
        if node.operator == "not":
            return z3.Not(self.truth(node.arguments[0]))
        if node.operator == "and":
            return z3.And(*map(self.truth, node.arguments))
        if node.operator == "choose":
            test, *branches = node.arguments
            as_truth = all(part.is_constant or z3.is_bool(self._term(part)) for part in branches) and is_boolean(node)
            return z3.If(self.truth(test), *map(self.truth if as_truth else self.number, branches))
        one, other = map(self.number, node.arguments)
        return _OPERATORS[node.operator](one, other)


_OPERATORS: Final[dict[str, Callable[[z3.BitVecRef, z3.BitVecRef], z3.ExprRef]]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "equal": operator.eq, "less": operator.lt,
}  # fmt: skip


def _width(program: Program) -> int:
    """Return how many bits hold every value of every expression, with its sign."""
    trees = [*program.trees, program.normalisation]
    checks = [*program.state_laws, *(check for checks in program.step_checks for check in checks)]
    occurring = [expression for tree in trees for expression in roots(tree)] + [check.answer for check in checks]
    ends = [end for node in below(occurring) for end in (node.low, node.high)]
    ends += [end for place in program.places for end in (place.low, _high(place))]
    return max(end.bit_length() for end in ends) + 1


def _updates(tree: Tree) -> Iterator[Update]:
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Update))


def _high(place: Place) -> int:
    return place.low + place.size - 1
