"""The verb ``export``: a model as TLA+ or Promela, or a scenario as an ITF trace, for other tools."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from checkers import spin
from checkers.compile import promela, tla
from checkers.compile.program import Program, trace
from checkers.compile.writing import identifier
from checkers.explore.verdicts import pinned
from checkers.exploring import parse_settings
from checkers.families import DEFAULT_RELEASE, bounds_under, bounds_with, family_named
from checkers.itf import write_itf
from checkers.replay import replay
from checkers.report.json import write_text
from checkers.results import Result
from checkers.trace import read_scenario
from checkers.verdict import Misuse, Verdict
from spec import PROPERTIES

FORMATS = ("tla", "promela", "itf")

DEPTH = 1_000_000
"""How deep Spin's search may get unless its user says otherwise: the stack for it takes 46 MB."""


def export(
    out: Console,
    what: str,
    to: str,
    directory: Path,
    faults: Sequence[str] = (),
    release: str = DEFAULT_RELEASE,
    settings: Sequence[str] = (),
) -> Result:
    """Write a family as TLA+ or Promela, or a scenario as ITF; say which files, and how to run them."""
    if to == "itf":
        if faults or settings:
            raise Misuse("--fault and --set go with a family; a scenario says its own")
        scenario = read_scenario(Path(what))
        texts = {f"{scenario.path.stem}.itf.json": write_itf(replay(scenario))}
    else:
        texts = (tla_of if to == "tla" else promela_of)(what, faults, release, settings)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {error.strerror}") from None
    for name, text in texts.items():
        write_text(directory / name, text)
        out.print(f"wrote {directory / name}")
    if to == "tla":
        module = next(iter(texts)).removesuffix(".tla")
        out.print(f"run it there: java -cp tla2tools.jar tlc2.TLC -workers 2 {module}")
    if to == "promela":
        commands = spin.commands(next(iter(texts)), DEPTH)
        out.print(f"run it there: {' && '.join(map(shlex.join, commands))}")
        out.print(f"a law that breaks is named; the steps to it: spin -t {next(iter(texts))}")
    return Result("export", Verdict.VALID, [], more={"files": [str(directory / name) for name in texts]})


def tla_of(name: str, faults: Sequence[str], release: str, settings: Sequence[str]) -> dict[str, str]:
    """Return a family as a module and its configuration: the laws in it are those that are expected to hold."""
    program, holding, about = traced(name, faults, release, settings)
    module = identifier(name)
    return {f"{module}.tla": tla.emit(program, module, about), f"{module}.cfg": tla.configuration(program, holding)}


def promela_of(name: str, faults: Sequence[str], release: str, settings: Sequence[str]) -> dict[str, str]:
    """Return a family as Promela: it asserts the laws that are expected to hold."""
    program, holding, about = traced(name, faults, release, settings)
    return {f"{name}.pml": promela.emit(program, about, holding)}


def traced(name: str, faults: Sequence[str], release: str, settings: Sequence[str]) -> tuple[Program, list[str], str]:
    """Return the program of a family, the laws that are expected to hold, and what it is in words."""
    family = family_named(name)
    changes = parse_settings(settings)
    bounds = bounds_under(bounds_with(family.bounds, changes), release, faults)
    expected = pinned(family, not (changes or faults or release != DEFAULT_RELEASE))
    holding = [law for law, verdict in expected.items() if verdict == Verdict.VALID]
    about = "; ".join([family.title, *(f"fault {fault}" for fault in faults), *settings])
    return trace(bounds, PROPERTIES, ()), holding, about
