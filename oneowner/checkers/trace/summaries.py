"""
A summary is one expression for a function that only reads and gives back a value, traced on its own.

So their branches do not fork their caller. A function is traced once for arguments of one shape.
"""

from collections.abc import Callable, Iterable
from functools import partial
from inspect import signature
from types import FunctionType
from typing import Any

from oneowner.checkers.trace.drafts import Draft
from oneowner.checkers.trace.expressions import FALSE, TRUE, Expression, choose, replaced, variable
from oneowner.checkers.trace.leaves import NotMergeable, Symbol, kind_of, leaf
from oneowner.checkers.trace.paths import Fork, Outcome, all_paths
from oneowner.checkers.trace.symbolic import SymbolicCells, SymbolicSequence, SymbolicState, merge, record

MOST_HELD = 4_096
"""Answers for the very same values that a function holds."""


class Summarised:
    """
    A function that only reads: a call becomes one expression, however many branches it has.

    It is traced on variables that stand for its arguments, once for arguments of one shape; what comes out is the
    expression with the arguments put in. Of states that never change, and constants, it is traced on these themselves:
    what it calls in turn is then known of the same states, which is what makes tracing dozens of laws quick.
    """

    def __init__(self, function: FunctionType) -> None:
        self.__name__ = function.__name__
        self._function = function
        self._known: dict[tuple[Any, ...], Any] = {}
        self._answers: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._of_same: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        """Answers for the very same states."""
        self._of_objects: dict[tuple[int, ...], tuple[tuple[Any, ...], tuple[Any, Any]]] = {}
        """Answers for the very same values, by the ids of these, which are held for that; a few thousand at most."""
        self._reads: set[str] = set()
        """The cells of a state that it reads: what else a state holds does not matter."""
        self._is_mergeable = True

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if named:
            bound = signature(self._function).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        if not self._is_mergeable or not any(map(_depends, arguments)):
            return self._function(*arguments)
        try:
            found = self._of_states(arguments) if all(map(_is_fixed, arguments)) else self._of_values(arguments)
        except NotMergeable:  # such as a function: its caller branches itself
            self._is_mergeable = False
            return self._function(*arguments)
        no_answer, answer = found
        return None if no_answer else answer  # here the caller branches, for ``is None`` cannot

    def _of_states(self, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the same for states that never change and constants: nothing needs to stand for them."""
        asked = tuple(map(_identity, arguments))
        if asked not in self._of_same:  # every way through the caller asks for it again
            is_none, value = _merged(all_paths(self.__name__, partial(self._function, *arguments)))
            self._of_same[asked] = leaf(is_none, bool), value
        return self._of_same[asked]

    def _of_values(self, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the same for any arguments; of values every way through a caller of many branches asks again."""
        asked = tuple(map(id, arguments))
        if asked in self._of_objects:
            return self._of_objects[asked][1]
        found = self._answer(arguments)
        if all(map(_is_value, arguments)):
            if len(self._of_objects) == MOST_HELD:
                self._of_objects.clear()
            self._of_objects[asked] = arguments, found
        return found

    def _answer(self, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return when there is no answer, and the answer."""
        while True:
            formal, reads = Formal(), frozenset(self._reads)
            key = (reads, *[formal.shape(argument, reads) for argument in arguments])
            if key in self._known:
                break
            stand_ins = [formal.stand_in(argument, reads, self._reads) for argument in arguments]
            found = _merged(all_paths(self.__name__, partial(self._function, *stand_ins)))
            if self._reads == reads:  # else it has read a cell for the first time: now that is an argument too
                self._known[key] = found
        given = (key, formal.expressions())
        if given not in self._answers:  # values that are alike, or a state that has changed elsewhere
            is_none, value = self._known[key]
            self._answers[given] = formal.filled(leaf(is_none, bool)), formal.filled(value)
        return self._answers[given]


def _merged(paths: Fork | Outcome) -> tuple[Expression, Any]:
    """Return the condition under which the outcome is None, and the outcome otherwise."""
    if isinstance(paths, Fork):
        (no_then, then), (no_otherwise, otherwise) = _merged(paths.then), _merged(paths.otherwise)
        value = then if otherwise is None else otherwise if then is None else merge(paths.test, then, otherwise)
        return choose(paths.test, no_then, no_otherwise), value
    if paths is None:
        return TRUE, None
    if callable(paths):
        raise NotMergeable
    return FALSE, paths


def _depends(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_depends, value))
    return isinstance(value, Symbol | SymbolicSequence | SymbolicState)


def _is_fixed(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    return not isinstance(value, Draft | Symbol | SymbolicSequence | SymbolicCells)


def _is_value(value: Any) -> bool:
    """Return whether this object is the same for ever, with all that it holds."""
    if isinstance(value, tuple):
        return all(map(_is_value, value))
    return not isinstance(value, SymbolicState | SymbolicSequence | SymbolicCells)


def _identity(value: Any) -> Any:
    """Return a fixed value as a key; names of two kinds may be equal, as numbers and truths are."""
    return (type(value), *map(_identity, value)) if isinstance(value, tuple) else (type(value), value)


class ReadState(SymbolicState):
    """A state as a function sees it that only reads: which cells it reads is noted."""

    def __init__(self, state: SymbolicState, cells: dict[str, Any], noted: set[str]) -> None:
        self.__dict__.update(cells)
        self.__dict__["_beneath"] = state
        self.__dict__["_noted"] = noted

    def __getattr__(self, name: str) -> Any:
        """Return a cell that is not known to be read, or a constant."""
        found = getattr(self.__dict__["_beneath"], name)
        if name != "bounds":  # what never changes
            self.__dict__["_noted"].add(name)
        return found


FIRST_FORMAL = 4_096
"""Variables from this number on stand for arguments; below it, for slots."""


class Formal:
    """Variables in the place of the expressions of some arguments; equal expressions get the same variable."""

    def __init__(self) -> None:
        self._variables: dict[Expression, Expression] = {}
        self._filled: dict[Expression, Expression] = {}

    def shape(self, value: Any, reads: Iterable[str] = ()) -> Any:
        """Return what matters of *value* for tracing: constants, and which variable stands where."""
        if isinstance(value, Symbol):
            variable = self._variable(value.expression)
            return kind_of(value), variable
        if isinstance(value, SymbolicSequence):
            return self.shape(value.length), *[self.shape(item) for item in value.items]
        if isinstance(value, SymbolicCells):
            return tuple([self.shape(item) for item in value.items])
        if isinstance(value, SymbolicState):
            return tuple([self.shape(getattr(value, name)) for name in sorted(reads)])
        if isinstance(value, tuple):
            return type(value).__name__, *map(self.shape, value)
        return type(value), value

    def stand_in(self, value: Any, reads: Iterable[str], noted: set[str]) -> Any:
        """Return *value* with variables for its expressions; of a state, what is read beyond *reads* is noted."""
        if isinstance(value, SymbolicState):
            return ReadState(value, {name: mapped(getattr(value, name), self._variable) for name in reads}, noted)
        return mapped(value, self._variable)

    def filled(self, value: Any) -> Any:
        """Return *value* with the expressions in place of their variables."""
        for expression, stands_for_it in self._variables.items():
            self._filled[stands_for_it] = expression
        return mapped(value, self._fill)

    def expressions(self) -> tuple[Expression, ...]:
        """Return the expressions that have a variable, in the order of these."""
        return tuple(self._variables)

    def _variable(self, expression: Expression) -> Expression:
        found = self._variables.get(expression)
        if found is None:
            number = FIRST_FORMAL + len(self._variables)
            found = self._variables[expression] = variable(number, expression.low, expression.high)
        return found

    def _fill(self, node: Expression) -> Expression:
        return replaced(node, self._filled, 1 << FIRST_FORMAL)


def mapped(value: Any, replace: Callable[[Expression], Expression]) -> Any:
    """Return *value* with every expression replaced."""
    if isinstance(value, Symbol):
        return leaf(replace(value.expression), kind_of(value))
    if isinstance(value, SymbolicSequence):
        items = [mapped(item, replace) for item in value.items]
        return SymbolicSequence(mapped(value.length, replace), items, value.default)
    if isinstance(value, SymbolicCells):
        return SymbolicCells(value.shape, [mapped(item, replace) for item in value.items])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return record(type(value), [mapped(part, replace) for part in value])
    if type(value) is tuple:
        return tuple([mapped(part, replace) for part in value])
    return value
