"""Generated C agrees with its expressions, also where it evaluates a law in a branch."""

import ctypes
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from oneowner.checkers.engines.compile import c
from oneowner.checkers.engines.compile.c_layout import Layout
from oneowner.checkers.engines.compile.program import Program
from oneowner.checkers.trace.expressions import FALSE, TRUE, Expression, add, choose, constant, equal, less
from tests.engines.compile.test_python import CODES, PLACES, A, B, C, grown, program_of, value


def answers(program: Program, place: Path) -> list[list[int]]:
    """Of every law its answers in all states."""
    (place / "laws.c").write_text(c.emit_laws(program))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "laws.so", "laws.c"], cwd=place, check=True)
    judge = ctypes.CDLL(str(place / "laws.so")).judge_state
    index, said = Layout(PLACES).index, ctypes.create_string_buffer(len(program.state_laws))
    rows = []
    for codes in CODES:
        state = bytearray(len(index))
        for slot, code in zip((0, 2, 4), codes, strict=True):
            state[index[slot]] = code
        judge(bytes(state), said)
        rows.append([*said.raw[: len(program.state_laws)]])
    return [list(column) for column in zip(*rows, strict=True)]


def laws_of(chance: random.Random) -> list[Expression]:
    """Laws that share much, with occasions that share some of it too."""
    heavy = [grown(chance) for _ in range(3)]
    tests = [less(A, B), equal(B, C), less(heavy[0], constant(2)), equal(heavy[1], A)]
    found = [*heavy, add(heavy[0], heavy[1])]
    for _ in range(8):
        test, body = chance.choice(tests), choose(chance.choice(tests), chance.choice(heavy), grown(chance))
        found.append(choose(test, body, FALSE) if chance.random() < 0.5 else choose(test, TRUE, body))
    chance.shuffle(found)
    return found


@pytest.mark.sample(2)
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("seed", range(12))
def test_laws_say_what_their_expressions_say(seed: int, tmp_path: Path) -> None:
    laws = laws_of(random.Random(seed))
    program = program_of(*laws)
    text = c.emit_laws(program)
    assert "if (" in text
    for law, said in zip(laws, answers(program, tmp_path), strict=True):
        assert said == [value(law, {0: a, 2: b, 4: c + 1}) for a, b, c in CODES]


def test_what_only_one_law_asks_for_is_worked_out_where_it_has_an_occasion() -> None:
    heavy = grown(random.Random(1))
    alone = c.emit_laws(program_of(choose(less(A, B), heavy, FALSE)))
    before, inside = (part.count("const int") for part in alone.split("if (", 1))
    assert before <= 1 < inside, "before the branch nothing but its test"
    both = c.emit_laws(program_of(choose(less(A, B), heavy, FALSE), heavy))
    assert "if (" not in both, "what two laws ask for is worked out once, before them"
    assert both.count("const int") == before + inside + 1
