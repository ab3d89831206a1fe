"""
``python -m oneowner.checkers.compaction_logs.__main__ [NAME...]``: judge logs by the laws of compaction.

Without a name, the rows of profile ``pr``. Exit code 0 if all is as pinned, 1 if not, 2 for an unknown name.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from rich.console import Console

from oneowner.checkers.compaction_logs.alphabets import DISTRIBUTION
from oneowner.checkers.compaction_logs.log_judging import LAWS, Judgement
from oneowner.checkers.compaction_logs.log_rows import Logs, differences, found, judged, ledger
from oneowner.checkers.compaction_logs.log_story import tell
from oneowner.checkers.ledger.family import pick
from oneowner.checkers.report import text
from oneowner.checkers.verdict import MISUSE, Misuse

PREDICTED = {"keep-last-transparent": 33, "old-horizon-quiet-always": 17, "lagging-reader-current-always": 5}
"""Percent of random logs that break a law by models.S8, over a distribution of its own (one unit, up to 9 records)."""


def show(out: Console, row: Logs, judgement: Judgement, seconds: float) -> None:
    """Print one row: what every law said, and each shortest counterexample."""
    out.print(f"{row.name}: {row.title}", style="bold")
    random = row.way == "random"
    how = f"seed {row.seed}; {DISTRIBUTION}" if random else f"every log of up to {row.longest} records"
    out.print(f"{judgement.logs:,} logs, {how}; {seconds:.0f} s")
    table = text.table("law", "verdict", "exercised>", "broken>", "%>", "predicted>")
    for name in LAWS:
        pin = found(judgement, name)
        share = f"{100 * pin.broken / pin.exercised:.1f}" if pin.exercised else ""
        predicted = f"{PREDICTED[name]} %" if random and name in PREDICTED else ""
        table.add_row(name, pin.verdict.value, f"{pin.exercised:,}", f"{pin.broken:,}", share, predicted)
    out.print(table)
    for name, law in LAWS.items():
        shortest = judgement.laws[name].shortest
        if shortest is not None and not random:
            out.print(f"{name} [{law.status.value}] fails:", style="bold")
            for line in tell(law, shortest):
                out.print(f"  {line}", markup=False, highlight=False)
    for words in differences(row, judgement):
        out.print(f"not as pinned: {words}", style="bold red")


def main(names: Sequence[str]) -> int:
    """Judge the named rows; return the exit code."""
    try:
        rows = ledger()
        chosen = [pick(rows, name, "set of logs") for name in names]
    except Misuse as error:
        sys.stderr.write(f"error: {error}\n")
        return MISUSE
    out, is_other = text.console(), False
    for row in chosen or [row for row in rows.values() if row.profile != "nightly"]:
        started = time.monotonic()
        judgement = judged(row)
        show(out, row, judgement, time.monotonic() - started)
        is_other = is_other or bool(differences(row, judgement))
    return 1 if is_other else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
