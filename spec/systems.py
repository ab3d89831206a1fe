"""The systems that there are: one line each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from oneowner.model.kernel.system import System

NAMES = ("channel",)
"""A folder in model and one in spec, whose ``system`` module holds ``SYSTEM``."""


@cache
def systems() -> dict[str, System]:
    """Return every system by its name."""
    return {name: import_module(f"oneowner.spec.{name}.system").SYSTEM for name in NAMES}
