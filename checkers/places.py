"""
The project's own files are found, in a checkout and where a wheel was installed.

Families, faults and scenarios come with the package. Recordings of real clusters do not: they need a checkout.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from oneowner.checkers.verdict import Misuse

ROOT = Path(str(files("oneowner").joinpath("spec"))).resolve().parent
"""The folder of the rooms: the top of a checkout, where the package is a folder of links, or else the package."""


def in_checkout(path: Path) -> Path:
    """Return *path*; raise Misuse where it is not there, because a wheel leaves it out."""
    if not path.exists():
        raise Misuse(f"{path}: not there; a wheel leaves it out, a checkout of the project has it (pip install -e)")
    return path
