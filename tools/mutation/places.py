"""
The lines that a run reaches: those of the model's functions, noted while it runs.

A mutant of a line that a row never comes by changes nothing for that row, so the row need not be asked.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from oneowner.model.channel.channel import forget_first as normalise
from oneowner.model.channel.channel import is_forgettable as needs_normalising
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.relation import Relation
from oneowner.model.kernel.system import domains, initial_states, perturbations
from tools.mutation.mutants import Mutant

Places = dict[str, list[int]]
"""Of each file of the model that is mutated, the lines that were come by, in order."""

ALWAYS = (initial_states, domains, normalise, needs_normalising, perturbations)
"""Questions to every traced model, beside its actions and laws."""


@contextmanager
def noted(room: Path, files: frozenset[str], places: Places) -> Iterator[None]:
    """Note in *places* which lines of *files* of a room are run."""
    seen: dict[str, set[int]] = {str(room / file): set() for file in files}

    def enter(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        lines = seen.get(frame.f_code.co_filename)
        if lines is None:
            return None
        lines.add(frame.f_lineno)

        def at_line(inside: FrameType, what: str, value: object) -> Callable[..., Any]:
            lines.add(inside.f_lineno)
            return at_line

        return at_line

    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(None)
        places.update({Path(path).name: sorted(lines) for path, lines in seen.items() if lines})


def comes_by(places: Places, mutant: Mutant) -> bool:
    """Return whether a run that reached *places* meets the mutant; every run meets code at module level."""
    if not mutant.function:
        return True
    return any(mutant.first <= line <= mutant.last for line in places.get(mutant.file, ()))


def parts_of(law: Law | Witness) -> list[Callable[..., Any]]:
    """Return the functions that a law or witness is made of."""
    return [law.reached] if isinstance(law, Witness) else [law.when, law.holds]


@cache
def callees(function: Callable[..., Any]) -> set[str]:
    """Return the names of all functions of model and spec that a function calls, or may call, and its own."""
    waiting, found = list(_functions_of(function)), set[FunctionType]()
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            names = set(_names(one.__code__))
            known = [one.__globals__[name] for name in names if name in one.__globals__]
            rooms = [value for value in known if isinstance(value, ModuleType)]
            known += [vars(room)[name] for room in rooms for name in names if name in vars(room)]
            waiting += [called for value in known for called in _functions_of(value)]
    return {one.__name__ for one in found}


def _functions_of(value: object) -> Iterator[FunctionType]:
    """Yield the functions that a value is, or that the rows of a table name."""
    if isinstance(value, FunctionType) and value.__module__.startswith(("oneowner.model.", "oneowner.spec.")):
        yield value
    elif isinstance(value, partial):
        yield from _functions_of((value.func, *value.keywords.values()))
    elif isinstance(value, Relation):
        yield from _functions_of(tuple(value.rows))
    elif isinstance(value, tuple):
        yield from (function for part in value for function in _functions_of(part))


def _names(code: CodeType) -> Iterable[str]:
    """Return every name that a function's code mentions, also inside comprehensions."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return [*code.co_names, *(name for part in inner for name in _names(part))]
