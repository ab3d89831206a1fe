"""The verb ``export``: a model as TLA+ or Promela, its states as a graph, or a scenario as ITF, for other tools."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from oneowner.checkers.cli.explore import parse_settings
from oneowner.checkers.engines.compile import promela, tla
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.compile.writing import identifier
from oneowner.checkers.engines.explore.state_graph import state_graph
from oneowner.checkers.ledger import spin
from oneowner.checkers.ledger.exploration_verdict import pinned
from oneowner.checkers.ledger.families import bounds_under, families, family_named
from oneowner.checkers.ledger.family import bounds_with
from oneowner.checkers.ledger.family_search import in_words
from oneowner.checkers.report.graph_export import as_dot, as_json
from oneowner.checkers.report.json import write_text
from oneowner.checkers.results import Result
from oneowner.checkers.scenarios.itf import write_itf
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.bounds import Bounds

FORMATS = ("tla", "promela", "dot", "json", "itf")

MOST = {"dot": 2_000, "json": 300_000}
"""States of a graph that is written without being asked for more: what a picture, and what a reader of a file bears."""


class Model(NamedTuple):
    """A family as it is to be exported."""

    bounds: Bounds
    holding: list[str]
    """The laws that are expected to hold."""
    title: str
    about: dict[str, Any]
    """Family, release, faults and settings, for programs."""


def export(
    out: Console,
    on_progress: Callable[[str], None] | None,
    what: str,
    to: str,
    directory: Path,
    faults: Sequence[str] = (),
    release: str | None = None,
    settings: Sequence[str] = (),
    max_states: int | None = None,
) -> Result:
    """Write a family or a scenario for another tool; say which files, and how to run them."""
    if max_states is not None and to not in MOST:
        raise Misuse("--max-states goes with dot and json, which hold every state")
    stopped = ""
    if to == "itf":
        if faults or settings or release:
            raise Misuse("--fault, --set and --release go with a family; a scenario says its own")
        if what in families() and not Path(what).exists():
            raise Misuse(f"itf is of a scenario, and {what} is a family: tla, promela, dot and json are of families")
        scenario = read_scenario(scenario_file(Path(what)))
        replayed = replay(scenario)
        texts = {f"{scenario.path.stem}.itf.json": write_itf(replayed)}
        if len(replayed.steps) < len(scenario.steps):
            stopped = "; ".join(replayed.reasons)
    elif to in MOST:
        texts, stopped = graph_of(what, faults, release, settings, to, max_states, on_progress)
    else:
        texts = (tla_of if to == "tla" else promela_of)(what, faults, release, settings)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {error.strerror}") from None
    for name, text in texts.items():
        write_text(directory / name, text)
        out.print(f"wrote {directory / name}")
    for line in _next(to, next(iter(texts))):
        out.print(line)
    if stopped:
        out.print(f"not all states and steps are in it: {stopped}")
    files = [str(directory / name) for name in texts]
    verdict = Verdict.UNKNOWN if stopped else Verdict.VALID
    return Result("export", verdict, [stopped] if stopped else [], more={"files": files})


TLC_STACK = "-Xss64m"
"""An action is one expression, and TLC descends into it: of large families deeper than Java's own stack reaches."""


def _next(to: str, file: str) -> Iterator[str]:
    """Yield what to do with the file."""
    if to == "tla":
        yield f"run it there: java {TLC_STACK} -cp tla2tools.jar tlc2.TLC -workers 2 {file.removesuffix('.tla')}"
    if to == "promela":
        yield f"run it there: {' && '.join(map(shlex.join, spin.commands(file)))}"
        yield f"a law that breaks is named; the steps to it: spin -t {file}"
    if to == "dot":
        yield f"draw it there: dot -Tsvg {file} -o {file.removesuffix('.dot')}.svg"


def tla_of(name: str, faults: Sequence[str], release: str | None, settings: Sequence[str]) -> dict[str, str]:
    """Return a family as a module and its configuration: the laws in it are those that are expected to hold."""
    model, module = model_of(name, faults, release, settings), identifier(name)
    program = trace(model.bounds, model.bounds.system.laws, ())
    return {
        f"{module}.tla": tla.emit(program, module, model.title, model.holding),
        f"{module}.cfg": tla.configuration(program, model.holding),
    }


def file_name(name: str) -> str:
    """
    Return the name of the files that a family is exported to.

    >>> file_name("locks/holders"), file_name("transfer")
    ('locks-holders', 'transfer')
    """
    return name.replace("/", "-")


def promela_of(name: str, faults: Sequence[str], release: str | None, settings: Sequence[str]) -> dict[str, str]:
    """Return a family as Promela: it asserts the laws that are expected to hold."""
    model = model_of(name, faults, release, settings)
    return {
        f"{file_name(name)}.pml": promela.emit(
            trace(model.bounds, model.bounds.system.laws, ()), model.title, model.holding
        )
    }


def graph_of(
    name: str,
    faults: Sequence[str],
    release: str | None,
    settings: Sequence[str],
    to: str,
    max_states: int | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> tuple[dict[str, str], str]:
    """Return a family's state graph, and why it is not complete (a bound is used up); raise Misuse if it is too big."""
    model = model_of(name, faults, release, settings)
    most = max_states or MOST[to]
    tell = (lambda progress: on_progress(in_words(name, progress))) if on_progress else None
    graph = state_graph(model.bounds, model.bounds.system.laws, most, tell)
    if graph.is_cut_short:
        raise Misuse(
            f"{name} has more than {most:,} states, too many for {to}:"
            " make its bounds smaller (--set), or say how many are wanted (--max-states)"
        )
    text = as_dot(graph, model.title) if to == "dot" else as_json(graph, model.about)
    return {f"{file_name(name)}.{to}": text}, graph.stopped


def model_of(name: str, faults: Sequence[str], release: str | None, settings: Sequence[str]) -> Model:
    """Return the family of this name with these changes; raise Misuse for what there is not."""
    family = family_named(name).under(release)
    changes = parse_settings(settings)
    bounds = bounds_under(bounds_with(family.bounds, changes), family.release, faults)
    expected = pinned(family, family.is_pinned and not (changes or faults))
    holding = [law for law, verdict in expected.items() if verdict == Verdict.VALID]
    title = "; ".join([family.title, *(f"fault {fault}" for fault in faults), *settings])
    about = {"family": family.full_name, "release": family.release, "faults": list(faults), "set": changes}
    return Model(bounds, holding, title, about)
