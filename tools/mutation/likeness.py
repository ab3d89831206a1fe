"""
Equality of two traced models: a fingerprint of the effects of every action, and of the terms of every law.

It is taken of the expressions themselves, not of their text: that numbers shared parts in the order of their
creation, which may differ where nothing else does.
"""

import hashlib
from collections.abc import Iterable

from oneowner.checkers.engines.compile.program import Check, Program
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree
from oneowner.checkers.trace.expressions import Expression

START = "initial states, normalisation, perturbations"


class Fingerprints:
    """Takes fingerprints of the parts of one program; a shared part is visited once."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}
        self._trees: dict[int, str] = {}

    def of_actions(self, program: Program) -> dict[str, str]:
        """Return a fingerprint of every action, and of how a run starts and is normalised."""
        found = {str(action): self._tree(tree) for action, tree in zip(program.actions, program.trees, strict=True)}
        start = [repr((program.places, program.initial)), self._tree(program.normalisation)]
        return {**found, START: digest([*start, self._expression(program.perturbations)])}

    def of_laws(self, program: Program) -> str:
        """Return one fingerprint of all laws and witnesses, at every action."""
        steps = [self._checks(checks) for checks in program.step_checks]
        return digest([self._checks(program.state_laws), *steps])

    def _checks(self, checks: Iterable[Check]) -> str:
        return digest(part for check in checks for part in (check.name, self._expression(check.answer)))

    def _tree(self, tree: Tree) -> str:
        if id(tree) not in self._trees:
            self._trees[id(tree)] = self._tree_anew(tree)
        return self._trees[id(tree)]

    def _tree_anew(self, tree: Tree) -> str:
        if isinstance(tree, Branch):
            return digest(["branch", self._expression(tree.test), self._tree(tree.then), self._tree(tree.otherwise)])
        if isinstance(tree, Disabled):
            return "disabled"
        if isinstance(tree, Beyond):
            return f"beyond {tree.bound}"
        return digest(part for slot, value in tree.slots for part in (str(slot), self._expression(value)))

    def _expression(self, node: Expression) -> str:
        waiting = [node]
        while waiting:  # no recursion: expressions may be deep
            last = waiting[-1]
            open_ones = [part for part in last.arguments if part.number not in self._known]
            if open_ones:
                waiting += open_ones
                continue
            waiting.pop()
            if last.number not in self._known:
                parts = [self._known[part.number] for part in last.arguments]
                if last.operator == "equal":  # its operands stand in the order of their making
                    parts.sort()
                self._known[last.number] = digest([last.operator, str((last.value, last.low, last.high)), *parts])
        return self._known[node.number]


def digest(parts: Iterable[str]) -> str:
    """Return a number, in hexadecimal digits, of some texts in order."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
