"""One function of the model with a few words of it changed, for a while."""

from __future__ import annotations
import __future__

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any
from unittest import mock


@contextmanager
def changed(function: Callable[..., Any], was: str, now: str) -> Iterator[None]:
    """
    Let *function* read *now* where it reads *was*, which stands in it once; whoever calls it gets the change.

    Meanwhile the cache is another one: what is kept there is named by the source in the files, which is unchanged.
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
