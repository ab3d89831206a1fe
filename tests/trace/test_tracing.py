"""Tracing: the permitted uses of a state's value in model code, and the messages about others."""

import sys
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from types import FunctionType
from typing import Any, cast

import pytest

from oneowner.checkers.engines.compile.program import Program, trace
from oneowner.checkers.engines.compile.python_scalar import emit
from oneowner.checkers.engines.compile.writing import roots
from oneowner.checkers.trace import paths
from oneowner.checkers.trace.drafts import Draft
from oneowner.checkers.trace.expressions import below, is_boolean, variable
from oneowner.checkers.trace.leaves import Number, Untraceable, expression_of, leaf
from oneowner.checkers.trace.paths import Fork, all_paths
from oneowner.checkers.trace.summaries import Summarised
from oneowner.checkers.trace.symbolic import SymbolicState
from oneowner.checkers.trace.tracing import Twins, traceable_modules
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel import broker
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import takes
from oneowner.model.channel.record import is_absent
from oneowner.model.kernel.language import integers
from oneowner.model.kernel.law import LawKind, StateLaw
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.channel import SYSTEM


def number() -> Any:
    return leaf(variable(0, 1, 3), int)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda n: {1: 2}[n], "the hash"),
        (lambda n: n in {1, 2}, "the hash"),
        (int, r"int\(\)"),
        (lambda n: [1, 2][n], "the index"),
        (range, "the index"),
        (str, "the text"),
        (list, "the iteration"),
        (lambda n: n == "Owned", "the comparison with 'Owned'"),
        (lambda n: n != "Owned", "the comparison with 'Owned'"),
    ],
)
def test_what_cannot_be_traced_is_refused(use: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(Untraceable, match=words):
        use(number())


def test_every_way_is_taken_once_and_a_decided_test_does_not_fork_again() -> None:
    seen = []

    def run() -> str:
        n = number()
        if n == 1:
            seen.append("one")
            return "one"
        if n == 1 or n < 2:
            pytest.fail("decided before")
        return "two" if n == 2 else "three"

    found = all_paths("run", run)
    assert isinstance(found, Fork)
    assert found.then == "one"
    assert (found.otherwise.then, found.otherwise.otherwise) == ("two", "three")
    assert seen == ["one"]


def test_value_that_is_constant_is_plain() -> None:
    assert leaf(variable(0, 2, 2), int) == 2
    assert isinstance(number(), Number)


def test_functions_that_only_read_are_summarised_and_the_model_is_not_touched() -> None:
    twins = Twins(traceable_modules(SYSTEM))
    assert type(twins.of(is_absent)).__name__ == type(twins.of(takes)).__name__ == "Summarised"
    assert type(twins.of(broker.consume)).__name__ == "function"
    assert twins.of(broker.consume) is not broker.consume
    assert broker.consume.__globals__["takes"] is takes


def test_function_of_states_is_traced_once_for_the_same_ones_and_anew_when_a_draft_has_changed() -> None:
    seen = []

    def reads(state: Any, wanted: Any) -> Any:
        seen.append(wanted)
        return state.count == wanted

    function = Summarised(cast(FunctionType, reads))
    state, other = (SymbolicState({"count": integers(0, 3)}, {}, first) for first in (0, 1))
    answers = [function(asked, wanted).expression for asked in (state, other, state) for wanted in (0, False, 1)]
    assert answers[:3] == answers[6:] != answers[3:6]
    assert [type(wanted) for wanted in seen] == [int, bool, int] * 2
    draft = Draft(state)
    assert function(draft, 1).expression is function(state, 1).expression
    draft.count = 1  # type: ignore[attr-defined]
    assert (function(draft, 1), function(draft, 2)) == (True, False)


def test_law_that_cannot_be_traced_is_refused_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from oneowner.spec.channel import ownership

    def by_table(state: Any) -> bool:
        return {True: False, False: True}[state.poisoned]

    by_table.__module__ = "oneowner.spec.channel.ownership"
    monkeypatch.setattr(ownership, "by_table", by_table, raising=False)
    law = StateLaw("table", "By a table.", "this test", when=by_table, holds=by_table, kind=LawKind.PROTOCOL)
    with pytest.raises(Misuse, match="the hash"):
        trace(Bounds(), [law], ())


@cache
def traced() -> Program:
    """A small model, which some tests look at."""
    return trace(Bounds(owner=1, unloads=1), PROPERTIES, WITNESSES)


def test_trace_of_a_model_has_a_tree_for_every_action_and_reads_only_its_slots() -> None:
    program = traced()
    assert len(program.trees) == len(program.actions) == len(program.step_checks)
    assert len(program.initial[0]) == len(program.places)
    assert all(0 <= code < place.size for code, place in zip(program.initial[0], program.places, strict=True))
    assert {check.name for check in program.state_laws} >= {"single-server", "type-ok"}


def test_operands_of_and_are_truths_so_that_an_emitter_may_join_their_bits() -> None:
    program = traced()
    laws = [check.answer for checks in (program.state_laws, *program.step_checks) for check in checks]
    nodes = below([*laws, *(root for tree in program.trees for root in roots(tree))])
    joined = [node for node in nodes if node.operator == "and"]
    assert len(joined) > 100
    assert all(is_boolean(operand) for node in joined for operand in node.arguments)


def test_state_that_is_too_big_is_refused_and_names_the_engine_that_can() -> None:
    with pytest.raises(Misuse, match="too big to be compiled, but not for --engine native"):
        trace(Bounds(brokers=20, units=9), PROPERTIES, WITNESSES)


def test_too_many_ways_are_refused_and_the_function_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_PATHS", 2)
    with pytest.raises(Untraceable, match="more than 2 ways through thirds"):
        all_paths("thirds", lambda: "one" if number() == 1 else "two" if number() == 2 else "three")


def test_program_like_another_has_its_actions_and_its_own_laws() -> None:
    bounds = Bounds(owner=1, unloads=1)
    other = trace(bounds, (), ())
    program = trace(bounds, PROPERTIES, WITNESSES, like=lambda: other)
    assert program.trees is other.trees
    assert emit(program) == emit(traced())
    with pytest.raises(ValueError, match="different bounds"):
        trace(Bounds(brokers=3, owner=1, unloads=1), (), (), like=lambda: other)


def test_equal_words_of_two_kinds_have_codes_of_their_own() -> None:
    class Road(StrEnum):
        FREE = "free"
        TAKEN = "taken"

    class Seat(StrEnum):
        TAKEN = "taken"
        FREE = "free"

    assert Road.TAKEN == Seat.TAKEN  # type: ignore[comparison-overlap]
    assert [expression_of(name).value for name in (Road.TAKEN, Seat.TAKEN, Road.FREE, Seat.FREE)] == [1, 0, 0, 1]


def _is_above(number: int, least: int = 0) -> bool:
    return number > least


def test_function_that_is_given_a_plain_value_is_traced_with_that_value() -> None:
    twins = Twins([sys.modules[__name__]])
    assert twins.of(partial(_is_above, least=2))(3)
    assert not twins.of(partial(_is_above, least=2))(1)
