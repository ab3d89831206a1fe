"""
``python -m oneowner.checkers.ledger.conformance_main [RUN]...``: recordings of real clusters as runs of the model.

Without a run: all of ``traces/real``. What is found is compared with ``conformance.yaml``; --write pins it anew,
--unit explains one unit, and with --trail prints the steps of the run that was found; --refute turns every switch of
the rules, one at a time, and says which recordings are refused then (a quarter of an hour).
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oneowner.checkers.cli.replay_recording import VERDICTS
from oneowner.checkers.documents import write_document
from oneowner.checkers.ledger.conformance_pins import (
    OWING,
    PINS,
    RUNS,
    choose_controls,
    controls_of,
    differences,
    pinned,
    row_of,
)
from oneowner.checkers.recordings.explain.decided_switches import refute
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.report import text
from oneowner.checkers.report.progress import ProgressLine
from oneowner.checkers.verdict import EXIT_CODES, MISUSE, Misuse, Verdict, worst

COLUMNS = ("units", "records", "registry", "inferred", "widest", "wide", "timed", "effective", "contradictions")


def recorded_runs(names: Sequence[str]) -> list[Path]:
    """Return the folders of the named runs, or of all."""
    folders = [RUNS / name if (RUNS / name).is_dir() else Path(name) for name in names]
    return folders or sorted(path for path in RUNS.iterdir() if path.is_dir())


def print_rows(rows: dict[str, dict[str, Any]]) -> None:
    """Print the table, its totals, and what is refused or unknown."""
    out = text.console()
    table = text.table("run", "verdict", *(f"{name}>" for name in COLUMNS), "controls told>")
    for name, row in rows.items():
        refused = sum(control["answer"] in (Acceptance.REFUSED, OWING) for control in row["controls"])
        counts = [f"{row[column]:,}" for column in COLUMNS]
        table.add_row(name, row["verdict"], *counts, f"{refused} of {len(row['controls'])}")
    if len(rows) > 1:
        totals = [f"{sum(row[column] for row in rows.values()):,}" for column in COLUMNS]
        table.add_row("all", "", *totals, "")
    out.print(table)
    for name, row in rows.items():
        for doubt in row.get("doubts", []):
            out.print(doubt, markup=False, highlight=False)
        for unit in row.get("unexplained", []):
            out.print(f"{name}, {unit['unit']}, {unit['place']}: {unit['why']}", markup=False, highlight=False)
        for unit, brokers in row.get("owing", {}).items():
            names = ", ".join(map(str, brokers))
            out.print(f"{name}, {unit}: at the end broker {names} owes a record that nobody saw", highlight=False)
    out.print("the first record that had an effect and that generation 1 refuses:", style="bold")
    for name, row in rows.items():
        first = row.get("generation-1")
        out.print(f"{name}: {first['why'] if first else 'none'}", markup=False, highlight=False)


def show_unit(path: Path, unit: str, trail: bool) -> Acceptance:
    """Print what is said of one unit."""
    out = text.console()
    judged = judge(read_recording(path), unit)
    if not judged.units:
        raise Misuse(f"{path}: no unit {unit} in it")
    for one in judged.units:
        if trail:
            for number, words in enumerate(one.trail, 1):
                out.print(f"{number:4} {words}", markup=False, highlight=False)
        why = f": {one.place}: {one.why}" if one.why else f", {one.inferred} steps inferred"
        out.print(f"{', '.join(one.group.keys)}: {one.answer}{why}", markup=False, highlight=False)
    return judged.answer


def show_refuted(paths: Sequence[Path]) -> int:
    """Print which switches the recordings decide."""
    out = text.console()
    recordings = [read_recording(path) for path in paths]
    table = text.table("switch turned", "runs refused>", "units>", "units unknown>", "the first")
    for one in refute(recordings):
        table.add_row(one.switch, str(one.runs), str(one.units), str(one.unknown), one.first)
    out.print(table)
    return 0


def compare(rows: dict[str, dict[str, Any]]) -> Iterator[tuple[Verdict, str]]:
    """Yield how the rows differ from what is pinned; of a run of which nothing is, whether it is not accepted."""
    there = pinned() if PINS.exists() else {}
    for name, row in rows.items():
        if name in there:
            for words in differences(there[name], row):
                yield Verdict.INVALID, f"not as pinned: {name}: {words}"
        elif row["verdict"] != Acceptance.ACCEPTED:
            yield VERDICTS[Acceptance(row["verdict"])], f"{name}: {row['verdict']}"


def main(arguments: Sequence[str]) -> int:
    """Print the table; return the exit code: 0 as pinned, 1 not, 2 misuse, 3 for an unknown run that is not pinned."""
    parser = ArgumentParser(prog="python -m oneowner.checkers.recordings.explain", description=__doc__)
    parser.add_argument("runs", metavar="RUN", nargs="*")
    parser.add_argument("--unit", metavar="KEY")
    parser.add_argument("--trail", action="store_true")
    parser.add_argument("--refute", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    asked = parser.parse_args(arguments)
    progress = ProgressLine()
    rows: dict[str, dict[str, Any]] = {}
    try:
        there = pinned() if PINS.exists() else {}
        if asked.refute:
            return show_refuted(recorded_runs(asked.runs))
        for path in recorded_runs(asked.runs):
            if asked.unit is not None:
                answer = show_unit(path, asked.unit, asked.trail)
                return EXIT_CODES[VERDICTS[answer]]
            recording = read_recording(path)
            row = there.get(recording.name)
            chosen = choose_controls(recording) if row is None or asked.write else controls_of(row)
            rows[recording.name] = row_of(recording, chosen, None if asked.quiet else progress)
    except Misuse as error:
        progress.clear()
        sys.stderr.write(f"error: {error}\n")
        return MISUSE
    progress.clear()
    print_rows(rows)
    if asked.write:
        PINS.write_text(_HEAD + write_document(dict(sorted({**there, **rows}.items())), flow=False))
    unmet = list(compare(rows))
    for _, words in unmet:
        sys.stdout.write(f"{words}\n")
    return EXIT_CODES[worst([Verdict.VALID, *(verdict for verdict, _ in unmet)])]


_HEAD = """\
# Recordings of real clusters as runs of the model: what was found, by --write.
#
# replayed: observed steps (records, and steps of the registry in each unit's run); inferred: steps that nobody saw;
# widest: states kept at once; wide: units that needed the wide search; timed: units in which a
# hand-over is taken to have lasted too long; effective: records whose effect is on record;
# contradictions: those that the fold refuses; controls: what is said of the run with one thing corrupted;
# owing: at the end of a run that is explained, living brokers that never published what they owe by the model;
# doubts: what is missing or damaged, so that the run cannot be accepted.
# generation-1: the first record that had an effect and that the protocol of generation 1 refuses.

"""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
