"""One function of the model with a few words of it changed, for a while."""

from __future__ import annotations
import __future__

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any


@contextmanager
def changed(function: Callable[..., Any], was: str, now: str) -> Iterator[None]:
    """Let *function* read *now* where it reads *was*, which stands in it once; whoever calls it gets the change."""
    assert isinstance(function, FunctionType)
    source = inspect.getsource(function)
    assert source.count(was) == 1, f"{function.__name__}: {was!r} stands in it {source.count(was)} times"
    code = compile(source.replace(was, now), inspect.getfile(function), "exec", __future__.annotations.compiler_flag)
    space: dict[str, Any] = {}
    exec(code, function.__globals__, space)
    before, function.__code__ = function.__code__, space[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = before
