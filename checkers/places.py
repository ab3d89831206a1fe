"""
The project's own files are found, in a checkout and where a wheel was installed.

Families, faults and scenarios come with the package. Recordings of real clusters do not: they need a checkout.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

ROOT = Path(str(files("oneowner").joinpath("spec"))).resolve().parent
"""The folder of the rooms: the top of a checkout, where the package is a folder of links, or else the package."""
