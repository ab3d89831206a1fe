"""``oneowner replay DIR``: is the recording of a real cluster a run of the model?"""

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, RunVerdict, UnitVerdict, judge
from oneowner.checkers.recordings.explain.lock_runs import LockRun, explain_lock_run, is_of_locks
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.report import text
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import UnreadableInput, Verdict

LAW = "run-of-the-model"
"""The law that every recorded unit must satisfy."""

NAMED = 3
"""Unexplained units for which the command is printed that explains one."""

VERDICTS = {
    Acceptance.ACCEPTED: Verdict.VALID,
    Acceptance.REFUSED: Verdict.INVALID,
    Acceptance.UNKNOWN: Verdict.UNKNOWN,
}


def replay_recording(out: Console, on_progress: Callable[[str], None] | None, path: Path) -> Result:
    """
    Replay the recorded run in the folder *path* by the rules of its release; print and return the result.

    An unreadable line makes the whole run unknown: the lost record could explain the others.
    """
    started = time.monotonic()
    try:
        if is_of_locks(path):
            return replay_locks(out, explain_lock_run(path, on_progress), started)
        recording = read_recording(path)
    except UnreadableInput as error:
        return Result(verb="replay", verdict=Verdict.UNKNOWN, reasons=[str(error)], unreadable=True)
    if note := recording.judged_by.note:
        out.print(note)
    run = judge(recording, on_unit=on_progress)
    amiss = [unit for unit in run.units if unit.answer != Acceptance.ACCEPTED]
    owing = [unit for unit in run.units if unit.owing]
    made = text.table("run", "verdict", "units>", "observed>", "inferred>", "states at once>")
    widest = max((unit.widest for unit in run.units), default=0)
    verdict = VERDICTS[run.answer]
    counts = len(run.units), run.replayed, run.inferred, widest
    made.add_row(run.recording.name, text.styled(verdict), *(f"{number:,}" for number in counts))
    out.print(made)
    out.print(f"by the rules of {recording.judged_by.name}", style="dim")
    for unit in owing:
        brokers = ", ".join(map(str, unit.owing))
        out.print(f"{unit.group.name}: at the end broker {brokers} owes a record that was not recorded", style="dim")
    for unit in amiss[:NAMED]:
        out.print(f"look: oneowner explain {shlex.quote(str(path))} --unit {unit.group.keys[0]} --trail")
    return Result(
        verb="replay",
        verdict=verdict,
        reasons=[*recording.doubts, *(f"{unit.group.name}, {unit.place}: {unit.why}" for unit in amiss)],
        stats=Stats(
            events=run.replayed,
            units=len(run.units),
            transitions=run.replayed + run.inferred,
            states=widest,
            seconds=time.monotonic() - started,
        ),
        findings=[finding(run, unit) for unit in amiss],
    )


def replay_locks(out: Console, run: LockRun, started: float) -> Result:
    """Print and return the result of a run whose bundles are owned by locks."""
    verdict, amiss = VERDICTS[run.answer], [one for one in run.locks if one.answer != Acceptance.ACCEPTED]
    replayed, inferred = sum(one.observed for one in run.locks), sum(one.inferred for one in run.locks)
    if run.judged_by.note:
        out.print(run.judged_by.note)
    made = text.table("run", "verdict", "locks>", "observed>", "inferred>")
    made.add_row(run.name, text.styled(verdict), *(f"{number:,}" for number in (len(run.locks), replayed, inferred)))
    out.print(made)
    out.print(f"by the rules of locks of {run.judged_by.name}", style="dim")
    return Result(
        verb="replay",
        verdict=verdict,
        reasons=[*run.doubts, *(f"{one.unit}, {one.place}: {one.why}" for one in amiss)],
        stats=Stats(
            events=replayed, units=len(run.locks), transitions=replayed + inferred, seconds=time.monotonic() - started
        ),
        findings=[unexplained(run.name, one.unit, one.answer, one.place, one.why) for one in amiss],
    )


def finding(run: RunVerdict, unit: UnitVerdict) -> dict[str, Any]:
    """Return the finding for an unexplained unit, with the keys of ``result.schema.json``."""
    return unexplained(run.recording.name, unit.group.keys[0], unit.answer, unit.place, unit.why)


def unexplained(run: str, unit: str, answer: Acceptance, place: str, why: str) -> dict[str, Any]:
    """Return the finding that a unit, or its lock, is unexplained."""
    return {
        "law": LAW,
        "severity": "violation" if answer == Acceptance.REFUSED else "warning",
        "unit": unit,
        "at": {"file": run, "line": 1, "messageId": place or None, "time": None},
        "brokers": [],
        "why": why,
        "held": None,
        "proposed": None,
        "guard": LAW,
        "repair": "",
    }
