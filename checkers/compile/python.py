"""
From a traced model to Python: functions on a state that is a ``bytes`` object with one code per slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from checkers.compile.program import Check, Place, Program
from checkers.compile.trees import Beyond, Branch, Disabled, Tree, Update
from checkers.compile.writing import Writer, roots, shared


def emit(program: Program) -> str:
    """
    Return the model as the source of a module.

    ``actions[number](s)`` and ``normalise(s)`` give the state after, None if nothing happens, or a text that says
    why that is not known; ``judge_state(s)`` and ``judge[number](s, t)`` give the answers of the checks in order.
    """
    lines: list[str] = []
    for number, tree in enumerate(program.trees):
        lines += _effect(f"action_{number}", tree, program.places)
    lines += _effect("normalise", program.normalisation, program.places)
    lines += _answers("judge_state(s)", program.state_laws, program.places)
    for number, checks in enumerate(program.step_checks):
        lines += _answers(f"judge_{number}(s, t)", checks, program.places)
    spent = Check("perturbations", program.perturbations)
    lines += _answers("spent(s)", [spent], program.places)
    each = range(len(program.actions))
    lines.append(f"actions = [{', '.join(f'action_{number}' for number in each)}]")
    lines.append(f"judge = [{', '.join(f'judge_{number}' for number in each)}]")
    return "\n".join(lines) + "\n"


def _effect(name: str, tree: Tree, places: tuple[Place, ...]) -> Iterator[str]:
    yield f"def {name}(s):"
    yield from _Writer(places, shared(roots(tree))).tree(tree, "    ")
    yield ""


def _answers(signature: str, checks: Iterable[Check], places: tuple[Place, ...]) -> Iterator[str]:
    checks = list(checks)
    writer = _Writer(places, shared(check.answer for check in checks))
    yield f"def {signature}:"
    texts = []
    for check in checks:
        yield from writer.definitions(check.answer, "    ")
        texts.append(writer.text(check.answer))
    yield f"    return ({''.join(f'{text}, ' for text in texts)})"
    yield ""


class _Writer(Writer):
    operators: ClassVar = {"add": "+", "subtract": "-", "equal": "==", "less": "<", "and": "and"}
    negation = "(not {0})"
    choice = "({1} if {0} else {2})"
    definition = "{0} = {1}"

    def tree(self, tree: Tree, indent: str) -> Iterator[str]:
        if isinstance(tree, Branch):
            outside = set(self.known)
            yield from self.definitions(tree.test, indent)
            yield f"{indent}if {self.text(tree.test)}:"
            inside = set(self.known)
            yield from self.tree(tree.then, indent + " ")
            self.known = inside
            yield from self.tree(tree.otherwise, indent)  # the other side has returned
            self.known = outside
        elif isinstance(tree, Update):
            yield from self._update(tree, indent)
        elif isinstance(tree, Disabled):
            yield f"{indent}return None"
        else:
            assert isinstance(tree, Beyond)
            yield f"{indent}return {tree.bound!r}"

    def _update(self, update: Update, indent: str) -> Iterator[str]:
        outside = set(self.known)
        yield f"{indent}t = bytearray(s)"
        for slot, expression in update.slots:
            place = self.places[slot]
            yield from self.definitions(expression, indent)
            text = self.text(expression)
            high = place.low + place.size - 1
            if expression.low < place.low or expression.high > high:
                yield f"{indent}if not {place.low} <= {text} <= {high}:"
                yield f"{indent} return ''"
            yield f"{indent}t[{slot}] = {text}{f' - {place.low}' if place.low else ''}"
        yield f"{indent}return bytes(t)"
        self.known = outside
