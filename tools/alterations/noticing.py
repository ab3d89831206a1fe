"""
An alteration is noticed if the audit reports something new that points at it, or the replay newly refuses a unit.

New is a finding or a reason that the unaltered recording has not: numbers and places of files do not count as a
difference. It points at the alteration if it names one of its traces.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance
from oneowner.checkers.recordings.explain.explain_verdict import judge as explained
from oneowner.checkers.recordings.explain.lock_runs import explain_lock_run, is_of_locks
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.recordings.fold.audit_engine import run_engine
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.judge.audit import evidence_of_runs
from oneowner.checkers.recordings.judge.run_verdict import judge
from oneowner.checkers.verdict import Misuse, UnreadableInput

_COPY = re.compile(rf"{re.escape(gettempdir())}/\w+/?")
_NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True)
class Said:
    """The reports on one folder: for each statement without its numbers, its author, and all its words."""

    statements: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)


class Auditor:
    """Audits folders that share most of their files: a log that was read is not read again."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, int, Path], list[Any]] = {}

    def _each(
        self, work: Callable[[Any], Iterator[Any]], items: Sequence[Any], files: Sequence[str] = ()
    ) -> Iterator[Any]:
        for item in items:
            piece, path = item[0], Path(item[1])
            key = getattr(work, "__name__", ""), piece, path.resolve()
            if not path.is_symlink():  # altered: read once
                yield from work(item)
                continue
            if key not in self._read:
                self._read[key] = list(work(item))
            yield from self._read[key]

    def audit(self, folder: Path) -> Said:
        """Return the report of ``oneowner audit`` on a folder."""
        runs = find_runs([str(folder)], Options())
        outcomes, _ = run_engine(runs, "inline", None)
        judgement = judge(runs, outcomes, evidence_of_runs(runs, Options(), outcomes, self._each))
        said = Said()
        for found in judgement.findings():
            words = json.dumps(found)
            at = found["at"] or {}
            key = (found["law"], found["severity"], str(found["unit"]), str(at.get("messageId")), _bare(found["why"]))
            said.statements[key] = found["law"], words
        for reason in judgement.reasons:
            words = _COPY.sub("", reason.replace(str(folder), ""))
            said.statements["reason", _bare(words)] = _law_of(words), words
        return said

    def replay(self, folder: Path) -> Said:
        """Return the report of ``oneowner replay`` on a folder: units that are not explained, and doubts."""
        said = Said()
        try:
            not_explained, doubts = _locks(folder) if is_of_locks(folder) else _channel(folder)
        except (Misuse, UnreadableInput) as error:
            said.statements["replay", "refused"] = "replay", str(error)
            return said
        for unit, place, why in not_explained:
            said.statements["replay", unit, place] = "replay", f"{unit} {place} {why}"
        for doubt in doubts:
            said.statements["replay", _bare(_COPY.sub("", doubt.replace(str(folder), "")))] = "replay", doubt
        return said


Replayed = tuple[list[tuple[str, str, str]], tuple[str, ...]]
"""Which units are not explained, each with the place where and why; and doubts."""


def _channel(folder: Path) -> Replayed:
    recording = read_recording(folder)
    units = explained(recording).units
    return [
        (one.group.name, one.place, one.why) for one in units if one.answer != Acceptance.ACCEPTED
    ], recording.doubts


def _locks(folder: Path) -> Replayed:
    run = explain_lock_run(folder)
    return [(one.unit, one.place, one.why) for one in run.locks if one.answer != Acceptance.ACCEPTED], run.doubts


def noticed(before: Said, after: Said, traces: frozenset[str]) -> list[str]:
    """Return the authors of new statements that point at the alteration, each once."""
    new = [
        by for key, (by, words) in after.statements.items() if key not in before.statements and _names(words, traces)
    ]
    return list(dict.fromkeys(new))


def _bare(words: str) -> str:
    return _NUMBER.sub("#", words)


def _names(words: str, traces: frozenset[str]) -> bool:
    return any(trace in words for trace in traces)


def _law_of(reason: str) -> str:
    found = re.search(r": ([a-z]+(?:-[a-z]+)+): ", reason)
    return found[1] if found else "damage"
