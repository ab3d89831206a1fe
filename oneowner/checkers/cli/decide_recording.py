"""``decide`` for a recorded run: logged placements and shedder cycles, compared with the computed ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from oneowner.checkers.inputs.kinds import DECIDE, kind_of_file
from oneowner.checkers.judged_release import recorded_release
from oneowner.checkers.recordings.decisions.logged_cycles import cycles
from oneowner.checkers.recordings.decisions.placements import recompute
from oneowner.checkers.recordings.decisions.placements import summary as summary_of_log
from oneowner.checkers.recordings.decisions.predicted_cycles import in_doubt, predicted, with_record
from oneowner.checkers.recordings.decisions.predicted_cycles import summary as summary_of_cycles
from oneowner.checkers.recordings.fold.file_names import CHANNEL
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import timeline
from oneowner.checkers.recordings.read.logged_placements import logs_of, placements
from oneowner.checkers.recordings.read.manifest import read_manifest
from oneowner.checkers.recordings.read.rotated_logs import log_of
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.balancer.batch.transfer import RULES
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

OWNING = ("Owned", "Splitting")
"""States of the channel in which a bundle has an owner."""


def is_recorded(folder: Path) -> bool:
    """Return whether a folder is a recorded run: logs of brokers, and no load data beside them but in a recording."""
    files = [file for file in folder.iterdir() if file.is_file()]
    if not logs_of(folder):
        return not any(folder.iterdir())
    if any(CHANNEL.fullmatch(file.name) or file.name == "manifest.yaml" for file in files):
        return True
    return not any(kind_of_file(file).verb == DECIDE for file in files)


def recorded(folder: Path, release: str) -> Verdict:
    """Print the comparison for a recorded run, and return the verdict."""
    verdicts = [*_placements(folder), *_cycles(folder, release)]
    if not verdicts:
        click.echo(f"{folder}: no placement is logged; this requires broker logs with loadBalancerDebugModeEnabled")
    return worst(verdicts)


def _placements(folder: Path) -> Iterator[Verdict]:
    for path in logs_of(folder):
        logged = placements(path)
        yield from (recompute(one).verdict for one in logged.placements)
        yield from (Verdict.UNKNOWN for _ in logged.broken)
        for line in summary_of_log(path, logged):
            click.echo(visible(line))


def _cycles(folder: Path, release: str) -> Iterator[Verdict]:
    doubts = list[str]()
    manifest = read_manifest([*folder.glob("manifest.yaml")], doubts)
    logs = {path: manifest.logs.get(Path(log_of(path)).name, "") for path in logs_of(folder)}
    logged = cycles(logs)
    if logged.unread:
        click.echo(
            f"{visible(str(folder))}: {logged.unread} cycles are not supported: the 5.0 line, or another shedder"
        )
        yield Verdict.UNKNOWN
    if not logged.cycles:
        return
    judged_by = recorded_release(manifest.release or release, RULES, DEFAULT_RELEASE, "transfer")
    if judged_by.note:
        click.echo(judged_by.note)
        yield Verdict.UNKNOWN  # the rules of another release prove nothing of this one
    if not all(logs.values()):
        doubts = doubts or ["manifest.yaml, which names the broker of each log and the settings, is missing"]
    if doubts:
        why = "; ".join(doubts)
        click.echo(visible(f"{folder}: {len(logged.cycles)} cycles of TransferShedder cannot be computed: {why}"))
        yield Verdict.UNKNOWN
        return
    channel = Channel(folder) if any(CHANNEL.fullmatch(file.name) for file in folder.iterdir()) else None
    owner_of = None if channel is None else channel.owner_of
    found = list(predicted(logged, manifest.config, judged_by.name, owner_of))
    if doubt := "a line of the logs cannot be trusted" if logged.broken else judged_by.note:
        found = [in_doubt(one, doubt) for one in found]
    if channel is not None:
        found = [with_record(one, channel.record_of) for one in found]
    torn = [f"{path}:{line.number}: {line.why}; its loads are unknown" for path, line in logged.broken]
    for line in [*summary_of_cycles(str(folder), found), *torn]:
        click.echo(visible(line))
    yield from (one.verdict for one in found)
    yield from (Verdict.UNKNOWN for _ in logged.broken)


class Channel:
    """The owners of bundles over time, by the channel of a recorded run."""

    def __init__(self, folder: Path) -> None:
        result, _, _ = timeline(str(folder), None, None, Options(intervals=True), "inline", None)
        self.held: dict[str, list[dict[str, Any]]] = {}
        for interval in result.more["intervals"]:
            self.held.setdefault(interval["unit"], []).append(interval)

    def owner_of(self, bundle: str, time: int) -> str | None:
        """Return the owner of a bundle at a time in milliseconds, or None."""
        for one in self.held.get(bundle, ()):
            ended = one["to"] is not None and one["to"]["time"] <= time
            if one["state"] in OWNING and one["from"]["time"] <= time and not ended:
                return str(one["broker"])
        return None

    def record_of(self, bundle: str, broker: str, time: int) -> str | None:
        """Return the message that gave a bundle its next owner after a time, if that is *broker*; '' is any broker."""
        for one in self.held.get(bundle, ()):
            if one["state"] == "Owned" and one["from"]["time"] >= time:
                return str(one["from"]["messageId"]) if broker in ("", one["broker"]) else None
        return None
