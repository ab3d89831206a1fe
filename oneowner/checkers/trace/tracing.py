"""
Twins of the functions of model and spec run on symbolic values.

Model functions must not learn that they are traced, so they are not touched: a twin is the same code with other
globals, in which functions that only read are summarised ones and relations symbolic ones.
"""

import ast
import inspect
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from oneowner.checkers.places import PACKAGE, shown
from oneowner.checkers.trace.leaves import Untraceable
from oneowner.checkers.trace.summaries import Summarised
from oneowner.checkers.trace.symbolic import SymbolicRelation
from oneowner.model.kernel import bounds, fairness, guards, law, relation, state
from oneowner.model.kernel import system as kernel_system
from oneowner.model.kernel.concrete import is_concrete
from oneowner.model.kernel.decision import Decision
from oneowner.model.kernel.relation import Relation
from oneowner.model.kernel.system import System


class Twins:
    """The functions of some modules of a system once more, for symbolic values."""

    def __init__(self, wanted: Iterable[ModuleType]) -> None:
        self._globals: dict[str, dict[str, Any]] = {}
        self._twins: dict[Callable[..., Any], Callable[..., Any]] = {}
        modules = {module.__name__: module for module in wanted}
        readers = _readers(modules.values())
        for name, module in modules.items():
            self._globals[name] = dict(vars(module))
        for names in self._globals.values():
            for name, value in names.items():
                if isinstance(value, FunctionType) and value.__module__ in modules:
                    names[name] = self._twin(value, readers)
                elif isinstance(value, Relation):
                    names[name] = SymbolicRelation(value)

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the twin of a function of model or spec, also of one that is given functions or plain values."""
        if isinstance(function, partial):
            given = {name: self.of(one) if callable(one) else one for name, one in function.keywords.items()}
            return partial(self.of(function.func), **given)
        if function not in self._twins:
            raise Untraceable(f"{_place(function)} is no function of a module that is traced; make it a def there")
        return self._twins[function]

    def _twin(self, function: FunctionType, readers: set[FunctionType]) -> Callable[..., Any]:
        found = self._twins.get(function)
        if found is None:
            space = self._globals[function.__module__]
            twin = FunctionType(
                function.__code__, space, function.__name__, function.__defaults__, function.__closure__
            )
            found = self._twins[function] = Summarised(twin) if function in readers else twin
        return found


def traceable_modules(system: System | Decision) -> tuple[ModuleType, ...]:
    """Return the modules of a system or of a decision, and those of the kernel whose functions run on states."""
    kernel = (guards, bounds, fairness, law, relation, state, kernel_system)
    return (*kernel, *system.modules)


def _readers(modules: Any) -> set[FunctionType]:
    """Return the functions that change nothing and require nothing, and call only such, or concrete ones."""
    functions = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not is_concrete(value)
    }
    calls = {function: _calls(function) for function in functions}
    readers = {function for function, called in calls.items() if called is not None}
    while True:
        spoilt = {
            function
            for function in readers
            if any(
                isinstance(value := function.__globals__.get(name), FunctionType)
                and value in functions
                and value not in readers
                for name in calls[function] or ()
            )
        }
        if not spoilt:
            return readers
        readers -= spoilt


@cache
def _calls(function: FunctionType) -> set[str] | None:
    """Return the names that a function calls; None if it changes a cell, requires something or is a generator."""
    called = set()
    for node in ast.walk(_definition(function)):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Raise | ast.Lambda):
            return None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            return None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
    return None if called & {"require", "require_bound"} else called


def _definition(function: FunctionType) -> ast.AST:
    """Return the source of a function as a tree; of one that is not as its file has it, whatever Python finds."""
    found = _definitions(function.__code__.co_filename).get(function.__code__.co_firstlineno)
    if found is not None and found.name == function.__name__:
        return found
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


@cache
def _definitions(file: str) -> dict[int, ast.FunctionDef]:
    """Return the functions of a file by their first line; it is parsed once, not for each of them."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"), file)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node for node in functions}


def _place(function: Callable[..., Any]) -> str:
    """Return file, line and name of a function, as far as it has them."""
    name = str(getattr(function, "__qualname__", function))
    if not isinstance(function, FunctionType):
        return name
    path = Path(function.__code__.co_filename)
    file = shown(path) if path.is_relative_to(PACKAGE) else path
    return f"{file}:{function.__code__.co_firstlineno}: {name}"


def located(error: Exception) -> str:
    """Return an error of tracing with the line of model code where it arose."""
    for frame in reversed(traceback.extract_tb(sys.exc_info()[2])):
        path = Path(frame.filename)
        if path.is_relative_to(PACKAGE / "model") or path.is_relative_to(PACKAGE / "spec"):
            return f"{shown(path)}:{frame.lineno}: {error}: {frame.line}"
    return str(error)
