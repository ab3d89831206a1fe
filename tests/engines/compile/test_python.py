"""Generated Python evaluates less than the model, with the same results."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from oneowner.checkers.engines.compile.program import Check, Place, Program, trace
from oneowner.checkers.engines.compile.python_scalar import emit
from oneowner.checkers.engines.compile.trees import Branch, Disabled, Tree, Update
from oneowner.checkers.engines.walks.stepping import Generated
from oneowner.checkers.trace.expressions import (
    Expression,
    below,
    both,
    choose,
    constant,
    equal,
    less,
    negation,
    variable,
)
from oneowner.model.channel.bounds import Bounds

PLACES = (Place("a", 0, 3), Place("one", 1, 1), Place("b", 0, 3), Place("unread", 0, 3), Place("c", 1, 3))
A, B, C = variable(0, 0, 2), variable(2, 0, 2), variable(4, 1, 3)
A_AFTER = variable(5, 0, 2)
CODES = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
"""Every state: of the third number the code is one less."""


def program_of(*laws: Expression) -> Program:
    checks = tuple(Check("law", law) for law in laws)
    return Program(PLACES, ((0,) * len(PLACES),), (), (), Disabled(), checks, (), constant(0))


def generated(*, trees: tuple[Tree, ...] = (), law: Expression = A, checks: tuple[tuple[Check, ...], ...] = ()) -> Any:
    never = Disabled()
    program = Program(PLACES, (), (), trees, never, (Check("law", law),), checks, constant(0))
    space: dict[str, Any] = {}
    exec(emit(program), space)
    return space


def large(answer: Expression) -> Expression:
    """The same answer, by way of so many tests that it gets a function of its own."""
    for turn in range(40):
        answer = choose(less(A, constant(1)), choose(equal(B, C), answer, constant(turn)), answer)
    return choose(both(less(A, B), negation(equal(C, A))), answer, choose(less(B, C), constant(7), answer))


def value(node: Expression, values: dict[int, int]) -> int:
    """Work an expression out as it is defined, all of it."""
    rules: dict[str, Callable[..., int]] = {
        "add": lambda one, other: one + other, "subtract": lambda one, other: one - other,
        "multiply": lambda one, other: one * other,
        "equal": lambda one, other: one == other, "less": lambda one, other: one < other,
        "not": lambda one: not one, "and": lambda one, other: one and other,
        "choose": lambda test, then, otherwise: then if test else otherwise,
    }  # fmt: skip
    known: dict[Expression, int] = {}
    for one in below([node]):  # operands first
        known[one] = (
            one.value if one.is_constant
            else values[one.value] if one.operator == "variable"
            else int(rules[one.operator](*(known[argument] for argument in one.arguments)))
        )  # fmt: skip
    return known[node]


@pytest.mark.parametrize("seed", range(40))
def test_answer_is_what_its_expression_says(seed: int) -> None:
    law = grown(random.Random(seed))
    space = generated(law=law, checks=((Check("check", choose(equal(A, A_AFTER), law, constant(3))),),))
    for a, b, c in CODES:
        state, answer = bytes([a, 0, b, 1, c]), value(law, {0: a, 2: b, 4: c + 1})
        assert space["judge_state"](state) == (answer,)
        assert space["judge"][0](state, bytes([2, 0, b, 1, c])) == (answer if a == 2 else 3,)


def grown(chance: random.Random) -> Expression:
    """A random expression of some hundred nodes, of which many occur several times."""
    numbers: list[Expression] = [A, B, C, constant(1)]
    tests: list[Expression] = [less(A, B), equal(B, C)]
    for _ in range(60):
        one, other = chance.sample(numbers[-6:], 2)
        test, another = chance.sample(tests[-6:] if len(tests) > 6 else tests, 2)
        tests.append(chance.choice([less(one, other), equal(one, other), both(test, another), negation(test)]))
        numbers.append(choose(test, one, other))
    return choose(tests[-1], numbers[-1], choose(tests[-2], numbers[-2], numbers[-3]))


def test_candidates_leave_out_what_first_tests_refuse_and_nothing_else() -> None:
    never, change = Disabled(), Update(((2, constant(0)),))
    trees: tuple[Tree, ...] = (
        Branch(equal(A, constant(1)), change, never),
        Branch(equal(A, constant(1)), Branch(equal(B, constant(2)), never, change), never),
        Branch(equal(B, constant(1)), change, Branch(equal(A, constant(0)), change, never)),
        change,
    )
    space = generated(trees=trees)
    for state, expected in {(0, 1): [2, 3], (1, 1): [0, 1, 2, 3], (1, 2): [0, 2, 3], (2, 0): [2, 3]}.items():
        assert list(space["candidates"](bytes([state[0], 0, state[1], 0, 0]))) == expected


def test_every_action_that_is_enabled_is_a_candidate() -> None:
    bounds = Bounds(brokers=2, owner=1, crashes=1, unloads=1, transfers=1, window=2)
    stepper = Generated(bounds, (), ())
    space: dict[str, Any] = {}
    exec(emit(trace(bounds, (), ())), space)
    chance, left_out = random.Random(1), 0
    for _ in range(50):
        state = chance.choice(stepper.initial())
        while enabled := [number for number, run in enumerate(space["actions"]) if run(state) is not None]:
            candidates = list(space["candidates"](state))
            assert candidates == sorted(candidates)
            assert set(enabled) <= set(candidates)
            left_out += len(space["actions"]) - len(candidates)
            if not (following := [after for number in enabled if (after := stepper.take(state, number)) is not None]):
                break
            state = chance.choice(following)
    assert left_out > 1000


def test_actions_with_the_same_checks_share_a_judge() -> None:
    same, other = (Check("law", equal(A, A_AFTER)),), (Check("law", less(A, A_AFTER)),)
    judges = generated(checks=(same, other, same))["judge"]
    assert judges[0] is judges[2]
    assert judges[0] is not judges[1]


def test_large_answers_are_remembered_by_the_slots_that_they_read() -> None:
    space = generated(law=large(A), checks=((Check("law", choose(equal(A, A_AFTER), large(B), constant(0))),),))
    remembering = space["large_judge_0"]
    for unread in range(3):
        space["judge"][0](bytes([1, 0, 2, unread, 0]), bytes([1, 0, 2, unread, 0]))
    assert remembering.cache_info()[:2] == (2, 1)
    space["judge"][0](bytes([1, 0, 1, 0, 0]), bytes([1, 0, 2, 0, 0]))
    assert remembering.cache_info()[:2] == (2, 2)
