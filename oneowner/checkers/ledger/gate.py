"""
The verb ``gate``: every pin, checked; deviations are printed in full.

Families against the ledger by all engines, laws of whole logs, saved counterexamples, recorded runs against the
expectation file beside each, and the Spark engine against the inline one, byte for byte. Rows are independent and run
on all cores.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from oneowner.checkers.ledger.kinds import KINDS
from oneowner.checkers.ledger.pinned import Outcome, Row, row_of
from oneowner.checkers.native_code import cache
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report.gate_text import print_summary, print_table, table_text
from oneowner.checkers.report.json import write_text
from oneowner.checkers.report.text import styled
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import EngineError, Misuse, Verdict, worst


def run_gate(
    out: Console,
    on_progress: Callable[[str], None] | None,
    profile: str,
    verbose: bool = False,
    table_to: Path | None = None,
) -> Result:
    """
    Check everything of *profile*; print deviations and one line for each group, and return every row.

    The whole table is printed if *verbose*, and written to *table_to*, or else to the user's cache.
    """
    started = time.monotonic()
    tasks = list(tasks_of(profile))
    longest_first = sorted(tasks, key=lambda task: -task.seconds)
    rows = in_parallel(check, longest_first, on_progress)
    ordered = [rows[task] for task in tasks]
    result = Result(
        verb="gate",
        verdict=worst(row.says for row in ordered),
        reasons=[f"{row.kind} {row.name}: {reason}" for row in ordered if not row.ok for reason in row.reasons],
        stats=Stats(seconds=time.monotonic() - started),
        more={"rows": [row.as_json() for row in ordered]},
    )
    shown = [{**row.as_json(), "reasons": row.reasons} for row in ordered]
    if verbose:
        print_table(out, shown)
        out.print()
    print_summary(out, shown, {kind.name: kind.group for kind in KINDS.values()})
    out.print(f"table: {written(table_text(shown), profile, table_to)}", style="dim")
    out.print(Text.assemble(f"gate, profile {profile}, {result.stats.seconds:.0f} s: ", styled(result.verdict)))
    return result


def written(table: str, profile: str, path: Path | None) -> str:
    """Write the table to *path*; return where it is. A cache that cannot be written costs the table alone."""
    if path is not None:
        write_text(path, table)
        return str(path)
    try:
        path = cache() / f"gate-{profile}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, table)
    except (OSError, Misuse):
        return "not written: the cache is no folder to write in; --table FILE names another place"
    return str(path)


@dataclass(frozen=True, slots=True)
class Task:
    """The subject of one row; *seconds* is a guess by which long ones start first."""

    kind: str
    name: str
    seconds: float
    profile: str = field(default="pr", compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def tasks_of(profile: str) -> Iterator[Task]:
    """Yield the rows of *profile* in the order of the table."""
    for kind in KINDS.values():
        for name, seconds in kind.rows(profile):
            yield Task(kind.name, name, seconds, profile)


def check(task: Task) -> Row:
    """Check one row; an error of the input is a row that is not ok, never a crash of the gate."""

    def outcome() -> Outcome:
        try:
            return KINDS[task.kind].check(task.name, task.profile)
        except EngineError as error:
            return Outcome(Verdict.VALID.value, Verdict.UNKNOWN.value, [str(error)])
        except Misuse as error:
            return Outcome("readable", Verdict.UNKNOWN.value, [str(error)])

    return row_of(task.kind, task.name, outcome)
