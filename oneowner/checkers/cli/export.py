"""The verb ``export``: a model as TLA+ or Promela, its states as a graph, or a scenario as ITF, for other tools."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.cli.explore import parse_rules, parse_settings
from oneowner.checkers.cli.handing_over import refuse_another
from oneowner.checkers.engines.compile.tla_names import named_name
from oneowner.checkers.inputs.kinds import REPLAY
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.ledger import spin, tlc
from oneowner.checkers.ledger.family_export import MOST, graph_of, promela_of, tla_of
from oneowner.checkers.report.json import write_text
from oneowner.checkers.results import Result
from oneowner.checkers.scenarios.itf import write_itf
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Misuse, Verdict


def export(
    out: Console,
    on_progress: Callable[[str], None] | None,
    what: str,
    to: str,
    directory: Path,
    faults: Sequence[str] = (),
    release: str | None = None,
    settings: Sequence[str] = (),
    rules: Sequence[str] = (),
    max_states: int | None = None,
) -> Result:
    """Write a family or a scenario for another tool; print the files and the commands that run them."""
    if max_states is not None and to not in MOST:
        raise Misuse("--max-states requires dot or json, which hold every state")
    changes, turned, stopped, note = parse_settings(settings), parse_rules(rules), "", ""
    if release is not None and what in families():
        release, note = judged_release(release, families()[what].system.releases)
    if note:
        out.print(note)
    if to == "itf":
        if faults or settings or rules or release:
            raise Misuse("--fault, --set, --rule and --release require a family; a scenario has its own")
        if what in families() and not Path(what).exists():
            raise Misuse(f"itf is for scenarios, and {what} is a family; use tla, promela, dot or json")
        refuse_another(Path(what), "export --to itf", REPLAY, "a scenario")
        scenario = read_scenario(scenario_file(Path(what)))
        replayed = replay(scenario)
        texts = {f"{scenario.path.stem}.itf.json": write_itf(replayed)}
        if len(replayed.steps) < len(scenario.steps):
            stopped = "; ".join(replayed.reasons)
    elif to in MOST:
        texts, stopped = graph_of(what, faults, release, changes, to, max_states, on_progress, turned)
    else:
        texts = (tla_of if to == "tla" else promela_of)(what, faults, release, changes, turned)
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
        out.print(f"incomplete: {stopped}")
    files = [str(directory / name) for name in texts]
    verdict = Verdict.UNKNOWN if stopped else Verdict.VALID
    return Result("export", verdict, [words for words in (note, stopped) if words], more={"files": files})


def _next(to: str, file: str) -> Iterator[str]:
    """Yield the commands that use the file."""
    if to == "tla":
        module, command = file.removesuffix(".tla"), f"java {tlc.STACK} -cp tla2tools.jar tlc2.TLC -workers 2"
        yield f"run it with: {command} {module}"
        yield f"with TLC 2.16 or later, its counterexamples have named fields: {command} {named_name(module)}"
    if to == "promela":
        yield f"run it with: {' && '.join(map(shlex.join, spin.commands(file)))}"
        yield f"Spin names the broken law; its steps: spin -t {file}"
    if to == "dot":
        yield f"draw it with: dot -Tsvg {file} -o {file.removesuffix('.dot')}.svg"
