"""The verbs ``audit`` and ``timeline`` turn paths into a result."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from oneowner.checkers.recordings.fold.audit_engine import run_engine, spreading
from oneowner.checkers.recordings.fold.channel_laws import STUCK
from oneowner.checkers.recordings.fold.channel_read import ChannelRead
from oneowner.checkers.recordings.fold.gc_pause import gc_disabled
from oneowner.checkers.recordings.fold.outcomes import Outcomes
from oneowner.checkers.recordings.fold.runs import Options, Run, find_runs
from oneowner.checkers.recordings.judge import lone_dump
from oneowner.checkers.recordings.judge.evidence_in_range import narrowed
from oneowner.checkers.recordings.judge.finding_json import coverage_json
from oneowner.checkers.recordings.judge.judgement import Judgement, anonymous
from oneowner.checkers.recordings.judge.logged_fold import fold_logged
from oneowner.checkers.recordings.judge.model_laws import ALWAYS, not_explained, with_model_laws
from oneowner.checkers.recordings.judge.named_units import no_such_unit
from oneowner.checkers.recordings.judge.page_data import page_of
from oneowner.checkers.recordings.judge.run_verdict import judge
from oneowner.checkers.recordings.laws.channel_links import LINKS
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene, with_links
from oneowner.checkers.recordings.read.events import Finding, Tally
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import Part, Result, Stats, Stream
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict

OnProgress = Callable[[str], None] | None


def audit(
    paths: Sequence[str],
    options: Options,
    engine: str,
    master: str | None,
    on_progress: OnProgress = None,
    on_scene: Callable[[Scene, Evidence], None] | None = None,
    beside: bool = True,
) -> tuple[Result, Judgement, str]:
    """
    Judge recorded runs; return the result, the judgement behind it, and the engine.

    *on_scene* receives the observations beside each channel and their verdict; without *beside* the channel is judged
    alone.
    """
    started = time.monotonic()
    runs = find_runs(paths, options)
    outcomes, line = run_engine(runs, engine, master, on_progress, with_evidence=not beside)
    executor = spreading(runs, engine, master)
    evidence = evidence_of_runs(runs, options, outcomes, executor, on_progress, on_scene, executor) if beside else {}
    if any(one.clocks for one in evidence.values()):
        runs = [run.with_clocks(evidence[number].clocks) for number, run in enumerate(runs)]
        outcomes, line = run_engine(runs, engine, master, on_progress, with_evidence=False)
        evidence = evidence_of_runs(runs, options, outcomes, executor, on_progress, on_scene, executor)
    judgement = judge(runs, outcomes, evidence, executor)
    used = {waived.number for one in judgement.runs for _, waived in one.tally.waived}
    broken = {law for one in judgement.runs for law, number in one.tally.violations.items() if number}
    is_part = any(not run.question.scope.is_all_time for run in runs)
    if options.salt is not None:
        judgement = anonymous(judgement, options.salt, options.waivers)
    result = Result(
        verb="audit",
        verdict=judgement.verdict,
        reasons=[*judgement.reasons, *map(judgement.show, options.waivers.remarks(used, broken, is_part))],
        stats=_timed(judgement.stats(), started),
        laws=judgement.laws(),
        findings=Stream(judgement.findings),
        refusals=Stream(judgement.refusals),
        more={
            "incidents": list(judgement.incidents()),
            "runs": [_run_json(judgement, number) for number in range(len(runs))],
        },
        unreadable=judgement.unreadable,
        parts=tuple(Part(one.run.name, one.verdict, one.reasons, one.laws) for one in judgement.runs),
        found=Stream(judgement.found),
        page=page_of(judgement, runs, evidence),
    )
    return result, judgement, line


def timeline(
    path: str,
    unit: str | None,
    at: int | None,
    options: Options,
    engine: str,
    master: str | None,
    on_progress: OnProgress = None,
) -> tuple[Result, Judgement, str]:
    """
    Report the owners of every unit (or one) over time.

    The verdict is about the dump, not about the laws: valid if all of it could be read in order.
    """
    started = time.monotonic()
    runs = find_runs([path], options)
    is_read_beside = runs[0].source is None  # then locks may show them
    outcomes, line = run_engine(runs, engine, master, on_progress, with_evidence=not is_read_beside)
    executor = spreading(runs, engine, master)
    beside = evidence_of_runs(runs, options, outcomes, executor, on_progress) if is_read_beside else {}
    judgement = judge(runs, outcomes, beside, executor)
    held = [interval for result in judgement.runs for interval in result.held]
    if options.salt is not None:
        judgement = anonymous(judgement, options.salt, options.waivers)
    names = [name for tally in outcomes.tallies.values() for name in tally.names] + [one.unit for one in held]
    if unit is not None and unit not in names and names:
        raise no_such_unit(path, unit, names)
    doubts = [doubt for result in judgement.runs for doubt in result.doubts]
    events = judgement.stats().events or len(held)
    remarks = [remark for result in judgement.runs for remark in result.remarks]
    more: dict[str, Any] = {"intervals": Stream(judgement.intervals)}
    if at is not None:
        owners = {name: owner for tally in outcomes.tallies.values() for name, owner in tally.owners.items()}
        owners |= dict.fromkeys((one.unit for one in held), None)
        owners |= {
            one.unit: one.broker for one in held if one.since.time <= at and (one.until is None or one.until.time > at)
        }
        asked = {name: owner for name, owner in sorted(owners.items()) if unit in (None, name)}
        more["owners"] = judgement.show(asked)
        doubts += _before(at, judgement)
        remarks += _after(at, judgement)
    result = Result(
        verb="timeline",
        verdict=Verdict.UNKNOWN if doubts or not events else Verdict.VALID,
        reasons=[*doubts, *remarks],
        stats=_timed(judgement.stats(), started),
        more=more,
        unreadable=judgement.unreadable,
        page=page_of(judgement, runs),
    )
    return result, judgement, line


def _before(at: int, judgement: Judgement) -> Iterator[str]:
    """Yield the reason that a dump shows no owners at a moment before its first record."""
    first = min((interval["from"]["time"] for interval in judgement.intervals()), default=at)
    if at < first:
        yield f"{iso(at)} is before the first record of the dump, {iso(first)}: it does not tell who owned what then"


def _after(at: int, judgement: Judgement) -> Iterator[str]:
    """Yield the caveats on owners at a moment after the last record."""
    last = max((tally.last_time or at for tally in judgement.outcomes.tallies.values()), default=at)
    if at > last:
        yield f"{iso(at)} is after the last record of the dump, {iso(last)}: who owned what when it ends"


def evidence_of_runs(
    runs: Sequence[Run],
    options: Options,
    outcomes: Outcomes,
    executor: Executor,
    on_progress: OnProgress = None,
    on_scene: Callable[[Scene, Evidence], None] | None = None,
    judge_by: Executor = in_turn,
) -> dict[int, Evidence]:
    """
    Judge the recordings beside the channel of each run; of a dump alone, check that it can be complete.

    *executor* reads the logs, and *judge_by* judges them. A run with clocks that are to be corrected is not reported to
    *on_scene*: it is to be read and judged again.
    """
    found: dict[int, Evidence] = {}
    for number, run in enumerate(runs):
        if run.is_alone and on_scene is None:  # a scene would hold all of a dump in memory
            clocks = lone_dump.clocks_of(run, outcomes.tallies.get(number, Tally()))
            if not run.question.partial:
                evidence = lone_dump.evidence_of(run, outcomes.summaries.get(number, ()))
                if options.explain == ALWAYS:
                    evidence = not_explained(run, evidence, "a dump alone does not show which brokers were registered")
                found[number] = evidence._replace(clocks=clocks)
            elif clocks is not None or run.clocks.found:
                found[number] = Evidence(findings=run.clocks.found, doubts=run.clocks.doubts, clocks=clocks)
            continue
        if on_progress is not None:
            on_progress(f"{run.name}: logs, lookups and ZooKeeper history")
        with gc_disabled():
            channel = None if run.is_alone else ChannelRead(outcomes.blocks(number), outcomes.chunks(number))
            scene, coverage = gather(run, options, executor, judge_by is not in_turn, channel)
            outcomes.note_evidence(number, scene.chunks, scene.unreadable)
            if scene.logged is not None and not scene.migration:
                outcomes.add(number, *fold_logged(run.question, scene.logged, scene.storage))
            evidence = narrowed(scene, judge_scene(scene, coverage, executor=judge_by), run.question.scope)
            found[number] = evidence
            if not scene.migration:
                evidence = with_links(scene, evidence, _of_channel(number, outcomes))
                if evidence.clocks is None:
                    chunks = outcomes.chunks(number)
                    mode = options.explain
                    evidence = with_model_laws(run, scene, chunks, evidence, mode, judge_by, on_progress)
                found[number] = evidence
                outcomes.excuse(number, found[number].background.excuses)
        if on_scene is not None and found[number].clocks is None:
            on_scene(scene, found[number])
    return found


def _of_channel(number: int, outcomes: Outcomes) -> Iterator[Finding]:
    """Yield the fold's findings in one run, including records that stay in flight when the dump ends."""
    tally = outcomes.tallies.get(number)
    if tally is None:
        return
    if any(tally.violations[law] or tally.warnings[law] or tally.waived for law in LINKS):
        yield from (finding for run, finding in outcomes.findings() if run == number)
    if tally.in_flight:
        yield from (entered.finding._replace(law=STUCK.name) for entered in tally.in_flight)


def _timed(stats: Stats, started: float) -> Stats:
    return Stats(
        events=stats.events,
        units=stats.units,
        accepted=stats.accepted,
        refused=stats.refused,
        seconds=time.monotonic() - started,
    )


def _waived_json(tally: Tally) -> dict[str, int]:
    counted: dict[str, int] = {}
    for (law, _), number in sorted(tally.waived.items()):
        counted[law] = counted.get(law, 0) + number
    return counted


def _run_json(judgement: Judgement, number: int) -> dict[str, Any]:
    result = judgement.runs[number]
    tally = result.tally
    return {
        "run": result.run.name,
        "verdict": result.verdict.value,
        "source": result.run.source.value if result.run.source else None,
        "storage": result.run.question.storage.value,
        "events": tally.events,
        "units": tally.units,
        "accepted": tally.accepted,
        "refused": dict(sorted(tally.refused.items())),
        "violations": dict(sorted(tally.violations.items())),
        **({"waived": _waived_json(tally)} if tally.waived else {}),
        "reasons": list(result.reasons),
        "reports": dict(result.reports),
        "files": [{"file": judgement.show(path), "as": words} for path, words in result.run.recognised],
        "logs": [coverage_json(coverage) for coverage in result.coverage],
        **({"explained": result.explained} if result.explained else {}),
    }
