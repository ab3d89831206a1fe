"""
One mutant against the rows, in a process of its own that finds the mutated model first on its path.

``python -m tools.mutation.judging ORIGINAL MUTANT BUDGET``: the first two are files of JSON. Prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from tools.mutation.mutants import MODEL, Mutant

if TYPE_CHECKING:
    from tools.mutation.original import Shown

BUDGET = 300.0
"""Seconds of one processor that a mutant may take, by default."""


class Outcome(StrEnum):
    """The result of a mutant."""

    KILLED = "killed"
    """A row is not as pinned."""
    ERROR = "error"
    """It cannot be traced, or raises an error that no step may raise: a weak kill."""
    EQUIVALENT = "equivalent"
    """Every traced row is the same model, or has the same graph; every other row that meets it is as pinned."""
    SURVIVED = "survived"
    """Some traced row is another model, but is as pinned; or only rows that are not traced come by, and all are."""
    UNMET = "unmet"
    """No row comes by."""
    UNDECIDED = "undecided"
    """The budget was used up."""


@dataclass(slots=True)
class Fate:
    """The result of a mutant, and the row of it."""

    outcome: Outcome = Outcome.UNMET
    by: str = ""
    why: str = ""
    met: list[str] = field(default_factory=list)
    """The untraced rows that came by, and were as pinned."""
    same: list[str] = field(default_factory=list)
    """The traced rows that call its function, and are the same model."""
    differs: dict[str, str] = field(default_factory=dict)
    """The traced rows that are not the same model and are as pinned, with the fingerprint of the graph if explored."""
    same_graph: list[str] = field(default_factory=list)
    """The traced rows that are not the same model, but have the same graph."""
    test: str = ""
    """The test that fails though no row does."""
    seconds: float = 0.0


def judged(mutant: Mutant, original: Path, budget: float) -> Fate:
    """Put the model that this process has loaded, a mutant, to every row that comes by it, the cheapest first."""
    keep_the_ledger()
    from oneowner.checkers.engines.compile.traceable import (  # with the model: a mutant may not even load
        check_source,
        marked_in,
    )
    from oneowner.model.channel import ranges
    from oneowner.spec.channel.registry import LOG_LAWS
    from tools.mutation.original import read
    from tools.mutation.places import callees, comes_by
    from tools.mutation.rows import Sort

    fate = Fate()
    by_logs = {name for law in LOG_LAWS for part in (law.when, law.holds) for name in callees(part)}
    text = (MODEL / mutant.file).read_text(encoding="utf-8")
    for complaint in check_source(text, f"oneowner/model/channel/{mutant.file}", marked_in(ranges)):
        return Fate(Outcome.ERROR, "traceable", str(complaint))

    def is_over() -> bool:
        return time.process_time() > budget

    def put(shown: Shown) -> str:
        if shown.row.is_traced:
            return _traced(shown, mutant, fate)
        from tools.mutation.rows import asked

        words = asked(shown.row)
        fate.met += [] if words else [str(shown.row)]
        return words

    for shown in read(original):
        if not shown.row.is_traced and not comes_by(shown.places, mutant):
            continue
        if shown.row.sort == Sort.LOGS and mutant.function and mutant.function not in by_logs:
            continue
        if is_over():
            fate.outcome = Outcome.UNDECIDED
            return fate
        try:
            words = put(shown)
        except Exception as error:  # whatever a wrong model raises
            fate.outcome, fate.by, fate.why = Outcome.ERROR, str(shown.row), f"{type(error).__name__}: {error}"
            return fate
        if words:
            fate.outcome, fate.by, fate.why = Outcome.KILLED, str(shown.row), words
            return fate
    if fate.differs:
        fate.outcome = Outcome.SURVIVED
    elif is_met(mutant, fate.same):
        fate.outcome = Outcome.EQUIVALENT
    elif fate.met:
        fate.outcome = Outcome.SURVIVED
    return fate


def is_met(mutant: Mutant, names: Sequence[str]) -> bool:
    """Return whether tracing any of these rows reaches the mutant; otherwise their equality proves nothing."""
    from oneowner.checkers.engines.compile.program import trace
    from tools.mutation.places import comes_by, noted
    from tools.mutation.rows import asked_of_runs, bounds_of, laws_of, rows

    by_name = {str(row): row for row in rows()}
    for row in (by_name[name] for name in names):
        laws, witnesses = laws_of(row)
        places: dict[str, list[int]] = {}
        with noted(MODEL, frozenset([mutant.file]), places):
            trace(bounds_of(row), [*laws, *asked_of_runs(row)], witnesses)
        if comes_by(places, mutant):
            return True
    return False


def keep_the_ledger() -> None:
    """Read the files of the ledger once: it does not change while a mutant is judged, and is read for every row."""
    from oneowner.checkers.catalogue import families

    for name in ("families", "catalogue", "variants"):
        setattr(families, name, cache(getattr(families, name)))


def _traced(shown: Shown, mutant: Mutant, fate: Fate) -> str:
    """Put a mutant to a traced row: is it the same model, has it the same graph, is what it finds as pinned?"""
    from oneowner.checkers.engines.compile import program as tracing
    from oneowner.checkers.engines.compile.program import trace
    from oneowner.model.kernel.system import actions
    from tools.mutation.likeness import Fingerprints
    from tools.mutation.original import fingerprints
    from tools.mutation.places import ALWAYS, callees, parts_of
    from tools.mutation.rows import asked_of_runs, bounds_of, explored, is_explored, laws_of

    row = shown.row
    bounds, (laws, witnesses) = bounds_of(row), laws_of(row)
    asked = [*laws, *witnesses, *asked_of_runs(row)]
    if mutant.function and not any(mutant.function in callees(part) for law in asked for part in parts_of(law)):
        some = [one for one in actions(bounds) if mutant.function in callees(one.run)]
        if not some and not any(mutant.function in callees(one) for one in ALWAYS):
            return ""  # nothing calls it here
        with patch.object(tracing, "actions", lambda _: some):  # only what these do can differ
            now = Fingerprints().of_actions(trace(bounds, [], []))
        if all(shown.actions[name] == value for name, value in now.items()):
            fate.same.append(str(row))
            return ""
    program = trace(bounds, laws, witnesses)
    if fingerprints(row, program) == (shown.actions, shown.laws):
        fate.same.append(str(row))
        return ""
    if not is_explored(row):
        fate.differs[str(row)] = ""
        return ""
    words, graph = explored(row, program)
    if not words:
        fate.differs[str(row)] = graph
    return words


def main(arguments: Sequence[str]) -> int:
    """Judge one mutant; print its fate."""
    original, mutant = map(Path, arguments[:2])
    try:
        fate = judged(Mutant(**json.loads(mutant.read_text(encoding="utf-8"))), original, float(arguments[2]))
    except Exception as error:  # it does not load
        fate = Fate(Outcome.ERROR, "loading", f"{type(error).__name__}: {error}")
    fate.seconds = round(time.process_time(), 1)
    sys.stdout.write(json.dumps(asdict(fate)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
