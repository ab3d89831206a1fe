"""
Each switch of a recording's rules, those of its release, is turned to see which of them the recordings decide.

A switch that no recording decides is not thereby right: nothing that was recorded needed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import Recording
from oneowner.model.channel.rules import Rules


@dataclass(frozen=True, slots=True)
class Refuted:
    """What recordings say of a switch that is turned."""

    switch: str
    runs: int
    """How many recordings have a unit that the rules with this switch turned refuse."""
    units: int
    """How many units these rules refuse."""
    unknown: int
    """How many units are left open: that the search was cut off says nothing against the rules."""
    first: str
    """The first unit that is refused, and why."""


def turned(rules: Rules, switch: str) -> Rules:
    """Return *rules* with one switch turned."""
    return replace(rules, **{switch: not getattr(rules, switch)})


def refute(recordings: Sequence[Recording]) -> Iterator[Refuted]:
    """Yield what *recordings* say of every switch."""
    for one in fields(Rules):
        yield refuted(recordings, one.name)


def refuted(recordings: Sequence[Recording], switch: str) -> Refuted:
    """Say which of *recordings* the rules with *switch* turned do not explain."""
    runs, units, unknown, first = 0, 0, 0, ""
    for recording in recordings:
        judged = judge(recording, rules=turned(recording.rules, switch))
        bad = [unit for unit in judged.units if unit.answer == Acceptance.REFUSED]
        runs, units, unknown = runs + bool(bad), units + len(bad), unknown + judged.count(Acceptance.UNKNOWN)
        if bad and not first:
            first = f"{recording.name}, {bad[0].group.name}, {bad[0].place}: {bad[0].why}"
    return Refuted(switch, runs, units, unknown, first)
