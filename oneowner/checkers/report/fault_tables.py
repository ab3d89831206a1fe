"""These tables print the kill matrix, and which release has which bug."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.catalogue.faults import KILLED, Fault, LogFault, Unkilled
from oneowner.checkers.report.text import table

_STYLES = {KILLED: "green", "reproduced": "green", "not modelled": "dim", "unknown": "yellow", "not found": "yellow"}


def print_kills(
    out: Console,
    rows: Sequence[Mapping[str, Any]],
    chosen: Mapping[str, Fault | LogFault | Unkilled],
    amiss: Mapping[str, Sequence[str]],
) -> None:
    """Print a row for every bug that some law should kill, then why no law kills the others."""
    made = table("fault", "upstream", "verdict", "law", "family", "steps>", "states>", "s>")
    for row in rows:
        fault = chosen[row["name"]]
        if isinstance(fault, Unkilled):
            continue
        settings = "".join(f" {name}={value}" for name, value in fault.settings.items())
        is_amiss = bool(amiss.get(fault.name))
        made.add_row(
            fault.name,
            _short(fault.upstream),
            Text(row["verdict"], style="bold red" if is_amiss else _STYLES.get(row["verdict"], "bold red")),
            fault.law,
            fault.family + settings,
            str(row["steps"]),
            f"{row['states']:,}",
            f"{row['seconds']:.1f}",
        )
    if made.row_count:
        out.print(made)
    others = [fault for fault in chosen.values() if isinstance(fault, Unkilled)]
    for verdict in dict.fromkeys(fault.verdict for fault in others):
        out.print()
        out.print(f"{verdict}:", style="bold")
        why = table("upstream", "fault", "why")
        for fault in others:
            if fault.verdict == verdict:
                why.add_row(_short(fault.upstream), fault.title, fault.why)
        out.print(why)


def print_hypotheses(out: Console, rows: Sequence[tuple[str, str, str, str]], numbers: str) -> None:
    """Print a row for every hypothesis and hazard: source, statement, verdict, place or reason."""
    out.print()
    out.print(f"hypotheses and hazards: {numbers}", style="bold")
    made = table("source", "statement", "verdict", "where, or why")
    for source, says, verdict, where in rows:
        made.add_row(_short(source), says, Text(verdict, style=_STYLES[verdict]), where)
    out.print(made)


def print_affected(out: Console, affected: Mapping[str, str], known: Mapping[str, Fault]) -> None:
    """Print a row for every bug of some release, then the bugs of none."""
    made = table("releases, computed", "according to the notes", "law", "upstream", "fault")
    free = []
    for name, spans in affected.items():
        if spans == "none":
            free.append(name)
            continue
        fault = known[name]
        made.add_row(spans, fault.releases, fault.law, _short(fault.upstream), f"{fault.title} ({name})")
    out.print(made)
    if free:
        out.print()
        out.print("in no modelled release:", style="bold")
        others = table("fault", "according to the notes")
        for name in free:
            others.add_row(name, known[name].releases)
        out.print(others)


def print_bugs_of(out: Console, release: str, rows: Sequence[Mapping[str, Any]], known: Mapping[str, Fault]) -> None:
    """Print the bugs of one release, and the releases that fix them."""
    out.print(f"{release}:", style="bold")
    made = table("law", "steps>", "fixed in", "how known", "upstream", "bug")
    for row in rows:
        if row["verdict"] == "invalid":
            fault = known[row["fault"]]
            title = f"{fault.title} ({fault.name}, in {fault.family})"
            fixed = row["fixedIn"] or "no release"
            made.add_row(row["law"], str(row["steps"]), fixed, row["known"], _short(fault.upstream), title)
    out.print(made)
    out.print()


def _short(upstream: str) -> str:
    """
    Shorten the reference to an upstream report.

    >>> _short("apache/pulsar#1428, apache/pulsar#9598 (two brokers)")
    '#1428, #9598'
    """
    return upstream.replace("apache/pulsar", "").split(" (")[0].split(";")[0].strip(" ,")
