"""
From a traced model to Python: functions on a state that is a ``bytes`` object with one code per slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checkers.compile.expressions import Expression
from checkers.compile.program import Check, Place, Program
from checkers.compile.sharing import needed, roots, shared
from checkers.compile.trees import Beyond, Branch, Disabled, Tree, Update

_OPERATORS = {"add": "+", "subtract": "-", "equal": "==", "less": "<", "and": "and"}


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
        yield from writer.named(check.answer, "    ")
        texts.append(writer.text(check.answer))
    yield f"    return ({''.join(f'{text}, ' for text in texts)})"
    yield ""


class _Writer:
    """Writes expressions; those that are shared are computed once, where they are first needed."""

    def __init__(self, places: tuple[Place, ...], among: set[Expression]) -> None:
        self._places = places
        self._shared = among
        self._named: set[Expression] = set()

    def tree(self, tree: Tree, indent: str) -> Iterator[str]:
        if isinstance(tree, Branch):
            outside = set(self._named)
            yield from self.named(tree.test, indent)
            yield f"{indent}if {self.text(tree.test)}:"
            inside = set(self._named)
            yield from self.tree(tree.then, indent + " ")
            self._named = inside
            yield from self.tree(tree.otherwise, indent)  # the other side has returned
            self._named = outside
        elif isinstance(tree, Update):
            yield from self._update(tree, indent)
        elif isinstance(tree, Disabled):
            yield f"{indent}return None"
        else:
            assert isinstance(tree, Beyond)
            yield f"{indent}return {tree.bound!r}"

    def _update(self, update: Update, indent: str) -> Iterator[str]:
        outside = set(self._named)
        yield f"{indent}t = bytearray(s)"
        for slot, expression in update.slots:
            place = self._places[slot]
            yield from self.named(expression, indent)
            text = self.text(expression)
            high = place.low + place.size - 1
            if expression.low < place.low or expression.high > high:
                yield f"{indent}if not {place.low} <= {text} <= {high}:"
                yield f"{indent} return ''"
            yield f"{indent}t[{slot}] = {text}{f' - {place.low}' if place.low else ''}"
        yield f"{indent}return bytes(t)"
        self._named = outside

    def named(self, expression: Expression, indent: str) -> Iterator[str]:
        """Yield what must be computed first."""
        for node in needed(expression, self._shared, self._named):
            self._named.add(node)
            yield f"{indent}e{node.number} = {self._spelt(node)}"

    def text(self, node: Expression) -> str:
        return f"e{node.number}" if node in self._named else self._spelt(node)

    def _spelt(self, node: Expression) -> str:
        if node.operator == "constant":
            return str(node.value) if node.value >= 0 else f"({node.value})"
        if node.operator == "variable":
            after, slot = divmod(node.value, len(self._places))
            low = self._places[slot].low
            return f"({'st'[after]}[{slot}] + {low})" if low else f"{'st'[after]}[{slot}]"
        texts = [self.text(argument) for argument in node.arguments]
        if node.operator == "not":
            return f"(not {texts[0]})"
        if node.operator == "choose":
            return f"({texts[1]} if {texts[0]} else {texts[2]})"
        return f"({texts[0]} {_OPERATORS[node.operator]} {texts[1]})"
