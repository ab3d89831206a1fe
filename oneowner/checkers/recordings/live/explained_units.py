"""
The laws of states judge a running cluster: each unit that moved is explained anew when it has settled.

A pass reads the folder of the dump as an audit does, up to the records that the watch has taken, and explains one
group of units after another until its budget is used up; the others wait for the next pass. Less evidence leaves more
runs of the model, so an early breach stands. A unit that no pass can afford is reported by name.
"""

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance
from oneowner.checkers.recordings.explain.recorded_run import RecordedRun, read_run
from oneowner.checkers.recordings.explain.recording import Recording, recording_of
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup, unit_groups_of
from oneowner.checkers.recordings.explain.units_apart import observations, report_of
from oneowner.checkers.recordings.fold.runs import Options, find_run
from oneowner.checkers.recordings.judge.finding_json import finding_json, shortened
from oneowner.checkers.recordings.judge.model_laws import breach_findings
from oneowner.checkers.recordings.live.channel_watch import LiveFinding, name_of
from oneowner.checkers.recordings.read.events import KEY, TIME, Row
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.verdict import Misuse, UnreadableInput
from oneowner.spec.channel.system import SYSTEM

SETTLES: Final = 5_000
"""Milliseconds without a record after which a unit is explained: the time of a leader's flush, and of writing logs."""
MOST: Final = 500
"""Observations that one pass explains, records and steps of the registry: about five seconds at most."""
MOST_BYTES: Final = 1 << 26
"""The size of a folder that is read anew for each pass."""


class ExplainedUnits:
    """The units of one cluster, judged by the laws of states: those explained, and those behind."""

    def __init__(self, cluster: str, folder: str, memory: Mapping[str, Any] | None = None) -> None:
        """:param folder: the dump and everything beside it; :param memory: the state to continue, from `memory`."""
        memory = memory or {"behind": {}, "explained": {}, "reported": [], "steps": 0}
        self._cluster, self._folder = cluster, folder
        self.behind: dict[str, int] = dict(memory["behind"])
        """Units that moved and are not explained yet, each with the time of its last record."""
        self._explained: dict[str, str] = dict(memory["explained"])
        """By explained unit, the reason why the model cannot judge all of it; empty: it can."""
        self._reported: dict[str, None] = dict.fromkeys(memory["reported"])
        self._steps: int = memory["steps"]
        """Steps of the registry at the last pass; each of them concerns all units."""
        self._hindrance = ""
        """The reason why the last pass explained nothing."""

    @property
    def explained(self) -> int:
        """The number of units whose records are all explained."""
        return sum(not reason for reason in self._explained.values())

    @property
    def left(self) -> int:
        """The number of units that are behind, or that the model cannot judge as a whole."""
        return len(self.behind) + len(self._explained) - self.explained

    def take(self, judged: Iterable[tuple[Row, bool]]) -> None:
        """Note that the units of some records moved."""
        for row, _ in judged:
            self.behind[row[KEY]] = row[TIME]
            self._explained.pop(row[KEY], None)

    def judge(self, now: int, records: int, is_over: bool, seconds: float) -> list[LiveFinding]:
        """
        Explain units that have settled at *now*; return new breaches.

        The evidence is the first *records* of the channel, and the registry up to *now*. A pass, with its reading,
        ends after *seconds*, or before a unit that exceeds the bound of its work; when the source *is over*, every unit
        is explained.
        """
        until = float("inf") if is_over else time.monotonic() + seconds
        due = {key for key, moved in self.behind.items() if is_over or moved <= now - SETTLES}
        if not due and not (is_over and self._explained):
            return []
        try:
            read, recording = self._read()
        except (Misuse, UnreadableInput) as reason:
            self._hindrance = str(reason)
            return []
        self._hindrance = ""
        if not is_over:
            steps = tuple(step for step in recording.steps if step.time <= now)
            recording = replace(recording, records=recording.records[:records], steps=steps)
        if len(recording.steps) != self._steps:
            self._steps = len(recording.steps)
            self.behind |= {key: self.behind.get(key, now) for key in self._explained}
            due |= self._explained.keys()
            self._explained = {}
        return list(self._pass(read, recording, due, until, float("inf") if is_over else MOST))

    def _read(self) -> tuple[RecordedRun, Recording]:
        """Read the folder as an audit does; raise Misuse or UnreadableInput if the model cannot explain it."""
        size = sum(path.stat().st_size for path in Path(self._folder).iterdir() if path.is_file())
        if size > MOST_BYTES:
            raise Misuse(
                f"{self._folder}: {size >> 20} MB are too many to be read for each pass ({MOST_BYTES >> 20} at most);"
                f" afterwards: oneowner audit {shlex.quote(self._folder)} --explain always"
            )
        run = find_run(self._folder, Options())
        if run.source != FileKind.CHANNEL:
            raise Misuse(f"{self._folder}: its manifest states that the channel is not a topic")
        read = read_run(run)
        return read, recording_of(run, read)

    def _pass(
        self, read: RecordedRun, recording: Recording, due: set[str], until: float, most: float
    ) -> Iterator[LiveFinding]:
        """Explain groups with a unit that is due, those that have waited longest first."""
        work = 0
        groups = [group for group in unit_groups_of(recording) if not due.isdisjoint(group.keys)]
        reasons: dict[str, str] = {}
        left: set[str] = {key for key in due if not any(key in group.keys for group in groups)}
        for group in sorted(groups, key=lambda one: min(self.behind[key] for key in due.intersection(one.keys))):
            size = observations(group)
            if size > MOST:
                reasons[group.name] = (
                    f"{size} observations are too many ({MOST} at most): oneowner audit {shlex.quote(self._folder)}"
                    " --explain always"
                )
                continue
            work += size
            if size != work and (work > most or time.monotonic() >= until):
                left.update(group.keys)
                continue
            yield from self._judged(read, recording, group, reasons)
        for key in due - left:
            del self.behind[key]
            self._explained[key] = reasons.get(key, "")

    def _judged(
        self, read: RecordedRun, recording: Recording, group: UnitGroup, reasons: dict[str, str]
    ) -> Iterator[LiveFinding]:
        """Yield the new breaches of a group; add the reason if it is not judged as a whole."""
        unit = report_of(recording, group)
        if unit.answer != Acceptance.ACCEPTED:
            reasons[group.name] = f"the model explains it up to {unit.place or 'its first observation'}: {unit.why}"
        for law, why in unit.doubts:
            if not SYSTEM.statuses[law].is_violated:
                reasons[group.name] = f"{law}: the search for a run that keeps it was cut off: {why}"
        for finding in breach_findings(recording, read.scene, [unit]):
            name = name_of(finding)
            if name not in self._reported:
                self._reported[name] = None
                yield LiveFinding(name, self._cluster, shortened(finding_json(finding, read.place)))

    def doubts(self) -> Iterator[str]:
        """Yield the units that the laws of states have not judged, or not as a whole, each with the reason."""
        for key in self.behind:
            yield f"{key}: behind, not explained" + (f": {self._hindrance}" if self._hindrance else " yet")
        for key, reason in self._explained.items():
            if reason:
                yield f"{key}: {reason}"

    def memory(self) -> dict[str, Any]:
        """Return the state with which it can be continued, as JSON values."""
        return {
            "behind": self.behind, "explained": self._explained, "reported": list(self._reported), "steps": self._steps,
        }  # fmt: skip
