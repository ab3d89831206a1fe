"""
From a traced model to Python: functions on a state that is a ``bytes`` object with one code per slot.

To read a slot takes as long as three comparisons, so it is read once, where it is first needed. What only one side
of a test needs is computed there: most laws are decided by their first tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import groupby
from operator import or_
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from checkers.compile.expressions import TRUE, Expression, negation
from checkers.compile.program import Check, Place, Program
from checkers.compile.trees import Beyond, Branch, Disabled, Tree, Update
from checkers.compile.writing import Writer, below, needed, roots, shared

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
    lines += ["def spent(s):", *_together([program.perturbations], _Writer(places, [program.perturbations])), ""]
    lines.append(f"actions = [{', '.join(f'action_{number}' for number in range(len(program.actions)))}]")
    lines.append(f"judge = [{', '.join(judges[checks] for checks in program.step_checks)}]")
    return "\n".join(lines) + "\n"


def _effect(name: str, tree: Tree, places: tuple[Place, ...]) -> Iterator[str]:
    yield f"def {name}(s):"
    yield from _Writer(places, roots(tree)).code(tree, "    ")
    yield ""


def _candidates(program: Program) -> Iterator[str]:
    """Yield a generator that asks the first tests of every action; neighbours often begin with the same one."""
    yield "def candidates(s):"
    writer = _Writer(program.places)
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
        pieces = _pieces([answer], places)
        is_narrow = len(pieces) <= MOST_PIECES
        name = f"answer_{answer.number}"
        yield from _head(name, pieces) if is_narrow else [f"def {name}(s):"]
        yield from _Writer(places, [answer], pieces if is_narrow else ()).code(answer, "    ")
        yield ""
        texts[answer] = f"{name}({', '.join(piece.cut for piece in pieces) if is_narrow else 's'})"
    yield "def judge_state(s):"
    answers = [law.answer for law in laws]
    yield from _together(answers, _Writer(places, [answer for answer in answers if answer not in texts]), texts)
    yield ""


def _judge_step(name: str, checks: Sequence[Check], places: tuple[Place, ...]) -> Iterator[str]:
    """Yield a function that judges a step; what is not small it remembers, as most steps change few slots."""
    large = list(dict.fromkeys(check.answer for check in checks if not _is_small(check.answer)))
    pieces = _pieces(large, places)
    texts = {}
    if large:
        yield from _head(f"large_{name}", pieces)
        yield from _together(large, _Writer(places, large, pieces))
        yield ""
        texts = {answer: f"large[{number}]" for number, answer in enumerate(large)}
    yield f"def {name}(s, t):"
    if large:
        yield f"    large = large_{name}({', '.join(piece.cut for piece in pieces)})"
    answers = [check.answer for check in checks]
    yield from _together(answers, _Writer(places, [answer for answer in answers if answer not in texts]), texts)
    yield ""


def _head(name: str, pieces: Sequence[_Piece]) -> Iterator[str]:
    """Yield the head of a function that remembers what it answered for the same pieces of states."""
    yield f"@lru_cache({REMEMBERED})"
    yield f"def {name}({', '.join(piece.name for piece in pieces)}):"


def _together(
    answers: Sequence[Expression], writer: _Writer, known: Mapping[Expression, str] = MappingProxyType({})
) -> Iterator[str]:
    """Yield statements that return several answers; some of them are *known* by these texts."""
    for answer in answers:
        if answer not in known:
            yield from writer.definitions(answer, "    ")
    texts = [known.get(answer) or writer.text(answer) for answer in answers]
    yield f"    return ({''.join(f'{text}, ' for text in texts)})"


class _Piece(NamedTuple):
    """The slots *first* .. *last* of a state, or of the one after the step."""

    after: bool
    first: int
    last: int

    @property
    def name(self) -> str:
        return f"{'st'[self.after]}{self.first}_{self.last}"

    @property
    def cut(self) -> str:
        return f"{'st'[self.after]}[{self.first}:{self.last + 1}]"


def _pieces(expressions: Iterable[Expression], places: tuple[Place, ...]) -> list[_Piece]:
    """Return the fewest pieces that hold the slots which occur, and no other slot that varies."""
    mask = reduce(or_, (expression.mask for expression in expressions), 0)
    pieces: list[_Piece] = []
    for after in (False, True):
        is_new = True
        for slot, place in enumerate(places):
            if mask >> after * len(places) + slot & 1:
                first = slot if is_new else pieces.pop().first
                pieces.append(_Piece(after, first, slot))
                is_new = False
            elif place.size > 1:
                is_new = True
    return pieces


def _is_small(answer: Expression) -> bool:
    return len(below([answer])) <= MOST_NODES


@cache
def _is_cheap(node: Expression) -> bool:
    """Say whether to work it out again takes no longer than to keep it: one comparison, for example."""
    if node.operator == "not":
        return _is_cheap(node.arguments[0])
    return not any(argument.arguments for argument in node.arguments)


class _Fork(NamedTuple):
    test: Expression
    then: _Code
    otherwise: _Code


_Code = Tree | Expression | _Fork
"""What a function comes to: a state after, or an answer."""


def _fork(code: _Code) -> _Fork | None:
    """Return the test with which *code* begins, if it does."""
    if isinstance(code, Branch):
        return _Fork(code.test, code.then, code.otherwise)
    if isinstance(code, Expression) and code.operator == "choose":
        return _Fork(*code.arguments)
    return code if isinstance(code, _Fork) else None


def _is_at_hand(code: _Code) -> bool:
    """Say whether *code* returns at once."""
    return isinstance(code, Disabled | Beyond) or (isinstance(code, Expression) and code.is_constant)


class _Writer(Writer):
    """Writes the body of a function; which slots and shared expressions have a name is known at every place."""

    operators: ClassVar = {"add": "+", "subtract": "-", "equal": "==", "less": "<", "and": "and"}
    negation = "(not {0})"
    choice = "({1} if {0} else {2})"
    definition = "{0} = {1}"

    def __init__(
        self, places: tuple[Place, ...], expressions: Iterable[Expression] = (), pieces: Sequence[_Piece] = ()
    ) -> None:
        super().__init__(places, {node for node in shared(expressions) if not _is_cheap(node)})
        self._pieces = pieces
        """What there is of the states; nothing for the whole of them."""

    def code(self, code: _Code, indent: str) -> Iterator[str]:
        """Yield statements that return what *code* says."""
        fork = None if code in self.shared else _fork(code)  # what is shared is written once, else text would explode
        if fork is not None:
            yield from self._decision(fork, indent)
        elif isinstance(code, Update):
            yield from self._update(code, indent)
        elif isinstance(code, Expression):
            yield from self.definitions(code, indent)
            yield f"{indent}return {self.text(code)}"
        else:
            yield f"{indent}return {code.bound!r}" if isinstance(code, Beyond) else f"{indent}return None"

    def _decision(self, fork: _Fork, indent: str) -> Iterator[str]:
        test, then, otherwise = fork
        if test.operator == "not":
            test, then, otherwise = test.arguments[0], otherwise, then
        if test.operator == "and" and _is_at_hand(otherwise) and needed(test, self.shared, self.known):
            one, other = test.arguments  # what the second test needs is computed only where the first holds
            test, then = one, _Fork(other, then, otherwise)
        yield from self.definitions(test, indent)
        text = self.text(test)
        if _is_at_hand(otherwise):
            text, then, otherwise = f"not {text}", otherwise, then
        outside = set(self.known)
        yield f"{indent}if {text}:"
        yield from self.code(then, indent + " ")
        self.known = set(outside)
        yield from self.code(otherwise, indent)  # the other side has returned

    def _update(self, update: Update, indent: str) -> Iterator[str]:
        yield f"{indent}t = bytearray(s)"
        for slot, expression in update.slots:
            place = self.places[slot]
            yield from self.definitions(expression, indent)
            text = self.text(expression)
            high = place.low + place.size - 1
            if expression.low < place.low or expression.high > high:
                yield f"{indent}if not {place.low} <= {text} <= {high}:"
                yield f"{indent} return ''"
                text = self.text(expression)  # its slots have names now
            yield f"{indent}t[{slot}] = {text}{f' - {place.low}' if place.low else ''}"
        yield f"{indent}return bytes(t)"

    def operands(self, node: Expression) -> list[str]:
        """Spell the operands; a slot that is surely read by then has a name afterwards."""
        if node.operator not in ("and", "choose"):
            return super().operands(node)
        texts = [self.text(node.arguments[0])]
        before, afterwards = set(self.known), []
        for argument in node.arguments[1:]:  # which may not be worked out
            self.known = set(before)
            texts.append(self.text(argument))
            afterwards.append(self.known)
        self.known = before if node.operator == "and" else set.intersection(*afterwards)
        return texts

    def variable(self, slot: int, after: bool) -> str:
        low = self.places[slot].low
        text = f"{'st'[after]}[{slot}]"
        for piece in self._pieces:
            if piece.after == after and piece.first <= slot <= piece.last:
                text = f"{piece.name}[{slot - piece.first}]"
        return f"({'st'[after]}{slot} := {text}{f' + {low}' if low else ''})"

    def _spelt(self, node: Expression) -> str:
        if node.operator == "variable":
            self.known.add(node)
        return super()._spelt(node)

    def name(self, node: Expression) -> str:
        if node.operator != "variable":
            return super().name(node)
        after, slot = divmod(node.value, len(self.places))
        return f"{'st'[after]}{slot}"
