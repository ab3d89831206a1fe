"""The ledger prints as a table: a family a row, as it is pinned or as it was found."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from rich.table import Table
from rich.text import Text

from oneowner.checkers.report.text import STYLES

LAWS = "laws: valid/invalid/unknown (no occasion in these bounds); seen: witnesses"
SYMMETRY = "[symmetry: broker]: explore --symmetry may let these change places, once z3 has proved that they are alike"
EXPLANATION = f"{LAWS}; native: states that the interpreter visited too, nightly many more"
NARROWEST = {"family": 16, "bounds": 12}
"""Columns that are folded where a terminal is narrow, and how far."""


def ledger_table(rows: Iterable[tuple[Mapping[str, Any], float | None, bool | None]]) -> Table:
    """
    Return the table of rows (``LedgerRow`` as JSON, seconds, whether all is as pinned).

    Without seconds it shows the ledger itself: then the profile stands where the outcome would.
    """
    listed = list(rows)
    is_measured = any(seconds is not None for _, seconds, _ in listed)
    made = Table(box=None, pad_edge=False, padding=(0, 1), collapse_padding=True, header_style="bold", show_edge=False)
    headings = ["family", "release", "bounds", "states>", "transitions>", "depth>", "laws>", "seen>"]
    for heading in [*headings, *(["native>", "s>", "ok"] if is_measured else ["profile"])]:
        justify: Literal["left", "right"] = "right" if heading.endswith(">") else "left"
        made.add_column(
            heading.rstrip(">"),
            justify=justify,
            no_wrap=heading not in NARROWEST,
            overflow="fold",
            min_width=NARROWEST.get(heading),
        )
    for row, seconds, ok in listed:
        native = row["engines"].get("native", 0)
        outcome = [
            "all" if native == row["states"] else f"{native:,}",
            f"{seconds or 0.0:.1f}",
            Text("yes" if ok else "no", style=STYLES["yes" if ok else "no"]),
        ]
        made.add_row(
            row["family"],
            row["release"],
            " ".join(f"{name}={value}" for name, value in row["bounds"].items()),
            f"{row['states']:,}",
            f"{row['transitions']:,}",
            str(row["depth"]),
            "/".join(str(row["laws"][verdict]) for verdict in ("valid", "invalid", "unknown")),
            f"{row['witnesses']['reached']}/{row['witnesses']['of']}",
            *(outcome if is_measured else [row["profile"]]),
        )
    return made
