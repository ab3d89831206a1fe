"""
A verb that needs a package which is not installed names the extra of oneowner that installs it.

A module imports such a package at its top, and is itself imported late, by a function that calls ``need`` first. So
who explores does not wait for Spark or z3, and who lacks one reads what to install.
"""

from importlib.util import find_spec

from oneowner.checkers.verdict import Misuse

PACKAGES = {
    "isal": ("isal",),
    "lab": ("pulsar",),
    "lz4": ("lz4",),
    "prove": ("z3",),
    "remote": ("pyarrow",),
    "spark": ("pyspark", "pyarrow", "pandas"),
    "watch": ("prometheus_client",),
    "zstd": ("zstandard",),
}
"""Packages that the modules of each extra import; pandas is PySpark's, which moves columns with it."""


class MissingPackage(Misuse):
    """A package is not installed; the message ends with the command that installs it."""


def need(extra: str, what: str) -> None:
    """Raise MissingPackage unless *extra* is installed; *what* needs it, as the message begins."""
    if lacking := missing(extra):
        raise MissingPackage(f"{what} needs {', '.join(lacking)}, not installed here: {install(extra)}")


def missing(extra: str) -> list[str]:
    """Return the packages of *extra* that are not installed."""
    return [package for package in PACKAGES[extra] if find_spec(package) is None]


def install(extra: str) -> str:
    """
    Return the command that installs *extra*.

    >>> install("spark")
    "pip install 'oneowner[spark]'"
    """
    return f"pip install 'oneowner[{extra}]'"
