"""
Outcomes are what an engine hands to the judge: counts of every run, and all findings in order.

Findings come by run, topic position, law, unit; refusals by run, topic position; intervals by run, unit, topic
position, some of a unit at once. They are streams, so a long run needs no memory for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from oneowner.checkers.recordings.fold.blocks import Packed
from oneowner.checkers.recordings.fold.chunk_reader import Summary, lines_before
from oneowner.checkers.recordings.fold.intervals import Intervals
from oneowner.checkers.recordings.read.events import Finding, Interval, Position, Refused, Tally
from oneowner.model.kernel.law import Severity


@dataclass(slots=True)
class Outcomes:
    """The outcome of all runs; a run is known by its number."""

    tallies: dict[int, Tally] = field(default_factory=dict)
    summaries: dict[int, list[Summary]] = field(default_factory=dict)
    findings: Callable[[], Iterator[tuple[int, Finding]]] = lambda: iter(())
    refusals: Callable[[], Iterator[tuple[int, Refused]]] = lambda: iter(())
    intervals: Callable[[], Iterator[tuple[int, Intervals]]] = lambda: iter(())
    blocks: Callable[[int], Iterator[Packed]] = lambda run: iter(())
    """The events of a run, in blocks, sorted by first position."""

    def lines_before(self) -> dict[tuple[int, int, int], int]:
        """Return the number of lines of its file before each chunk, by run, piece and number."""
        every = ((run, lines_before(summaries)) for run, summaries in self.summaries.items())
        return {(run, *at): lines for run, before in every for at, lines in before.items()}

    def chunks(self, run: int) -> list[Summary]:
        """Return the summaries of the chunks of a run, in the order of its files and their lines; it may have none."""
        return sorted(self.summaries.get(run, ()), key=lambda summary: (summary.chunk.piece, summary.chunk.number))

    def note_evidence(self, run: int, summaries: Iterable[Summary], findings: Sequence[Finding]) -> None:
        """Add the summaries of chunks that no engine has read, and the faults of their lines."""
        for summary in summaries:
            self.note(run, summary)
        self._find(run, findings)

    def add(self, run: int, tally: Tally, findings: Sequence[Finding], intervals: Sequence[Interval]) -> None:
        """Add the outcome of a fold that no engine has made, of a run without a channel."""
        self.note(run, tally)
        self._find(run, findings)
        if intervals:
            lasted, more = self.intervals, sorted(intervals, key=lambda one: (one.unit, one.position))
            parts = [(run, Intervals.of([*own])) for _, own in groupby(more, key=lambda one: one.unit)]
            self.intervals = lambda: merge(lasted(), parts, key=itemgetter(0))

    def _find(self, run: int, findings: Sequence[Finding]) -> None:
        if findings:
            told, more = self.findings, sorted(((run, one) for one in findings), key=lambda pair: sort_key(*pair))
            self.findings = lambda: merge(told(), more, key=lambda pair: sort_key(*pair))

    def excuse(self, run: int, why: Mapping[Known, str]) -> None:
        """Turn violations of a run, by law, position and unit, into warnings: other evidence gives the reason *why*."""
        told, tally = self.findings, self.tallies.get(run)
        if tally is None or not why:
            return
        self.findings = lambda: ((number, excused(one, why) if number == run else one) for number, one in told())
        for number, one in told():
            if number == run and excused(one, why) is not one:
                tally.violations[one.law] -= 1
                tally.warnings[one.law] += 1
        tally.violations = +tally.violations

    def note(self, run: int, part: Tally | Summary) -> None:
        """Add the counts of a part of a run, or the summary of one of its chunks."""
        if isinstance(part, Summary):
            self.summaries.setdefault(run, []).append(part)
            part = part.tally
        self.tallies.setdefault(run, Tally()).add(part)


Known = tuple[str, Position, str | None]
"""The key of a finding: law, position, unit."""


def excused(finding: Finding, why: Mapping[Known, str]) -> Finding:
    """Return a violation as a warning, if there is a reason *why* it is none."""
    words = why.get((finding.law, finding.position, finding.unit), "")
    if not words or finding.severity != Severity.VIOLATION or finding.waived is not None:
        return finding
    return finding._replace(severity=Severity.WARNING, why=f"{finding.why}, {words}")


Item = Finding | Refused
Placed = TypeVar("Placed", Finding, Refused)


def in_order(blocks: Iterable[tuple[int, Sequence[Placed]]]) -> Iterator[tuple[int, Placed]]:
    """
    Merge blocks of outcomes into one stream in order.

    A block is a run's number and some of its outcomes, sorted; blocks come sorted by run and first position.
    Only blocks that overlap are in memory.
    """
    active: list[tuple[tuple[Any, ...], int, Placed]] = []
    for run, items in blocks:
        ready = bisect_left(active, (run, items[0].position), key=_place)
        yield from ((number, item) for _, number, item in active[:ready])
        active = active[ready:] + [(sort_key(run, item), run, item) for item in items]
        active.sort(key=itemgetter(0))
    yield from ((number, item) for _, number, item in active)


def _place(entry: tuple[tuple[Any, ...], int, Any]) -> tuple[int, Position]:
    _, run, item = entry
    return run, item.position


def sort_key(run: int, item: Item) -> tuple[Any, ...]:
    """Return the place of an outcome in its stream."""
    if isinstance(item, Finding):
        return run, item.position, item.law, item.unit or "", item.origin, item.why
    return run, item.position, item.unit, item.why
