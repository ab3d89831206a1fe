"""Emitters share how names are made, which expressions get one, and how infix languages spell them."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import ClassVar

from oneowner.checkers.engines.compile.program import Place
from oneowner.checkers.engines.compile.trees import Branch, Tree, Update
from oneowner.checkers.trace.expressions import Expression, below


def identifier(name: str) -> str:
    """
    Return *name* as most languages spell names.

    >>> identifier("view[2,1].version"), identifier("single-server")
    ('view_2_1_version', 'single_server')
    """
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")


def roots(tree: Tree) -> Iterator[Expression]:
    """Yield every test and every update of a tree, each as often as it occurs."""
    if isinstance(tree, Branch):
        yield tree.test
        yield from roots(tree.then)
        yield from roots(tree.otherwise)
    elif isinstance(tree, Update):
        yield from (expression for _, expression in tree.slots)


def shared(expressions: Iterable[Expression]) -> set[Expression]:
    """Return what occurs more than once below *expressions*, leaves excepted."""
    times: Counter[Expression] = Counter()
    waiting = list(expressions)
    while waiting:
        node = waiting.pop()
        times[node] += 1
        if times[node] == 1:
            waiting += node.arguments
    return {node for node, count in times.items() if count > 1 and node.arguments}


def needed(root: Expression, among: set[Expression], named: set[Expression]) -> list[Expression]:
    """Return which of the shared expressions *root* needs that have no name yet, operands first."""
    return [node for node in below([root], named) if node in among]


class Writer:
    """Writes expressions with infix operators; those that are shared are computed once, where they are first needed."""

    operators: ClassVar[Mapping[str, str]]
    negation: ClassVar[str]
    choice: ClassVar[str]
    definition: ClassVar[str]

    def __init__(self, places: tuple[Place, ...], among: set[Expression]) -> None:
        self.places = places
        self.shared = among
        self.known: set[Expression] = set()
        """The shared expressions that have a name here."""

    def definitions(self, expression: Expression, indent: str, later: Container[Expression] = ()) -> Iterator[str]:
        """Yield a line for every value that must be computed first, except those to be computed *later*."""
        for node in needed(expression, self.shared, self.known):
            if node in later:
                continue
            text = self._spelt(node)
            self.known.add(node)
            yield f"{indent}{self.definition.format(self.name(node), text)}"

    def text(self, node: Expression) -> str:
        """Return an expression by its name, or spelt out."""
        return self.name(node) if node in self.known else self._spelt(node)

    def name(self, node: Expression) -> str:
        """Return the name of a shared expression."""
        return f"e{node.number}"

    def variable(self, slot: int, after: bool) -> str:
        """Return the value of a slot, in the state itself or in the one after the step."""
        low = self.places[slot].low
        text = f"{'st'[after]}{self.slot(slot)}"
        return f"({text} + {low})" if low else text

    def slot(self, number: int) -> str:
        """Return how slot *number* of a state is indexed."""
        return f"[{number}]"

    def operands(self, node: Expression) -> list[str]:
        """Return the operands of an expression, spelt in the order in which they are worked out."""
        return [self.text(argument) for argument in node.arguments]

    def _spelt(self, node: Expression) -> str:
        if node.operator == "constant":
            return str(node.value) if node.value >= 0 else f"({node.value})"
        if node.operator == "variable":
            after, slot = divmod(node.value, len(self.places))
            return self.variable(slot, bool(after))
        texts = self.operands(node)
        if node.operator == "not":
            return self.negation.format(*texts)
        if node.operator == "choose":
            return self.choice.format(*texts)
        return f"({texts[0]} {self.operators[node.operator]} {texts[1]})"
