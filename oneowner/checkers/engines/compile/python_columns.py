"""
``emit`` writes a traced model as Python on columns: functions that answer for many states at once, by NumPy.

A batch of states is a mapping from slot to column, one code per state. Truths are columns of booleans, numbers columns
of the smallest integers that hold every value which occurs.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from oneowner.checkers.engines.compile.program import Place, Program
from oneowner.checkers.engines.compile.trees import Branch, Tree, Update
from oneowner.checkers.engines.compile.writing import needed, roots, shared
from oneowner.checkers.trace.expressions import Expression, below, is_boolean


def emit(program: Program) -> str:
    """
    Return the model as the source of a module.

    ``decide[number](s)`` answers the test of the same number in ``branches(program)``, ``update[number](s)`` gives the
    columns that an update changes. ``judge_state(s)`` and ``judge[number](s, t)`` give the answers of checks in order;
    ``spent(s)`` the perturbations that led to each state. A column that is the same everywhere may be one number.
    """
    kind = kind_of(program)
    lines = ["import numpy", "number, truth, long = numpy.int8, numpy.bool_, numpy.int64", ""]
    tests, updates = branches(program)
    judges = list(dict.fromkeys(program.step_checks))

    def function(name: str, answers: Sequence[Expression], are_truths: bool = False) -> None:
        body = _Body(program.places, answers, kind)
        lines.extend([f"def {name}(s, t=None):", *body.lines(answers, are_truths), ""])

    for place, test in enumerate(tests):
        function(f"decide_{place}", [test], are_truths=True)
    for place, update in enumerate(updates):
        function(f"update_{place}", [expression for _, expression in update.slots])
    function("judge_state", [law.answer for law in program.state_laws])
    for place, checks in enumerate(judges):
        function(f"judge_{place}", [check.answer for check in checks])
    function("spent", [program.perturbations])
    for name, count in (("decide", len(tests)), ("update", len(updates))):
        lines.append(f"{name} = [{', '.join(f'{name}_{place}' for place in range(count))}]")
    lines.append(f"judge = [{', '.join(f'judge_{judges.index(checks)}' for checks in program.step_checks)}]")
    return "\n".join(lines).replace("numpy.int8", f"numpy.{kind}", 1) + "\n"


def branches(program: Program) -> tuple[list[Expression], list[Update]]:
    """Return every test and every update of the trees, each once."""
    tests: dict[Expression, None] = {}
    updates: dict[Update, None] = {}
    waiting: list[Tree] = [program.normalisation, *reversed(program.trees)]
    seen = set()
    while waiting:
        tree = waiting.pop()
        if id(tree) in seen:
            continue
        seen.add(id(tree))
        if isinstance(tree, Branch):
            tests[tree.test] = None
            waiting += [tree.otherwise, tree.then]
        elif isinstance(tree, Update):
            updates[tree] = None
    return list(tests), list(updates)


def kind_of(program: Program) -> str:
    """Return the name of the smallest NumPy integers that hold every value."""
    laws = [law.answer for law in program.state_laws]
    checks = [check.answer for checks in program.step_checks for check in checks]
    trees = [root for tree in (*program.trees, program.normalisation) for root in roots(tree)]
    values = [(place.low, place.low + place.size) for place in program.places]
    values += [(node.low, node.high) for node in below([*laws, *checks, *trees, program.perturbations])]
    low, high = min(low for low, _ in values), max(high for _, high in values)
    return str(np.result_type(np.min_scalar_type(min(low, -1)), np.min_scalar_type(min(-high - 1, -1))))


class _Body:
    """The body of a function that returns answers; what is shared is computed once and forgotten after its last use."""

    def __init__(self, places: tuple[Place, ...], answers: Sequence[Expression], kind: str) -> None:
        self._places = places
        self._mask = "view(number)" if kind == "int8" else "astype(number)"
        self._shared = {node for node in shared(answers) if node.operator != "constant"}
        for node in below(answers):
            if node.operator == "variable":
                self._shared.add(node)
            elif node.operator == "choose":  # what is chosen otherwise is spelt twice
                self._shared |= {node.arguments[2]} if not node.arguments[2].is_constant else set()
        self._known: set[Expression] = set()

    def lines(self, answers: Sequence[Expression], are_truths: bool) -> Iterator[str]:
        written: list[tuple[str, list[Expression]]] = []
        last: dict[Expression, int] = {}
        for answer in answers:
            for node in needed(answer, self._shared, self._known):
                text = self._natural(node)
                uses = self._uses(node.arguments)
                self._known.add(node)
                last.update(dict.fromkeys([*uses, node], len(written)))
                written.append((f"    e{node.number} = {text}", []))
        results = self._uses(answers)
        for node, at in last.items():
            if node not in results and node.operator != "variable":
                written[at][1].append(node)
        for line, dead in written:
            yield line
            if dead:
                yield f"    del {', '.join(f'e{node.number}' for node in dead)}"
        spell = self.truth if are_truths else self.number
        yield f"    return ({''.join(f'{spell(answer)}, ' for answer in answers)})"

    def _uses(self, nodes: Iterable[Expression]) -> list[Expression]:
        """Return the named expressions that the texts of *nodes* mention."""
        found: dict[Expression, None] = {}
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node in self._known:
                found[node] = None
            else:
                waiting += node.arguments
        return list(found)

    def truth(self, node: Expression) -> str:
        """Spell *node*, which is 0 or 1, as a column of truths."""
        if node.is_constant:
            return f"truth({node.value})"
        return self._text(node) if _is_truth(node) else f"({self._text(node)} != 0)"

    def number(self, node: Expression) -> str:
        """Spell *node* as a column of numbers."""
        if node.is_constant:
            return str(node.value)
        return f"{self._text(node)}.{self._mask}" if _is_truth(node) else self._text(node)

    def _text(self, node: Expression) -> str:
        return f"e{node.number}" if node in self._known else self._natural(node)

    def _natural(self, node: Expression) -> str:
        one, *others = node.arguments or (node,)
        if node.operator == "variable":
            after, slot = divmod(node.value, len(self._places))
            low = self._places[slot].low
            return f"({'st'[after]}[{slot}] + {low})" if low else f"{'st'[after]}[{slot}]"
        if node.operator == "not":
            if one.operator == "equal" and one not in self._known:
                return f"({' != '.join(map(self.number, one.arguments))})"
            return f"(~{self.truth(one)})"
        if node.operator == "and":
            return f"({self.truth(one)} & {self.truth(others[0])})"
        if node.operator == "choose":
            then, otherwise = others
            if _is_truth(node):
                a, b = self.truth(then), self.truth(otherwise)
                return f"({b} ^ (({a} ^ {b}) & {self.truth(one)}))"
            a, b = self.number(then), self.number(otherwise)
            return f"({b} ^ (({a} ^ {b}) & -{self.truth(one)}.{self._mask}))"
        sign = {"add": "+", "subtract": "-", "multiply": "*", "equal": "==", "less": "<"}[node.operator]
        return f"({self.number(one)} {sign} {self.number(others[0])})"


def _is_truth(node: Expression) -> bool:
    """Return whether NumPy computes it as a truth."""
    return node.operator in ("equal", "less", "not", "and") or (node.operator == "choose" and is_boolean(node))
