"""
Laws of states and steps judge a recorded run by the runs of the model that explain it, beside the laws of recordings.

A broken law that must hold is a violation; one that is known to fail in Pulsar is noted. A law that the explained runs
keep needs no row: the counts of its occasions stand with the run (``Explained``).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from oneowner.checkers.recordings.explain.broken_laws import JudgedUnit, judge_laws
from oneowner.checkers.recordings.explain.explain_verdict import judge
from oneowner.checkers.recordings.explain.recorded_run import check_cluster, evidence_of
from oneowner.checkers.recordings.explain.recording import MILESTONES, Recording, recording_of
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.explanations import why_forced, why_gone
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Misuse, UnreadableInput, Verdict
from oneowner.model.channel.sorts import BROKER
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Law, Severity
from oneowner.spec.channel.system import SYSTEM

MOST: Final = 500
"""The records of a channel that are explained unasked: it takes about a second for a hundred of them."""


class Explained(NamedTuple):
    """The part of a run that the model explains, and what its explanation exercises."""

    verdict: str
    units: int
    steps: int
    inferred: int
    laws: dict[str, int]
    """By law, its occasions."""
    actions: dict[str, int]
    """By action that an observation shows, how often."""


def with_model_laws(
    run: Run,
    scene: Scene,
    summaries: Sequence[Summary],
    evidence: Evidence,
    mode: str,
    on_unit: Callable[[str], None] | None,
) -> Evidence:
    """Return the *evidence* with rows and findings of the laws of states, if the run can be explained."""
    if not _is_asked(run, scene, mode):
        return evidence
    try:
        check_cluster(run)
        recording = recording_of(run, evidence_of(run, scene, summaries))
    except (Misuse, UnreadableInput):  # the laws of recordings name what is missing or damaged
        return evidence
    verdict = judge(recording, on_unit=on_unit)
    units = [judge_laws(recording, unit, recording.rules) for unit in verdict.units]
    found = [one for unit in units for one in _findings(recording, scene, unit)]
    exercised: Counter[str] = sum((unit.exercised for unit in units), Counter())
    broken = sorted({one.law for one in found if one.severity == Severity.VIOLATION})
    statuses = SYSTEM.statuses
    rows = [LawRow(law, statuses[law].value, Verdict.VALID, Verdict.INVALID, exercised[law]) for law in broken]
    shown = Counter(step.action.name for unit in units for step in unit.unit.steps if step.place and step.action)
    explained = Explained(
        verdict.answer.value, len(units), verdict.replayed, verdict.inferred,
        dict(sorted(exercised.items())), dict(sorted(shown.items())),
    )  # fmt: skip
    undecided = {one.law.name: one.why for unit in units for one in unit.doubts if not one.law.status.is_violated}
    doubts = [
        f"{run.name}: {law}: the search for a run that keeps it was cut off: {why}" for law, why in undecided.items()
    ]
    return evidence._replace(
        rows=(*evidence.rows, *rows),
        findings=(*evidence.findings, *found),
        doubts=(*evidence.doubts, *doubts),
        explained=explained._asdict(),
    )


def _is_asked(run: Run, scene: Scene, mode: str) -> bool:
    if mode == "never" or run.source is None or Source.ZOOKEEPER not in scene.present or scene.migration:
        return False
    return mode == "always" or len(scene.channel.timeline) <= MOST


def _findings(recording: Recording, scene: Scene, judged: JudgedUnit) -> Iterator[Finding]:
    """Yield a finding for each law that the unit breaks, at the observation that shows the breach."""
    for breach in judged.breaches:
        seen = _observation(scene, breach.place)
        if seen is None:
            continue
        brokers = _brokers(breach.step.action, recording)
        is_known = breach.law.status.is_violated or not _is_modelled(recording)
        yield finding(
            breach.law.name,
            Severity.NOTE if is_known else Severity.VIOLATION,
            f"{_sentence(breach.law)} Not so here: {_named(breach.step.action, recording)}, step {breach.number} of the"
            " run that explains the bundle, breaks this, and so does every run of the model with its history",
            [seen],
            unit=judged.unit.group.keys[0],
            brokers=brokers,
            guard="" if not is_known else "known to fail in Pulsar" if _is_modelled(recording) else "another release",
            causes=_causes(scene, seen, brokers),
        )


def _causes(scene: Scene, seen: Step | NodeWrite, brokers: Sequence[str]) -> list[Cause]:
    """Return why its brokers were gone, or about to go, when a breach was seen, or why its record was forced."""
    gone = dict.fromkeys(why_gone(scene, broker, seen.time) for broker in brokers)
    forced = why_forced(scene, seen) if isinstance(seen, Step) else ()
    return list(dict.fromkeys([*(cause for cause in gone if cause is not None), *forced]))


def _is_modelled(recording: Recording) -> bool:
    """Return whether the rules are those of its release: by others it may have another explanation."""
    return not recording.judged_by.note and recording.judged_by.name not in MILESTONES


def _sentence(law: Law) -> str:
    """Return the claim of a law without the remarks in brackets that follow it."""
    return f"{law.statement.partition(' (')[0].rstrip('.')}."


def _observation(scene: Scene, place: str) -> Step | NodeWrite | None:
    """Return the record or the write at *place*."""
    for step in scene.channel.timeline:
        if step.message_id == place:
            return step
    return next((write for write in scene.writes if f"zxid:{write.zxid}" == place), None)


def _named(action: Action | None, recording: Recording) -> str:
    """Return a step with the names of its brokers."""
    if action is None:
        return "a record"
    words = (f"{name}={_value(name, value, recording)}" for name, value in action.arguments)
    return f"{action.name}({', '.join(words)})"


def _value(name: str, value: Any, recording: Recording) -> Any:
    is_broker = SYSTEM.sorts.get(name) == BROKER.name and 0 < value <= len(recording.brokers)
    return recording.brokers[value - 1] if is_broker else value


def _brokers(action: Action | None, recording: Recording) -> list[str]:
    values = action.arguments if action is not None else ()
    return [recording.brokers[value - 1] for name, value in values if SYSTEM.sorts.get(name) == BROKER.name and value]
