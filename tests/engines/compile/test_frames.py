"""Frames separate exactly the slots that a step leaves alone."""

from collections import deque
from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.compile.frames import framed, normalises
from oneowner.checkers.engines.compile.program import Check, Place, Program, trace
from oneowner.checkers.engines.compile.trees import Branch as If
from oneowner.checkers.engines.compile.trees import Disabled, Tree, Update
from oneowner.checkers.trace.expressions import (
    FALSE,
    TRUE,
    Expression,
    add,
    choose,
    constant,
    equal,
    less,
    variable,
)
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled as Refused
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.engines.compile.test_python import value

ONE, OTHER = variable(0, 0, 3), variable(1, 0, 3)
ONE_AFTER, OTHER_AFTER = variable(2, 0, 3), variable(3, 0, 3)
SAME = choose(equal(OTHER, OTHER_AFTER), constant(0), constant(1))
BUMP_ONE, BUMP_OTHER = (Update(((slot, add(cell, TRUE)),)) for slot, cell in enumerate((ONE, OTHER)))
DROP_OTHER = If(less(constant(2), OTHER), Update(((1, constant(0)),)), Disabled())


def program_of(checks: tuple[Check, ...], normalisation: Tree = Disabled(), initial: int = 0) -> Program:  # noqa: B008
    places = (Place("one", 0, 4), Place("other", 0, 4))
    acts = tuple(Action(name, (), print) for name in ("bump_one", "bump_other"))
    return Program(places, ((0, initial),), acts, (BUMP_ONE, BUMP_OTHER), normalisation, (), (checks, checks), FALSE)


def test_what_an_action_cannot_change_is_what_it_was() -> None:
    of_one, of_other = framed(program_of((Check("law", SAME),))).step_checks
    assert of_one == ()
    assert of_other == (Check("law", SAME),)


def test_what_it_changes_stays_the_value_after_it() -> None:
    law = equal(add(ONE_AFTER, OTHER_AFTER), constant(2))
    of_one, of_other = framed(program_of((Check("law", law),))).step_checks
    assert [check.answer for check in of_one] == [equal(add(ONE_AFTER, OTHER), constant(2))]
    assert [check.answer for check in of_other] == [equal(add(ONE, OTHER_AFTER), constant(2))]


def test_only_an_answer_that_says_nothing_is_left_out() -> None:
    always = choose(equal(OTHER, OTHER_AFTER), constant(1), constant(2))
    broken = choose(equal(OTHER, OTHER_AFTER), constant(2), constant(1))
    checks = Check("law", always), Check("broken", broken), Check("witness", always, idle=1)
    of_one, _ = framed(program_of(checks)).step_checks
    assert of_one == (Check("law", constant(1)), Check("broken", constant(2)))


def test_normalisation_belongs_to_the_step_that_may_call_for_it() -> None:
    law = (Check("law", SAME), Check("of-one", choose(equal(ONE, ONE_AFTER), constant(0), constant(1))))
    program = program_of(law, DROP_OTHER)
    assert normalises(program) == [False, True]
    assert [[check.name for check in checks] for checks in framed(program).step_checks] == [["of-one"], ["law"]]
    by_one = If(less(constant(2), ONE), Update(((1, constant(0)),)), Disabled())
    assert normalises(program_of(law, by_one)) == [True, False]
    assert [[check.name for check in checks] for checks in framed(program_of(law, by_one)).step_checks] == [
        ["law", "of-one"], ["law"],
    ]  # fmt: skip


def test_a_state_to_begin_with_that_is_not_normalised_spares_no_normalisation() -> None:
    program = program_of((Check("law", SAME),), DROP_OTHER, initial=3)
    assert normalises(program) == [True, True]
    assert [len(checks) for checks in framed(program).step_checks] == [1, 1]
    from_one = variable(1, 1, 3)
    drop = If(less(constant(2), from_one), Update(((1, constant(1)),)), Disabled())
    for code, expected in ((2, [True, True]), (1, [False, True])):  # the codes of 3 and 2
        program = program_of((), drop, initial=code)
        assert normalises(replace(program, places=(program.places[0], Place("other", 1, 3)))) == expected


def steps(name: str, most: int) -> list[tuple[State, Action, State]]:
    """The first steps of a family, in the order of the search."""
    bounds = families()[name].bounds
    found: list[tuple[State, Action, State]] = []
    waiting, seen = deque(initial_states(bounds)), set()
    while waiting and len(found) < most:
        state = waiting.popleft()
        for action in actions(bounds):
            try:
                after = step(state, action)
            except Refused:
                continue
            found.append((state, action, after))
            if after.key() not in seen:
                seen.add(after.key())
                waiting.append(after)
    return found


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("failure", "split", "shutdown", "compaction")]


@pytest.mark.parametrize("name", ["leader", *SLOW])
def test_answers_of_a_family_are_the_same(name: str) -> None:
    program = trace(families()[name].bounds, PROPERTIES, WITNESSES)
    short = framed(program)
    places = {action: place for place, action in enumerate(program.actions)}
    assert sum(map(len, short.step_checks)) < sum(map(len, program.step_checks))
    for before, action, after in steps(name, 150):
        codes = [*before.codes(), *after.codes()]
        values = {slot: code + program.places[slot % len(program.places)].low for slot, code in enumerate(codes)}
        whole, framed_checks = (one.step_checks[places[action]] for one in (program, short))
        answers = {check.name: answer(check.answer, values) for check in whole}
        said_too = {check.name: answer(check.answer, values) for check in framed_checks}
        assert answers == {check.name: said_too.get(check.name, check.idle) for check in whole}, str(action)


def answer(expression: Expression, values: dict[int, int]) -> int:
    return value(expression, values)
