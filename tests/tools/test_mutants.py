"""The mutator: each mutant is the model changed at exactly one point, and text that is no code stays as it is."""

import ast
from collections import Counter

import pytest

from tools.mutation.mutants import FILES, MODEL, Kind, Mutant, mutants, mutants_of
from tools.mutation.words import members_in

pytestmark = pytest.mark.slow

SOURCE = b'''
"""A file with 1 docstring."""

from model.record import FREE, NOBODY, OWNED


def act(state: State, broker: int = 1) -> bool:
    """Change 1 thing."""
    require(state.run[broker] == Run.UP, "the broker is up, 1")
    record = state.view[broker]
    if record.state == OWNED and not state.held[broker]:
        publish(state, record.destination, record.source)
        return True
    state.cursor[broker] = state.cursor[broker] + 1
    return False
'''


def of(source: bytes) -> list[Mutant]:
    return mutants_of(source, "act.py", members_in(MODEL))


def changes(kind: Kind) -> set[str]:
    return {one.new for one in of(SOURCE) if one.kind == kind}


def test_every_kind_of_mutant_is_made() -> None:
    assert changes(Kind.GUARD) == {"pass", "if (not state.held[broker]):", "if (record.state == OWNED):"}
    assert changes(Kind.COMPARISON) == {
        'require(state.run[broker] != Run.UP, "the broker is up, 1")',
        "if record.state != OWNED and not state.held[broker]:",
    }
    assert "if record.state == OWNED and state.held[broker]:" in changes(Kind.NEGATION)
    assert changes(Kind.CONNECTIVE) == {"if (record.state == OWNED or not state.held[broker]):"}
    assert changes(Kind.STATEMENT) == {"pass"}
    assert changes(Kind.ARGUMENTS) == {"publish(state, record.source, record.destination)"}
    assert changes(Kind.CONSTANT) == {
        "def act(state: State, broker: int = 0) -> bool:",
        'require(state.run[broker] == Run.DOWN, "the broker is up, 1")',
        "if record.state == FREE and not state.held[broker]:",
        "return False",
        "return True",
        "state.cursor[broker] = state.cursor[broker] - 1",
        "state.cursor[broker] = state.cursor[broker] + 0",
    }


def test_texts_annotations_and_first_bindings_stay() -> None:
    for one in of(SOURCE):
        tree = ast.parse(one.applied(SOURCE))
        strings = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        assert {"Change 1 thing.", "A file with 1 docstring."} <= set(strings)
        assert one.kind == Kind.GUARD or "the broker is up, 1" in strings
        assert b"record = state.view[broker]" in one.applied(SOURCE)


def test_numbers_are_the_same_every_time_and_follow_the_text() -> None:
    found = mutants()
    assert found == mutants()
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert [FILES.index(one.file) for one in found] == sorted(FILES.index(one.file) for one in found)
    assert len(found) >= 300


@pytest.mark.parametrize("file", FILES)
def test_every_mutant_is_python_and_differs_at_one_point(file: str) -> None:
    source = (MODEL / file).read_bytes()
    original = ast.unparse(ast.parse(source))
    found = mutants([file])
    texts = Counter(one.applied(source) for one in found)
    assert set(texts.values()) == {1}
    for one in found:
        changed = one.applied(source)
        assert changed.startswith(source[: one.start])
        assert changed.endswith(source[one.end :])
        assert ast.unparse(ast.parse(changed)) != original, one


def test_rows_of_tables_are_dropped_and_changed() -> None:
    table = (
        b"from model.record import FREE, OWNED\n\nMOVES = (\n    (OWNED, FREE, one),\n    (FREE, OWNED, other),\n)\n"
    )
    found = {(one.kind, one.new) for one in of(table)}
    assert (Kind.STATEMENT, "") in found
    assert (Kind.CONSTANT, "(FREE, FREE, one),") in found
    assert (Kind.CONSTANT, "(OWNED, FREE, other),") in found
