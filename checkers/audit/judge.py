"""
From counts and findings to a verdict: one per run, and one for all.

A run is valid if at least one law was exercised and all that were hold. Damage (unreadable lines, ids out of
order, ``--partial``, a broken companion file) caps it at unknown; unreadable lines of the channel itself do so
whatever was found, because a lost record can fake a gap.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from checkers.audit.blocks import ORDER, READABLE, Summary, out_of_order
from checkers.audit.contract import finding_json, interval_json, refused_json
from checkers.audit.events import Finding, Severity, Tally
from checkers.audit.fold import count
from checkers.audit.laws import HISTORY_STATEMENTS, STATEMENTS, STUCK
from checkers.audit.lines import Kind, absolute_line
from checkers.audit.nodes import NODE_CHAIN
from checkers.audit.outcomes import Outcomes, sort_key
from checkers.audit.runs import Run
from checkers.results import LawRow, Stats
from checkers.verdict import Verdict, worst


@dataclass(frozen=True, slots=True)
class RunResult:
    """The verdict on one run."""

    run: Run
    verdict: Verdict
    unreadable: bool
    """Whether a line of the channel's own history could not be read: exit code 2."""
    broken: tuple[str, ...]
    """One line that names the broken laws, if there are any."""
    doubts: tuple[str, ...]
    """What else keeps the run from being valid: damage, or something that is missing."""
    laws: tuple[LawRow, ...]
    tally: Tally

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.broken, *self.doubts)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on all runs; findings, refusals and intervals are streams of JSON objects."""

    runs: tuple[RunResult, ...]
    outcomes: Outcomes
    own: tuple[tuple[int, Finding], ...]
    """Findings that only the whole run could show."""

    @property
    def verdict(self) -> Verdict:
        return worst(result.verdict for result in self.runs)

    @property
    def reasons(self) -> list[str]:
        return [reason for result in self.runs for reason in result.reasons]

    @property
    def unreadable(self) -> bool:
        return any(result.unreadable for result in self.runs)

    def laws(self) -> list[LawRow]:
        """Return one row per law: exercised in all runs together, the worst verdict where it was."""
        rows: dict[str, LawRow] = {}
        for result in self.runs:
            for row in result.laws:
                rows[row.law] = row.joined(rows[row.law]) if row.law in rows else row
        return list(rows.values())

    def stats(self) -> Stats:
        """Return the counts of all runs together."""
        total = Tally()
        for result in self.runs:
            total.add(result.tally)
        refused = sum(total.refused.values())
        return Stats(events=total.events, units=total.units, accepted=total.accepted, refused=refused)

    def findings(self) -> Iterator[dict[str, Any]]:
        """Yield every finding as JSON, sorted by path, topic position, law, unit."""
        streams = (iter(self.own), self.outcomes.findings())
        where = _Where([result.run for result in self.runs], self.outcomes)
        for run, finding in heapq.merge(*streams, key=lambda pair: sort_key(*pair)):
            yield finding_json(finding, *where(run, finding))

    def refusals(self) -> Iterator[dict[str, Any]]:
        """Yield every refusal as JSON, sorted by path and topic position."""
        return (refused_json(refused) for _, refused in self.outcomes.refusals())

    def intervals(self) -> Iterator[dict[str, Any]]:
        """Yield every interval as JSON, sorted by path, unit and topic position."""
        return (interval_json(interval) for _, interval in self.outcomes.intervals())


def judge(runs: Sequence[Run], outcomes: Outcomes) -> Judgement:
    """Judge *runs* by what an engine found."""
    own: list[tuple[int, Finding]] = []
    results = []
    for number, run in enumerate(runs):
        tally = outcomes.tallies.get(number, Tally())
        summaries = sorted(outcomes.summaries.get(number, []), key=lambda s: (s.chunk.piece, s.chunk.number))
        found = [
            *_stuck_at_the_end(run, tally),
            *_mistaken_publishers(tally),
            *(finding for _, finding in _cuts(summaries)),
        ]
        for finding in found:
            count(tally, finding)
            if finding.law == STUCK:  # an entry that did not leave its state, though it had the time
                tally.exercised[STUCK] += 1
        own += [(number, finding) for finding in found]
        results.append(_result(run, tally, summaries))
    own.sort(key=lambda pair: sort_key(*pair))
    return Judgement(tuple(results), outcomes, tuple(own))


def _result(run: Run, tally: Tally, summaries: list[Summary]) -> RunResult:
    damage = [*run.doubts, *_disorder(run, tally, summaries)]
    unreadable = False
    for summary in summaries:
        if summary.unreadable is not None:
            line, words = summary.unreadable
            lost = summary.tally.warnings[READABLE]
            place = f"{run.pieces[summary.chunk.piece].path}:{_line(summaries, summary, line)}"
            damage.append(f"{place}: {words}{_others(lost)}")
            unreadable = unreadable or summary.chunk.kind in (Kind.CHANNEL, Kind.ZOOKEEPER)
    if tally.warnings[NODE_CHAIN]:
        damage.append(f"{run.name}: {tally.warnings[NODE_CHAIN]} writes cannot follow on the write before them")
    if run.question.partial:
        damage.append(f"{run.name}: records may be missing (--partial)")
    laws = tuple(_law_row(law, tally, bool(damage), unreadable) for law in _laws_of(run))
    violated = [row.law for row in laws if row.verdict == Verdict.INVALID]
    broken = (f"{run.name}: broken: {', '.join(violated)}",) if violated else ()
    doubts = [*damage, *_absent(run, tally, unreadable)]
    proven = any(row.verdict == Verdict.VALID for row in laws)
    if not proven and not doubts and not violated:
        doubts.append(f"{run.name}: no law was exercised")
    verdict = Verdict.INVALID if violated else Verdict.VALID if proven and not damage else Verdict.UNKNOWN
    return RunResult(run, verdict, unreadable, broken, tuple(doubts), laws, tally)


def _disorder(run: Run, tally: Tally, summaries: list[Summary]) -> Iterator[str]:
    """Yield one line for every piece whose ids repeat or go back, and one for ids that occur in two pieces."""
    found: dict[int, list[tuple[int, str]]] = {}
    numbers: Counter[int] = Counter()
    for summary in summaries:
        numbers[summary.chunk.piece] += summary.tally.warnings[ORDER]
        if summary.disorder is not None:
            line, words = summary.disorder
            found.setdefault(summary.chunk.piece, []).append((_line(summaries, summary, line), words))
    for summary, finding in _cuts(summaries):
        numbers[summary.chunk.piece] += 1
        place = _line(summaries, summary, finding.origin.line), finding.why
        found.setdefault(summary.chunk.piece, []).append(place)
    for piece, places in found.items():
        line, words = min(places)
        yield f"{run.pieces[piece].path}:{line}: {words}{_others(numbers[piece])}"
    if tally.warnings[ORDER] > numbers.total():
        yield f"{run.name}: {tally.warnings[ORDER] - numbers.total()} message ids repeat across files"


def _line(summaries: list[Summary], summary: Summary, line: int) -> int:
    """Return the line within its file of a line of one chunk."""
    return absolute_line(_lines_before(summaries, summary), 0, line)


def _laws_of(run: Run) -> list[str]:
    return list(HISTORY_STATEMENTS if run.question.is_history else STATEMENTS)


def _law_row(law: str, tally: Tally, damaged: bool, unreadable: bool) -> LawRow:
    verdict = Verdict.VALID if tally.exercised[law] and not damaged else Verdict.UNKNOWN
    if tally.violations[law] and not unreadable:
        verdict = Verdict.INVALID
    return LawRow(law, "holds", Verdict.VALID, verdict, tally.exercised[law])


def _absent(run: Run, tally: Tally, unreadable: bool) -> list[str]:
    if run.source is None:
        wanted = "channel*.jsonl[.gz]"
        if run.question.storage == "metadata-store":
            wanted = "zookeeper*.jsonl[.gz] or channel*.jsonl[.gz]"
        hint = "; if zookeeper*.jsonl is its history, say --storage metadata-store" if run.unread_history else ""
        return [f"{run.name}: there is no {wanted}; every law needs it{hint}"]
    if tally.events == 0 and not unreadable:
        pieces = ", ".join(piece.path for piece in run.pieces if piece.kind == run.source)
        return [f"{pieces}: empty: no event of the channel"]
    return []


def _others(number: int) -> str:
    return f" (and {number - 1} more lines of this part)" if number > 1 else ""


def _stuck_at_the_end(run: Run, tally: Tally) -> Iterator[Finding]:
    for entered in tally.in_flight:
        duration = (tally.last_time or 0) - entered.time
        if duration > run.question.in_flight_limit:
            words = f"{entered.finding.proposed} stayed in flight for {duration / 1000:.3f} s, to the end of the dump"
            yield entered.finding._replace(law=STUCK, why=words)


def _mistaken_publishers(tally: Tally) -> Iterator[Finding]:
    known: dict[str, str] = {}
    for evidence in sorted(tally.publishers, key=lambda e: (e.finding.position, e.finding.origin)):
        broker = known.setdefault(evidence.producer, evidence.broker)
        if broker != evidence.broker:
            words = f"{evidence.finding.why}; earlier it published as {broker}"
            yield evidence.finding._replace(why=words, severity=Severity.WARNING)


def _cuts(summaries: list[Summary]) -> Iterator[tuple[Summary, Finding]]:
    """Yield every chunk whose first message does not follow the chunk before it, with the finding about it."""
    previous: Summary | None = None
    for summary in summaries:
        same = previous is not None and previous.chunk.piece == summary.chunk.piece
        if same and previous is not None and previous.last is not None and summary.first is not None:
            if summary.first.position <= previous.last:
                yield summary, out_of_order(summary.first, previous.last)
        if not same or summary.last is not None:
            previous = summary


def _lines_before(summaries: list[Summary], of: Summary) -> list[int]:
    earlier = [s.lines for s in summaries if s.chunk.piece == of.chunk.piece and s.chunk.number < of.chunk.number]
    return [sum(earlier)]


class _Where:
    """Finds file and line of a finding."""

    def __init__(self, runs: list[Run], outcomes: Outcomes) -> None:
        self._runs = runs
        self._before: dict[tuple[int, int, int], int] = {}
        for run, summaries in outcomes.summaries.items():
            ends: dict[int, int] = {}
            for summary in sorted(summaries, key=lambda s: (s.chunk.piece, s.chunk.number)):
                piece = summary.chunk.piece
                self._before[run, piece, summary.chunk.number] = ends.get(piece, 0)
                ends[piece] = ends.get(piece, 0) + summary.lines

    def __call__(self, run: int, finding: Finding) -> tuple[str, int]:
        piece, chunk, line = finding.origin
        return self._runs[run].pieces[piece].path, self._before[run, piece, chunk] + line
