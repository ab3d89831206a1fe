"""A judgement holds the verdict on recorded runs and streams their findings, refusals and intervals."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from oneowner.checkers.recordings.fold.outcomes import Outcomes, sort_key
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.fold.time_range import DAMAGE
from oneowner.checkers.recordings.fold.waivers import NONE, Waivers
from oneowner.checkers.recordings.judge.agreeing_laws import joined
from oneowner.checkers.recordings.judge.anonymise import Pseudonyms
from oneowner.checkers.recordings.judge.finding_json import (
    finding_json,
    incident_json,
    interval_json,
    refused_json,
    shortened,
)
from oneowner.checkers.recordings.judge.incidents import Numbered, incidents
from oneowner.checkers.recordings.judge.known_bugs import KnownBugs
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.read.events import Finding, Interval, Origin, Tally
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.results import LawRow, Stats
from oneowner.checkers.verdict import Verdict, worst


@dataclass(frozen=True, slots=True)
class RunResult:
    """The verdict on one run."""

    run: Run
    verdict: Verdict
    unreadable: bool
    """True if a line of the channel's own history could not be read: exit code 2."""
    broken: tuple[str, ...]
    """One line that names the broken laws, if there are any."""
    doubts: tuple[str, ...]
    """The other reasons why the run is not valid: damage, or missing input."""
    laws: tuple[LawRow, ...]
    tally: Tally
    coverage: tuple[Coverage, ...] = ()
    """The coverage of every log."""
    producers: frozenset[str] = frozenset()
    """Producers that logs name."""
    reports: tuple[tuple[str, int], ...] = ()
    """The reports, which only warn and note, with the number of occasions of each."""
    remarks: tuple[str, ...] = ()
    """Notes for reading the verdict."""
    lack: tuple[str, ...] = ()
    """The result of a run that is unknown for want of input, in words, the longest first."""
    unproven: tuple[str, ...] = ()
    """One line if nothing is wrong with the run, and no law was exercised."""
    explained: Mapping[str, Any] | None = None
    """The part that the model explains, and what it exercises."""
    held: tuple[Interval, ...] = ()
    """The holders of the locks of bundles, by time, if there is no channel."""
    background: Background = Background()
    """The background of its findings."""

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.broken, *self.doubts, *self.unproven, *self.remarks)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on all runs; findings, refusals and intervals are streams of JSON objects."""

    runs: tuple[RunResult, ...]
    outcomes: Outcomes
    own: tuple[tuple[int, Finding], ...]
    """Findings that only the whole run could show."""
    names: Pseudonyms | None = None
    """The display of names, if they are replaced."""
    executor: Executor = in_turn
    """The executor that may read the files again."""
    moved: frozenset[int] = frozenset()
    """Runs in which the channel moved to another storage: the fold's findings on it as one channel are not reported."""

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
        """Return one row per law: the occasions of all runs together, and the worst verdict among them."""
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

    def show(self, value: Any) -> Any:
        """Return a JSON value for display; all outputs show names through it."""
        return value if self.names is None else self.names.show(value)

    def found(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every finding as JSON with the number of its run, sorted by path, topic position, law, unit."""
        where, known = self.where(), self._known_bugs()
        for run, finding in self.all_found():
            yield run, shortened(self.show(finding_json(finding, partial(where, run), known[run])))

    def _known_bugs(self) -> list[KnownBugs]:
        """Return the known bugs of each run."""
        return [
            KnownBugs(
                one.run.question.storage.value,
                one.run.manifest.release,
                one.background,
                [finding for run, finding in self.own if run == number],
            )
            for number, one in enumerate(self.runs)
        ]

    def where(self) -> _Where:
        return _Where([result.run for result in self.runs], self.outcomes)

    def all_found(self) -> Iterator[tuple[int, Finding]]:
        """Yield every finding with the number of its run, in order."""
        by_fold = (pair for pair in self.outcomes.findings() if pair[0] not in self.moved or pair[1].law in DAMAGE)
        streams = (iter(self.own), by_fold)
        return joined(heapq.merge(*streams, key=lambda pair: sort_key(*pair)))

    def incidents(self) -> Iterator[dict[str, Any]]:
        """Yield the incidents as JSON, by run, the worst of each first."""
        numbered = ((run, Numbered(number, one)) for number, (run, one) in enumerate(self.all_found()))
        by_run, where, known = groupby(numbered, key=itemgetter(0)), self.where(), self._known_bugs()
        following = next(by_run, None)
        for number, result in enumerate(self.runs):
            found: Iterator[Numbered] = iter(())
            if following is not None and following[0] == number:
                found = map(itemgetter(1), following[1])
            made = incidents(found, result.background)
            if following is not None and following[0] == number:
                following = next(by_run, None)
            for one in made:
                if one.found or result.run.question.scope.touches(one.since or 0, one.until):
                    yield self.show(incident_json(number, one, partial(where, number), known[number]))

    def findings(self) -> Iterator[dict[str, Any]]:
        return (finding for _, finding in self.found())

    def refused(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every refusal as JSON with the number of its run, sorted by path and topic position."""
        return ((run, self.show(refused_json(refused))) for run, refused in self.outcomes.refusals())

    def refusals(self) -> Iterator[dict[str, Any]]:
        return (refusal for _, refusal in self.refused())

    def lasted(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every interval as JSON with the number of its run, sorted by path, unit and topic position."""
        for run, some in self.outcomes.intervals():
            yield from ((run, self.show(interval_json(interval))) for interval in some.rows())
        for run, result in enumerate(self.runs):  # a run has a channel or locks
            yield from ((run, self.show(interval_json(interval))) for interval in result.held)

    def intervals(self) -> Iterator[dict[str, Any]]:
        return (interval for _, interval in self.lasted())


class _Where:
    """Finds the file and line of an origin."""

    def __init__(self, runs: list[Run], outcomes: Outcomes) -> None:
        self._runs = runs
        self._before = outcomes.lines_before()

    def __call__(self, run: int, origin: Origin) -> tuple[str, int]:
        piece, chunk, line = origin
        return self._runs[run].pieces[piece].path, self._before[run, piece, chunk] + line


def anonymous(judgement: Judgement, salt: str, waivers: Waivers = NONE) -> Judgement:
    """Return the judgement with pseudonyms for all names, in all its outputs."""
    names = Pseudonyms(salt)
    for result in judgement.runs:
        manifest, tally = result.run.manifest, result.tally
        brokers = {*tally.brokers, *manifest.logs.values(), *manifest.ports, *(log.broker for log in result.coverage)}
        names.learn_brokers(brokers)
        names.learn_producers({*tally.producers, *result.producers})
        names.learn_units(tally.names)
        names.learn_files((piece.path for piece in result.run.pieces), manifest.logs)
        chroot = result.run.chroot
        names.learn_chroots(root for root in (chroot.own, manifest.chroot, *chroot.others) if root)
    for _, finding in judgement.own:  # evidence has units and brokers that are not in the channel
        names.learn_brokers(finding.brokers)
        names.learn_units([finding.unit] if finding.unit else ())
    names.learn_files([waivers.path] if waivers.path else ())
    names.learn_units(waiver.unit for waiver in waivers.listed if "/" in waiver.unit)
    return replace(judgement, names=names, runs=tuple(_shown(result, names) for result in judgement.runs))


def _shown(result: RunResult, names: Pseudonyms) -> RunResult:
    def texts(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.text(text) for text in words)

    return replace(
        result,
        run=replace(result.run, name=names.text(result.run.name)),
        broken=texts(result.broken),
        doubts=texts(result.doubts),
        remarks=texts(result.remarks),
        unproven=texts(result.unproven),
        lack=texts(result.lack),
        laws=tuple(replace(row, reason=names.text(row.reason)) for row in result.laws),
        coverage=tuple(
            replace(
                log,
                path=names.text(log.path),
                broker=names.text(log.broker),
                unread=names.text(log.unread),
                notes=[*map(names.text, log.notes)],
            )
            for log in result.coverage
        ),
    )
