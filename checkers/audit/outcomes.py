"""
What an engine hands to the judge: the counts of every run, and what there is to say, in order.

Findings come by run, topic position, law, unit; refusals by run, topic position; intervals by run, unit, topic
position. They are streams, so a long run needs no memory for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from checkers.audit.blocks import Summary
from checkers.audit.events import Finding, Interval, Refused, Tally


@dataclass(slots=True)
class Outcomes:
    """The outcome of all runs; a run is known by its number."""

    tallies: dict[int, Tally] = field(default_factory=dict)
    summaries: dict[int, list[Summary]] = field(default_factory=dict)
    findings: Callable[[], Iterator[tuple[int, Finding]]] = lambda: iter(())
    refusals: Callable[[], Iterator[tuple[int, Refused]]] = lambda: iter(())
    intervals: Callable[[], Iterator[tuple[int, Interval]]] = lambda: iter(())

    def note(self, run: int, part: Tally | Summary) -> None:
        """Take in the counts of a part of a run, or the summary of one of its chunks."""
        if isinstance(part, Summary):
            self.summaries.setdefault(run, []).append(part)
            part = part.tally
        self.tallies.setdefault(run, Tally()).add(part)


def sort_key(run: int, item: Finding | Refused | Interval) -> tuple[Any, ...]:
    """Return the place of an outcome in its stream."""
    if isinstance(item, Finding):
        return run, item.position, item.law, item.unit or "", item.origin, item.why
    if isinstance(item, Refused):
        return run, item.position, item.unit, item.why
    return run, item.unit, item.position
