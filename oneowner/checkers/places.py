"""
Locations of the project's own files, in a checkout and in an installed wheel.

Families, faults and scenarios come with the package. Recordings of real clusters need a checkout.
"""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
"""The folder of the package. Paths of its files are shown relative to its parent, as ``oneowner/spec/…``."""

TOP = PACKAGE if (PACKAGE / "traces").is_dir() else PACKAGE.parent
"""The folder that contains ``traces``: the top of a checkout; in a wheel, the package."""

DOCS = TOP / "docs"
"""The documents that are too long for the README."""

RUNS = next((top for top in (TOP, Path.cwd()) if (top / "traces" / "real").is_dir()), TOP) / "traces" / "real"
"""The recordings of real clusters, which no wheel carries: those of a checkout in the current directory serve too."""


def shown(path: Path) -> str:
    """
    Return the path of one of the project's files as messages and results show it.

    >>> shown(PACKAGE / "spec" / "channel" / "faults.yaml")
    'oneowner/spec/channel/faults.yaml'
    >>> shown(TOP / "traces" / "counterexamples")
    'traces/counterexamples'
    """
    home = TOP if path.is_relative_to(TOP / "traces") else PACKAGE.parent
    return path.relative_to(home).as_posix()
