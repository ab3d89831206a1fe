"""The verb ``export``: a model as TLA+, or a scenario as an ITF trace, for other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from checkers.compile.program import trace
from checkers.compile.tla import configuration, emit, identifier
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

FORMATS = ("tla", "itf")


def export(
    out: Console,
    what: str,
    to: str,
    directory: Path,
    faults: Sequence[str] = (),
    release: str = DEFAULT_RELEASE,
    settings: Sequence[str] = (),
) -> Result:
    """Write a family as TLA+ or a scenario as ITF; say which files, and how to run them."""
    if to == "itf":
        if faults or settings:
            raise Misuse("--fault and --set go with a family; a scenario says its own")
        scenario = read_scenario(Path(what))
        texts = {f"{scenario.path.stem}.itf.json": write_itf(replay(scenario))}
    else:
        texts = tla_of(what, faults, release, settings)
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
    return Result("export", Verdict.VALID, [], more={"files": [str(directory / name) for name in texts]})


def tla_of(name: str, faults: Sequence[str], release: str, settings: Sequence[str]) -> dict[str, str]:
    """Return a family as a module and its configuration: the laws in it are those that are expected to hold."""
    family = family_named(name)
    changes = parse_settings(settings)
    bounds = bounds_under(bounds_with(family.bounds, changes), release, faults)
    expected = pinned(family, not (changes or faults or release != DEFAULT_RELEASE))
    program = trace(bounds, PROPERTIES, ())
    module = identifier(family.name)
    holding = [law for law, verdict in expected.items() if verdict == Verdict.VALID]
    about = "; ".join([family.title, *(f"fault {fault}" for fault in faults), *settings])
    return {f"{module}.tla": emit(program, module, about), f"{module}.cfg": configuration(program, holding)}
