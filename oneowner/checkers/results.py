"""
The result of a verb has one shape, from which the text and the JSON are written.

Field names and order are those of the JSON, which ``result.schema.json`` describes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from oneowner.checkers.verdict import EXIT_CODES, MISUSE, Verdict, worst

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LawRow:
    """The result for one law."""

    law: str
    status: str
    expected: Verdict
    verdict: Verdict
    exercised: int
    reason: str = ""
    """The reason that it is unknown, if another one than that it was never exercised."""
    kind: str = ""
    """Purpose, protocol or mirror (``model.kernel.law.LawKind``); empty for a law of recorded runs or of settings."""
    is_apart: bool = False
    """True if it is broken, describes what the code does, and the question is about other code."""

    def joined(self, other: LawRow) -> LawRow:
        """Return this law's row over two runs: a run that never exercised it does not count."""
        verdict = worst([self.verdict, other.verdict])
        if verdict == Verdict.UNKNOWN and 0 in (self.exercised, other.exercised):
            verdict = self.verdict if self.exercised else other.verdict
        reason = next((row.reason for row in (self, other) if row.verdict == verdict), "")
        exercised = self.exercised + other.exercised
        return replace(self, verdict=verdict, exercised=exercised, reason=reason)


@dataclass(frozen=True, slots=True)
class Stats:
    """The amount of evidence judged."""

    events: int = 0
    units: int = 0
    accepted: int = 0
    refused: int = 0
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0


T = TypeVar("T")


class Stream(Generic[T]):
    """Data too long to be kept: every output that wants it reads it from its beginning."""

    def __init__(self, begin: Callable[[], Iterator[T]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[T]:
        return self._begin()


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things that were judged apart, such as one recorded run of many."""

    name: str
    verdict: Verdict
    reasons: tuple[str, ...]
    laws: tuple[LawRow, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Data for the page alone (``--html``); streams give the number of the run first."""

    subject: str = ""
    project: str = ""
    """The project in which a documented violation happens."""
    runs: tuple[str, ...] = ()
    refusals: Iterable[tuple[int, Mapping[str, Any]]] = ()
    intervals: Iterable[tuple[int, Mapping[str, Any]]] = ()
    events: Iterable[tuple[int, int, str]] = ()
    """Run, moment and description of each action on a cluster."""
    lanes: Sequence[Mapping[str, Any]] = ()
    """The times when each broker of a run was alive, registered and leading; None where unknown."""
    stores: Sequence[Mapping[str, Any]] = ()
    """The times when ZooKeeper and the bookies of a run failed, each with words; None where unknown."""
    unserved: Sequence[tuple[int, str, int, int | None]] = ()
    """Run, unit, beginning and end of each time at which no send to the unit was confirmed."""
    logs: Sequence[Mapping[str, Any]] = ()
    """The coverage of every log."""
    statements: Mapping[str, str] = field(default_factory=dict)
    """The statement of each law."""
    laws_of_servers: Sequence[str] = ()
    """The laws whose findings name brokers that served a unit beside its owner: drawn under its bar."""
    replays: Sequence[Any] = ()
    """Runs of the model, as ``checkers.scenarios.replay`` returns them."""
    steppable: Any = None
    """The states of a small model, as ``checkers.report.graph_page`` returns them, for a reader who takes steps."""
    scenarios: Mapping[str, str] = field(default_factory=dict)
    """The text of scenario files, by their names."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Data of the pictures that the template of a verb draws beside the result."""
    look: str = ""
    """The initial view of a reader, in the words of the page's address (``link.js``); else all of it."""


@dataclass(slots=True)
class Result:
    """The result of one verb; *findings* and *refusals* may be streams, *more* are the verb's own keys."""

    verb: str
    verdict: Verdict
    reasons: list[str]
    stats: Stats = field(default_factory=Stats)
    laws: list[LawRow] = field(default_factory=list)
    findings: Iterable[Mapping[str, Any]] = ()
    refusals: Iterable[Mapping[str, Any]] = ()
    more: dict[str, Any] = field(default_factory=dict)
    """Keys of this verb; a stream is written as an array."""
    unreadable: bool = False
    parts: tuple[Part, ...] = ()
    """The part that was judged separately, if any."""
    found: Iterable[tuple[int, Mapping[str, Any]]] = ()
    """The findings again, each with the number of its part."""
    page: Page = field(default_factory=Page)

    def doubted(self, reasons: Iterable[str]) -> None:
        """Add reasons for which it cannot be valid: what was left out is not known."""
        if added := list(reasons):
            self.reasons += added
            self.verdict = worst([self.verdict, Verdict.UNKNOWN])

    @property
    def exit_code(self) -> int:
        """Return the process's exit code."""
        return MISUSE if self.unreadable else EXIT_CODES[self.verdict]
