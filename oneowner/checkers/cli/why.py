"""The verb ``why``: the owner of a bundle in a recorded run, why it has it, and what would move it next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import Choice
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.recorded_input import refuse_other
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Result
from oneowner.checkers.times import iso, moment_ms
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.rules import Storage

if TYPE_CHECKING:
    from oneowner.checkers.recordings.laws.scene_verdict import Evidence
    from oneowner.checkers.recordings.scene.scene import Scene

LACKING = (
    "to find the owner, add channel*.jsonl (oneowner record, or oneowner script dump_channel); if locks own the"
    " bundles, or the channel is in the metadata store, add zookeeper*.jsonl (oneowner script dump_zookeeper)"
)


@verb(Section.CLUSTER)
@click.argument("asked", metavar="UNIT|TOPIC")
@click.argument("path")
@click.option("--at", metavar="TIME", help="The time: epoch milliseconds or ISO 8601 (default: the end of the run).")
@click.option(
    "--storage",
    type=Choice([storage.value for storage in Storage]),
    help="The storage of the channel (default: that of the manifest).",
)
@click.option("--clock-skew", metavar="TIME", default="0s", show_default=True,
              help="The difference that the clocks of two machines may have.")  # fmt: skip
@common
def why(
    out: Console, on_progress: Callable[[str], None] | None, asked: str, path: str, at: str | None,
    storage: str | None, clock_skew: str,
) -> Result:  # fmt: skip
    """Report which broker owns a bundle in a recorded run, since when and why, and what would move it next.

    The first line is the answer. The next lines give the record (file, line, message), the records of the last move,
    its cause (an admin call, a logged decision of the shedder, the end of a broker), the events that would move the
    bundle next, and the incidents that concern it. A TOPIC means its bundle at that time.

    PATH is a folder as for audit; for a running cluster, record its present state first. Exit code 3 if the owner is
    unknown or a file is damaged.

    \b
      oneowner why rig/c/0x00000000_0x40000000 traces/real/zombie
      oneowner why rig/c/t2 traces/real/zombie --at 2026-11-21T00:07:00Z
      oneowner record --client-conf client.conf --once --out now && oneowner why tenant/ns/topic now
    """
    from oneowner.checkers.recordings.fold.runs import Options
    from oneowner.checkers.recordings.judge.audit import audit
    from oneowner.checkers.recordings.judge.unit_answer import unit_answer
    from oneowner.checkers.recordings.owners.asked_unit import asked_unit
    from oneowner.checkers.recordings.read.observations import Source
    from oneowner.checkers.report.broker_names import brokers_of
    from oneowner.checkers.report.ownership_text import why_lines
    from oneowner.checkers.times import duration_ms

    moment = None if at is None else moment_ms(at)
    refuse_other(path, "why")
    scenes: list[Scene] = []

    def keep(scene: Scene, _: Evidence) -> None:
        scenes.append(scene)

    options = Options(storage=Storage(storage) if storage else None, clock_skew=duration_ms(clock_skew))
    judged, judgement, _ = audit([path], options, "inline", None, on_progress, keep)
    (scene,) = scenes
    time = scene.end if moment is None else moment
    damage = [
        f"{one['at']['file']}:{one['at']['line']}: {one['why']}" for one in judgement.findings() if judged.unreadable
    ]
    if time is None:
        out.print(f"{asked}: unknown: {path} has no readable record")
        for line in damage[:1]:
            out.print(f"  note: {line}")
        return Result("why", Verdict.UNKNOWN, damage[:1], unreadable=judged.unreadable)
    unit, reasons = asked_unit(scene, asked, time), [*_remarks(scene, time), *damage[:1]]
    if unit is None:
        reasons.append("bundles.json, or the output of `pulsar-admin namespaces bundles`, would name its bundle")
    answer = unit_answer(scene, judgement, unit or asked, time)
    is_known = answer["state"] is not None
    if not is_known:
        reasons.append(_lacking(scene, unit, judgement.runs[0].run.unread_history))
    is_by_logs = bool(scene.channel.units) and Source.CHANNEL not in scene.present
    if is_known and is_by_logs:
        reasons.append("known from brokers' logs alone; a later record may be missing: add channel*.jsonl to be sure")
    damaged = [words[0] for words in scene.damage.values() if words]
    result = Result(
        verb="why", verdict=Verdict.VALID if is_known and not damaged and not is_by_logs else Verdict.UNKNOWN,
        reasons=[*reasons, *damaged], more={"why": answer}, unreadable=judged.unreadable,
    )  # fmt: skip
    for line in why_lines(answer, brokers_of(judgement, 0, scene.brokers), path):
        out.print(line)
    for reason in result.reasons:
        out.print(f"  note: {reason}")
    return result


def _lacking(scene: Scene, unit: str | None, has_history: bool) -> str:
    """Return what would name the owner: another file, or a later time."""
    history = scene.channel.units.get(unit or "")
    if history is not None:
        return f"its first record is at {iso(history.steps[0].time)}"
    if has_history:
        return "if zookeeper*.jsonl holds the channel, add --storage metadata-store; else " + LACKING
    from oneowner.checkers.recordings.read.observations import Source

    is_recorded = {Source.CHANNEL, Source.LOCKS} & scene.present
    return "no client has looked it up: the channel, or the locks, have no record of it" if is_recorded else LACKING


def _remarks(scene: Scene, time: int) -> list[str]:
    if scene.start is not None and time < scene.start:
        return [f"{iso(time)} is before the recording begins, at {iso(scene.start)}"]
    if scene.end is not None and time > scene.end:
        return [f"{iso(time)} is after the recording ends, at {iso(scene.end)}: this is its last state"]
    return []
