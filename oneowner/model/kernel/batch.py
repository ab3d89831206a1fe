"""The algorithms that a line of a batch may ask for: a function each, and its rules by release."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Row = Mapping[str, Any]
"""A JSON object that states the question."""


class InvalidInput(ValueError):
    """A line is no input, for the reason that the words give."""


def never(release: str) -> bool:
    """Return False: no release is known to lack an algorithm."""
    return False


class Algorithm(NamedTuple):
    """An algorithm that a line may ask for: the function that answers it, and its rules by release."""

    answer: Callable[[Row, Any], dict[str, Any]]
    """Takes the line and the rules of a release."""
    rules: Mapping[str, Any]
    """By release, from the oldest; a release that lacks the algorithm, or of which it was not read, is left out."""
    lacks: Callable[[str], bool] = never
    """Returns whether a release is known to have no such class."""
