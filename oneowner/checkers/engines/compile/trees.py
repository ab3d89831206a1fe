"""
Decision trees hold tests over the slots, and at each leaf what happens there.

Equal subtrees are one object, and a test whose two outcomes are the same is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oneowner.checkers.trace.expressions import TRUE, Expression, both, choose, constant, negation


@dataclass(frozen=True, slots=True)
class Update:
    """The slots that change, in order, with their new values; all are computed from the old state."""

    slots: tuple[tuple[int, Expression], ...]


@dataclass(frozen=True, slots=True)
class Disabled:
    """The step is not enabled."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """The step needs more than the bounds hold."""

    bound: str


Leaf = Update | Disabled | Beyond


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Go on with *then* if the test holds, else with *otherwise*."""

    test: Expression
    then: Tree
    otherwise: Tree


Tree = Leaf | Branch


class Grove:
    """Makes trees of shared nodes."""

    def __init__(self) -> None:
        self._leaves: dict[Leaf, Leaf] = {}
        self._branches: dict[tuple[Expression, int, int], Branch] = {}

    def leaf(self, leaf: Leaf) -> Leaf:
        return self._leaves.setdefault(leaf, leaf)

    def branch(self, test: Expression, then: Tree, otherwise: Tree) -> Tree:
        if then is otherwise:
            return then
        key = (test, id(then), id(otherwise))
        found = self._branches.get(key)
        if found is None:
            found = self._branches[key] = Branch(test, then, otherwise)
        return found


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Yield every leaf, each as often as it can be reached."""
    if isinstance(tree, Branch):
        yield from leaves(tree.then)
        yield from leaves(tree.otherwise)
    else:
        yield tree


def written(tree: Tree) -> set[int]:
    """Return the slots that change at some leaf."""
    return {slot for leaf in leaves(tree) if isinstance(leaf, Update) for slot, _ in leaf.slots}


def folded(tree: Tree, of: Callable[[Leaf], Expression]) -> Expression:
    """Return the value of *of* at the leaf that a state leads to, as one expression over that state."""
    known: dict[int, Expression] = {}

    def fold(node: Tree) -> Expression:
        if not isinstance(node, Branch):
            return of(node)
        if id(node) not in known:
            known[id(node)] = choose(node.test, fold(node.then), fold(node.otherwise))
        return known[id(node)]

    return fold(tree)


def enabled(tree: Tree) -> Expression:
    """Return whether the step can be taken, also where it needs more than the bounds hold."""
    return folded(tree, lambda leaf: constant(not isinstance(leaf, Disabled)))


def guarded(tree: Tree) -> tuple[Expression, Tree]:
    """Return a test that the step requires, and the tree behind it."""
    test = TRUE
    while isinstance(tree, Branch):
        if isinstance(tree.otherwise, Disabled):
            test, tree = both(test, tree.test), tree.then
        elif isinstance(tree.then, Disabled):
            test, tree = both(test, negation(tree.test)), tree.otherwise
        else:
            break
    return test, tree
