"""
The pins of ``spec/channel/conformance.yaml`` for every recording, computed again and compared.

Of each: the counts of observed and inferred steps, the unexplained units, the controls that are refused and where,
and the first contradiction between the run and the protocol from before the first release.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from oneowner.checkers.catalogue.families import SPEC
from oneowner.checkers.documents import Document, parse_document
from oneowner.checkers.ledger import recording_pins
from oneowner.checkers.ledger.logged_actions import logged_actions
from oneowner.checkers.ledger.pin_edit import rewritten
from oneowner.checkers.ledger.pinned import Claim, Effort, Outcome, Pins, parts_changed, verdicts_in
from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.ledger.stored_actions import stored_actions
from oneowner.checkers.recordings.explain.broken_laws import judge_laws
from oneowner.checkers.recordings.explain.controls import CORRUPTIONS, corrupted
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, RunVerdict, judge
from oneowner.checkers.recordings.explain.lock_runs import is_of_locks
from oneowner.checkers.recordings.explain.record_effects import effects
from oneowner.checkers.recordings.explain.recording import Recording, read_recording
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.report import text
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.record import OWNED
from oneowner.model.channel.rules import Dialect

PINS = SPEC / "channel" / "conformance.yaml"

OWING = "owing"
"""The note on a control that is explained, but leaves a living broker with a record that it never published."""


def run_row(judged: RunVerdict, stored: Counter[str]) -> dict[str, Any]:
    """Return the report on one recording; *stored* counts the actions that nodes beside records show."""
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
        **_of_model(judged, stored),
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


def _of_model(judged: RunVerdict, stored: Counter[str]) -> dict[str, Any]:
    """Return the actions and laws of the model that the explanation of a recording takes and exercises."""
    units = [judge_laws(judged.recording, unit, judged.recording.rules) for unit in judged.units]
    steps = [(step.action.name, bool(step.place)) for one in units for step in one.unit.steps if step.action]
    broken = Counter(breach.law.name for one in units for breach in one.breaches)
    row: dict[str, Any] = {
        "observed-actions": _counted(stored + Counter(name for name, is_observed in steps if is_observed)),
        "inferred-actions": _counted(Counter(name for name, is_observed in steps if not is_observed)),
        "exercised-laws": _counted(sum((one.exercised for one in units), Counter())),
    }
    return row | ({"broken-laws": _counted(broken)} if broken else {})


def _counted(names: Counter[str]) -> str:
    """Return names with their counts on one line, which a file of pins has room for."""
    return ", ".join(f"{name} {count}" for name, count in sorted(names.items()))


def counts_in(row: Mapping[str, Any], key: str) -> dict[str, int]:
    """
    Return the counts of a pinned line, by name.

    >>> counts_in({"observed-actions": "append 24, restart 3"}, "observed-actions")
    {'append': 24, 'restart': 3}
    """
    words = (one.rsplit(" ", 1) for one in str(row.get(key) or "").split(", ") if one)
    return {name: int(count) for name, count in words}


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


def row_of(path: Path, recording: Recording, chosen: list[tuple[str, str]]) -> dict[str, Any]:
    """Return everything that is pinned of the recording in the folder *path*."""
    row = run_row(judge(recording), stored_actions(path)) | {"logged-actions": _counted(logged_actions(path))}
    generation = generation_row(recording)
    if generation is not None:
        row["generation-1"] = generation
    row["controls"] = [control_row(recording, kind, place) for kind, place in chosen]
    return row


class Explained(NamedTuple):
    """A recorded run that is to be explained as a run of the model, and its pin, if any."""

    path: Path
    pinned: dict[str, Any] | None
    clock: Clock = Clock()
    """The zone and the day of lines of its logs that print none."""


def channel_recordings() -> list[Path]:
    """Return the recordings that are explained by the channel; those of locks are explained by `oneowner replay`."""
    return [path for path in recordings() if not is_of_locks(path)]


def rows_in(document: Document) -> dict[str, Explained]:
    """Return every recording of the project by name."""
    return {path.name: Explained(path, document.data.get(path.name)) for path in channel_recordings()}


def controls_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the pinned controls of one recording."""
    return [(control["kind"], control["place"]) for control in row["controls"]]


def find(row: Explained, effort: Effort) -> dict[str, Any]:
    """Explain a recording; controls to be pinned are computed again."""
    recording = read_recording(row.path, row.clock)
    is_chosen = row.pinned is None or effort.goes_on
    return row_of(row.path, recording, choose_controls(recording) if is_chosen else controls_of(row.pinned or {}))


def compare(row: Explained, found: dict[str, Any]) -> Outcome:
    """Report the deviations of a recording from its pin, or its refusal if it is not one of the project."""
    if row.pinned is not None:
        return Outcome(row.pinned["verdict"], found["verdict"], differences(row.pinned, found))
    if row.path.parent == recording_pins.RUNS:
        words = f"{PINS.name} pins nothing of it: oneowner bless conformance {row.path.name} --reason '...'"
        return Outcome("pinned", Verdict.UNKNOWN.value, [words])
    return Outcome(Acceptance.ACCEPTED.value, found["verdict"])


def differences(row: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return in words how *found* is not as pinned."""
    keys = dict.fromkeys([*row, *found])
    return [
        f"{key} is {found.get(key)} where {row.get(key)} is pinned"
        for key in keys
        if key != "reason" and row.get(key) != found.get(key)
    ]


def written(path: Path, before: str, row: Explained, found: dict[str, Any]) -> str:
    """Return the text of the file with everything that was found of a recording."""
    reason = {"reason": row.pinned["reason"]} if row.pinned and "reason" in row.pinned else {}
    data = {**parse_document(path, before).data, row.path.name: {**found, **reason}}
    return rewritten(before, dict(sorted(data.items())))


def claims(document: Document) -> Iterator[Claim]:
    """Yield the verdict of every recording, and the number of controls that are noticed."""
    for name, row in document.data.items():
        yield from verdicts_in((name,), name, {"verdict": row["verdict"], "controls": told(row)})


def changes(row: Explained, found: dict[str, Any]) -> Iterable[str]:
    """Return the changes in the pins of a recording, in short."""
    pins = {key: value for key, value in (row.pinned or {}).items() if key != "reason"}
    return parts_changed(pins, found) if pins else ["first pinned"]


def told(row: dict[str, Any]) -> str:
    """Return the number of controls that are noticed: each should be refused, or leave a broker that owes a record."""
    good = sum(control["answer"] in (Acceptance.REFUSED, OWING) for control in row["controls"])
    return f"{good} of {len(row['controls'])}"


COLUMNS = ("units", "records", "registry", "inferred", "widest", "wide", "timed", "effective", "contradictions")


def show(out: Console, rows: Sequence[tuple[Explained, dict[str, Any]]]) -> None:
    """Print the table, its totals, and the refused and unknown units."""
    table = text.table("run", "verdict", *(f"{name}>" for name in COLUMNS), "controls told>")
    by_name = {row.path.name: found for row, found in rows}
    for name, row in by_name.items():
        table.add_row(name, row["verdict"], *(f"{row[column]:,}" for column in COLUMNS), told(row))
    if len(by_name) > 1:
        table.add_row("all", "", *(f"{sum(row[column] for row in by_name.values()):,}" for column in COLUMNS), "")
    out.print(table)
    lines = [line for name, row in by_name.items() for line in _notes(name, row)]
    lines.append("the first record that had an effect and that generation 1 refuses:")
    for name, row in by_name.items():
        lines.append(f"{name}: {row['generation-1']['why'] if 'generation-1' in row else 'none'}")
    for line in lines:
        out.print(line, markup=False, highlight=False)


def _notes(name: str, row: dict[str, Any]) -> Iterator[str]:
    yield from row.get("doubts", [])
    for unit in row.get("unexplained", []):
        yield f"{name}, {unit['unit']}, {unit['place']}: {unit['why']}"
    for unit, brokers in row.get("owing", {}).items():
        yield f"{name}, {unit}: at the end broker {', '.join(map(str, brokers))} owes a record that nobody saw"


CONFORMANCE = Pins(
    files=lambda: {path.name: PINS for path in channel_recordings()},
    rows_in=rows_in,
    find=find,
    compare=compare,
    written=written,
    claims=claims,
    changes=changes,
    show=show,
)
