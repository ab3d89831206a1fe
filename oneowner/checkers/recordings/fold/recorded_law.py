"""
A law of recorded runs declares the effect of its violation on units, and the innocent explanations it subtracts.

Everything that reports, the page or a watch need from a law is a field of its declaration, so that a new law is one
file: no other file lists laws by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from oneowner.model.kernel.law import Declaration


class Harm(StrEnum):
    """
    The harm that a broken law means for its units; the worst comes first.

    A finding that is no violation leaves it in doubt whether a unit had two owners.
    """

    UNUSABLE = "clients could not use"
    TWICE = "had two owners"
    DOUBTFUL = "may have had two owners, or none"
    NONE = "concerned"


Taken = TypeVar("Taken")


class Judged(Protocol):
    """Anything that laws judge."""

    @property
    def left_out(self) -> Excuse[Any] | None:
        """The excuse that is not applied: tests show by it that each one is needed. None: all are applied."""


@dataclass(frozen=True, slots=True, eq=False)
class Excuse(Generic[Taken]):
    """
    An innocent explanation: its words, and the part of the accusation that it subtracts.

    This part is a timeline, a time, a collection, or the truth that a case is excused. Words without a function
    describe code that subtracts in a place of its own.
    """

    words: str
    subtrahend: Callable[..., Taken] | None = None
    """A function of the judged scene or question, and of the accused."""

    def of(self, judged: Judged, *accused: Any) -> Taken:
        """Return the part subtracted from *accused*: nothing if it is judged without this excuse."""
        assert self.subtrahend is not None, f"no function excuses: {self.words}"
        found = self.subtrahend(judged, *accused)
        return type(found)() if judged.left_out is self else found


def excuse(words: str) -> Callable[[Callable[..., Taken]], Excuse[Taken]]:
    """Return a decorator that makes a function of the scene or question, and of the accused, the excuse *words*."""
    return lambda subtrahend: Excuse(words, subtrahend)


@dataclass(frozen=True, slots=True)
class RecordedLaw(Declaration):
    """The declaration of a law of recorded runs, whether of records alone or of everything that was recorded."""

    harm: Harm = field(default=Harm.NONE, kw_only=True)
    """The harm to the units that a finding names."""
    waits: bool = field(default=False, kw_only=True)
    """True if it reports a wait: an outage of what all brokers need, or recovery that is put off, may be its cause."""
    same_as: str = field(default="", kw_only=True)
    """The law of states that a record breaks for the same reason: a record that breaks both has one finding."""
    excuses: tuple[Excuse[Any], ...] = field(default=(), kw_only=True)
    """The innocent explanations that it subtracts; a law that accuses somebody has at least one."""
