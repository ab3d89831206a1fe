"""The verb ``explain``: recordings of real clusters, or one unit of a recording, as runs of the model."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from oneowner.checkers.cli.pinned_rows import OnProgress, look
from oneowner.checkers.cli.replay_recording import VERDICTS
from oneowner.checkers.documents import suggestion
from oneowner.checkers.ledger.conformance_pins import CONFORMANCE, Explained, channel_recordings
from oneowner.checkers.ledger.recording_pins import recordings
from oneowner.checkers.recordings.explain.decided_switches import refute
from oneowner.checkers.recordings.explain.explain_verdict import judge
from oneowner.checkers.recordings.explain.lock_runs import explain_lock_run, is_of_locks
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.manifest import read_manifest
from oneowner.checkers.report import text
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, Verdict


def explain_runs(out: Console, on_progress: OnProgress, names: Sequence[str], clock: Clock) -> Result:
    """Explain the named runs, or all recordings; compare those of the project with their pins."""
    ours = {path.resolve(): path.name for path in channel_recordings()}
    folders = folders_of(names)
    print_notes(out, folders)
    rows = {
        path.name: CONFORMANCE.read(ours[path.resolve()]) if path.resolve() in ours else Explained(path, None, clock)
        for path in folders
    }
    return look(out, on_progress, "explain", "conform", CONFORMANCE, rows)


def folders_of(names: Sequence[str]) -> list[Path]:
    """Return the folders of the named runs, or of all recordings; raise Misuse for an unknown name."""
    known = {path.name: path for path in recordings()}
    for name in names:
        if Path(name).is_file():
            raise Misuse(f"{name}: it is a file; explain reads the folder of a recorded run")
        if name not in known and not Path(name).is_dir():
            raise Misuse(f"no such run: {name}; name a folder, or one of traces/real: {suggestion(name, known)}")
    return [known.get(name, Path(name)) for name in names] or channel_recordings()


def print_notes(out: Console, folders: Sequence[Path]) -> None:
    """Print which runs are judged by the rules of another release than their own."""
    for path in folders:
        if note := read_manifest([*path.glob("manifest.yaml")], []).judged_by.note:
            out.print(f"{path.name}: {note}", markup=False, highlight=False)


def explain_unit(out: Console, names: Sequence[str], unit: str, trail: bool, clock: Clock) -> Result:
    """Print the verdict on one unit of a run, and with *trail* the steps of the model's run."""
    if len(names) != 1:
        raise Misuse(f"--unit requires one RUN, not {len(names)}")
    (path,) = folders_of(names)
    print_notes(out, [path])
    if is_of_locks(path):
        return explain_lock(out, path, unit, trail, clock)
    judged = judge(read_recording(path, clock), unit)
    if not judged.units:
        raise Misuse(f"{path}: no unit {unit} in it")
    for one in judged.units:
        for number, words in enumerate(one.trail if trail else (), 1):
            out.print(f"{number:4} {words}", markup=False, highlight=False)
        why = f": {one.place}: {one.why}" if one.why else f", {one.inferred} steps inferred"
        out.print(f"{', '.join(one.group.keys)}: {one.answer}{why}", markup=False, highlight=False)
    whys = [one.why for one in judged.units if one.why]
    return Result("explain", VERDICTS[judged.answer], [*judged.recording.doubts, *whys])


def explain_lock(out: Console, path: Path, unit: str, trail: bool, clock: Clock) -> Result:
    """Print the verdict on one bundle's lock, and with *trail* the steps of the model's run."""
    run = explain_lock_run(path, clock=clock)
    locks = [one for one in run.locks if one.unit == unit]
    if not locks:
        raise Misuse(f"{path}: no lock of {unit} in it; {suggestion(unit, [one.unit for one in run.locks])}")
    for one in locks:
        for number, words in enumerate(one.trail if trail else (), 1):
            out.print(f"{number:4} {words}", markup=False, highlight=False)
        why = f": {one.place}: {one.why}" if one.why else f", {one.inferred} steps inferred"
        out.print(f"{one.unit}: {one.answer}{why}", markup=False, highlight=False)
    answer = run._replace(locks=tuple(locks)).answer
    return Result("explain", VERDICTS[answer], [*run.doubts, *(one.why for one in locks if one.why)])


def explain_switches(out: Console, on_progress: OnProgress, names: Sequence[str], clock: Clock) -> Result:
    """Print which switches of the rules the recordings decide."""
    table = text.table("switch turned", "runs refused>", "units>", "units unknown>", "the first")
    folders = folders_of(names)
    print_notes(out, folders)
    for one in refute([read_recording(path, clock) for path in folders]):
        if on_progress is not None:
            on_progress(one.switch)
        table.add_row(one.switch, str(one.runs), str(one.units), str(one.unknown), one.first)
    out.print(table)
    return Result("explain", Verdict.VALID, [])
