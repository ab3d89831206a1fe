"""
Mutants of a source file: the same text changed at one point, in each of the ways in which people go wrong.

Docstrings, annotations, decorators, imports and the texts of guards are no code, and stay. A name that is bound for
the first time is never dropped, for that is an error of Python and no evidence on the model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from oneowner.model import channel
from tools.mutation.words import Words, kind_of, members_in, tables_of, words_of

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = Path(str(channel.__file__)).parent
"""The folder from which the model is imported: lines that a run reaches are noted by that path."""
FILES = ("resolver.py", "broker.py", "orphans.py", "recovery.py", "split.py", "compaction.py")
"""The files of the model that are mutated, in the order of the numbers."""


def path_of(file: str, model: Path = MODEL.parent) -> Path:
    """Return a file of the model: one of the channel, unless it names its folder."""
    return model / file if "/" in file else model / "channel" / file


class Kind(StrEnum):
    """The change of a mutant."""

    GUARD = "guard dropped"
    """A require, or one part of a condition."""
    COMPARISON = "comparison flipped"
    NEGATION = "condition negated"
    CONNECTIVE = "and/or exchanged"
    CONSTANT = "constant changed"
    STATEMENT = "statement dropped"
    """Also a row of a table."""
    ARGUMENTS = "arguments exchanged"


class Edit(NamedTuple):
    """The bytes *start* to *end* of a file become *text*."""

    start: int
    end: int
    text: str
    kind: Kind
    node: ast.AST
    """The node that shows whether a run reaches this place."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change at one point of one file of the model."""

    number: int
    file: str
    line: int
    kind: Kind
    old: str
    new: str
    start: int
    end: int
    text: str
    function: str
    """The function that it is in; empty for a table, a class or a default value."""
    first: int
    last: int
    """The lines by which a run must reach it; none of them for code that runs when the file is loaded."""

    def applied(self, source: bytes) -> bytes:
        """Return the file with this change."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants(files: Sequence[str] = FILES) -> list[Mutant]:
    """Return every mutant of *files* of the model, numbered from 1 in the order of the text."""
    members = members_in(MODEL)
    found: list[Mutant] = []
    for file in files:
        found += mutants_of((MODEL / file).read_bytes(), file, members, len(found) + 1)
    return found


def mutants_of(source: bytes, file: str, members: Mapping[str, Mapping[str, str]], first: int = 1) -> list[Mutant]:
    """Return every mutant of one file, numbered from *first*."""
    tree = ast.parse(source)
    finder = _Finder(source, words_of(tree, members))
    found: list[Mutant] = []
    for function, edit in sorted(finder.edits(tree), key=lambda pair: pair[1][:3]):
        line = source.count(b"\n", 0, edit.start) + 1
        begin = source.rfind(b"\n", 0, edit.start) + 1
        end = source.find(b"\n", edit.end)
        old = _on_one_line(source[begin:end].decode())
        new = _on_one_line((source[begin : edit.start] + edit.text.encode() + source[edit.end : end]).decode())
        told = first + len(found), file, line, edit.kind, old, new
        by = _lines(edit.node) if function else (0, 0)
        found.append(Mutant(*told, edit.start, edit.end, edit.text, function, *by))
    return found


def _lines(node: ast.AST) -> tuple[int, int]:
    """Return the first and last line of a statement, of one that holds others without them."""
    assert isinstance(node, ast.stmt)
    head = getattr(node, "test", None) or getattr(node, "iter", None) or node
    return node.lineno, head.end_lineno or node.lineno


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_FLIPPED: Mapping[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}


class _Finder:
    def __init__(self, source: bytes, words: Words) -> None:
        self._source, self._words = source, words
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def edits(self, tree: ast.Module) -> Iterator[tuple[str, Edit]]:
        """Yield every edit, with the function that it is in."""
        tables = tables_of(tree)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                yield from (("", edit) for default in node.args.defaults for edit in self._expression(default, node))
                yield from ((node.name, edit) for edit in self._block(node.body, _Scope(node)))
            elif isinstance(node, ast.ClassDef):
                if node.name not in self._words.members:
                    yield from (
                        ("", edit)
                        for part in node.body
                        if isinstance(part, ast.AnnAssign) and part.value is not None
                        for edit in self._expression(part.value, part)
                    )
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                yield from (("", edit) for edit in self._expression(node.value, node))
        yield from (("", edit) for table in tables for edit in self._rows(table))

    def _rows(self, table: ast.Tuple) -> Iterator[Edit]:
        for row in table.elts:
            start, end = self._span(row)
            yield Edit(start, self._source.index(b",", end) + 1, "", Kind.STATEMENT, row)

    def _block(self, body: Sequence[ast.stmt], scope: _Scope, is_nested: bool = False) -> Iterator[Edit]:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring
            if scope.is_droppable(statement, is_nested):
                call = statement.value if isinstance(statement, ast.Expr) else None
                is_guard = isinstance(call, ast.Call) and _name(call.func).startswith("require")
                yield Edit(*self._span(statement), "pass", Kind.GUARD if is_guard else Kind.STATEMENT, statement)
            yield from self._within(statement, scope)
            scope.bind(statement)

    def _within(self, statement: ast.stmt, scope: _Scope) -> Iterator[Edit]:
        if isinstance(statement, ast.If):
            yield from self._condition(statement.test, statement)
            yield from self._block(statement.body, scope, is_nested=True)
            yield from self._block(statement.orelse, scope, is_nested=True)
        elif isinstance(statement, ast.For):
            yield from self._expression(statement.iter, statement)
            yield from self._block(statement.body, scope, is_nested=True)
        elif isinstance(statement, ast.Return) and statement.value is not None:
            visit = self._condition if scope.is_boolean else self._expression
            yield from visit(statement.value, statement)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            yield from self._expression(statement.value, statement)
            for target in statement.targets if isinstance(statement, ast.Assign) else ():
                yield from self._expression(target, statement)
        elif isinstance(statement, ast.Expr):
            call = statement.value
            if isinstance(call, ast.Call) and _name(call.func) in ("require", "require_room", "require_bound"):
                yield from self._condition(call.args[0], statement)
            else:
                yield from self._expression(call, statement)

    def _condition(self, node: ast.expr, at: ast.AST) -> Iterator[Edit]:
        """Yield the edits of an expression that is true or false; a plain one is negated."""
        if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            yield Edit(*self._span(node), f"(not {self._text(node)})", Kind.NEGATION, at)
        yield from self._expression(node, at)

    def _expression(self, node: ast.expr, at: ast.AST) -> Iterator[Edit]:
        span = self._span(node)
        if isinstance(node, ast.Compare):
            for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
                for text in _FLIPPED.get(type(operator), ()):
                    yield Edit(self._span(left)[1], self._span(right)[0], f" {text} ", Kind.COMPARISON, at)
        elif isinstance(node, ast.BoolOp):
            texts = [self._text(value) for value in node.values]
            texts = [
                f"({text})" if isinstance(value, ast.BoolOp) else text
                for text, value in zip(texts, node.values, strict=True)
            ]
            word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield Edit(*span, f"({f' {other} '.join(texts)})", Kind.CONNECTIVE, at)
            for number in range(len(texts)):
                rest = [text for place, text in enumerate(texts) if place != number]
                yield Edit(*span, f"({f' {word} '.join(rest)})", Kind.GUARD, at)
            for value in node.values:
                yield from self._condition(value, at)
            return
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Edit(span[0], span[0] + len("not "), "", Kind.NEGATION, at)
        elif isinstance(node, ast.IfExp):
            yield from self._condition(node.test, at)
            yield from self._expression(node.body, at)
            yield from self._expression(node.orelse, at)
            return
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            sign = " - " if isinstance(node.op, ast.Add) else " + "
            yield Edit(self._span(node.left)[1], self._span(node.right)[0], sign, Kind.CONSTANT, at)
        elif isinstance(node, ast.Call):
            yield from self._exchanged(node, at)
        yield from (Edit(*span, text, Kind.CONSTANT, at) for text in self._instead(node))
        if isinstance(node, ast.Call):
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        else:
            parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        for part in parts:
            yield from self._expression(part, at)

    def _exchanged(self, call: ast.Call, at: ast.AST) -> Iterator[Edit]:
        for one, other in zip(call.args, call.args[1:], strict=False):
            texts = self._text(one), self._text(other)
            if kind_of(one) and kind_of(one) == kind_of(other) and texts[0] != texts[1] and _name(call.func) != "range":
                between = self._source[self._span(one)[1] : self._span(other)[0]].decode()
                span = self._span(one)[0], self._span(other)[1]
                yield Edit(*span, f"{texts[1]}{between}{texts[0]}", Kind.ARGUMENTS, at)

    def _instead(self, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                yield str(not node.value)
            elif isinstance(node.value, int):
                yield {0: "1", 1: "0"}.get(node.value, str(node.value + 1))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self._words.instead:
            yield self._words.instead[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            members = self._words.members.get(node.value.id, {})
            if node.attr in members:
                yield f"{node.value.id}.{members[node.attr]}"

    def _span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node's text begins and ends, with the brackets around it."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.lineno - 1] + node.col_offset, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()


class _Scope:
    """Names that a function has bound so far: dropping a first binding would only be an error of Python."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._bound = {argument.arg for argument in function.args.args}
        self.is_boolean = function.returns is not None and ast.unparse(function.returns) == "bool"

    def bind(self, statement: ast.stmt) -> None:
        """Note what a statement binds."""
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            self._bound |= {target.id for target in targets if isinstance(target, ast.Name)}

    def is_droppable(self, statement: ast.stmt, is_nested: bool) -> bool:
        """Return whether the function is still one without the statement."""
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            return not isinstance(target, ast.Name) or target.id in self._bound
        return isinstance(statement, ast.Expr) or (isinstance(statement, ast.Return) and is_nested)


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
