"""
Can the model be traced? A check of the source of ``model`` and ``spec``, before any engine tries.

The same functions will be run on symbolic values. What such a value cannot answer but would answer wrongly in
silence (``is``, ``isinstance``, ``id``), or cannot answer at all (``int()``, a dict key, ``len``), is refused here by
file and line. ``is None`` is allowed on what a function of the model returned.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.places import ROOT

EXEMPT = {
    "model/kernel/language.py": "the language itself: its machinery has a symbolic twin",
    "model/channel/releases.py": "facts about releases, concrete before any state exists",
    "model/channel/explanation.py": "words about a refusal that is concrete by then",
    "model/channel/entries.py": "functions of whole logs, concrete before they are cut",
    "model/channel/domains.py": "says what cells may hold; no function runs on a state",
    "model/channel/state.py": "declares cells; no function runs on a state",
    "model/channel/start.py": "builds a concrete state",
    "model/channel/system.py": "lists actions from concrete bounds",
    "model/channel/occasions.py": "the same",
    "model/channel/splitting.py": "functions of whole bundles and their topics, concrete",
    "model/kernel/law.py": "declares what a law is",
    "model/kernel/lemma.py": "declares what a lemma is",
    "spec/channel/induction.py": "loops over individuals that are written there; formula and predicate are compared",
    "spec/channel/ownership_lemmas.py": "the same",
    "spec/channel/ownership_needs.py": "makes lemmas of lemmas; the same",
    "model/handoff/requirement.py": "an abstract specification, compared on explored graphs",
    "spec/channel/reading.py": "another one",
    "spec/channel/refinement.py": "maps explored states to them",
    "spec/channel/entries.py": "laws of whole logs, cut in every way",
    "spec/channel/compacted.py": "maps explored states of compactions to them",
}

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


def check_rooms(root: Path = ROOT) -> list[Complaint]:
    """Check every file of the rooms model and spec under *root*."""
    complaints: list[Complaint] = []
    for room in ("model", "spec"):
        for path in sorted((root / room).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if name not in EXEMPT:
                complaints += check_source(path.read_text(encoding="utf-8"), name)
    return complaints


def check_source(source: str, name: str) -> list[Complaint]:
    """
    Check the module-level functions of one file; methods describe values and are not traced.

    >>> for complaint in check_source("def act(state):\\n    while state.leader: pass", "model/channel/x.py"):
    ...     print(complaint)
    model/channel/x.py:2: while: loop over a range of concrete bounds instead
    """
    tree = ast.parse(source, name)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = {function.name for function in functions}
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
                complaints += [Complaint(name, line, words) for words in _words(node, called, own)]
    return complaints


def _words(node: ast.AST, called: set[str], own: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        yield from _compare(node, called)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in FORBIDDEN_CALLS - own:
            yield f"{node.func.id}(): a symbolic value has no answer to it"
    elif isinstance(node, ast.For) and not _is_range(node.iter):
        yield "for: loop over a range of concrete bounds instead"
    elif isinstance(node, ast.comprehension) and not _is_range(node.iter):
        yield "comprehension: loop over a range of concrete bounds instead"
    else:
        yield from (words for kind, words in _NODES if isinstance(node, kind))


_NODES: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.While, "while: loop over a range of concrete bounds instead"),
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


def _is_range(iterable: ast.expr) -> bool:
    return isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range"


def main(complaints: Iterable[Complaint] | None = None) -> int:
    """Print every complaint; return 1 if there is one."""
    found = list(check_rooms() if complaints is None else complaints)
    for complaint in found:
        sys.stdout.write(f"{complaint}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
