"""The verb ``faults``: the kill matrix, every bug of the catalogue with the law that kills it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.families import catalogue, families, unreadable
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import KILLED, NOT_MODELLED, SURVIVED, Fault, LogFault, Unkilled
from oneowner.checkers.ledger.kills.fault_kill import Kill, kill
from oneowner.checkers.ledger.kills.hypotheses import counted, hypotheses
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.places import shown
from oneowner.checkers.report import text
from oneowner.checkers.report.fault_tables import print_hypotheses, print_kills
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import Verdict, worst


def run_faults(out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str]) -> Result:
    """
    Kill every bug of the catalogue, or those that are named; print the matrix and return it.

    If none is named, the result of every hypothesis and hazard comes after it.
    """
    known = catalogue()
    supposed = [] if names else list(hypotheses().values())
    chosen = {name: pick(known, name, "fault") for name in names} or known
    found = kills((row for row in chosen.values() if not isinstance(row, Unkilled)), on_progress)
    rows = [as_json(row, found.get(name)) for name, row in chosen.items()]
    reasons = [f"{name}: {reason}" for name, one in found.items() for reason in one.reasons]
    result = Result(
        verb="faults",
        verdict=worst(verdict_of(one) for one in found.values()),
        reasons=reasons if found else ["no law was put to anything: nothing kills what was named"],
        stats=Stats(
            states=sum(one.states for one in found.values()), seconds=sum(one.seconds for one in found.values())
        ),
        more={"faults": rows} if names else {"faults": rows, "hypotheses": [one.as_json() for one in supposed]},
    )
    if not names:
        result.doubted(unreadable().values())
    print_kills(out, rows, chosen, {name: one.reasons for name, one in found.items()})
    if supposed:
        print_hypotheses(out, [(one.source, one.says, one.verdict, one.where) for one in supposed], counted(supposed))
    if names:
        for fault in (row for row in chosen.values() if not isinstance(row, Unkilled)):
            verb = "oneowner replay" if isinstance(fault, Fault) else "see"
            out.print(f"{fault.name}: {fault.title}; {verb} {shown(fault.scenario)}", style="dim")
            for line in _commands(fault) if isinstance(fault, Fault) else ():
                out.print(line, style="dim")
            if fault.note:
                out.print(f"note: {fault.note}", style="dim")
    text.verdict_line(out, summary(chosen.values(), found), result)
    return result


def _commands(fault: Fault) -> Iterator[str]:
    """Yield how the bug is shown, and how its repair is, where the release that is modelled has it."""
    bounds = "".join(f" --set {name}={value}" for name, value in fault.settings.items())
    asked = f"oneowner explore {fault.family}{bounds} --law {fault.law}"
    yield f"the bug: {asked}{f' --fault {fault.name}' if fault.rules else ''}"
    if fault.repaired:
        yield f"mended: {asked} --repair {fault.name}"


def kills(chosen: Iterable[Fault | LogFault], on_progress: Callable[[str], None] | None) -> dict[str, Kill]:
    """Return the result of every fault of *chosen*, by name."""
    there = families()
    size = {fault.name: there[fault.family].states if fault.family in there else 0 for fault in chosen}
    found = in_parallel(kill, sorted(size, key=lambda name: -size[name]), on_progress)
    return {name: found[name] for name in size}


def verdict_of(found: Kill) -> Verdict:
    """Return the verdict of one kill on the suite: valid if it is as pinned."""
    if found.verdict == Verdict.UNKNOWN.value:
        return Verdict.UNKNOWN
    return Verdict.VALID if found.verdict == KILLED and not found.reasons else Verdict.INVALID


def as_json(row: Fault | LogFault | Unkilled, found: Kill | None) -> dict[str, Any]:
    """Return one row of the matrix with the keys of ``result.schema.json``; a record that nothing kills has no law."""
    law, family = ("", "") if isinstance(row, Unkilled) else (row.law, row.family)
    return {
        "name": row.name,
        "upstream": row.upstream,
        "releases": row.releases,
        "verdict": found.verdict if found is not None else row.verdict if isinstance(row, Unkilled) else "",
        "law": law,
        "family": family,
        "steps": found.steps if found is not None else 0,
        "states": found.states if found is not None else 0,
        "seconds": found.seconds if found is not None else 0.0,
        "record": row.record,
        "why": row.why if isinstance(row, Unkilled) else "",
    }


def summary(chosen: Iterable[Fault | LogFault | Unkilled], found: dict[str, Kill]) -> str:
    """Return how many bugs are killed, and how many bugs of the catalogue they are: one may be several switches."""
    listed = list(chosen)
    verdicts = Counter(
        found[row.name].verdict if row.name in found else as_json(row, None)["verdict"] for row in listed
    )
    records = {row.record for row in listed if row.name in found and found[row.name].verdict == KILLED}
    counted = [f"{verdicts[word]} {word}" for word in (KILLED, SURVIVED, NOT_MODELLED, "unknown") if verdicts[word]]
    return f"faults, {', '.join(counted)}, {len(records)} known bugs killed"
