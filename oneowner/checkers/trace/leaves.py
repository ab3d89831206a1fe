"""
Symbolic leaves stand for all values of a number, truth or name at once.

For model code they behave like the plain ones: a comparison gives a ``Truth``, and a branch on it asks the tracer for a
direction. What is not symbolic any more becomes a plain value again.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import Any

from oneowner.checkers.trace.expressions import (
    Expression,
    add,
    constant,
    equal,
    less,
    multiply,
    negation,
    subtract,
)

Kind = type[Any]
"""bool, int, str or an enum: what a leaf is."""


class Untraceable(Exception):
    """Model code does something with a state's value that an engine could not do; names file and line."""


def untraceable(what: str) -> Untraceable:
    """Return the complaint about something done with a state's value."""
    return Untraceable(f"{what} of a state's value cannot be traced")


class NotMergeable(Exception):
    """Two outcomes that no single expression can stand for."""


decide: list[Callable[[Expression], bool]] = []
"""The tracers that choose a branch; the last one decides."""


class Symbol:
    """A symbolic leaf."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __eq__(self, other: object) -> Any:
        if type(other) is str and not isinstance(self, Word):
            raise untraceable(f"the comparison with {other!r}")
        return leaf(equal(self.expression, expression_of(other)), bool)

    def __ne__(self, other: object) -> Any:
        return leaf(negation(expression_of(self == other)), bool)

    def __hash__(self) -> int:
        raise untraceable("the hash (a dict or set looked up by it, or `in`)")

    def __int__(self) -> int:
        raise untraceable("int()")

    def __index__(self) -> int:
        raise untraceable("the index (range(), or an index of a plain sequence)")

    def __str__(self) -> str:
        raise untraceable("the text")

    def __iter__(self) -> Iterator[Any]:
        raise untraceable("the iteration")


class Truth(Symbol):
    """A symbolic boolean; ``if`` asks the tracer."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return decide[-1](self.expression)

    __hash__ = Symbol.__hash__


class Number(Symbol):
    """A symbolic integer."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return decide[-1](negation(equal(self.expression, constant(0))))

    def __add__(self, other: Any) -> Any:
        return leaf(add(self.expression, expression_of(other)), int)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return leaf(subtract(self.expression, expression_of(other)), int)

    def __rsub__(self, other: Any) -> Any:
        return leaf(subtract(expression_of(other), self.expression), int)

    def __mul__(self, other: Any) -> Any:
        return leaf(multiply(self.expression, expression_of(other)), int)

    __rmul__ = __mul__

    def __lt__(self, other: Any) -> Any:
        return leaf(less(self.expression, expression_of(other)), bool)

    def __gt__(self, other: Any) -> Any:
        return leaf(less(expression_of(other), self.expression), bool)

    def __le__(self, other: Any) -> Any:
        return leaf(negation(less(expression_of(other), self.expression)), bool)

    def __ge__(self, other: Any) -> Any:
        return leaf(negation(less(self.expression, expression_of(other))), bool)

    __hash__ = Symbol.__hash__


class Name(Symbol):
    """A symbolic member of an enum."""

    __slots__ = ("members",)

    def __init__(self, expression: Expression, members: type[Enum]) -> None:
        super().__init__(expression)
        self.members = members

    def __bool__(self) -> bool:
        raise untraceable("the truth")

    __hash__ = Symbol.__hash__


class Word(Symbol):
    """A symbolic one of the texts that model code gives as reasons."""

    __slots__ = ()

    __hash__ = Symbol.__hash__


_words: list[str] = []


def leaf(expression: Expression, kind: Kind) -> Any:
    """Return the value that stands for *expression*: a plain one if it is constant."""
    if kind is str:
        return _words[expression.value] if expression.is_constant else Word(expression)
    if expression.is_constant:
        return members(kind)[expression.value] if issubclass(kind, Enum) else kind(expression.value)
    if kind is bool:
        return Truth(expression)
    return Number(expression) if kind is int else Name(expression, kind)


@cache
def members(kind: type[Enum]) -> tuple[Any, ...]:
    """Return the names of a kind in the order of their codes."""
    return tuple(kind)


@cache
def _code(kind: type[Enum], name: Enum) -> Expression:  # names of two kinds may be equal, as numbers or words are
    return constant(members(kind).index(name))


def expression_of(value: Any) -> Expression:
    """Return the expression of a leaf, plain or symbolic."""
    if isinstance(value, Symbol):
        return value.expression
    if isinstance(value, Enum):
        return _code(type(value), value)
    if isinstance(value, int):
        return constant(value)
    if isinstance(value, str):
        if value not in _words:
            _words.append(value)
        return constant(_words.index(value))
    raise Untraceable(f"a state's value is compared with {value!r}")


def kind_of(value: Any) -> Kind:
    """Return what a leaf is; raise NotMergeable if it is none."""
    if isinstance(value, Truth | bool):
        return bool
    if isinstance(value, Number | int):
        return int
    if isinstance(value, Name):
        return value.members
    if isinstance(value, Enum):
        return type(value)
    if isinstance(value, str | Word):
        return str
    raise NotMergeable
