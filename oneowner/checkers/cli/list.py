"""The verb ``list``: families, laws, actions and so on, one line each; or actions and laws in full."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.families import (
    families,
    family_named,
    faults,
    ledger_rows,
    unreadable,
    variants,
)
from oneowner.checkers.catalogue.family import bounds_with, pick
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.choices import KINDS
from oneowner.checkers.cli.list_bugs import fault_entry, whole_faults, whole_findings
from oneowner.checkers.cli.list_laws import law_entries, whole_laws
from oneowner.checkers.cli.list_rules import named_in, rules, whole_rules
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.ledger.binding import bindings
from oneowner.checkers.ledger.blessings import in_words
from oneowner.checkers.ledger.family_check import pinned_row
from oneowner.checkers.ledger.family_pins import way_to_count
from oneowner.checkers.report import text
from oneowner.checkers.report.action_texts import action_text, summary_of
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.family_tables import LAWS, SYMMETRY, ledger_table
from oneowner.checkers.report.finding_texts import entry
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.action import Action, Declared
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.fairness import Strength
from oneowner.model.kernel.system import System, actions
from oneowner.spec.systems import decisions, lemmas, systems


def all_bounds() -> Iterator[Bounds]:
    """Yield the bounds of every family, and of every fault with and without its repair."""
    there = families()
    for row in there.values():
        yield row.bounds
    for fault in (one for one in faults().values() if one.family in there):
        bounds = bounds_with(there[fault.family].bounds, fault.settings)
        for switches in (fault.rules, fault.repaired):
            yield replace(bounds, rules=replace(bounds.rules, **switches))


def listing(out: Console, kind: str | None, names: Sequence[str] = (), law_kind: str | None = None) -> Result:
    """List one kind of subject, or all; with *names*, describe these in full; of laws only one *law_kind*."""
    if law_kind is not None and (kind != "laws" or names):
        raise Misuse(f"--kind refused: {law_kind}; it goes with: oneowner list laws")
    if names:
        assert kind is not None
        in_full: dict[str, Callable[[Console, Sequence[str]], Iterator[dict[str, Any]]]] = {
            "actions": whole_actions,
            "families": whole_families,
            "faults": whole_faults,
            "findings": whole_findings,
            "laws": whole_laws,
            "rules": whole_rules,
        }
        rows = in_full[kind](out, names) if kind in in_full else whole_entries(kind, out, names)
        return Result("list", Verdict.VALID, [], more={"list": list(rows)})
    listed: list[dict[str, Any]] = []
    for one in [kind] if kind else KINDS:
        out.print(f"{one}:", style="bold")
        shown: list[tuple[str, str]] = []
        for name, about, more in law_entries(law_kind) if one == "laws" else ((*two, {}) for two in entries(one)):
            shown.append((name, about))
            if one != "families":
                listed.append({"kind": one, "name": name, "about": about, **more})
        print_entries(out, shown)
        if one == "families":
            pins = {name: (family.title, pinned_row(family).as_json()) for name, family in ledger_rows().items()}
            listed += [{"kind": one, "name": n, "about": about, "ledger": row} for n, (about, row) in pins.items()]
            out.print()
            out.print(ledger_table((row, None, None) for _, row in pins.values()))
            out.print(LAWS, style="dim")
            out.print(SYMMETRY, style="dim")
            for row in (one for one in ledger_rows().values() if not one.is_pinned):
                out.print(f"not yet counted: {row.row}; {way_to_count(row)}", markup=False, highlight=False)
    result = Result("list", Verdict.VALID, [], more={"list": listed})
    if kind in (None, "families"):
        result.doubted(unreadable().values())
        result.unreadable = bool(unreadable())
        for words in unreadable().values():
            sys.stderr.write(f"error: {visible(words)}\n")
    return result


def print_entries(out: Console, shown: Sequence[tuple[str, str]]) -> None:
    """Print names and descriptions: folded on a terminal, else a line each, so that grep finds the name too."""
    if not shown:
        out.print("  none yet")
    elif out.is_terminal:
        folded = text.table("name", "about")
        folded.show_header = False
        for name, about in shown:
            folded.add_row(f"  {name}", about)
        out.print(folded)
    else:
        widest = max(len(name) for name, _ in shown)
        for name, about in shown:
            out.print(f"  {name:<{widest}}  {about}", markup=False, highlight=False)


def entries(kind: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the description of every subject of one kind but laws (``law_entries``)."""
    if kind == "families":
        for family in families().values():
            alike = f" [symmetry: {', '.join(family.symmetry)}]" if family.symmetry else ""
            yield family.full_name, f"{family.title}{alike}"
    elif kind == "decisions":
        for decision in decisions().values():
            yield decision.name, decision.title
    elif kind == "actions":
        yield from action_entries()
    elif kind == "faults":
        for fault in faults().values():
            yield fault.name, fault_entry(fault)
        for variant in variants().values():
            yield (
                variant.name,
                f"Variant: {variant.title} [{variant.source}; measured in {', '.join(variant.families)}]",
            )
    elif kind == "findings":
        for finding in findings().values():
            yield finding.name, entry(finding)
    elif kind == "lemmas":
        for lemma, _ in lemmas().values():
            yield lemma.name, f"{lemma.statement} [{lemma.expected}; {lemma.source}]"
    elif kind == "rules":
        for name, rule in rules().items():
            yield name, rule.about
    elif kind == "bounds":
        for system in systems().values():
            for bound in system.bounds.described().values():
                yield named_in(system, bound.name), f"{bound.meaning} [{bound.default} if a family sets no other]"


def whole_entries(kind: str, out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Print subjects of a kind whose one line is all that is known of them: bounds, decisions and lemmas."""
    known = dict(entries(kind))
    for name in names:
        about = pick(known, name, kind.removesuffix("s"))
        out.print(name, style="bold", markup=False, highlight=False)
        out.print(f"  {about}", markup=False, highlight=False)
        out.print()
        yield {"kind": kind, "name": name, "about": about}


def whole_families(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Print what families pin of every law: those that hold, then those that do not, then those without an occasion."""
    for name in names:
        own, at, release = name.partition("@")
        row = family_named(own)
        if at:
            judged = judged_release(release, row.system.releases)
            row = row.under(judged.name)
            if judged.note:
                out.print(judged.note)
        if not row.is_pinned:
            raise Misuse(f"{row.row} has no pins; {way_to_count(row)}")
        verdicts = {**row.laws, **row.liveness}
        out.print(row.row, style="bold", markup=False, highlight=False)
        out.print(f"  {row.title}", markup=False, highlight=False)
        out.print(f"  {in_words((row.states, row.transitions, row.depth))}", markup=False, highlight=False)
        for verdict in Verdict:
            named = [law for law, pin in verdicts.items() if pin == verdict]
            out.print(f"  {verdict.value}: {len(named)}", markup=False, highlight=False)
            for law in named:
                reason = f" ({row.reasons[law]})" if law in row.reasons else ""
                out.print(f"  - {law}{reason}", markup=False, highlight=False)
        out.print()
        pinned = {law: pin.value for law, pin in verdicts.items()}
        ledger = pinned_row(row).as_json()
        yield {"kind": "families", "name": row.row, "about": row.title, "ledger": ledger, "verdicts": pinned}


def action_entries() -> Iterator[tuple[str, str]]:
    """
    Yield every action with its parameters, the first sentence of its docstring and its fairness.

    A parameter that only some bounds have is in brackets.
    """
    seen: dict[str, Action] = {}
    everywhere: dict[str, set[str]] = {}
    anywhere: dict[str, set[str]] = {}
    owed: dict[str, Strength] = {}
    for bounds in all_bounds():
        system: System = bounds.system
        for action in actions(bounds):
            full = named_in(system, action.name)
            names = {name for name, _ in action.arguments}
            everywhere[full] = everywhere.get(full, names) & names
            anywhere[full] = anywhere.get(full, names) | names
            owed[full] = system.fairness[action.name].strength
            seen[full] = action
    for full, action in seen.items():
        given = [name for name in signature(action.run).parameters if name in anywhere[full]]
        parameters = ", ".join(name if name in everywhere[full] else f"[{name}]" for name in given)
        yield f"{full}({parameters})", f"{summary_of(action.run)} [owed: {owed[full]}]"


def whole_actions(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Describe actions in full, and yield the descriptions; raise Misuse for an unknown name."""
    known: dict[str, list[tuple[System, Declared]]] = {}
    for system in systems().values():
        for one in system.declared:
            known.setdefault(named_in(system, one.name), []).append((system, one))
    for system, declared in [one for name in names for one in pick(known, name, "action")]:
        said, owed = action_text(declared), declared.fairness
        binding = bindings(system.name).get(declared.name)
        parts = {
            **said.parts,
            **({"Evidence": "; ".join(binding.evidence) or binding.reason} if binding else {}),
            "Bounds": said.bounds or "all",
            "Spends": said.spends or "no budget",
            "Owed": f"{owed.strength}: {owed.source}",
        }
        name = named_in(system, said.name)
        out.print(name, style="bold")
        for line in filter(None, (said.summary, said.reasons, *(f"{part}: {what}" for part, what in parts.items()))):
            out.print(f"  {line}")
        yield {"kind": "actions", "name": name, "about": said.summary, "parts": parts}
