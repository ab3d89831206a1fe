"""``oneowner replay FILE --system NAME --release R``: schedules of a real class, replayed by a system's model."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.report import text
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.scenarios.schedules import Followed, follow_file
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.spec.systems import names, systems

LAW = "run-of-the-model"
SHOWN = 10
"""Refused schedules that the text lists; the JSON lists all."""


def replay_schedules(
    out: Console, on_progress: Callable[[str], None] | None, files: Sequence[Path], name: str, release: str | None
) -> Result:
    """Replay every schedule of some files by the model of the system *name*; print the refused ones."""
    system = systems()[pick(names(), name, "system")]
    note = ""
    if release is not None:
        release, note = judged_release(release, system.releases)
    if note:
        out.print(note)
    followed = []
    for file in files:
        if on_progress is not None:
            on_progress(str(file))
        followed.append(one := follow_file(file, system, release))
        for complaint in one.unreadable:
            sys.stderr.write(f"error: {visible(str(complaint))}\n")
        for number, identity, under, difference in one.refused[:SHOWN]:
            out.print(f"{file}:{number}: schedule {identity} refused under {under}: {difference}")
        if len(one.refused) > SHOWN:
            out.print(f"... and {len(one.refused) - SHOWN:,} more are refused; --json lists all")
        out.print(f"{file}: {one.taken:,} of {one.taken + len(one.refused):,} accepted by {system.name}")
    refused = sum(len(one.refused) for one in followed)
    unreadable = [complaint for one in followed for complaint in one.unreadable]
    result = Result(
        verb="replay",
        verdict=Verdict.INVALID if refused else Verdict.UNKNOWN if unreadable else Verdict.VALID,
        reasons=[*([note] if note else []), *unreadable, *([f"{refused:,} schedules are refused"] if refused else [])],
        stats=Stats(events=sum(one.taken + len(one.refused) for one in followed)),
        findings=[finding for one in followed for finding in _findings(one)],
        unreadable=bool(unreadable),
    )
    text.verdict_line(out, ", ".join(map(str, files)), result)
    return result


def _findings(followed: Followed) -> list[dict[str, Any]]:
    return [
        {
            "law": LAW,
            "severity": "violation",
            "unit": identity,
            "at": {"file": str(followed.path), "line": number, "messageId": None, "time": None},
            "brokers": [],
            "why": f"refused under {release}: {difference}",
            "held": None,
            "proposed": None,
            "guard": difference.field,
            "repair": "",
        }
        for number, identity, release, difference in followed.refused
    ]


def refuse_without_system(files: Sequence[Path]) -> None:
    """Raise Misuse for schedules if no system is named."""
    for file in files:
        if file.name.endswith((".jsonl", ".jsonl.gz")):
            readers = [name for name, system in systems().items() if system.schedules is not None]
            raise Misuse(f"{file}: schedules require --system {' or '.join(readers)}")
