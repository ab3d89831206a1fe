"""
The result of a verb: the one shape that the text table and the JSON are written from.

Field names and order are those of the contract ; ``result.schema.json`` describes the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from checkers.verdict import EXIT_CODES, MISUSE, Verdict, worst

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LawRow:
    """What we found out about one law."""

    law: str
    status: str
    expected: Verdict
    verdict: Verdict
    exercised: int

    def joined(self, other: LawRow) -> LawRow:
        """Return this law's row over two runs: a run that never exercised it says nothing against it."""
        verdict = worst([self.verdict, other.verdict])
        if verdict == Verdict.UNKNOWN and 0 in (self.exercised, other.exercised):
            verdict = self.verdict if self.exercised else other.verdict
        return LawRow(self.law, self.status, self.expected, verdict, self.exercised + other.exercised)


@dataclass(frozen=True, slots=True)
class Stats:
    """How much was looked at."""

    events: int = 0
    units: int = 0
    accepted: int = 0
    refused: int = 0
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0


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
    """Keys of this verb; an iterator is written as an array."""
    unreadable: bool = False

    @property
    def exit_code(self) -> int:
        """Return the process's exit code."""
        return MISUSE if self.unreadable else EXIT_CODES[self.verdict]
