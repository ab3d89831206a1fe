"""
The verb ``gate``: everything that is pinned, checked; what is not as expected is told in full.

Families against the ledger by all engines, laws of whole logs, saved counterexamples, recorded runs against the
expectation file beside each, and the Spark engine against the inline one, byte for byte. Rows are independent and run
on all cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from oneowner.checkers.compaction_logs.log_rows import ledger
from oneowner.checkers.engines.explore.building import cache
from oneowner.checkers.engines.explore.engine_choice import REFEREED
from oneowner.checkers.extras import need
from oneowner.checkers.ledger.decision_rows import decision_rows
from oneowner.checkers.ledger.families import families, faults, ledger_rows
from oneowner.checkers.ledger.family import PROFILES
from oneowner.checkers.ledger.gate_rows import Row, Task, check, counterexamples, recordings
from oneowner.checkers.ledger.history import histories, lost
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report.gate_text import print_summary, print_table, table_text
from oneowner.checkers.report.json import write_text
from oneowner.checkers.report.text import styled
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, Verdict, worst
from oneowner.spec.systems import lemmas


def run_gate(
    out: Console,
    on_progress: Callable[[str], None] | None,
    profile: str,
    verbose: bool = False,
    table_to: Path | None = None,
) -> Result:
    """
    Check everything of *profile*; print what is not as expected and one line for each group, and return every row.

    The whole table is printed if *verbose*, and written to *table_to*, or else to the user's cache.
    """
    started = time.monotonic()
    tasks = list(tasks_of(profile))
    longest_first = sorted(tasks, key=lambda task: -task.seconds)

    def tell(done: int, task: Task) -> None:
        if on_progress is not None:
            on_progress(f"{done} of {len(tasks)} done; last: {task.kind} {task.name}")

    rows = in_parallel(check, longest_first, tell)
    ordered = [rows[task] for task in tasks]
    result = Result(
        verb="gate",
        verdict=worst(Verdict.VALID if row.ok else _failure(row) for row in ordered),
        reasons=[f"{row.kind} {row.name}: {reason}" for row in ordered if not row.ok for reason in row.reasons],
        more={"rows": [row.as_json() for row in ordered]},
    )
    shown = [{**row.as_json(), "reasons": row.reasons} for row in ordered]
    if verbose:
        print_table(out, shown)
        out.print()
    print_summary(out, shown)
    out.print(f"table: {written(table_text(shown), profile, table_to)}", style="dim")
    out.print(Text.assemble(f"gate, profile {profile}, {time.monotonic() - started:.0f} s: ", styled(result.verdict)))
    return result


def written(table: str, profile: str, path: Path | None) -> str:
    """Write the table to *path*; return where it is. A cache that cannot be written costs the table alone."""
    if path is not None:
        write_text(path, table)
        return str(path)
    path = cache() / f"gate-{profile}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, table)
    except (OSError, Misuse):
        return f"not written: {path.parent} is no folder to write in; --table FILE names another place"
    return str(path)


def tasks_of(profile: str) -> Iterator[Task]:
    """Yield the rows of *profile* in the order of the table."""
    included = PROFILES[: PROFILES.index(profile) + 1]
    for name, family in ledger_rows().items():
        if family.profile in included:
            yield Task("family", name, 3 + family.states / 30_000, profile)
    for name in lost(ledger_rows(), histories()):
        yield Task("family", name, 0.1, profile)
    for logs in ledger().values():
        if logs.profile in included:
            yield Task("logs", logs.name, logs.count / 30_000)
    for row in decision_rows().values():
        if row.profile in included:
            yield Task("decision", row.name, 0.1 + row.inputs / 20_000)
    if profile != "smoke":
        for lemma, _ in lemmas().values():
            yield Task("lemma", lemma.name, 0.2 if lemma.step is None else 3)
    for name in counterexamples():
        yield Task("counterexample", name, 0.1)
    for path in recordings():
        yield Task("run", path.name, 0.2)
    if profile != "smoke":
        yield Task("engine", "every run on Spark", 20)
    if profile == "nightly":
        need("prove", "the nightly gate")
        from oneowner.checkers.ledger.bounded_faults import shallow_faults  # z3 takes long to load

        for fault in faults().values():
            yield Task("fault", fault.name, 10)
            yield Task("releases", fault.name, 10)
        for fault in shallow_faults():
            yield Task("bounded", fault.name, 15)
        for path in recordings():
            yield Task("conform", path.name, 2)
        for family in families().values():
            if family.states <= REFEREED and family.system.refinements:
                yield Task("refinement", family.full_name, family.states / 2_000)


def _failure(row: Row) -> Verdict:
    """Return what a row that is not as expected says of the whole: a missing engine is unknown."""
    known = row.verdict != Verdict.UNKNOWN.value or row.expected == Verdict.UNKNOWN.value
    return Verdict.INVALID if known else Verdict.UNKNOWN
