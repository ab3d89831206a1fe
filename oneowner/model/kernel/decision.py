"""
``Decision`` is a pure function of its input, such as where a bundle is split, with the laws of its answers.

It is the other noun beside ``System``: without state, steps or time. One function draws its inputs, choice by choice.
Whoever makes the choices gets what he wants of it: an engine that tries all of them, every input of some size; a
random one, random inputs; Hypothesis, a strategy.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Declaration, LawKind, Status
from oneowner.model.kernel.lemma import Lemma

Choose = Callable[[int, int], int]
"""Answers with a whole number from the least to the greatest, both included."""
OnAnswer = Callable[[Any, Any], bool]
"""Says something of an input and of the answer to it."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """The answer to an input for which the original throws."""

    exception: str
    """The class that it throws, such as ``IllegalArgumentException``."""
    why: str


@dataclass(frozen=True, slots=True)
class InputLaw(Declaration):
    """A law of every input and the answer to it: where *when* is true, *holds* must be."""

    when: OnAnswer
    holds: OnAnswer
    status: Status = Status.HOLDS
    kind: LawKind = field(kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Decision:
    """A pure function (``model``), and its laws (``spec``)."""

    name: str
    """Its folder and its own name, such as ``balancer/split-bundles``."""
    title: str
    """The decision, in one line."""
    sizes: type[Bounds]
    """The size of its inputs: numbers, by default so small that all inputs can be visited."""
    draw: Callable[[Choose, Any], Any]
    """
    Return an input of some sizes, by choices.

    No two sequences of choices give the same input. Small inputs come first, if each choice goes up from its least.
    """
    decide: Callable[[Any], Any]
    """Return the answer; it raises nothing: an exception of the original is ``Thrown``."""
    laws: tuple[InputLaw, ...]
    """In the order of reports."""
    read: Callable[[Any], Any]
    """Return the input that a fact copied from the original gives as plain data: mappings, lists, numbers, texts."""
    lemmas: tuple[Lemma, ...] = ()
    """The claims that z3 proves of it, or of its stand-in."""
    modules: tuple[ModuleType, ...] = ()
    """All that its lemmas trace."""
    told: Callable[[Any], Any] = field(default_factory=lambda: plain)
    """Return what a fact gives of an answer, as plain data."""

    @property
    def home(self) -> str:
        """The folder of its laws, where what is pinned of it lies."""
        return self.name.partition("/")[0]

    @cached_property
    def laws_by_name(self) -> dict[str, InputLaw]:
        return {law.name: law for law in self.laws}


def always(given: Any, answer: Any) -> bool:
    """Return True: the occasion of a law of every input."""
    return True


def throws(given: Any, answer: Any) -> bool:
    """Return whether the original throws: the occasion of a law of exceptions."""
    return isinstance(answer, Thrown)


def answers(given: Any, answer: Any) -> bool:
    """Return whether the original answers, and does not throw."""
    return not isinstance(answer, Thrown)


def plain(answer: Any) -> Any:
    """
    Return an answer as plain data, as a fact copied from the original gives it.

    >>> plain((1, (2, 3))), plain(Thrown("IllegalArgumentException", "none given"))
    ([1, [2, 3]], {'error': 'IllegalArgumentException'})
    """
    if isinstance(answer, Thrown):
        return {"error": answer.exception}
    return [plain(part) for part in answer] if isinstance(answer, tuple) else answer
