"""The verbs ``audit`` and ``timeline``: paths in, a result out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from checkers.audit.engine import run_engine
from checkers.audit.judge import Judgement, judge
from checkers.audit.runs import Options, find_runs
from checkers.documents import suggestion
from checkers.results import Result, Stats
from checkers.verdict import Misuse, Verdict

OnProgress = Callable[[str], None] | None


def audit(
    paths: Sequence[str], options: Options, engine: str, master: str | None, on_progress: OnProgress = None
) -> tuple[Result, Judgement, str]:
    """Judge recorded runs; return the result, the judgement behind it, and which engine judged."""
    started = time.monotonic()
    runs = find_runs(paths, options)
    outcomes, line = run_engine(runs, engine, master, on_progress)
    judgement = judge(runs, outcomes)
    result = Result(
        verb="audit",
        verdict=judgement.verdict,
        reasons=judgement.reasons,
        stats=_timed(judgement.stats(), started),
        laws=judgement.laws(),
        findings=judgement.findings(),
        refusals=judgement.refusals(),
        more={"runs": [_run_json(judgement, number) for number in range(len(runs))]},
        unreadable=judgement.unreadable,
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
    Tell who owned every unit (or one) when.

    The verdict is about the dump, not about the laws: valid if all of it could be read in order.
    """
    started = time.monotonic()
    runs = find_runs([path], options)
    outcomes, line = run_engine(runs, engine, master, on_progress)
    judgement = judge(runs, outcomes)
    names = [name for tally in outcomes.tallies.values() for name in tally.names]
    if unit is not None and unit not in names and names:
        raise Misuse(f"no such unit in {path}: {unit}; {suggestion(unit, names)}")
    doubts = [doubt for result in judgement.runs for doubt in result.doubts]
    events = judgement.stats().events
    more: dict[str, Any] = {"intervals": judgement.intervals()}
    if at is not None:
        owners = {name: owner for tally in outcomes.tallies.values() for name, owner in tally.owners.items()}
        more["owners"] = {name: owner for name, owner in sorted(owners.items()) if unit in (None, name)}
    result = Result(
        verb="timeline",
        verdict=Verdict.UNKNOWN if doubts or not events else Verdict.VALID,
        reasons=doubts,
        stats=_timed(judgement.stats(), started),
        more=more,
        unreadable=judgement.unreadable,
    )
    return result, judgement, line


def _timed(stats: Stats, started: float) -> Stats:
    return Stats(
        events=stats.events,
        units=stats.units,
        accepted=stats.accepted,
        refused=stats.refused,
        seconds=time.monotonic() - started,
    )


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
        "reasons": list(result.reasons),
    }
