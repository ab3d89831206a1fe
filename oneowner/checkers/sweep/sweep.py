"""The verb ``sweep``: every combination of some axes is a task, done on Spark or here; a matrix of their rows."""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.extras import need
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.recordings.fold.audit_engine import JAVA_HINT, has_java
from oneowner.checkers.report import text
from oneowner.checkers.results import Page, Result, Stats
from oneowner.checkers.sweep.axes import Axes
from oneowner.checkers.sweep.axes_table import axes_tables
from oneowner.checkers.sweep.kept_rows import Kept
from oneowner.checkers.sweep.measured_run import MEASURED
from oneowner.checkers.sweep.task import Row, Task, done, failed
from oneowner.checkers.verdict import Misuse, Verdict, worst

TABLE = "sweep.parquet"
ROWS = "rows"


def run_sweep(
    out: Console,
    on_progress: Callable[[str], None] | None,
    axes: Axes,
    engine: str = "spark",
    master: str | None = None,
    folder: Path | None = None,
) -> Result:
    """Run the tasks of a sweep that are not finished in *folder*; print and return the matrix."""
    started = time.monotonic()
    tasks, notes = axes.tasks(), axes.notes()
    need("spark", "sweep")
    if engine == "spark" and not has_java():
        raise Misuse(f"{JAVA_HINT}; or use --engine inline")
    if folder is not None:
        _make(folder / ROWS)
    with tempfile.TemporaryDirectory(prefix="oneowner-sweep-") as nowhere:
        rows, place, known = _rows(tasks, engine, master, folder or Path(nowhere), on_progress)
    if folder is not None:
        from oneowner.checkers.sweep.parquet import write_parquet

        write_parquet(folder / TABLE, rows)
    result = result_of(tasks, rows, time.monotonic() - started)
    result.reasons[:0] = notes
    for note in notes:
        out.print(note)
    out.print(f"engine: {place}" + (f"; {known} of {len(tasks)} tasks were done before" if known else ""), style="dim")
    _print(out, tasks, rows)
    for line in _covered(rows):
        out.print(line)
    if folder is not None:
        out.print(f"written: {folder / TABLE}")
    if any(row["verdict"] != MEASURED for row in rows):
        text.verdict_line(out, f"sweep of {len(tasks):,} tasks", result)
    return result


def _make(folder: Path) -> None:
    """Make a folder; raise Misuse, before anything is done, if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise Misuse(f"--out {folder.parent}: cannot be written: {error.strerror}") from None


def _rows(
    tasks: Sequence[Task], engine: str, master: str | None, folder: Path, on_progress: Callable[[str], None] | None
) -> tuple[list[Row], str, int]:
    from oneowner.checkers.sweep.spread import done_on_spark, version

    kept = Kept(str((folder / ROWS).absolute()), version())
    there = {task: row for task in tasks if (row := kept.find(task)) is not None}
    owed = [task for task in tasks if task not in there]
    place = "nothing was left to do"
    if owed and engine == "spark":
        found, place = done_on_spark(owed, kept, master, on_progress)
    elif owed:
        found, place = _done_here(owed, kept, on_progress), "inline, a process for each core"
    else:
        found = {}
    lost = {task: failed(task, f"it was not done: {place}") for task in owed if task not in found}
    rows = {**there, **found, **lost}
    return [rows[task] for task in tasks], place, len(there)


def _done_here(tasks: Sequence[Task], kept: Kept, on_progress: Callable[[str], None] | None) -> dict[Task, Row]:
    try:
        return in_parallel(partial(_done_and_kept, kept), tasks, on_progress)
    except BrokenProcessPool:
        return {task: row for task in tasks if (row := kept.find(task)) is not None}


def _done_and_kept(kept: Kept, task: Task) -> Row:
    row = done(task)
    kept.keep(task, row)  # at once: the sweep may be killed before the others are done
    return row


def result_of(tasks: Sequence[Task], rows: Sequence[Row], seconds: float) -> Result:
    """Return the result: the verdict is that of the worst row that was judged; a run that was measured takes none."""
    judged = [Verdict(row["verdict"]) for row in rows if row["verdict"] != MEASURED]
    verdict = worst(judged) if judged else Verdict.VALID
    reasons = [f"{task}: {'; '.join(row['reasons'])}" for task, row in zip(tasks, rows, strict=True)
               if row["verdict"] not in (Verdict.VALID, MEASURED)]  # fmt: skip
    if len(judged) < len(rows):
        reasons.append(f"{len(rows) - len(judged):,} runs were measured: no law is judged")
    stats = Stats(
        states=sum(row["states"] for row in rows), transitions=sum(row["transitions"] for row in rows),
        depth=max(row["deepest"] for row in rows), seconds=seconds,
    )  # fmt: skip
    shown = [{name: value for name, value in row.items() if name not in ("done", "fired")} |
             {"fired": json.loads(row["fired"])} for row in rows]  # fmt: skip
    page = Page(subject="sweep", figures={"tables": axes_tables(tasks)})
    return Result("sweep", verdict, reasons, stats, more={"tasks": shown}, page=page)


def _print(out: Console, tasks: Sequence[Task], rows: Sequence[Row]) -> None:
    worst_first = sorted(zip(tasks, rows, strict=True), key=lambda pair: _ORDER[pair[1]["verdict"]])
    shown = worst_first[:MOST_SHOWN]
    judged = text.table("task", "verdict", "states>", "transitions>", "depth>", "counterexample")
    measured = text.table("run", "verdict", "moves>", "bound>", "returns>", "last>", "spread", "most>", "reason")
    for task, row in shown:
        if row["kind"] == "simulate":
            measured.add_row(str(task), text.styled(row["verdict"]), *_measured(row))
        else:
            judged.add_row(str(task), text.styled(row["verdict"]), *_judged(row))
    for table in (judged, measured):
        if table.row_count:
            out.print(table)
    if len(rows) > MOST_SHOWN:
        out.print(f"{len(rows) - MOST_SHOWN:,} more; --json, --html and --out have them all", style="dim")
    verdicts = Counter(row["verdict"] for row in rows)
    out.print(", ".join(f"{times:,} {verdict}" for verdict, times in sorted(verdicts.items())))


def _judged(row: Row) -> Iterator[str]:
    yield from (f"{row[name]:,}" for name in ("states", "transitions", "deepest"))
    if row["kind"] == "kill" and row["verdict"] == Verdict.VALID:
        yield f"killed in {row['steps']} steps"
    elif row["kind"] == "releases" and row["verdict"] == Verdict.VALID:
        yield f"{row['law']} fails in: {row['affected_releases']}"
    else:
        yield f"{row['law']} after {row['steps']} steps" if row["scenario"] else "; ".join(row["reasons"])[:80]


def _measured(row: Row) -> Iterator[str]:
    if row["verdict"] == MEASURED:
        yield from (f"{row[name]:,}" for name in ("moves", "bound", "returns", "last"))
        yield f"{row['first_spread']:.3f} -> {row['spread']:.3f}"
        yield f"{row['most']:.3f}"
    else:
        yield from [""] * 6
    yield "; ".join(row["reasons"])[:80]


MOST_SHOWN = 60
_ORDER = {"invalid": 0, "unknown": 1, MEASURED: 2, "valid": 3}


def _covered(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what all walks of a family covered together."""
    walked: dict[str, list[Row]] = {}
    for row in rows:
        if row["kind"] == "walks":
            walked.setdefault(row["family"], []).append(row)
    for family, some in walked.items():
        fired: Counter[str] = Counter()
        for row in some:
            fired.update(_counts(row["fired"]))
        never = [name for name, times in sorted(fired.items()) if not times]
        steps, classes = sum(row["transitions"] for row in some), max(row["classes"] for row in some)
        taken = f"{sum(row['walks'] for row in some):,} walks, {steps:,} steps, at least {classes:,} classes of states"
        words = f"never taken: {', '.join(never)}" if never else "every action was taken"
        yield f"{family}: {taken}; {words}"


def _counts(fired: str) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(fired)
    return {name: int(times) for name, times in found.items()}
