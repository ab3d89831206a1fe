"""The verb ``compare``: the hand-over guarantees of all systems, beside each other."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from oneowner.checkers.cli.options import wants_page
from oneowner.checkers.comparison.comparison import Cell, Says, compare, subjects
from oneowner.checkers.places import TOP
from oneowner.checkers.report import text
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Verdict
from oneowner.spec.handoff.requirements import REQUIREMENTS

STYLES = {Says.HOLDS: "green", Says.GUARDED: "yellow", Says.FAILS: "red", Says.UNKNOWN: "bold yellow"}


def run_compare(out: Console, names: Sequence[str]) -> Result:
    """Print the guarantees of the named systems, or of all; for one system, with evidence. Raise Misuse if unknown."""
    cells = compare(names)
    chosen = list(dict.fromkeys(cell.system for cell in cells))
    reasons = [f"{cell.system}, {cell.requirement.name}: {words}" for cell in cells for words in cell.problems]
    result = Result(
        verb="compare",
        verdict=Verdict.UNKNOWN if reasons else Verdict.VALID,
        reasons=reasons,
        more={
            "systems": [{"name": name, "title": subjects()[name].title} for name in chosen],
            "requirements": [one._asdict() for one in REQUIREMENTS],
            "cells": [cell.as_json() for cell in cells],
        },
        page=Page(scenarios=scenarios(cells) if wants_page() else {}),
    )
    table = text.table("", "requirement", *chosen)
    for one in REQUIREMENTS:
        row = [_styled(cell) for cell in cells if cell.requirement == one]
        table.add_row(one.name, one.title, *row)
    out.print(table)
    if len(chosen) == 1:
        listed(out, cells)
    for words in reasons:
        out.print(f"  {words}", markup=False, highlight=False)
    out.print(Text.assemble("compare: ", text.styled(result.verdict)))
    return result


def _styled(cell: Cell) -> Text:
    words = "" if cell.says == Says.NOT_CLAIMED else cell.in_short()
    return Text(words, style=STYLES.get(cell.says, ""))


def listed(out: Console, cells: Sequence[Cell]) -> None:
    """Print the evidence for each requirement of one system."""
    for cell in cells:
        out.print()
        out.print(f"{cell.requirement.name}: {cell.requirement.statement}", markup=False, highlight=False)
        if cell.why:
            out.print(f"  not claimed: {cell.why}", markup=False, highlight=False)
        for claim in cell.claims:
            where = f"holds within {len(claim.holds)}" if claim.holds else ""
            least = claim.fewest
            steps = "" if least is None or least.steps is None else f" after {least.steps} steps"
            fails = "" if least is None else f"fails{steps} in {least.name}: {least.least or least.file}"
            words = "; ".join(one for one in (where, fails, claim.problem) if one)
            out.print(f"  {claim.kind} {claim.name} ({claim.status}): {words}", markup=False, highlight=False)


def scenarios(cells: Sequence[Cell]) -> dict[str, str]:
    """Return the text of every scenario that a cell names, by its file."""
    files = {one.file for cell in cells for claim in cell.claims for one in claim.fails if one.steps is not None}
    return {file: (TOP / file).read_text(encoding="utf-8") for file in sorted(files) if file.startswith("traces/")}
