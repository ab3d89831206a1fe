"""
Counts and findings give a verdict: one per run, and one for all.

A run is valid if at least one law was exercised and all that were hold. A missing channel and damage (unreadable lines,
ids out of order, ``--partial``, a broken or empty file) cap it at unknown; unreadable lines of the channel itself do so
whatever the findings, because a lost record can fake a gap.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from oneowner.checkers.recordings.fold.channel_laws import GIVEN_BACK_BY_FORCE, STUCK, is_stuck, laws_of
from oneowner.checkers.recordings.fold.channel_read import line_in_file, unreadable_in
from oneowner.checkers.recordings.fold.chunk_reader import ORDER, Summary, out_of_order
from oneowner.checkers.recordings.fold.fold import count
from oneowner.checkers.recordings.fold.notes import NODE_CHAIN
from oneowner.checkers.recordings.fold.outcomes import Outcomes, excused, sort_key
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.fold.time_range import DAMAGE
from oneowner.checkers.recordings.judge.judgement import Judgement, RunResult
from oneowner.checkers.recordings.judge.missing_input import absent, lack_of
from oneowner.checkers.recordings.judge.unread_files import unread
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.read.chroots import shown
from oneowner.checkers.recordings.read.events import Finding, Publisher, Tally
from oneowner.checkers.recordings.read.lines import EMPTY, FileKind
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.read.rotated_logs import log_of
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.results import LawRow
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import Severity


def judge(
    runs: Sequence[Run],
    outcomes: Outcomes,
    evidence: Mapping[int, Evidence] | None = None,
    executor: Executor = in_turn,
) -> Judgement:
    """Judge *runs*, by number, by an engine's findings and by their *evidence*; *executor* may read again."""
    own: list[tuple[int, Finding]] = []
    results = []
    for number, run in enumerate(runs):
        tally = outcomes.tallies.get(number, Tally())
        summaries = sorted(outcomes.summaries.get(number, []), key=lambda s: (s.chunk.piece, s.chunk.number))
        beside = (evidence or {}).get(number, Evidence())
        found = [finding for _, finding in _cuts(summaries)]
        if beside.migration:
            _forget(tally)
        else:
            at_the_end = _stuck_at_the_end(run, tally, max(tally.last_time or 0, beside.attested or 0))
            found += [excused(one, beside.background.excuses) for one in at_the_end]
            found += mistaken_publishers(tally.publishers)
        found += [one for one in beside.findings if _kept(run, _ended(one, beside.end), tally) is not None]
        said = [kept for one in found if (kept := _kept(run, one, tally)) is not None]
        for finding in said:
            count(tally, finding)
            if finding.law in (STUCK.name, GIVEN_BACK_BY_FORCE.name):  # an occasion that the fold does not count
                tally.exercised[finding.law] += 1
        own += [(number, finding) for finding in said]
        results.append(_result(run, tally, summaries, beside))
    own.sort(key=lambda pair: sort_key(*pair))
    moved = frozenset(number for number, beside in (evidence or {}).items() if beside.migration)
    return Judgement(tuple(results), outcomes, tuple(own), executor=executor, moved=moved)


def _forget(tally: Tally) -> None:
    """Remove the findings of single-channel laws on a migration; damage of the files stays."""
    for counted in (tally.violations, tally.warnings):
        for law in {*counted} - DAMAGE:
            del counted[law]
    tally.waived.clear()
    tally.unsure = 0


def _result(run: Run, tally: Tally, summaries: list[Summary], beside: Evidence) -> RunResult:
    damage = [*run.doubts, *_disorder(run, tally, summaries)]
    unreadable = False
    for summary in summaries:
        if words := unreadable_in(run, summaries, summary):
            damage.append(words)
            unreadable = unreadable or summary.chunk.kind in (FileKind.CHANNEL, FileKind.ZOOKEEPER)
    if tally.warnings[NODE_CHAIN]:
        damage.append(f"{run.name}: {tally.warnings[NODE_CHAIN]} writes cannot follow on the write before them")
    if run.question.partial:
        damage.append(f"{run.name}: records may be missing (--partial)")
    is_by_locks = beside.held is not None
    asked = () if is_by_locks else laws_of(run.question.is_history)
    of_channel = tuple(_law_row(law.name, tally, bool(damage), unreadable) for law in asked)
    if beside.migration:
        of_channel = tuple(
            replace(row, verdict=Verdict.UNKNOWN, exercised=0, reason=beside.migration) for row in of_channel
        )
    damage += _empty(run, tally, summaries, unreadable)
    if tally.unsure:
        damage.append(f"{run.name}: {tally.unsure} findings are about first records of a dump that begins too late")
    damage += [words for words in beside.doubts if words not in damage]
    laws = (*of_channel, *(_evidence_row(row, tally) for row in beside.rows))
    violated = [row.law for row in laws if row.verdict == Verdict.INVALID]
    broken = (f"{run.name}: broken: {', '.join(violated)}",) if violated else ()
    doubts = [*_outside(run, tally, beside), *damage, *([] if is_by_locks else absent(run, beside))]
    proven = any(row.verdict == Verdict.VALID for row in laws)
    unproven = () if proven or doubts or violated else (f"{run.name}: no law was exercised",)
    verdict = Verdict.INVALID if violated else Verdict.VALID if proven and not doubts else Verdict.UNKNOWN
    if unreadable:  # whatever the findings: a lost record can fake a gap
        verdict = Verdict.UNKNOWN
    return RunResult(
        run, verdict, unreadable, broken, tuple(doubts), laws, tally, coverage=beside.coverage,
        producers=beside.producers, reports=beside.reports, remarks=tuple(_remarks(run, tally, beside)),
        lack=lack_of(run, laws, doubts, beside) if verdict == Verdict.UNKNOWN and not unreadable else (),
        unproven=unproven, held=beside.held or (), background=beside.background,
        explained=beside.explained,
    )  # fmt: skip


def _ended(finding: Finding, end: int | None) -> Finding:
    """Close a window that is open at the end of the run there: later times are unknown."""
    if finding.window is None or end is None or finding.window.possible_until < END:
        return finding
    return finding._replace(window=finding.window._replace(possible_until=end))


def _kept(run: Run, finding: Finding, tally: Tally) -> Finding | None:
    """Return the reported form of a finding of the whole run; one that is stuck lasted to its end."""
    return run.question.scope.kept(finding, tally.last_time if finding.law == STUCK.name else None)


def _remarks(run: Run, tally: Tally, beside: Evidence) -> Iterator[str]:
    """Yield the other notes on the verdict: the waivers, and the time range."""
    if note := run.manifest.judged_by.note:
        yield f"{run.name}: {note}"
    for (law, waived), number in sorted(tally.waived.items()):
        yield f"{run.name}: waived until {waived.expires}: {number} of {law}: {waived.reason}"
    told = {log.broker for log in beside.coverage} - {""}
    for log, broker in sorted(run.manifest.logs.items()) if told else ():
        if broker not in told:
            yield f"{run.name}: the manifest names {log} as the log of {broker}, and no line of it is here"
    yield from unread(run)
    for one in beside.coverage:
        yield from (f"{one.path}: {note}" for note in one.notes)
    if all(one.unread for one in beside.coverage):  # else a log of another program, such as ZooKeeper's, is no loss
        for one in beside.coverage:
            if not any(one.unread in doubt for doubt in beside.doubts):
                yield f"{one.path}: not read: {one.unread}"
    if run.chroot.others and run.chroot.own is not None:
        names = ", ".join(shown(root) for root in run.chroot.others)
        yield f"{run.name}: its ZooKeeper history has nodes of other clusters, too, which are left out: below {names}"
    if not run.question.scope.is_all_time:
        yield f"{run.name}: judged {run.question.scope.range_in_words} alone, though read from its start"
        if beside.doubts:
            yield f"{run.name}: why it is unknown is of all that was read up to there, and of damage anywhere"


def _outside(run: Run, tally: Tally, beside: Evidence) -> Iterator[str]:
    """Return the reason for an empty time range: all other unknowns concern other times."""
    scope = run.question.scope
    ends = [time for time in (tally.last_time, beside.end) if time is not None]
    if scope.since is not None and ends and max(ends) < scope.since:
        yield f"{run.name}: nothing of it lies in the time range: it ends at {iso(max(ends))}"
    if scope.until is not None and beside.start is not None and scope.until < beside.start:
        yield f"{run.name}: nothing of it lies in the time range: it begins at {iso(beside.start)}"


def _disorder(run: Run, tally: Tally, summaries: list[Summary]) -> Iterator[str]:
    """Yield one line for every piece whose ids repeat or go back, and one for ids that occur in two pieces."""
    found: dict[int, list[tuple[int, str]]] = {}
    numbers: Counter[int] = Counter()
    for summary in summaries:
        numbers[summary.chunk.piece] += summary.tally.warnings[ORDER]
        if summary.disorder is not None:
            line, words = summary.disorder
            found.setdefault(summary.chunk.piece, []).append((line_in_file(summaries, summary, line), words))
    for summary, finding in _cuts(summaries):
        numbers[summary.chunk.piece] += 1
        place = line_in_file(summaries, summary, finding.origin.line), finding.why
        found.setdefault(summary.chunk.piece, []).append(place)
    for piece, places in found.items():
        line, words = min(places)
        yield f"{run.pieces[piece].path}:{line}: {words}{_others(numbers[piece])}"
    if tally.warnings[ORDER] > numbers.total():
        files = ", ".join(piece.path for piece in run.pieces if piece.kind == run.source)
        repeated = tally.warnings[ORDER] - numbers.total()
        yield f"{run.name}: {repeated} message ids repeat across files, of which one may be a copy: {files}"


def _law_row(law: str, tally: Tally, damaged: bool, unreadable: bool) -> LawRow:
    verdict = Verdict.VALID if tally.exercised[law] and not damaged else Verdict.UNKNOWN
    if tally.violations[law] and not unreadable:
        verdict = Verdict.INVALID
    return LawRow(law, "holds", Verdict.VALID, verdict, tally.exercised[law])


def _evidence_row(row: LawRow, tally: Tally) -> LawRow:
    """Return the row of a law of evidence: not broken if all its violations are waived, or outside the range."""
    if row.verdict != Verdict.INVALID:
        return row
    if tally.violations[row.law]:  # which had its occasion in the range, if it did not end there
        return replace(row, exercised=max(row.exercised, 1))
    return replace(row, verdict=Verdict.VALID if row.exercised and not row.reason else Verdict.UNKNOWN)


def _empty(run: Run, tally: Tally, summaries: Sequence[Summary], unreadable: bool) -> Iterator[str]:
    """Name the empty inputs; a piece of a log that was just rotated may be empty."""
    filled = {summary.chunk.piece for summary in summaries if not summary.is_blank}
    pieces = list(enumerate(run.pieces))
    logs = {log_of(piece.path) for index, piece in pieces if index in filled}
    for index, piece in pieces:
        if index not in filled and not (piece.kind == FileKind.LOG and log_of(piece.path) in logs):
            yield f"{piece.path}: {EMPTY}"
    judged = [piece.path for index, piece in pieces if piece.kind == run.source and index in filled]
    if judged and tally.events == 0 and not unreadable:
        yield f"{', '.join(judged)}: empty: no event of the channel"


def _others(number: int) -> str:
    return f" (and {number - 1} more lines of this part)" if number > 1 else ""


def _stuck_at_the_end(run: Run, tally: Tally, last: int) -> Iterator[Finding]:
    """Yield the units in flight at the end that exceed the limit by *last*: until then the channel is known."""
    for entered in tally.in_flight:
        if is_stuck(entered.time, last, run.question.in_flight_limit):
            duration = last - entered.time
            words = f"{entered.finding.proposed} stayed in flight for {duration / 1000:.3f} s, to the end of the dump"
            yield entered.finding._replace(law=STUCK.name, why=words)


def mistaken_publishers(publishers: Iterable[Publisher]) -> Iterator[Finding]:
    """Yield a warning for each producer that publishes as another broker than the one that its first record names."""
    known: dict[str, str] = {}
    for evidence in sorted(publishers, key=lambda e: (e.finding.position, e.finding.origin)):
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
