"""One function of the model, or one file, with a few words of it changed, for a while."""

import __future__

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any
from unittest import mock

from oneowner.model.kernel.relation import Relation


@contextmanager
def changed(function: Callable[..., Any], was: str, now: str) -> Iterator[None]:
    """
    Replace the text *was*, which stands once in *function*, by *now*; every caller gets the change.

    Meanwhile the cache is another one: its entries are named by the source in the files, which is unchanged.
    """
    assert isinstance(function, FunctionType)
    source = inspect.getsource(function)
    assert source.count(was) == 1, f"{function.__name__}: {was!r} stands in it {source.count(was)} times"
    code = compile(source.replace(was, now), inspect.getfile(function), "exec", __future__.annotations.compiler_flag)
    space: dict[str, Any] = {}
    exec(code, function.__globals__, space)
    before, function.__code__ = function.__code__, space[function.__name__].__code__
    try:
        with TemporaryDirectory() as folder, mock.patch.dict(os.environ, XDG_CACHE_HOME=folder):
            yield
    finally:
        function.__code__ = before


@contextmanager
def file_changed(module: ModuleType, was: str, now: str) -> Iterator[None]:
    """
    Replace the text *was*, which stands once in the file of *module*, by *now*: in its functions, and its tables.

    Importers of a function get the change, and so do methods; a table or a number changes only when read from the
    module, and a default not at all.
    """
    source = inspect.getsource(module)
    assert source.count(was) == 1, f"{module.__name__}: {was!r} stands in it {source.count(was)} times"
    space: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source.replace(was, now), module.__file__ or "", "exec"), space)
    now_there = functions_in(module.__name__, space)
    own = {name: one for name, one in functions_in(module.__name__, vars(module)).items() if name in now_there}
    codes = {name: one.__code__ for name, one in own.items()}
    held = {name: value for name, value in vars(module).items() if name in space}
    tables = {name: value for name, value in held.items() if isinstance(value, Relation | float | int)}
    try:
        for name, one in own.items():
            one.__code__ = now_there[name].__code__
        for name in tables:
            setattr(module, name, space[name])
        yield
    finally:
        for name, code in codes.items():
            own[name].__code__ = code
        for name, table in tables.items():
            setattr(module, name, table)


def functions_in(module: str, space: Mapping[str, Any]) -> dict[str, FunctionType]:
    """Return the functions of a module by name, and those of its classes."""
    classes = {name: vars(value) for name, value in space.items() if isinstance(value, type)}
    parts = {f"{name}.{part}": value for name, held in classes.items() for part, value in held.items()}
    every = {name: getattr(value, "fget", value) for name, value in {**space, **parts}.items()}
    functions = {name: value for name, value in every.items() if isinstance(value, FunctionType)}
    return {name: value for name, value in functions.items() if value.__module__ == module}
