"""A law that its author has declared wrongly is refused when it is declared, with file and line."""

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from oneowner.checkers.cli import list as listed
from oneowner.checkers.cli.main import main
from oneowner.model.kernel.declaration import WrongDeclaration
from oneowner.model.kernel.law import LawKind, StateLaw, always, any_state, sometimes, step_law
from oneowner.model.kernel.system import found_in

PURPOSE = LawKind.PURPOSE


def complete(state: Any) -> bool:
    """Nothing is lost."""
    return True


def without_answer(state: Any) -> Any:
    """Nothing is lost."""
    state.anything  # noqa: B018  # the author has forgotten the return


def without_answer_sometimes(state: Any) -> Any:  # noqa: RET503  # the author has forgotten a branch
    """Nothing is lost."""
    if state:
        return True


def without_docstring(state: Any) -> bool:
    return True


def of_a_step(before: Any, action: Any, after: Any) -> bool:
    """Nothing is lost."""
    return True


def _private(state: Any) -> bool:
    """Nothing is lost."""
    return True


def on(predicate: Any, name: str = "a-law", when: Any = any_state) -> Callable[[], Any]:
    return lambda: always(name, "here", when, kind=PURPOSE)(predicate)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (on(without_answer), "a-law refused: the function can end without True or False"),
        (on(without_answer_sometimes), "a-law refused: the function can end without True or False"),
        (on(without_docstring), "a-law refused: the function has no docstring"),
        (on(of_a_step), "a-law refused: holds must be a function of (state)"),
        (on(complete, when="always"), "a-law refused: when must be a function of (state)"),
        (on(_private), "a-law refused: _private is private"),
        (on(complete, "A Law"), "name refused: 'A Law'"),
        (on("complete"), "a law is declared by a function"),
        (lambda: step_law("a-law", "here", of_a_step, kind=PURPOSE)(complete), "holds must be a function of (before, "),
        (lambda: sometimes("a-law", "here")(complete), "reached must be a function of (before, action, after)"),
    ],
)
def test_wrong_declaration_is_refused_where_it_stands(declare: Callable[[], Any], words: str) -> None:
    with pytest.raises(WrongDeclaration, match="refused") as refused:
        declare()
    assert words in str(refused.value)
    if refused.value.file:
        assert Path(refused.value.file) == Path(__file__)
        assert refused.value.line in {one.lineno for one in ast.parse(Path(__file__).read_text()).body}


def test_function_declares_one_law() -> None:
    def twice(state: Any) -> bool:
        """Nothing is lost."""
        return True

    on(twice, "one-law")()
    with pytest.raises(WrongDeclaration, match="other-law refused: the function declares one-law"):
        on(twice, "other-law")()


def test_two_laws_of_one_name_are_refused() -> None:
    room = ModuleType("room")
    for number in range(2):
        exec(
            compile(f"def law_{number}(state):\n    'Nothing is lost.'\n    return True\n", "room.py", "exec"),
            vars(room),
        )
        on(vars(room)[f"law_{number}"], "one-name")()
    with pytest.raises(WrongDeclaration, match="name refused: one-name; law_0 declares it already"):
        found_in([room], StateLaw)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def law(state)\n", ":1: the file cannot be loaded: expected ':'"),
        ("\nmissing()\n", ":2: the file cannot be loaded: name 'missing' is not defined"),
    ],
)
def test_file_of_laws_that_cannot_be_loaded_is_one_line(text: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(Path(sys.modules["oneowner.spec"].__path__[0]) / "laws_of_a_test.py")

    def listing(*_: Any) -> None:
        exec(compile(text, place, "exec"), {})

    monkeypatch.setattr(listed, "listing", listing)
    found = CliRunner().invoke(main, ["list", "laws"])
    assert (found.exit_code, found.stderr) == (2, f"error: oneowner/spec/laws_of_a_test.py{words}\n")
