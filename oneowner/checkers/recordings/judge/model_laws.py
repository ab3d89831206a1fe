"""
Laws of states and steps judge a recorded run by the runs of the model that explain it, beside the laws of recordings.

A broken law that must hold is a violation; one that is known to fail in Pulsar is noted. A law that the explained runs
keep needs no row: the counts of its occasions stand with the run (``Explained``).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, answer_of, groups_of
from oneowner.checkers.recordings.explain.recorded_run import check_cluster, evidence_of
from oneowner.checkers.recordings.explain.recording import MILESTONES, Recording, recording_of
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup
from oneowner.checkers.recordings.explain.units_apart import UnitReport, observations, reports, shortest
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.read.events import Cause, Finding, ModelStep
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.read.partition import Executor
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.explanations import why_forced, why_gone
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Misuse, UnreadableInput, Verdict
from oneowner.model.channel.sorts import BROKER
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Law, Severity
from oneowner.spec.channel.system import SYSTEM

NEVER, AUTO, ALWAYS = EXPLAIN = ("never", "auto", "always")
"""When runs are explained: auto is while it is quick, and all that it needs is there."""
MOST: Final = 2_000
"""The observations that are explained unasked, records and steps of the registry: a thousand take about two seconds."""

_AFTER_CLAIM: Final = re.compile(r" \(|, unless ")


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
    unexplained: list[dict[str, str]]
    """The units that no run explains to their end, with the step and the reason: from there no law is judged."""


def with_model_laws(
    run: Run,
    scene: Scene,
    summaries: Sequence[Summary],
    evidence: Evidence,
    mode: str,
    executor: Executor,
    on_unit: Callable[[str], None] | None,
) -> Evidence:
    """
    Return the *evidence* with rows and findings of the laws of states.

    A run that cannot be explained is left to the laws of recordings, unless an explanation is demanded: then it is a
    doubt, with the reason.
    """
    if mode == NEVER:
        return evidence
    try:
        recording = _recording(run, scene, summaries)
    except (Misuse, UnreadableInput) as reason:
        return evidence if mode == AUTO else not_explained(run, evidence, str(reason))
    groups = list(groups_of(recording))
    asked = {group.name for group in groups} if mode == ALWAYS else shortest(groups, MOST)
    units = list[UnitReport]()
    for unit in reports(recording, [group for group in groups if group.name in asked], executor):
        units.append(unit)
        if on_unit is not None:
            on_unit(f"{run.name}: {unit.key} is explained, {len(units)} of {len(asked)}")
    open_units = [_unexplained(unit.key, unit.answer, unit.place, unit.why) for unit in units if unit.why]
    open_units += [_left_out(group) for group in groups if group.name not in asked]
    found = list(breach_findings(recording, scene, units))
    exercised: Counter[str] = sum((unit.exercised for unit in units), Counter())
    broken = sorted({one.law for one in found if one.severity == Severity.VIOLATION})
    statuses = SYSTEM.statuses
    rows = [LawRow(law, statuses[law].value, Verdict.VALID, Verdict.INVALID, exercised[law]) for law in broken]
    answers = [unit.answer for unit in units] + [Acceptance.UNKNOWN] * (len(groups) - len(asked))
    explained = Explained(
        answer_of(recording, answers).value, len(units), sum(unit.replayed for unit in units),
        sum(unit.inferred for unit in units), dict(sorted(exercised.items())),
        dict(sorted(sum((unit.shown for unit in units), Counter()).items())),
        sorted(open_units, key=itemgetter("unit")),
    )  # fmt: skip
    undecided = {law: why for unit in units for law, why in unit.doubts if not statuses[law].is_violated}
    doubts = [
        f"{run.name}: {law}: the search for a run that keeps it was cut off: {why}" for law, why in undecided.items()
    ]
    return evidence._replace(
        rows=(*evidence.rows, *rows),
        findings=(*evidence.findings, *found),
        doubts=(*evidence.doubts, *doubts),
        explained={name: value for name, value in explained._asdict().items() if name != "unexplained" or value},
    )


def _unexplained(unit: str, answer: Acceptance, place: str, why: str) -> dict[str, str]:
    return {"unit": unit, "answer": answer.value, "at": place, "why": why}


def _left_out(group: UnitGroup) -> dict[str, str]:
    why = (
        f"left out: with its {observations(group):,} observations there would be more than {MOST:,} of the run, and"
        " those of units with shorter histories come first; --explain always has no limit"
    )
    return _unexplained(group.keys[0], Acceptance.UNKNOWN, "", why)


def not_explained(run: Run, evidence: Evidence, reason: str) -> Evidence:
    """Return the *evidence* with the doubt that the model explains nothing of the run, although it was to."""
    words = f"{run.name}: --explain always: the model's laws of states are not judged: {reason}"
    return evidence._replace(doubts=(*evidence.doubts, words))


def _recording(run: Run, scene: Scene, summaries: Sequence[Summary]) -> Recording:
    """Return the observations to be explained; raise Misuse or UnreadableInput if they are not all there."""
    if run.source is None and Source.LOCKS in scene.present:
        raise Misuse("locks name the owners of its bundles; oneowner replay explains them")
    if run.source is None:
        raise Misuse("there is no channel, or its storage is not stated (--storage)")
    if scene.is_partial:
        raise Misuse("records may be missing (--partial)")
    if scene.migration:
        raise Misuse(scene.migration)
    check_cluster(run)
    return recording_of(run, evidence_of(run, scene, summaries))


def breach_findings(recording: Recording, scene: Scene, units: Sequence[UnitReport]) -> Iterator[Finding]:
    """Yield a finding for each law that a unit breaks, at the observation that shows the breach."""
    writes: dict[str, NodeWrite] = {}
    if any(unit.breaches for unit in units):
        writes = {f"zxid:{write.zxid}": write for write in reversed(scene.writes)}
    for unit, breach in [(one, breach) for one in units for breach in one.breaches]:
        law, record = SYSTEM.laws_by_name[breach.law], _record_at(breach.place, unit, scene)
        seen = writes[breach.place] if record is None else record
        brokers = _brokers(breach.action, recording)
        why_noted = _why_noted(law, recording)
        step = ModelStep(law.name, breach.number, _named(breach.action, recording), unit.key, scene.name)
        yield finding(
            law.name,
            Severity.NOTE if why_noted else Severity.VIOLATION,
            f"{claim_of(law)} Not so here: {step}, breaks this, and so does every run of the model with its history",
            [seen],
            unit=unit.key if record is None else record.key,
            brokers=brokers,
            step=record,
            guard=why_noted,
            causes=_causes(scene, seen, brokers),
            model=step,
        )


def _record_at(place: str, unit: UnitReport, scene: Scene) -> Step | None:
    """Return the record of a unit at a message id or zxid, which others may share; None: a step of the registry."""
    histories = [scene.channel.units[key] for key in unit.keys if key in scene.channel.units]
    return next((step for one in histories for step in one.steps if step.message_id == place), None)


def _causes(scene: Scene, seen: Step | NodeWrite, brokers: Sequence[str]) -> list[Cause]:
    """Return why its brokers were gone, or about to go, when a breach was seen, or why its record was forced."""
    gone = dict.fromkeys(why_gone(scene, broker, seen.time) for broker in brokers)
    forced = why_forced(scene, seen) if isinstance(seen, Step) else ()
    return list(dict.fromkeys([*(cause for cause in gone if cause is not None), *forced]))


def _why_noted(law: Law, recording: Recording) -> str:
    """Return why a breach accuses nobody; empty if it does."""
    if law.status.is_violated:
        return "known to fail in Pulsar"
    if recording.judged_by.note or recording.judged_by.name in MILESTONES:
        return "explained by the rules of another release"
    return "the recording is in doubt" if recording.doubts else ""


def claim_of(law: Law) -> str:
    """Return the claim of a law without its excuses, none of which is given, and remarks in brackets."""
    return f"{_AFTER_CLAIM.split(law.statement, maxsplit=1)[0].rstrip('.')}."


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
