"""A recording as ``oneowner replay DIR`` tells it: is what a real cluster did a run of the model?"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, RunVerdict, UnitVerdict, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.report import text
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import UnreadableInput, Verdict

LAW = "run-of-the-model"
"""What every recorded unit should be."""

VERDICTS = {
    Acceptance.ACCEPTED: Verdict.VALID,
    Acceptance.REFUSED: Verdict.INVALID,
    Acceptance.UNKNOWN: Verdict.UNKNOWN,
}


def replay_recording(out: Console, on_progress: Callable[[str], None] | None, path: Path) -> Result:
    """
    Replay the recorded run in the folder *path* by the rules of its release; print what came of it and return it.

    A line that cannot be read leaves the whole run unknown: the record that is lost could explain the others.
    """
    started = time.monotonic()
    try:
        recording = read_recording(path)
    except UnreadableInput as error:
        return Result(verb="replay", verdict=Verdict.UNKNOWN, reasons=[str(error)], unreadable=True)
    run = judge(recording, on_unit=on_progress)
    amiss = [unit for unit in run.units if unit.answer != Acceptance.ACCEPTED]
    owing = [unit for unit in run.units if unit.owing]
    made = text.table("run", "verdict", "units>", "observed>", "inferred>", "states at once>")
    widest = max((unit.widest for unit in run.units), default=0)
    verdict = VERDICTS[run.answer]
    counts = len(run.units), run.replayed, run.inferred, widest
    made.add_row(run.recording.name, text.styled(verdict), *(f"{number:,}" for number in counts))
    out.print(made)
    out.print(f"by the rules of {recording.judged_by}", style="dim")
    for unit in owing:
        brokers = ", ".join(map(str, unit.owing))
        out.print(f"{unit.group.name}: at the end broker {brokers} owes a record that nobody saw", style="dim")
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


def finding(run: RunVerdict, unit: UnitVerdict) -> dict[str, Any]:
    """Return a unit that is not explained, with the keys of ``result.schema.json``."""
    place = unit.place or None
    return {
        "law": LAW,
        "severity": "violation" if unit.answer == Acceptance.REFUSED else "warning",
        "unit": unit.group.keys[0],
        "at": {"file": run.recording.name, "line": 1, "messageId": place, "time": None},
        "brokers": [],
        "why": unit.why,
        "held": None,
        "proposed": None,
        "guard": LAW,
        "repair": "",
    }
