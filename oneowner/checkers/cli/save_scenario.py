"""
The story of a recorded unit as a scenario: the run of the model that explains its recording, ready for replay.

The bounds leave room for the recording, written as differences from a family's; brokers are numbered as in the model,
the first leader first.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.recordings.explain.broken_laws import Breach, judge_laws
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, UnitVerdict, judge, judge_group
from oneowner.checkers.recordings.explain.recording import Recording, read_recording
from oneowner.checkers.recordings.explain.sizing import bounds_of
from oneowner.checkers.recordings.explain.unit_groups import Opening, with_openings
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of, loaded
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, find_action
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Sizes, Storage

BASES = {Storage.SYSTEM_TOPIC: "transfer", Storage.METADATA_STORE: "transfer-metadata-store"}
"""The family of a story, by the storage of the channel."""


class TopicLoad(NamedTuple):
    """A line of a broker's log about a loaded topic."""

    broker: str
    unit: str
    time: int
    place: str


def loaded_in(scene: Scene) -> list[TopicLoad]:
    """Return the topics that brokers loaded, by their logs."""
    spells = loaded(scene, Topics(scene), away_of(scene))
    return [TopicLoad(one.broker, one.unit, one.since, f"log of {one.broker}, {iso(one.since)}") for one in spells]


def scenario_of(path: Path, unit: str, topics: Sequence[TopicLoad] = ()) -> Scenario:
    """
    Return the story of *unit* in the recorded run *path*, by the rules of its release; raise Misuse if there is none.

    A unit that breaks a law of states is saved as the run that an audit judged, with the same numbers of steps, up to
    the last one that is explained; its replay breaks that law. In any other run the first load of one of its *topics*
    opens them all, for the model has one object for the topics of a unit.
    """
    recording = read_recording(path)
    judged = next(iter(judge(recording, unit).units), None)
    if judged is None:
        raise Misuse(f"no such unit in {path}: {unit}")
    breach = _worst_breach(recording, judged)
    if breach is None and judged.answer != Acceptance.ACCEPTED:
        raise Misuse(f"{unit}: no run of the model explains it: at {judged.place}: {judged.why}")
    if breach is None:
        judged = _with_topics(recording, judged, topics)
    bounds = bounds_of(recording, judged.group, recording.rules, judged.is_timed)
    base = family_named(BASES[recording.storage])
    names = ", ".join(f"{number} {name}" for number, name in enumerate(recording.brokers, 1))
    units = ", ".join(f"{number} {key}" for number, key in enumerate(judged.group.keys, 1))
    return Scenario(
        path=Path(f"{unit.replace('/', '-')}.yaml"),
        family=base.name,
        steps=tuple(find_action(bounds, step) for step in _steps(judged)),
        bounds=bounds,
        title=f"{unit} in the recorded run {recording.name}",
        story=f"Brokers: {names}. Units: {units}. {judged.inferred} of {len(judged.trail)} steps are inferred; the"
        f" others are records of the channel and steps of the registry{_topics_told(judged)}",
        release=recording.judged_by.name,
        settings=_settings(bounds, base.bounds),
        expect=breach and Expectation(breach.law.name, Verdict.INVALID, breach.number),
    )


def _worst_breach(recording: Recording, judged: UnitVerdict) -> Breach | None:
    """Return the first breach of a law that should hold, or else of one that is known to fail; None: there is none."""
    breaches = judge_laws(recording, judged, recording.rules).breaches
    return min(breaches, key=lambda one: (one.law.status.is_violated, one.number), default=None)


def _with_topics(recording: Recording, judged: UnitVerdict, topics: Sequence[TopicLoad]) -> UnitVerdict:
    """Return the verdict with the opening of topics as steps, or *judged* if that run cannot be explained."""
    brokers = {name: number for number, name in enumerate(recording.brokers, 1)}
    units = {key: number for number, key in enumerate(judged.group.keys, 1)}
    openings = [
        Opening(one.place, one.time, units[one.unit], brokers[one.broker])
        for one in topics
        if one.unit in units and one.broker in brokers
    ]
    if not openings:
        return judged
    opened = judge_group(recording, with_openings(judged.group, openings), recording.rules)
    return opened if opened.answer == Acceptance.ACCEPTED else judged


def _topics_told(judged: UnitVerdict) -> str:
    """Describe which topics the story opens by steps."""
    shown = sum(step.startswith("open(") and "#" in step for step in judged.trail)
    if shown:
        return f". Topics are opened {shown} times, when a broker's log says that it loaded the first of them."
    return ". Which topics were open is no step of it."


def _steps(judged: UnitVerdict) -> list[str]:
    steps = [step.partition("#")[0].strip() for step in judged.trail]
    if any(step.startswith("given:") for step in steps):
        raise Misuse(f"{judged.group.name}: it begins with records of its parent's split; save the parent's story")
    return steps


def _settings(bounds: Bounds, base: Bounds) -> dict[str, object]:
    names = list(Sizes.described())
    settings = {name: getattr(bounds, name) for name in names if getattr(bounds, name) != getattr(base, name)}
    try:
        bounds_with(base, settings)
    except Misuse as error:  # a reader of the file would refuse it
        raise Misuse(f"its story is too long for a scenario: {error}") from None
    return settings
