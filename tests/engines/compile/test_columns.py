"""Functions on columns return the expression's value for every row."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oneowner.checkers.engines.compile.program import Place, Program
from oneowner.checkers.engines.compile.python_columns import emit, kind_of
from oneowner.checkers.trace.expressions import Expression, add, constant, subtract, variable
from tests.engines.compile.test_python import CODES, PLACES, A, B, C, grown, program_of, value

STATES = {slot: [codes[at] for codes in CODES] for at, slot in enumerate((0, 2, 4))}


def answers(program: Program) -> list[list[int]]:
    space: dict[str, Any] = {}
    exec(emit(program), space)
    columns = {slot: np.array(codes, kind_of(program)) for slot, codes in STATES.items()}
    return [np.broadcast_to(answer, len(CODES)).tolist() for answer in space["judge_state"](columns)]


@pytest.mark.parametrize("seed", range(40))
def test_answers_are_what_their_expressions_say(seed: int) -> None:
    laws = [grown(random.Random(seed)), add(A, C), subtract(A, B), constant(2)]
    for law, said in zip(laws, answers(program_of(*laws)), strict=True):
        assert said == [value(law, {0: a, 2: b, 4: c + 1}) for a, b, c in CODES]


def test_numbers_are_as_wide_as_the_widest_value() -> None:
    assert kind_of(program_of(A)) == "int8"
    assert kind_of(program_of(add(A, constant(200)))) == "int16"
    assert kind_of(replace(program_of(A), places=(*PLACES, Place("wide", 0, 200)))) == "int16"
    assert answers(program_of(add(A, constant(200))))[0] == [200 + a for a, _, _ in CODES]


def test_deep_choices_do_not_explode() -> None:
    law: Expression = variable(0, 0, 2)
    chance = random.Random(1)
    for _ in range(12):
        law = add(grown(chance), law)
    assert len(emit(program_of(law))) < 200_000
