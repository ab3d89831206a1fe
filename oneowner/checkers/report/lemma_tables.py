"""Tables of lemmas: all of them, or one with its assumptions and claims in Python."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.report.text import table
from oneowner.model.kernel.lemma import PROVED, REFUTED, Lemma

Row = Mapping[str, Any]
"""The result of a lemma, with the keys of ``result.schema.json``."""

_STYLES = {PROVED: "green", REFUTED: "cyan"}
EXPLANATION = (
    "refuted: the lemma looks true and is false for the witness; the reason is in brackets.\n"
    "proved: its assumptions are satisfiable, too, and z3 refutes a mutant. oneowner prove LEMMA prints all of this."
)


def print_lemmas(out: Console, rows: Iterable[Row]) -> None:
    """Print one row per lemma, and below a refuted one its witness."""
    made = table("lemma", "verdict", "s>", "statement")
    for row in rows:
        statement = Text(row["statement"])
        if row["verdict"] == REFUTED and "after" in row["witness"]:
            statement.append(f"\n  the two states: oneowner prove {row['name']}", style="dim")
        elif row["verdict"] == REFUTED:
            for name, value in row["witness"].items():
                statement.append(f"\n  {name}: {value}", style="dim")
        made.add_row(row["name"], verdict(row), f"{row['seconds']:.1f}", statement)
    out.print(made)
    out.print(EXPLANATION, style="dim")
    out.print()


def print_lemma(out: Console, lemma: Lemma, row: Row) -> None:
    """Print one lemma with its assumptions and claims, as its predicates are written."""
    out.print(Text.assemble((lemma.name, "bold"), ": ", verdict(row), f" ({row['seconds']:.1f} s)"))
    out.print(f"  {lemma.statement}")
    out.print(f"  source: {lemma.source}", style="dim")
    steps = () if lemma.step is None else (lemma.step,)
    for title, functions in (("assumed", lemma.given), ("the step", steps), ("claimed", lemma.claims)):
        if functions:
            out.print(f"\n{title}:", style="bold")
        for function in functions:
            print_source(out, function)
    if row["witness"] is not None:
        out.print("\nfalse for:" if row["verdict"] == REFUTED else "\nthe assumptions hold for:", style="bold")
        print_values(out, row["witness"])
    if row["mutant"] is not None and row["mutant"]["witness"] is not None:
        out.print(f"\nits mutant ({row['mutant']['says']}) is false for:", style="bold")
        print_values(out, row["mutant"]["witness"])
    out.print()


def print_source(out: Console, function: Callable[..., Any]) -> None:
    """Print a predicate or a step as its file has it."""
    for line in inspect.getsource(function).rstrip().splitlines():
        out.print(f"  {line}")


def print_values(out: Console, values: Mapping[str, str]) -> None:
    """Print inputs; of those that have many parts, one part a line."""
    for name, value in values.items():
        first, *others = value.split("; ")
        out.print(f"  {name}: {first}")
        for part in others:
            out.print(f"  {'':{len(name)}}  {part}")


def verdict(row: Row) -> Text:
    """Return a verdict in its colour: red if it is not the expected one."""
    style = _STYLES.get(row["verdict"], "yellow") if row["verdict"] == row["expected"] else "bold red"
    return Text(row["verdict"], style=style)
