"""
Expressions over the slots of a flat state are integers, with names as their code and booleans as 0 and 1.

Equal expressions are one object, so a set of them is a graph in which everything shared is computed once.
The constructors (``equal``, ``choose``, ``both``, ...) simplify what intervals and constants decide.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Final


class Expression:
    """A node: an operator, its operands, and the interval that its value lies in."""

    __slots__ = ("arguments", "high", "low", "mask", "number", "operator", "value")

    operator: str
    arguments: tuple[Expression, ...]
    value: int
    """The value of a constant, or the number of a variable."""
    low: int
    high: int
    mask: int
    """The variables that occur in it, as bits: what has none in common with a fact is not changed by it."""
    number: int
    """Counts the nodes in the order of their making: operands have lower numbers."""

    def __repr__(self) -> str:
        return self._spelt(6)

    def _spelt(self, depth: int) -> str:
        """Spell it out down to some depth: what is shared occurs as often as there are ways to it."""
        if self.operator in ("constant", "variable"):
            return f"{'x' if self.operator == 'variable' else ''}{self.value}"
        parts = [argument._spelt(depth - 1) for argument in self.arguments] if depth else ["..."]
        return f"{self.operator}({', '.join(parts)})"

    @property
    def is_constant(self) -> bool:
        return self.operator == "constant"


_nodes: dict[tuple[object, ...], Expression] = {}


def _node(operator: str, arguments: tuple[Expression, ...], low: int, high: int, value: int = 0) -> Expression:
    key = (operator, value, low, high, arguments)
    found = _nodes.get(key)
    if found is None:
        found = Expression()
        found.operator, found.arguments, found.value = operator, arguments, value
        found.low, found.high, found.number = low, high, len(_nodes)
        found.mask = 1 << value if operator == "variable" else 0
        for argument in arguments:
            found.mask |= argument.mask
        _nodes[key] = found
    return found


def constant(value: int) -> Expression:
    return _node("constant", (), int(value), int(value), int(value))


def variable(number: int, low: int, high: int) -> Expression:
    """Return the variable *number*; one that has a single value is a constant."""
    return constant(low) if low == high else _node("variable", (), low, high, number)


FALSE: Final = constant(0)
TRUE: Final = constant(1)


def add(one: Expression, other: Expression) -> Expression:
    if one.is_constant and other.is_constant:
        return constant(one.value + other.value)
    if one.is_constant:
        one, other = other, one
    if other.is_constant:
        if other.value == 0:
            return one
        if one.operator == "add" and one.arguments[1].is_constant:
            return add(one.arguments[0], constant(one.arguments[1].value + other.value))
        if one.operator == "choose":
            test, then, otherwise = one.arguments
            if then.is_constant or otherwise.is_constant:
                return choose(test, add(then, other), add(otherwise, other))
    return _node("add", (one, other), one.low + other.low, one.high + other.high)


def subtract(one: Expression, other: Expression) -> Expression:
    if other.is_constant:
        return add(one, constant(-other.value))
    if one is other:
        return constant(0)
    return _node("subtract", (one, other), one.low - other.high, one.high - other.low)


def multiply(one: Expression, other: Expression) -> Expression:
    if one.is_constant:
        one, other = other, one
    if other.is_constant:
        if one.is_constant or other.value == 0:
            return constant(one.low * other.value)
        if other.value == 1:
            return one
        if one.operator == "multiply" and one.arguments[1].is_constant:
            return multiply(one.arguments[0], constant(one.arguments[1].value * other.value))
        if one.operator == "choose":
            test, then, otherwise = one.arguments
            if then.is_constant or otherwise.is_constant:
                return choose(test, multiply(then, other), multiply(otherwise, other))
    elif one.number > other.number:  # the same whichever comes first
        one, other = other, one
    corners = [mine * its for mine in (one.low, one.high) for its in (other.low, other.high)]
    return _node("multiply", (one, other), min(corners), max(corners))


def equal(one: Expression, other: Expression) -> Expression:
    """Return whether both have the same value."""
    if one is other:
        return TRUE
    if one.high < other.low or other.high < one.low:
        return FALSE
    if one.is_constant:
        one, other = other, one
    if one.is_constant:  # both, and not the same
        return FALSE
    if is_boolean(one) and other.is_constant:
        return one if other.value else negation(one)
    if other.is_constant and one.operator == "add" and one.arguments[1].is_constant:
        return equal(one.arguments[0], constant(other.value - one.arguments[1].value))
    return _pushed(equal, one, other) or _node(
        "equal", (one, other) if one.number < other.number else (other, one), 0, 1
    )


def less(one: Expression, other: Expression) -> Expression:
    """Return whether *one* is below *other*."""
    if one.high < other.low:
        return TRUE
    if one.low >= other.high:
        return FALSE
    return _pushed(less, one, other) or _node("less", (one, other), 0, 1)


def _pushed(
    make: Callable[[Expression, Expression], Expression], one: Expression, other: Expression
) -> Expression | None:
    """Compare inside a choice if a constant on the other side decides the comparison in one of its branches."""
    for choice, bound, comes_first in ((one, other, True), (other, one, False)):
        if choice.operator == "choose" and bound.is_constant:
            test, *branches = choice.arguments
            left, right = (make(part, bound) if comes_first else make(bound, part) for part in branches)
            if left.is_constant or right.is_constant:
                return choose(test, left, right)
    return None


def is_boolean(node: Expression) -> bool:
    return node.low >= 0 and node.high <= 1


def negation(test: Expression) -> Expression:
    """Return 1 for 0 and 0 for 1."""
    if test.is_constant:
        return FALSE if test.value else TRUE
    if test.operator == "not":
        return test.arguments[0]
    return _node("not", (test,), 0, 1)


def both(one: Expression, other: Expression) -> Expression:
    if one is other or other is TRUE:
        return one
    if one is TRUE:
        return other
    if one is FALSE or other is FALSE or one is negation(other):
        return FALSE
    return _node("and", (one, other), 0, 1)


def either(one: Expression, other: Expression) -> Expression:
    """Return whether one of the two is true."""
    return negation(both(negation(one), negation(other)))


def choose(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Return *then* where *test* is true, else *otherwise*."""
    if test.is_constant:
        return then if test.value else otherwise
    if then is otherwise:
        return then
    if test.operator == "not":
        return choose(test.arguments[0], otherwise, then)
    if is_boolean(then) and is_boolean(otherwise):
        if then is TRUE:
            return either(test, otherwise)
        if then is FALSE:
            return both(negation(test), otherwise)
        if otherwise is TRUE:
            return either(negation(test), then)
        if otherwise is FALSE:
            return both(test, then)
    if then.operator == "choose" and then.arguments[0] is test:
        return choose(test, then.arguments[1], otherwise)
    if otherwise.operator == "choose" and otherwise.arguments[0] is test:
        return choose(test, then, otherwise.arguments[2])
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _node("choose", (test, then, otherwise), low, high)


_MAKERS: Final[dict[str, Callable[..., Expression]]] = {
    "add": add, "subtract": subtract, "multiply": multiply, "equal": equal, "less": less, "not": negation, "and": both,
    "choose": choose,
}  # fmt: skip


def rebuilt(node: Expression, arguments: tuple[Expression, ...]) -> Expression:
    """Return *node* with other operands, simplified."""
    if arguments == node.arguments:  # the same objects
        return node
    return _MAKERS[node.operator](*arguments)


def replaced(node: Expression, known: dict[Expression, Expression], least: int) -> Expression:
    """
    Return *node* with its variables substituted; *known* caches the replacements.

    What holds no variable but such whose bit is below *least* stays as it is.

    >>> x, y = variable(0, 0, 9), variable(1, 0, 9)
    >>> replaced(add(x, y), {y: constant(1)}, 2)
    add(x0, 1)
    """
    if node.mask < least or not (node.arguments or node in known):
        return node
    found = known.get(node)
    if found is None:
        if node.operator == "choose":
            test = replaced(node.arguments[0], known, least)
            if test.is_constant:
                found = replaced(node.arguments[1 if test.value else 2], known, least)
        if found is None:
            found = rebuilt(node, tuple([replaced(argument, known, least) for argument in node.arguments]))
        known[node] = found
    return found


def below(expressions: Iterable[Expression], known: Container[Expression] = ()) -> list[Expression]:
    """Return what occurs in *expressions*, each once and operands first; nothing below what is known."""
    found: dict[int, Expression] = {}
    waiting = list(expressions)
    while waiting:
        node = waiting.pop()
        if node.number not in found and node not in known:
            found[node.number] = node
            waiting += node.arguments
    return [node for _, node in sorted(found.items())]  # operands were made first
