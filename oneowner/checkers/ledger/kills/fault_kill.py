"""
The kill matrix: does its law catch every bug?

A bug is killed if, with its switches turned, the law that its record names fails after exactly the pinned number of
steps, and the same law holds in the same bounds without it.
"""

import time
from dataclasses import dataclass

from oneowner.checkers.catalogue.families import family_named, faults, log_faults
from oneowner.checkers.catalogue.faults import KILLED, SURVIVED, Fault, LogFault
from oneowner.checkers.compaction_logs.log_faults import shortest_log, survival
from oneowner.checkers.extras import MissingPackage
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.verdict import EngineError, Misuse, Verdict


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of one fault."""

    verdict: str
    """Killed or survived, or ``unknown`` if no answer was found."""
    steps: int
    """The length of the shortest counterexample."""
    states: int
    """The number of visited states, with the fault and without it."""
    seconds: float
    reasons: tuple[str, ...]
    """The reason that it is not killed as pinned."""


def kill(name: str) -> Kill:
    """Explore one fault of the catalogue: is it killed by its law, as pinned?"""
    started = time.monotonic()
    try:
        return kill_by_log(log_faults()[name]) if name in log_faults() else kill_by_search(faults()[name])
    except MissingPackage:
        raise
    except (EngineError, Misuse) as error:  # of the others something may be known all the same
        return Kill(Verdict.UNKNOWN.value, 0, 0, round(time.monotonic() - started, 1), (str(error),))


def kill_by_search(fault: Fault) -> Kill:
    """Explore one fault: does its law fail in as many steps as are pinned, and hold without it?"""
    started = time.monotonic()
    family = family_named(fault.family)
    broken = search(family, Asked([fault.name], settings=fault.settings, laws=[fault.law]))
    steps, states = broken.steps_against(fault.law), broken.exploration.distinct
    reasons = []
    verdict = KILLED if steps is not None else SURVIVED
    if steps is None:
        if broken.result.verdict == Verdict.UNKNOWN and not broken.exploration.finished:
            verdict = Verdict.UNKNOWN.value
        reasons.append(f"{fault.law} does not fail with it: {'; '.join(broken.result.reasons) or 'all states visited'}")
    elif len(steps) != fault.steps:
        reasons.append(f"{fault.law} fails after {len(steps)} steps, but {fault.steps} are pinned")
    without, visited = verdict_without(fault)
    if without != Verdict.VALID:
        verdict = SURVIVED if without == Verdict.INVALID else Verdict.UNKNOWN.value
        reasons.append(f"{fault.law} is {without} without it, so that its failure says nothing")
    seconds = round(time.monotonic() - started, 1)
    return Kill(verdict, len(steps or ()), states + visited, seconds, tuple(reasons))


def kill_by_log(fault: LogFault) -> Kill:
    """Judge logs with one fault of the catalogue: is it killed by its law, as pinned? No state is visited."""
    started = time.monotonic()
    log = shortest_log(fault)
    reasons = survival(fault)
    verdict = SURVIVED if reasons else KILLED
    steps = 0 if log is None else log.length
    return Kill(verdict, steps, 0, round(time.monotonic() - started, 1), tuple(reasons))


def verdict_without(fault: Fault) -> tuple[Verdict, int]:
    """
    Return the verdict of the fault's law in the same bounds without it, and how many states it took.

    In a family's own bounds under its own rules that is what the ledger pins, which the gate checks.
    """
    family = family_named(fault.family)
    if not fault.settings and not fault.repaired:
        pins = family.liveness if fault.law in family.system.liveness_by_name else family.laws
        return pins.get(fault.law, Verdict.UNKNOWN), 0
    judged = search(family, Asked(repairs=[fault.name], settings=fault.settings, laws=[fault.law]))
    (verdict,) = (row.verdict for row in judged.result.laws if row.law == fault.law)
    return verdict, judged.exploration.distinct
