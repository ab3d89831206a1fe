"""These functions spell generated Python: pieces of a state, and decisions in the order in which they cost least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from operator import or_
from typing import ClassVar, NamedTuple

from oneowner.checkers.engines.compile.program import Place
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree, Update
from oneowner.checkers.engines.compile.writing import Writer, needed, shared
from oneowner.checkers.trace.expressions import Expression


class Piece(NamedTuple):
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


def pieces_of(expressions: Iterable[Expression], places: tuple[Place, ...]) -> list[Piece]:
    """Return the fewest pieces that hold the slots which occur, and no other slot that varies."""
    mask = reduce(or_, (expression.mask for expression in expressions), 0)
    pieces: list[Piece] = []
    for after in (False, True):
        is_new = True
        for slot, place in enumerate(places):
            if mask >> after * len(places) + slot & 1:
                first = slot if is_new else pieces.pop().first
                pieces.append(Piece(after, first, slot))
                is_new = False
            elif place.size > 1:
                is_new = True
    return pieces


@cache
def _is_cheap(node: Expression) -> bool:
    """Return whether to work it out again takes no longer than to keep it: one comparison, for example."""
    if node.operator == "not":
        return _is_cheap(node.arguments[0])
    return not any(argument.arguments for argument in node.arguments)


class _Fork(NamedTuple):
    test: Expression
    then: _Code
    otherwise: _Code


_Code = Tree | Expression | _Fork
"""The result of a function: a state after, or an answer."""


def _fork(code: _Code) -> _Fork | None:
    """Return the test with which *code* begins, if it does."""
    if isinstance(code, Branch):
        return _Fork(code.test, code.then, code.otherwise)
    if isinstance(code, Expression) and code.operator == "choose":
        return _Fork(*code.arguments)
    return code if isinstance(code, _Fork) else None


def _is_at_hand(code: _Code) -> bool:
    """Return whether *code* returns at once."""
    return isinstance(code, Disabled | Beyond) or (isinstance(code, Expression) and code.is_constant)


class PythonWriter(Writer):
    """Writes the body of a function; which slots and shared expressions have a name is known at every place."""

    operators: ClassVar = {"add": "+", "subtract": "-", "multiply": "*", "equal": "==", "less": "<", "and": "and"}
    negation = "(not {0})"
    choice = "({1} if {0} else {2})"
    definition = "{0} = {1}"

    def __init__(
        self, places: tuple[Place, ...], expressions: Iterable[Expression] = (), pieces: Sequence[Piece] = ()
    ) -> None:
        super().__init__(places, {node for node in shared(expressions) if not _is_cheap(node)})
        self.pieces_of = pieces
        """The subset of the states; nothing for all of them."""

    def code(self, code: _Code, indent: str) -> Iterator[str]:
        """Yield statements that return the value of *code*."""
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
        for piece in self.pieces_of:
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
