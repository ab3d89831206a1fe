"""These tables print the kill matrix, and which release has which bug."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.catalogue.faults import KILLED, Fault, LogFault, Unkilled
from oneowner.checkers.catalogue.harm import harm_of
from oneowner.checkers.places import shown
from oneowner.checkers.report.text import table
from oneowner.checkers.results import Result
from oneowner.checkers.version_text import version_text
from oneowner.spec.systems import systems

_STYLES = {KILLED: "green", "reproduced": "green", "not modelled": "dim", "unknown": "yellow", "not found": "yellow"}


def print_kills(
    out: Console,
    rows: Sequence[Mapping[str, Any]],
    chosen: Mapping[str, Fault | LogFault | Unkilled],
    amiss: Mapping[str, Sequence[str]],
    searched: bool,
) -> None:
    """Print a row for every bug that some law should kill, then why no law kills the others."""
    sizes = ("states>", "s>") if searched else ()
    made = table("harm", "fault", "upstream", "verdict", "law", "family", "steps>", *sizes)
    for row in rows:
        fault = chosen[row["name"]]
        if isinstance(fault, Unkilled):
            continue
        settings = "".join(f" {name}={value}" for name, value in fault.settings.items())
        is_amiss = bool(amiss.get(fault.name))
        made.add_row(
            row["harm"],
            fault.name,
            _short(fault.upstream),
            Text(row["verdict"], style="bold red" if is_amiss else _STYLES.get(row["verdict"], "bold red")),
            fault.law,
            fault.family + settings,
            str(row["steps"]),
            *((f"{row['states']:,}", f"{row['seconds']:.1f}") if searched else ()),
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


def print_pinned(out: Console, result: Result) -> None:
    """Report, also in the JSON, that verdicts are pinned ones, and by which version."""
    result.more["pinned"] = version_text()
    out.print(f"as pinned by oneowner {version_text()}; --recompute searches again", style="dim")


def print_whole_faults(out: Console, chosen: Iterable[Fault | LogFault]) -> None:
    """Print the title of each bug, the commands that show it and its repair, and its note."""
    for fault in chosen:
        verb = "oneowner replay" if isinstance(fault, Fault) else "see"
        out.print(f"{fault.name}: {fault.title}; {verb} {shown(fault.scenario)}", style="dim")
        for line in commands(fault) if isinstance(fault, Fault) else ():
            out.print(line, style="dim")
        if fault.note:
            out.print(f"note: {fault.note}", style="dim")


def commands(fault: Fault) -> Iterator[str]:
    """Yield how the bug is shown, and how its repair is, where the release that is modelled has it."""
    bounds = "".join(f" --set {name}={value}" for name, value in fault.settings.items())
    asked = f"oneowner explore {fault.family}{bounds} --law {fault.law}"
    yield f"the bug: {asked}{f' --fault {fault.name}' if fault.rules else ''}"
    if fault.repaired:
        yield f"mended: {asked} --repair {fault.name}"


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
    made = table("harm", "releases", "according to the notes", "law", "upstream", "fault")
    free = []
    for name, spans in affected.items():
        if spans == "none":
            free.append(name)
            continue
        fault = known[name]
        made.add_row(
            harm_of(fault).name, spans, fault.releases, fault.law, _short(fault.upstream), f"{fault.title} ({name})"
        )
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
    made = table("harm", "system", "law", "steps>", "fixed in", "how known", "upstream", "bug")
    judged = []
    for row in rows:
        if row["verdict"] == "invalid":
            fault = known[row["fault"]]
            judged += [] if fault.system in judged else [fault.system]
            title = f"{fault.title} ({fault.name}, in {fault.family})"
            fixed = row["fixedIn"] or "no release"
            more = row["law"], str(row["steps"]), fixed, row["known"], _short(fault.upstream), title
            made.add_row(row["harm"], fault.system, *more)
    out.print(made)
    for name in sorted(judged):
        out.print(f"  {name}: {systems()[name].title}")
    out.print()


def _short(upstream: str) -> str:
    """
    Shorten the reference to an upstream report.

    >>> _short("apache/pulsar#1428, apache/pulsar#9598 (two brokers)")
    '#1428, #9598'
    """
    return upstream.replace("apache/pulsar", "").split(" (")[0].split(";")[0].strip(" ,")
