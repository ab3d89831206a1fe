"""
One mutant of the protocol against the pins, in a process of its own that finds the mutated model first.

``python -m tools.mutation.kills NAME SECONDS [FUNCTION]`` prints the ``Kill`` as one line of JSON, and ``--graph
NAME`` fingerprints of the graphs of its families. FUNCTION is the one of the model that is changed. A kill by a law
names the fault; one by a count shows only that there is one, so a stronger kind is looked for as long as there is
time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tools.mutation.judging import keep_the_ledger
from tools.mutation.mutants import path_of

if TYPE_CHECKING:
    from oneowner.checkers.catalogue.family import Family
    from oneowner.checkers.ledger.decision_pins import Row
    from tools.mutation.catalogue import Wrong

ENOUGH = 60_000
"""States of the largest row that is asked beyond those that a mutant names."""
FIRST = 1_500
"""States that the native interpreter visits first, by one law."""
MORE = 4
"""The multiple of the pinned states that a mutant may have before its search ends."""


class By(StrEnum):
    """Evidence that distinguishes a mutant from the model, the strongest first."""

    LAW = "a law"
    """Of states or steps, that is broken."""
    LIVENESS = "liveness"
    """A law of runs that is broken."""
    VECTOR = "a vector"
    """A decision, or facts copied from Pulsar."""
    WITNESS = "a witness or verdict"
    """Something is not reached, or a law that was known to be broken is not."""
    RECORDING = "a recording"
    """A recorded run is no run of the model, or is judged in another way."""
    REPLAY = "a replay"
    """A saved counterexample does not come about."""
    ERROR = "an error"
    """It cannot be loaded or traced: a weak kill."""
    COUNT = "a count only"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Kill:
    """The evidence that distinguished a mutant from the model: the strongest that was found."""

    by: By
    where: str = ""
    """The row, such as ``family transfer``."""
    words: str = ""
    asked: int = 0
    """The number of rows asked."""
    seconds: float = 0.0


def strongest(wrong: Wrong, seconds: float, function: str) -> Kill:
    """Put a mutant to its families, to checks that take moments, then to other families, until a law breaks."""
    from oneowner.checkers.engines.compile.traceable import check_source, marked_in

    if wrong.decision:
        return of_decision(wrong)
    file = path_of(wrong.file)
    home = ".".join(path_of(wrong.file, Path()).with_suffix("").parts)
    marked = marked_in(import_module(f"oneowner.model.{home}"))
    for complaint in check_source(file.read_text(encoding="utf-8"), f"oneowner/model/{wrong.file}", marked):
        return Kill(By.ERROR, "traceable", str(complaint), 0)
    keep_the_ledger()
    return strongest_of(wrong, seconds, function)


def of_decision(wrong: Wrong) -> Kill:
    """Judge all inputs of a decision by its laws; ask facts and vectors if none is broken."""
    from tools.mutation.decision_kills import broken_laws, unlike_originals

    where = f"decision {wrong.decision}"
    try:
        if laws := broken_laws(wrong.decision):
            return Kill(By.LAW, where, ", ".join(laws), 1, round(time.process_time(), 1))
        words = unlike_originals(wrong.decision)
    except Exception as error:  # whatever a wrong model raises
        return Kill(By.ERROR, where, f"{type(error).__name__}: {error}"[:300])
    return Kill(By.VECTOR if words else By.NOTHING, where, words[:300], 2, round(time.process_time(), 1))


def strongest_of(wrong: Wrong, seconds: float, function: str) -> Kill:
    """Ask the rows, until a law breaks or nothing is left to be asked."""
    found, asked = Kill(By.NOTHING), 0
    for is_owed, best, ask in _questions(wrong, function):
        if not is_owed and time.process_time() > seconds:
            break
        if rank(best) >= rank(found.by):
            continue  # it can say no more than is known
        asked += 1
        try:
            kill = ask()
        except Exception as error:  # whatever a wrong model raises
            kill = Kill(By.ERROR, "tracing", f"{type(error).__name__}: {error}"[:300])
        found = min(found, kill, key=lambda one: rank(one.by))
        if found.by in (By.LAW, By.LIVENESS, By.VECTOR):
            break
    return Kill(found.by, found.where, found.words, asked, round(time.process_time(), 1))


def rank(by: By) -> int:
    """Return the place of a kind of kill, the strongest first."""
    return list(By).index(by)


def _questions(wrong: Wrong, function: str) -> Iterator[tuple[bool, By, partial[Kill]]]:
    """Yield each question, whether it is asked regardless of time, and the strongest kill that it can yield."""
    from oneowner.checkers.catalogue.families import ledger_rows
    from oneowner.checkers.ledger.decision_pins import decision_rows

    rows = ledger_rows()
    own = [rows[name] for name in wrong.families]
    if wrong.law in own[0].system.laws_by_name:
        yield from ((True, By.LAW, partial(by_its_law, row, wrong.law)) for row in own)
    yield from ((True, By.LAW, partial(in_family, row)) for row in own[:1])
    is_channel = (
        own[0].system.name == "channel"
    )  # of others nothing was recorded, and no decision is one of their steps
    decided = [row for row in decision_rows().values() if is_channel and row.decision.home == "channel"]
    yield from ((True, By.VECTOR, partial(in_decision, row)) for row in decided)
    yield from ((True, By.LAW, partial(in_family, row)) for row in own[1:])
    sorts = {"vectors": By.VECTOR, "recording": By.RECORDING, "explained": By.RECORDING, "replay": By.REPLAY}
    yield from ((True, best, partial(in_others, wrong.file, sort)) for sort, best in sorts.items() if is_channel)
    for row in sorted(rows.values(), key=lambda one: one.states):
        is_of_it = row.system is own[0].system and row.states <= ENOUGH
        if is_of_it and row not in own and is_concerned(row, function):
            yield False, By.LAW, partial(in_family, row)


def by_its_law(row: Family, name: str) -> Kill:
    """Visit the first states of a row natively, and judge them by the law that should see the mutant: that is quick."""
    from oneowner.checkers.engines.explore.exploration import Limits
    from oneowner.checkers.engines.explore.native import explore
    from oneowner.checkers.verdict import Verdict

    law = row.system.laws_by_name[name]
    found = explore(row.bounds, [law], (), frozenset({name}), Limits(FIRST))
    is_broken = found.laws[name].steps is not None and row.laws[name] != Verdict.INVALID
    return Kill(By.LAW, f"family {row.row}", name) if is_broken else Kill(By.NOTHING)


def in_family(row: Family) -> Kill:
    """Explore one row of the ledger of families under the mutant, by all laws."""
    from oneowner.checkers.engines.compile.column_program import written
    from oneowner.checkers.engines.compile.program import trace
    from oneowner.checkers.engines.explore.compiled import explore_compiled
    from oneowner.checkers.engines.explore.exploration import Limits
    from oneowner.checkers.engines.explore.generated import explore_generated
    from oneowner.checkers.ledger.exploration_verdict import are_counts_pinned, judge, pinned, stopping
    from oneowner.checkers.ledger.family_search import judge_runs
    from oneowner.checkers.verdict import Verdict

    system, where = row.system, f"family {row.row}"
    expected = pinned(row, True)
    ends = stopping(expected, system) & system.laws_by_name.keys()
    question = (row.bounds, system.laws, system.witnesses, ends, Limits(MORE * row.states))
    if row.states <= ENOUGH:
        program = trace(row.bounds, system.laws, system.witnesses)
        found = explore_generated(*question, model=written(program))
        live = judge_runs(found, list(row.liveness), traced=lambda: program)
    else:
        found = explore_compiled(*question)
        live = judge_runs(found, list(row.liveness))
    rows = judge(row, found, expected, True, liveness=live).result.laws
    broken = [one.law for one in rows if one.verdict == Verdict.INVALID and expected[one.law] != Verdict.INVALID]
    steps = [law for law in broken if law in system.laws_by_name]
    if steps:
        return Kill(By.LAW, where, ", ".join(steps))
    if broken:
        return Kill(By.LIVENESS, where, ", ".join(broken))
    if found.stopped and not found.is_cut_short:
        return Kill(By.WITNESS, where, found.stopped)
    if not found.finished:
        return Kill(By.COUNT, where, found.stopped)
    words = [f"{name} is not reached" for name in row.witnesses if not found.witnesses.get(name, False)]
    words += [f"{name} is never enabled" for name, times in found.fired.items() if not times]
    words += [f"{one.law} is {one.verdict}" for one in rows if one.verdict != expected[one.law]]
    if words:
        return Kill(By.WITNESS, where, "; ".join(words))
    return Kill(By.NOTHING if are_counts_pinned(row, found) else By.COUNT, where)


def in_decision(row: Row) -> Kill:
    """Judge all inputs of a decision."""
    from oneowner.checkers.ledger.decision_pins import DECISIONS
    from oneowner.checkers.ledger.pinned import Effort

    outcome = DECISIONS.compare(row, DECISIONS.find(row, Effort()))
    return Kill(By.VECTOR if outcome.reasons else By.NOTHING, "decision", "; ".join(outcome.reasons)[:300])


def in_others(file: str, sort: str) -> Kill:
    """Ask all rows of one sort that are not explored."""
    from tools.mutation.rows import Sort, asked, rows

    if sort == "explained":
        return explained()
    for row in rows():
        if row.sort == Sort(sort) and (sort != "vectors" or file in ("resolver.py", "record.py", "dialects.py")):
            words = asked(row)
            if words:
                by = {"vectors": By.VECTOR, "replay": By.REPLAY, "recording": By.RECORDING}[sort]
                return Kill(by, str(row), words[:300])
    return Kill(By.NOTHING)


def explained() -> Kill:
    """Explain every recording as a run of the model."""
    from oneowner.checkers.documents import read_document
    from oneowner.checkers.ledger.conformance_pins import PINS, rows_in, run_row
    from oneowner.checkers.ledger.stored_actions import stored_actions
    from oneowner.checkers.recordings.explain.explain_verdict import judge
    from oneowner.checkers.recordings.explain.recording import read_recording

    for name, row in rows_in(read_document(PINS)).items():
        found, pins = run_row(judge(read_recording(row.path)), stored_actions(row.path)), row.pinned or {}
        words = [f"{key} is {found.get(key)}, not {pins.get(key)}" for key in found if found.get(key) != pins.get(key)]
        if words:
            return Kill(By.RECORDING, f"conformance {name}", "; ".join(words)[:300])
    return Kill(By.NOTHING)


def is_concerned(row: Family, function: str) -> bool:
    """Return whether an action of a row calls the function that a mutant is in."""
    from oneowner.model.kernel.system import actions
    from tools.mutation.places import ALWAYS, callees

    runs = {one.run for one in actions(row.bounds)}
    return not function or any(function in callees(one) for one in (*runs, *ALWAYS))


def graphs(wrong: Wrong) -> dict[str, str]:
    """Return a fingerprint of the graph of each family that a mutant names, or of its decision's answers."""
    from oneowner.checkers.catalogue.families import ledger_rows
    from oneowner.checkers.engines.compile.program import trace
    from tools.mutation.decision_kills import answers
    from tools.mutation.rows import graph_in

    if wrong.decision:
        return {wrong.decision: answers(wrong.decision)}
    rows = [ledger_rows()[name] for name in wrong.families]
    return {row.row: graph_in(row.bounds, trace(row.bounds, [], [])) for row in rows}


def main(arguments: Sequence[str]) -> int:
    """Judge one mutant; print the result."""
    from tools.mutation.catalogue import named

    if arguments[0] == "--graph":
        sys.stdout.write(json.dumps(graphs(*named(arguments[1:2]))) + "\n")
        return 0
    (wrong,), seconds = named(arguments[:1]), float(arguments[1])
    sys.stdout.write(json.dumps(asdict(strongest(wrong, seconds, "".join(arguments[2:])))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
