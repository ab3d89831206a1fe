"""The verb ``faults``: the kill matrix, every bug of the catalogue with the law that kills it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from oneowner.checkers.catalogue.families import catalogue, families, unreadable
from oneowner.checkers.catalogue.faults import KILLED, NOT_MODELLED, SURVIVED, Fault, LogFault, Unkilled
from oneowner.checkers.catalogue.harm import by_harm, harm_of
from oneowner.checkers.catalogue.upstream import rows_named
from oneowner.checkers.ledger.kills.hypotheses import counted, hypotheses
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report import text
from oneowner.checkers.report.fault_tables import print_hypotheses, print_kills, print_pinned, print_whole_faults
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import Verdict, worst

if TYPE_CHECKING:
    from oneowner.checkers.ledger.kills.fault_kill import Kill


def run_faults(
    out: Console, on_progress: Callable[[str], None] | None, names: Sequence[str], recompute: bool = False
) -> Result:
    """
    Print the kill matrix of every bug of the catalogue, or of those that *names* mean, as pinned or searched anew.

    If none is named, the result of every hypothesis and hazard comes after it.
    """
    known = catalogue()
    supposed = [] if names else list(hypotheses().values())
    named = [row for name in names for row in rows_named(name, known, "fault")]
    chosen = {row.name: row for row in by_harm(named or known.values())}
    killable = [row for row in chosen.values() if not isinstance(row, Unkilled)]
    found = kills(killable, on_progress) if recompute else {}
    rows = [as_json(row, found.get(name)) for name, row in chosen.items()]
    reasons = [f"{name}: {reason}" for name, one in found.items() for reason in one.reasons]
    pinned = Verdict.VALID if killable else Verdict.UNKNOWN
    result = Result(
        verb="faults",
        verdict=worst(verdict_of(one) for one in found.values()) if recompute else pinned,
        reasons=reasons if killable else ["no law was put to anything: nothing kills what was named"],
        stats=Stats(
            states=sum(one.states for one in found.values()), seconds=sum(one.seconds for one in found.values())
        ),
        more={"faults": rows} if names else {"faults": rows, "hypotheses": [one.as_json() for one in supposed]},
    )
    if not names:
        result.doubted(unreadable().values())
    if not recompute:
        print_pinned(out, result)
    print_kills(out, rows, chosen, {name: one.reasons for name, one in found.items()}, recompute)
    if supposed:
        print_hypotheses(out, [(one.source, one.says, one.verdict, one.where) for one in supposed], counted(supposed))
    if names:
        print_whole_faults(out, killable)
    text.verdict_line(out, summary(rows), result)
    return result


def kills(chosen: Iterable[Fault | LogFault], on_progress: Callable[[str], None] | None) -> dict[str, Kill]:
    """Return the result of every fault of *chosen*, by name."""
    from oneowner.checkers.ledger.kills.fault_kill import kill  # engines take a while to load

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
    """
    Return one row of the matrix with the keys of ``result.schema.json``, as *found* or as pinned.

    A record that nothing kills has no law. States are counted by searches alone.
    """
    law, family = ("", "") if isinstance(row, Unkilled) else (row.law, row.family)
    return {
        "name": row.name,
        "upstream": row.upstream,
        "releases": row.releases,
        "verdict": row.verdict if isinstance(row, Unkilled) else KILLED if found is None else found.verdict,
        "law": law,
        "family": family,
        "steps": found.steps if found is not None else 0 if isinstance(row, Unkilled) else row.steps,
        "states": found.states if found is not None else 0,
        "seconds": found.seconds if found is not None else 0.0,
        "record": row.record,
        "why": row.why if isinstance(row, Unkilled) else "",
        "harm": harm_of(row).name,
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many bugs are killed, and how many bugs of the catalogue they are: one may be several switches."""
    verdicts = Counter(row["verdict"] for row in rows)
    records = {row["record"] for row in rows if row["verdict"] == KILLED}
    counted = [f"{verdicts[word]} {word}" for word in (KILLED, SURVIVED, NOT_MODELLED, "unknown") if verdicts[word]]
    return f"faults, {', '.join(counted)}, {len(records)} known bugs killed"
