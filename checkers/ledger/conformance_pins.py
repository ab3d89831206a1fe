"""
What ``spec/channel/conformance.yaml`` pins of every recording, found anew and compared.

Of each: how much was observed and inferred, what cannot be explained, the controls that are refused and where, and the
first contradiction between what happened and the protocol from before the first release.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger.families import SPEC
from oneowner.checkers.places import ROOT
from oneowner.checkers.recordings.explain.controls import CORRUPTIONS, corrupted
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, RunVerdict, judge
from oneowner.checkers.recordings.explain.record_effects import effects
from oneowner.checkers.recordings.explain.recording import Recording
from oneowner.model.channel.record import OWNED
from oneowner.model.channel.rules import Dialect

PINS = SPEC / "channel" / "conformance.yaml"
RUNS = ROOT / "traces" / "real"

OWING = "owing"
"""What is said of a control that is explained, but leaves a living broker with a record that it never published."""

Progress = Callable[[str], None] | None


def run_row(judged: RunVerdict) -> dict[str, Any]:
    """Return what is said of one recording."""
    recording = judged.recording
    folded = effects(recording, Dialect.RELEASED)
    row: dict[str, Any] = {
        "verdict": judged.answer.value,
        "units": len(judged.units),
        **{answer.value: judged.count(answer) for answer in Acceptance},
        "records": len(recording.records),
        "registry": sum(step.action != "crash" for step in recording.steps),
        "replayed": judged.replayed,
        "inferred": judged.inferred,
        "widest": max((unit.widest for unit in judged.units), default=0),
        "wide": sum(unit.is_wide for unit in judged.units),
        "timed": sum(unit.is_timed for unit in judged.units),
        "effective": folded.effective,
        "handled": folded.handled,
        "contradictions": len(folded.contradictions),
    }
    if recording.doubts:
        row["doubts"] = list(recording.doubts)
    owing = [unit for unit in judged.units if unit.owing]
    if owing:
        row["owing"] = {unit.group.name: list(unit.owing) for unit in owing}
    unexplained = [unit for unit in judged.units if unit.answer != Acceptance.ACCEPTED]
    if unexplained:
        row["unexplained"] = [{"unit": unit.group.name, "place": unit.place, "why": unit.why} for unit in unexplained]
    return row


def generation_row(recording: Recording) -> dict[str, Any] | None:
    """Return the first record that had an effect and that generation 1 refuses."""
    found = effects(recording, Dialect.GENERATION_1)
    if not found.contradictions:
        return None
    first = found.contradictions[0]
    return {
        "place": first.written.place,
        "rule": first.refused.rule,
        "why": first.in_words(),
        "contradictions": len(found.contradictions),
    }


def control_row(recording: Recording, kind: str, place: str) -> dict[str, Any]:
    """Corrupt one thing, and return where the unit that it concerns is refused, and why."""
    keys = [written.key for written in recording.records if written.place == place]
    judged = judge(corrupted(recording, kind, place), keys[0] if keys else None)
    bad = [unit for unit in judged.units if unit.answer != Acceptance.ACCEPTED]
    if not bad:
        owing = sorted({actor for unit in judged.units for actor in unit.owing})
        if owing:
            return {"kind": kind, "place": place, "answer": OWING, "brokers": owing}
        return {"kind": kind, "place": place, "answer": Acceptance.ACCEPTED.value}
    return {"kind": kind, "place": place, "answer": bad[0].answer.value, "at": bad[0].place, "why": bad[0].why}


def choose_controls(recording: Recording) -> list[tuple[str, str]]:
    """
    Choose what to corrupt: a record in the middle of those on which the next one of the unit was built.

    Of the registry, the first session that ends before the last record was sent: others change nothing. And the last
    answer to an Assigning by a broker whose session lasts: without it, that broker owes it. A short run may have none
    of these.
    """
    if not recording.records:
        return [("dropped", step.place) for step in recording.steps[-2:-1]]  # what came before the last election
    built = [
        written.place
        for index, written in enumerate(recording.records)
        if any(
            later.key == written.key and later.record.version == written.record.version + 1 and not later.record.force
            for later in recording.records[index + 1 :][:20]
        )
    ]
    middle = built[len(built) // 2 :][:1]
    last = max(written.time for written in recording.records)
    ended = [s.place for s in recording.steps if s.action in ("expire", "unregister") and s.time < last]
    ends = {step.broker: step.time for step in recording.steps if step.action in ("expire", "unregister")}
    answers = [
        w.place
        for w in recording.records
        if w.record.state == OWNED and not w.record.force and ends.get(w.broker, 0) < w.time
    ]
    dropped = (*ended[:1], *answers[-1:])
    return [(kind, place) for place in middle for kind in CORRUPTIONS] + [("dropped", place) for place in dropped]


def row_of(recording: Recording, chosen: list[tuple[str, str]], on_progress: Progress = None) -> dict[str, Any]:
    """Return everything that is pinned of one recording."""
    row = run_row(judge(recording, on_unit=on_progress))
    generation = generation_row(recording)
    if generation is not None:
        row["generation-1"] = generation
    row["controls"] = [control_row(recording, kind, place) for kind, place in chosen]
    return row


def pinned(path: Path = PINS) -> dict[str, dict[str, Any]]:
    """Return the pinned rows by the name of their recording."""
    found: dict[str, dict[str, Any]] = read_document(path).data
    return found


def controls_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the pinned controls of one recording."""
    return [(control["kind"], control["place"]) for control in row["controls"]]


def differences(row: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return in words how *found* is not as pinned."""
    keys = dict.fromkeys([*row, *found])
    return [
        f"{key} is {found.get(key)} where {row.get(key)} is pinned" for key in keys if row.get(key) != found.get(key)
    ]
