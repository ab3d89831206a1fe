"""
``check_modules`` reads the source of ``model`` and ``spec`` and refuses what no engine could trace.

The same functions will be run on symbolic values. What such a value cannot answer but would answer wrongly in
silence (``is``, ``isinstance``, ``id``), or cannot answer at all (``int()``, a dict key, ``len``), is refused here by
file and line. ``is None`` is allowed on what a function of the model returned.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from oneowner.checkers.places import shown
from oneowner.model.kernel.concrete import is_concrete

FORBIDDEN_CALLS = frozenset(
    "isinstance issubclass type id hash int float str repr len sorted set frozenset dict getattr setattr hasattr"
    " vars open print eval exec iter next".split()
)


class Complaint(NamedTuple):
    """One construct that cannot be traced."""

    file: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words}"


def check_modules(modules: Iterable[ModuleType]) -> list[Complaint]:
    """
    Check the source of some modules of a system.

    A module with ``__traced__ = False`` is skipped: its functions run on no state, as a comment explains.
    """
    complaints: list[Complaint] = []
    for module in modules:
        if getattr(module, "__traced__", True):
            path = Path(str(module.__file__))
            complaints += check_source(path.read_text(encoding="utf-8"), shown(path), marked_in(module))
    return complaints


def marked_in(module: ModuleType) -> set[str]:
    """Return a module's names for functions that are marked as concrete."""
    return {name for name, value in vars(module).items() if is_concrete(value)}


def check_source(source: str, name: str, marked: Iterable[str] = ()) -> list[Complaint]:
    """
    Check the module-level functions of one file; methods describe values and are not traced.

    Loops are over a range, or over what a function gives that is *marked* there as concrete.

    >>> for complaint in check_source("def act(state):\\n    while state.leader: pass", "oneowner/model/channel/x.py"):
    ...     print(complaint)
    oneowner/model/channel/x.py:2: while: loop over a range of concrete bounds, or what a @concrete function gives
    """
    tree = ast.parse(source, name)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = {function.name for function in functions}
    ranges = {"range", *marked}
    complaints = []
    for function in functions:
        called = {
            target.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for statement in function.body:
            for node in ast.walk(statement):
                located = node.iter if isinstance(node, ast.comprehension) else node
                line = getattr(located, "lineno", statement.lineno)
                complaints += [Complaint(name, line, words) for words in _words(node, called, own, ranges)]
    return complaints


def _words(node: ast.AST, called: set[str], own: set[str], ranges: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        yield from _compare(node, called)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in FORBIDDEN_CALLS - own:
            yield f"{node.func.id}(): a symbolic value has no answer to it"
    elif isinstance(node, ast.For) and not _is_call(node.iter, ranges):
        yield "for: loop over a range of concrete bounds, or what a @concrete function gives"
    elif isinstance(node, ast.comprehension) and not _is_call(node.iter, ranges):
        yield "comprehension: loop over a range of concrete bounds, or what a @concrete function gives"
    else:
        yield from (words for kind, words in _NODES if isinstance(node, kind))


_NODES: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.While, "while: loop over a range of concrete bounds, or what a @concrete function gives"),
    (ast.Dict, "a dict: use a Relation"),
    (ast.DictComp, "a dict: use a Relation"),
    (ast.Set, "a set: use a Relation or compare one by one"),
    (ast.SetComp, "a set: use a Relation or compare one by one"),
    (ast.JoinedStr, "an f-string: words belong into model/channel/explanation.py"),
    (ast.Try, "try: a guard is a require"),
    (ast.With, "with: the model has no resources"),
    (ast.Match, "match: compare with == instead"),
    (ast.Global, "global: a state is all that an action may change"),
    (ast.Nonlocal, "nonlocal: a state is all that an action may change"),
    (ast.Yield, "yield: an action returns when it is done"),
    (ast.Await, "await: an action returns when it is done"),
)


def _compare(node: ast.Compare, called: set[str]) -> Iterator[str]:
    left: ast.expr = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(operator, (ast.In, ast.NotIn)):
            yield "in: compare with == one by one, or use a Relation"
        if isinstance(operator, (ast.Is, ast.IsNot)):
            is_none = isinstance(right, ast.Constant) and right.value is None
            returned = isinstance(left, ast.Call) or (isinstance(left, ast.Name) and left.id in called)
            if not (is_none and returned):
                yield "is: compare with ==; `is None` only on what a function of the model returned"
        left = right


def _is_call(iterable: ast.expr, names: set[str]) -> bool:
    return isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id in names
