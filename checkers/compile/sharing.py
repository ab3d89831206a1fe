"""
What several emitters need: which expressions get a name because they occur more than once, and in which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from checkers.compile.expressions import Expression
from checkers.compile.trees import Branch, Tree, Update


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
    found: dict[int, Expression] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in named or node.number in found:
            continue
        if node in among:
            found[node.number] = node
        waiting += node.arguments
    return [node for _, node in sorted(found.items())]  # operands were made first
