"""
Each switch of a recording's rules, those of its release, is turned to see which of them the recordings decide.

A switch that no recording decides is not thereby right: nothing that was recorded needed it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import Recording
from oneowner.model.channel.rules import Rules


@dataclass(frozen=True, slots=True)
class Refuted:
    """The evidence of recordings about a turned switch."""

    switch: str
    runs: int
    """The number of recordings with a unit that the rules with this switch turned refuse."""
    units: int
    """The number of units that these rules refuse."""
    unknown: int
    """The number of undecided units: a search that was cut off is no evidence against the rules."""
    first: str
    """The first unit that is refused, and the reason."""


def turned(rules: Rules, switch: str) -> Rules:
    """Return *rules* with one switch turned."""
    return replace(rules, **{switch: not getattr(rules, switch)})


def refute(recordings: Sequence[Recording]) -> Iterator[Refuted]:
    """Yield the evidence of *recordings* about every switch."""
    for one in fields(Rules):
        yield refuted(recordings, one.name)


def refuted(recordings: Sequence[Recording], switch: str) -> Refuted:
    """Report those of *recordings* that the rules with *switch* turned do not explain."""
    runs, units, unknown, first = 0, 0, 0, ""
    for recording in recordings:
        judged = judge(recording, rules=turned(recording.rules, switch))
        bad = [unit for unit in judged.units if unit.answer == Acceptance.REFUSED]
        runs, units, unknown = runs + bool(bad), units + len(bad), unknown + judged.count(Acceptance.UNKNOWN)
        if bad and not first:
            first = f"{recording.name}, {bad[0].group.name}, {bad[0].place}: {bad[0].why}"
    return Refuted(switch, runs, units, unknown, first)
