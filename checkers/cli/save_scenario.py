"""
The story of a recorded unit as a scenario: the run of the model that shows all that was seen of it, to be replayed.

Its bounds have room for what was seen, written as what differs from a family's; brokers are numbered as in the model,
the first leader first.
"""

from __future__ import annotations

from pathlib import Path

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, UnitVerdict, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.recordings.explain.sizing import bounds_of
from oneowner.checkers.scenarios.scenario import Scenario, find_action
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sizes import Sizes

BASES = {Storage.SYSTEM_TOPIC: "transfer", Storage.METADATA_STORE: "transfer-metadata-store"}
"""The family that a story is told in, by where the channel was."""


def scenario_of(path: Path, unit: str) -> Scenario:
    """Return the story of *unit* in the recorded run *path*, by the rules of its release; raise Misuse without one."""
    recording = read_recording(path)
    judged = next(iter(judge(recording, unit).units), None)
    if judged is None:
        raise Misuse(f"no such unit in {path}: {unit}")
    if judged.answer != Acceptance.ACCEPTED:
        raise Misuse(f"{unit}: no run of the model shows all of it: at {judged.place}: {judged.why}")
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
        story=f"Brokers: {names}. Units: {units}. {judged.inferred} of {len(judged.trail)} steps nobody saw; the"
        " others are records of the channel and steps of the registry. Which topics were open is no step of it.",
        release=recording.judged_by,
        settings=_settings(bounds, base.bounds),
    )


def _steps(judged: UnitVerdict) -> list[str]:
    steps = [step.partition("#")[0].strip() for step in judged.trail]
    if any(step.startswith("given:") for step in steps):
        raise Misuse(f"{judged.group.name}: it begins with what its parent's split published; tell the parent's story")
    return steps


def _settings(bounds: Bounds, base: Bounds) -> dict[str, object]:
    names = list(Sizes.described())
    return {name: getattr(bounds, name) for name in names if getattr(bounds, name) != getattr(base, name)}
