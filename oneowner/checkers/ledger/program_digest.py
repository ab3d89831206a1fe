"""
A digest of a traced program, the same in every process: equal digests mean equal searches.

Expressions are distinguished by their parts, never by the order of their creation: of a sum of many traces in one
process only that order differs.
"""

import hashlib
from collections.abc import Iterable

from oneowner.checkers.engines.compile.program import Check, Program
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree
from oneowner.checkers.trace.expressions import Expression, below

EITHER_WAY = ("equal", "multiply")
"""Operators whose operands come in the order of their making."""


def digest_of_program(program: Program) -> str:
    """Return a number, in hexadecimal digits, of a program: its slots, states, actions, trees, laws, witnesses."""
    written = _Written()
    return _number(
        repr([(place.name, place.low, place.size, place.kind, place.path) for place in program.places]),
        repr(program.initial),
        repr(sorted(program.sorts.items())),
        *(f"{action}: {written.tree(tree)}" for action, tree in zip(program.actions, program.trees, strict=True)),
        written.tree(program.normalisation),
        *map(written.check, program.state_laws),
        *(f"{number}: {written.check(check)}" for number, all_ in enumerate(program.step_checks) for check in all_),
        written.expression(program.perturbations),
    )


def _number(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class _Written:
    """The numbers of expressions and trees, each found once."""

    def __init__(self) -> None:
        self._expressions: dict[Expression, str] = {}
        self._trees: dict[int, str] = {}

    def expression(self, root: Expression) -> str:
        for node in below([root], self._expressions):
            operands: Iterable[str] = [self._expressions[one] for one in node.arguments]
            if node.operator in EITHER_WAY:
                operands = sorted(operands)
            self._expressions[node] = _number(node.operator, str((node.value, node.low, node.high)), *operands)
        return self._expressions[root]

    def tree(self, tree: Tree) -> str:
        found = self._trees.get(id(tree))
        if found is None:
            found = self._trees[id(tree)] = _number(*self._parts(tree))
        return found

    def _parts(self, tree: Tree) -> list[str]:
        if isinstance(tree, Branch):
            return ["if", self.expression(tree.test), self.tree(tree.then), self.tree(tree.otherwise)]
        if isinstance(tree, Disabled):
            return ["disabled"]
        if isinstance(tree, Beyond):
            return ["beyond", tree.bound]
        return ["update", *(f"{slot} {self.expression(value)}" for slot, value in tree.slots)]

    def check(self, check: Check) -> str:
        return f"{check.name} {self.expression(check.answer)} {check.idle}"
