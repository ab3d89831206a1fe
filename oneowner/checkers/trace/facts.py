"""
Facts hold on a path: tests that were decided, and the values that a variable can still have.

``simplified`` rewrites an expression by what is known, so that a test which the path has decided already does not
fork it again.
"""

from __future__ import annotations

from oneowner.checkers.trace.expressions import FALSE, TRUE, Expression, constant, negation, rebuilt

MANY = 256
"""The values of a variable that has more than that are not listed (no slot of a state has)."""


class Facts:
    """The facts at one place of a path."""

    def __init__(self) -> None:
        self._decided: dict[Expression, Expression] = {}
        self._values: dict[Expression, frozenset[int]] = {}
        self._mask = 0
        self._simplified: dict[Expression, Expression] = {}

    def and_that(self, test: Expression, outcome: bool) -> Facts:
        """Return these facts and one more: that *test* is true, or that it is not."""
        more = Facts()
        more._decided, more._values, more._mask = self._decided.copy(), self._values.copy(), self._mask
        more._learn(test, outcome)
        more._simplified.clear()
        return more

    def _learn(self, test: Expression, outcome: bool) -> None:
        self._mask |= test.mask
        if test.operator == "not":
            self._learn(test.arguments[0], not outcome)
            return
        self._decided[test] = TRUE if outcome else FALSE
        if test.operator == "and" and outcome:
            for part in test.arguments:
                self._learn(part, True)
        elif test.operator == "and":
            self._learn_the_other(*test.arguments)
        elif test.operator in ("equal", "less"):
            self._narrow(test, outcome)
        elif test.operator == "variable":
            self._values[test] = frozenset([int(outcome)])

    def _learn_the_other(self, one: Expression, other: Expression) -> None:
        """Of two tests that are not both true, one may be known to be: then the other is not."""
        if self.simplified(one) is TRUE:
            self._learn(other, False)
        elif self.simplified(other) is TRUE:
            self._learn(one, False)

    def _narrow(self, test: Expression, outcome: bool) -> None:
        one, other = test.arguments
        for variable, bound, comes_first in ((one, other, True), (other, one, False)):
            if variable.operator != "variable" or not bound.is_constant:
                continue
            if test.operator == "equal" and outcome:
                self._values[variable] = frozenset([bound.value])
            elif variable in self._values or variable.high - variable.low < MANY:
                self._values[variable] = frozenset(
                    value
                    for value in self.values(variable)
                    if _compares(test, value, bound.value, comes_first) == outcome
                )

    def values(self, variable: Expression) -> frozenset[int]:
        """Return the values that *variable* can still have."""
        known = self._values.get(variable)
        return known if known is not None else frozenset(range(variable.low, variable.high + 1))

    def simplified(self, node: Expression) -> Expression:
        """Return *node* as far as the facts do not decide it."""
        if not node.mask & self._mask:
            return node
        found = self._simplified.get(node)
        if found is None:
            found = self._simplified[node] = self._simplify(node)
        return found

    def _simplify(self, node: Expression) -> Expression:
        decided = self._decided.get(node)
        if decided is not None:
            return decided
        if node.operator == "constant":
            return node
        if node.operator == "variable":
            left = self._values.get(node)
            return constant(next(iter(left))) if left is not None and len(left) == 1 else node
        if node.operator == "choose":  # the branch that is not taken need not be looked at
            test = self.simplified(node.arguments[0])
            if test.is_constant:
                return self.simplified(node.arguments[1 if test.value else 2])
        if node.operator == "and" and self.simplified(node.arguments[0]) is FALSE:
            return FALSE
        simple = rebuilt(node, tuple([self.simplified(argument) for argument in node.arguments]))
        decided = self._decided.get(simple)
        return decided if decided is not None else self._by_values(simple)

    def _by_values(self, node: Expression) -> Expression:
        """Decide a comparison of a variable with a constant by the values that are left."""
        if node.operator == "not":
            return negation(self._by_values(node.arguments[0]))
        if node.operator not in ("equal", "less"):
            return node
        one, other = node.arguments
        for variable, bound, comes_first in ((one, other, True), (other, one, False)):
            if variable in self._values and bound.is_constant:
                answers = {_compares(node, value, bound.value, comes_first) for value in self._values[variable]}
                if len(answers) == 1:
                    return TRUE if answers.pop() else FALSE
        if one in self._values and other in self._values and node.operator == "equal":
            if not self._values[one] & self._values[other]:
                return FALSE
        return node


def _compares(test: Expression, value: int, bound: int, comes_first: bool) -> bool:
    if test.operator == "equal":
        return value == bound
    return value < bound if comes_first else bound < value
