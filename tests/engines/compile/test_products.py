"""A product of two numbers of a state is the same product in every language."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import z3

from oneowner.checkers.engines.compile import promela, tla
from oneowner.checkers.engines.compile import python_columns as columns
from oneowner.checkers.engines.compile import python_scalar as python
from oneowner.checkers.engines.compile.program import Check, Program
from oneowner.checkers.engines.compile.trees import Disabled
from oneowner.checkers.engines.compile.z3 import Symbolic
from oneowner.checkers.ledger import spin
from oneowner.checkers.trace.expressions import choose, constant, equal, multiply, subtract
from oneowner.checkers.trace.leaves import expression_of, leaf
from tests.engines.compile.test_c import answers
from tests.engines.compile.test_python import CODES, PLACES, A, B, C, program_of

EXPECTED = [a * b * (c + 1) for a, b, c in CODES]
PRODUCT = multiply(multiply(A, B), C)


def test_product_of_symbolic_numbers_is_a_product_whichever_comes_first() -> None:
    a, b = leaf(A, int), leaf(B, int)
    assert expression_of(a * b) is expression_of(b * a) is multiply(A, B)
    assert expression_of(3 * a) is expression_of(a * 3) is multiply(A, constant(3))
    assert a * 0 == 0


def test_generated_python_multiplies() -> None:
    space: dict[str, Any] = {}
    exec(python.emit(program_of(PRODUCT)), space)
    assert [space["judge_state"](bytes([a, 0, b, 1, c]))[0] for a, b, c in CODES] == EXPECTED


def test_columns_multiply_in_numbers_that_are_wide_enough() -> None:
    for answer, times in ((PRODUCT, 1), (multiply(PRODUCT, constant(1_000)), 1_000)):
        program, space = program_of(answer), dict[str, Any]()
        exec(columns.emit(program), space)
        kind = columns.kind_of(program)
        state = {slot: np.array([code[at] for code in CODES], kind) for at, slot in enumerate((0, 2, 4))}
        assert space["judge_state"](state)[0].tolist() == [times * one for one in EXPECTED]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_generated_c_multiplies(tmp_path: Path) -> None:
    assert answers(program_of(PRODUCT), tmp_path) == [EXPECTED]


def test_terms_of_z3_multiply_without_overflow() -> None:
    program = program_of(multiply(PRODUCT, subtract(A, C)))
    model = Symbolic(program)
    for codes, product in zip(CODES, EXPECTED, strict=True):
        a, b, c = codes
        term = z3.simplify(model.answer(program.state_laws[0], model.state([a, 0, b, 1, c])))
        assert term.as_signed_long() == product * (a - c - 1)


def test_tla_and_promela_spell_the_product() -> None:
    program = program_of(choose(equal(PRODUCT, constant(4)), constant(2), constant(1)))
    as_tla, as_promela = tla.emit(program, "products", "a test", {"law"}), promela.emit(program, "a test", {"law"})
    pairs = (("a", "b"), ("b", "a"))  # the first to be made comes first, which may be in another test
    assert any(f"(s[c] * (s[{one}] * s[{other}]))" in as_tla for one, other in pairs)
    assert any(f"(s_c * (s_{one} * s_{other}))" in as_promela for one, other in pairs)


@pytest.mark.sample(1)
@pytest.mark.skipif(not spin.is_installed(), reason=spin.HINT)
@pytest.mark.parametrize(("product", "broken"), [(6, "law"), (5, "")])
def test_spin_multiplies(product: int, broken: str) -> None:
    law = choose(equal(PRODUCT, constant(product)), constant(2), constant(1))
    program = Program(PLACES, ((2, 0, 1, 0, 2),), (), (), Disabled(), (Check("law", law),), (), constant(0))
    assert spin.verify(promela.emit(program, "a test", {"law"}), 100).broken == broken
