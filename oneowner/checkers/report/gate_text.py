"""
The text of the gate: deviations in full, a line for each group, the slowest rows.

The whole table is optional, and always written to a file.
"""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.report import text
from oneowner.checkers.report.family_tables import EXPLANATION, ledger_table

SLOWEST = 5
"""The number of slowest rows that are printed."""

Row = Mapping[str, Any]
"""A row as JSON has it, with its *reasons*."""


def print_table(out: Console, rows: Sequence[Row]) -> None:
    explored = [row for row in rows if row.get("ledger") is not None]
    if explored:
        out.print(ledger_table((row["ledger"], row["seconds"], row["ok"]) for row in explored))
        out.print(EXPLANATION, style="dim")
        out.print()
    out.print(text.rows_table(row for row in rows if row.get("ledger") is None))


def table_text(rows: Sequence[Row]) -> str:
    """Return the table of every row for a file."""
    stream = io.StringIO()
    print_table(Console(file=stream, width=200, color_system=None, highlight=False, markup=False, emoji=False), rows)
    return stream.getvalue()


def print_summary(out: Console, rows: Sequence[Row], groups: Mapping[str, str]) -> None:
    """Print deviations, a line for each of *groups* (kinds by name), and the slowest rows."""
    for row in (row for row in rows if not row["ok"]):
        out.print(f"{row['kind']} {row['name']}: expected {row['expected']}, found {row['verdict']}", style="bold")
        for reason in row["reasons"]:
            out.print(f"  {reason}")
    for kind, group in groups.items():
        if of_group := [row for row in rows if row["kind"] == kind]:
            out.print(f"{group}: {in_words(kind, of_group)}")
    slowest = sorted(rows, key=lambda row: -row["seconds"])[:SLOWEST]
    seconds = [f"{row['kind']} {row['name']} {row['seconds']:.1f} s" for row in slowest]
    out.print(f"slowest: {', '.join(seconds)}", style="dim")


def in_words(kind: str, rows: Sequence[Row]) -> str:
    """Sum up a group: the number of rows as expected, and their verdicts."""
    good = sum(row["ok"] for row in rows)
    many = f"{good} as expected" if good == len(rows) else f"{good} of {len(rows)} as expected"
    if kind == "family":
        return f"{many}, {sum(row['ledger']['states'] for row in rows if row.get('ledger')):,} states in all"
    if kind == "engine":
        return "the same bytes as inline" if good else "not as expected"
    verdicts = Counter(str(row["verdict"]) for row in rows if row["ok"])
    return f"{many} ({', '.join(f'{count} {verdict}' for verdict, count in verdicts.items())})" if verdicts else many
