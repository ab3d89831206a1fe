"""
``emit`` writes a traced model as Python: functions on a state that is a ``bytes`` object with one code per slot.

To read a slot takes as long as three comparisons, so it is read once, where it is first needed. What only one side
of a test needs is computed there: most laws are decided by their first tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from oneowner.checkers.engines.compile.program import Check, Place, Program
from oneowner.checkers.engines.compile.python_text import Piece, PythonWriter, pieces_of
from oneowner.checkers.engines.compile.trees import Branch, Disabled, Tree
from oneowner.checkers.engines.compile.writing import roots
from oneowner.checkers.trace.expressions import TRUE, Expression, below, negation

MOST_NODES = 30
"""Nodes of the largest answer that a judge works out itself each time."""

MOST_PIECES = 4
"""To cut more pieces from a state takes as long as to ask the first tests of a law."""

REMEMBERED = 1 << 14
"""Answers that a function remembers: a few MB."""


def emit(program: Program) -> str:
    """
    Return the model as the source of a module.

    ``actions[number](s)`` and ``normalise(s)`` give the state after, None if nothing happens, or a text that says
    why that is not known; ``candidates(s)`` yields the numbers of the actions that may be enabled, in order.
    ``judge_state(s)`` and ``judge[number](s, t)`` give the answers of the checks in order; actions with the same
    checks have the same judge.
    """
    places = program.places
    lines = ["from functools import lru_cache", ""]
    for number, tree in enumerate(program.trees):
        lines += _effect(f"action_{number}", tree, places)
    lines += _effect("normalise", program.normalisation, places)
    lines += _candidates(program)
    lines += _judge_state(program.state_laws, places)
    judges = {checks: f"judge_{number}" for number, checks in enumerate(dict.fromkeys(program.step_checks))}
    for checks, name in judges.items():
        lines += _judge_step(name, checks, places)
    lines += ["def spent(s):", *_together([program.perturbations], PythonWriter(places, [program.perturbations])), ""]
    lines.append(f"actions = [{', '.join(f'action_{number}' for number in range(len(program.actions)))}]")
    lines.append(f"judge = [{', '.join(judges[checks] for checks in program.step_checks)}]")
    return "\n".join(lines) + "\n"


def _effect(name: str, tree: Tree, places: tuple[Place, ...]) -> Iterator[str]:
    yield f"def {name}(s):"
    yield from PythonWriter(places, roots(tree)).code(tree, "    ")
    yield ""


def _candidates(program: Program) -> Iterator[str]:
    """Yield a generator that asks the first tests of every action; neighbours often begin with the same one."""
    yield "def candidates(s):"
    writer = PythonWriter(program.places)
    guards = ([test for test in _guard(tree) if _is_small(test)] or [TRUE] for tree in program.trees)
    for first, group in groupby(enumerate(guards), lambda numbered: numbered[1][0]):
        yield f"    if {writer.text(first)}:"
        outside = set(writer.known)
        for number, (_, *others) in group:
            yield f"     if {' and '.join(map(writer.text, others or [TRUE]))}:"
            yield f"      yield {number}"
            writer.known = set(outside)
    yield "    yield from ()"  # where there is no action
    yield ""


def _guard(tree: Tree) -> Iterator[Expression]:
    """Yield the tests that come first and must hold for the action to be enabled."""
    while isinstance(tree, Branch):
        if isinstance(tree.otherwise, Disabled):
            yield tree.test
            tree = tree.then
        elif isinstance(tree.then, Disabled):
            yield negation(tree.test)
            tree = tree.otherwise
        else:
            return


def _judge_state(laws: Sequence[Check], places: tuple[Place, ...]) -> Iterator[str]:
    """Yield a function for every law that is not small, and one that asks them all."""
    texts = {}
    for answer in dict.fromkeys(law.answer for law in laws if not _is_small(law.answer)):
        pieces = pieces_of([answer], places)
        is_narrow = len(pieces) <= MOST_PIECES
        name = f"answer_{answer.number}"
        yield from _head(name, pieces) if is_narrow else [f"def {name}(s):"]
        yield from PythonWriter(places, [answer], pieces if is_narrow else ()).code(answer, "    ")
        yield ""
        texts[answer] = f"{name}({', '.join(piece.cut for piece in pieces) if is_narrow else 's'})"
    yield "def judge_state(s):"
    answers = [law.answer for law in laws]
    yield from _together(answers, PythonWriter(places, [answer for answer in answers if answer not in texts]), texts)
    yield ""


def _judge_step(name: str, checks: Sequence[Check], places: tuple[Place, ...]) -> Iterator[str]:
    """Yield a function that judges a step; what is not small it remembers, as most steps change few slots."""
    large = list(dict.fromkeys(check.answer for check in checks if not _is_small(check.answer)))
    pieces = pieces_of(large, places)
    texts = {}
    if large:
        yield from _head(f"large_{name}", pieces)
        yield from _together(large, PythonWriter(places, large, pieces))
        yield ""
        texts = {answer: f"large[{number}]" for number, answer in enumerate(large)}
    yield f"def {name}(s, t):"
    if large:
        yield f"    large = large_{name}({', '.join(piece.cut for piece in pieces)})"
    answers = [check.answer for check in checks]
    yield from _together(answers, PythonWriter(places, [answer for answer in answers if answer not in texts]), texts)
    yield ""


def _head(name: str, pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield the head of a function that remembers what it answered for the same pieces of states."""
    yield f"@lru_cache({REMEMBERED})"
    yield f"def {name}({', '.join(piece.name for piece in pieces)}):"


def _together(
    answers: Sequence[Expression], writer: PythonWriter, known: Mapping[Expression, str] = MappingProxyType({})
) -> Iterator[str]:
    """Yield statements that return several answers; some of them are *known* by these texts."""
    for answer in answers:
        if answer not in known:
            yield from writer.definitions(answer, "    ")
    texts = [known.get(answer) or writer.text(answer) for answer in answers]
    yield f"    return ({''.join(f'{text}, ' for text in texts)})"


def _is_small(answer: Expression) -> bool:
    return len(below([answer])) <= MOST_NODES
