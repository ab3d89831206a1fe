"""``oneowner list faults|findings NAME``: bugs in full."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.affected import affected_releases, in_spans, releases_of
from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.faults import Fault, LogFault, Unkilled
from oneowner.checkers.catalogue.harm import harm_of
from oneowner.checkers.catalogue.upstream import findings_named, rows_named
from oneowner.checkers.report.fault_tables import commands
from oneowner.checkers.report.finding_texts import entry, facts, prose
from oneowner.spec.systems import systems


def fault_entry(fault: Fault | LogFault | Unkilled) -> str:
    """Return a fault's title, and in brackets its upstream number, its law and its family."""
    if isinstance(fault, Unkilled):
        return f"{fault.title} [{fault.upstream}; {fault.verdict}]"
    has_it = (
        f"; {systems()[fault.system].default_release} has it" if isinstance(fault, Fault) and fault.repaired else ""
    )
    return f"{fault.title} [{fault.upstream}; killed by {fault.law} in {fault.family}{has_it}]"


def whole_faults(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Print faults with their releases and the commands that show them; raise Misuse for a name of none."""
    known = catalogue()
    for fault in (one for name in names for one in rows_named(name, known, "fault")):
        out.print(f"{fault.name}: {fault_entry(fault)}", style="bold", markup=False, highlight=False)
        parts = {"Releases, according to the notes": fault.releases}
        if isinstance(fault, Fault):
            parts |= {
                "Releases": in_spans(affected_releases(fault), releases_of(fault)),
                "Harm": harm_of(fault).meaning,
            }
            parts |= {"Commands": "; ".join(commands(fault))}
        parts |= {"Why": fault.why} if isinstance(fault, Unkilled) else {"Note": fault.note} if fault.note else {}
        for label, words in parts.items():
            out.print(f"  {label}: {words}", markup=False, highlight=False)
        out.print()
        yield {"kind": "faults", "name": fault.name, "about": fault_entry(fault), "parts": parts}


def whole_findings(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Print everything about findings, and yield it; raise Misuse for a name or label that none has."""
    from oneowner.checkers.lab.drive.by_release import seen_on
    from oneowner.checkers.lab.drive.ledger import read_kept

    for finding in (one for name in names for one in findings_named(name)):
        stated = list(facts(finding, seen_on(finding, read_kept())))
        lines = [
            *(f"{heading}: {words}" for heading, words in prose(finding)),
            *(f"{one}: {words}" for one, words in stated),
        ]
        out.print(f"{finding.name}: {finding.title}", style="bold", markup=False, highlight=False)
        for line in lines:
            out.print(f"  {line}", markup=False, highlight=False)
        out.print()
        parts = dict(prose(finding))
        for label, words in stated:
            parts[label] = f"{parts[label]}; {words}" if label in parts else words
        yield {"kind": "findings", "name": finding.name, "about": entry(finding), "parts": parts}
