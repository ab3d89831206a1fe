"""The verb ``step``: a run of a family, step by step, in the terminal or on a page."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import FAMILY_OR_FILE, RELEASE, SWITCHING
from oneowner.checkers.cli.options import common, wants_page
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Page, Result, Stats
from oneowner.checkers.verdict import Misuse, Verdict

if TYPE_CHECKING:
    from oneowner.checkers.scenarios.scenario import Scenario  # a verb imports what it alone needs


@verb(Section.MODEL)
@click.argument("family", metavar="FAMILY|SCENARIO", type=FAMILY_OR_FILE)
@click.argument("scenario", required=False, type=click.Path(path_type=Path))
@click.option("--fault", "faults", multiple=True, metavar="NAME", type=SWITCHING, help="Switch a bug on.")
@click.option("--release", metavar="RELEASE", type=RELEASE,
              help="The Pulsar release whose rules apply (default: that of the family, 4.0.6).")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE", help="Change a bound, such as brokers=2.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the model's rules.")
@click.option("--max-states", type=click.IntRange(10), help="With --html: the limit of states (default 3,000).")
@common
def step(
    out: Console,
    on_progress: Callable[[str], None] | None,
    family: str,
    scenario: Path | None,
    faults: tuple[str, ...],
    release: str | None,
    settings: tuple[str, ...],
    rules: tuple[str, ...],
    max_states: int | None,
) -> Result:
    """Take the steps of a model yourself: choose an enabled action, undo it, save the run as a scenario.

    The run begins at the start of FAMILY, or with the steps of a scenario. Commands come from the terminal, where the
    tab key completes them, or from standard input, one a line; ? lists them. A fault or an upstream number, such as
    #23382, means its saved counterexample. A run that breaks a law that should hold has exit code 1, as for replay.

    --html FILE writes a page on which a reader takes the steps. It holds the states of the model, or as many levels of
    them as --max-states allows.

    \b
      oneowner step transfer
      oneowner step transfer --fault assign_before_close --html step.html
      oneowner step assign_before_close/single-writer.yaml
      printf 'transfer(broker=1, destination=2)\\nappend\\nsave my.yaml\\n' | oneowner step transfer
    """
    from oneowner.checkers.cli.replay_result import combined, page_of
    from oneowner.checkers.cli.step_prompt import Prompt
    from oneowner.checkers.report import text
    from oneowner.checkers.scenarios.replay import replay
    from oneowner.checkers.scenarios.scenario import switch_in_words
    from oneowner.checkers.scenarios.stepping import SteppedRun

    if max_states is not None and not wants_page():
        raise Misuse("--max-states requires --html: a page holds the states")
    begun = _scenario(out, family, scenario, faults, release, settings, rules)
    replayed = replay(begun)
    if len(replayed.steps) < len(begun.steps):
        raise Misuse(replayed.reasons[0])
    if wants_page():
        return _page(out, on_progress, begun, max_states)
    run = SteppedRun(begun)
    turned = [f"with {name}" for name in (*begun.faults, *(switch_in_words(*one) for one in begun.rules.items()))]
    words = ", ".join([f"family {begun.family}", f"rules of {begun.release}", *turned])
    out.print(f"{words}; ? lists the commands", style="dim")
    Prompt(out, run).talk()
    result = combined([replay(run.scenario(begun.path, expects=False))])
    result.verb, result.page = "step", page_of(begun.family, [])
    text.verdict_line(out, f"{begun.family}, {len(run.taken)} step{'s' * (len(run.taken) != 1)}", result)
    return result


def _scenario(
    out: Console,
    family: str,
    file: Path | None,
    faults: Sequence[str],
    release: str | None,
    settings: Sequence[str],
    rules: Sequence[str],
) -> "Scenario":
    """Return the run that the steps begin with: of a scenario, or of a family without any step."""
    from oneowner.checkers.catalogue.families import bounds_under, family_files, family_named
    from oneowner.checkers.catalogue.family import bounds_with
    from oneowner.checkers.cli.explore import parse_rules, parse_settings
    from oneowner.checkers.cli.handing_over import refuse_another
    from oneowner.checkers.cli.replay_files import saved_runs
    from oneowner.checkers.inputs.kinds import REPLAY
    from oneowner.checkers.judged_release import judged_release
    from oneowner.checkers.places import shown
    from oneowner.checkers.scenarios.itf import scenario_in
    from oneowner.checkers.scenarios.scenario import Scenario

    given = file
    if given is None and family not in family_files():
        runs = saved_runs(Path(family))
        if len(runs) > 1:
            raise Misuse(f"several counterexamples: {family}; name one of {', '.join(map(shown, runs))}")
        if runs != [Path(family)] or family.endswith((".yaml", ".yml", ".json")):
            given = runs[0]
    if given is not None:
        if faults or release or settings or rules:
            raise Misuse("--fault, --release, --set and --rule require a family alone; a scenario has its own")
        refuse_another(given, "step", REPLAY, "a scenario or an ITF trace")
        begun = scenario_in(given)
        if file is not None and family_named(family).full_name != begun.family:
            raise Misuse(f"scenario refused: {file}; it is of the family {begun.family}, not of {family}")
        return begun
    row = family_named(family)
    judged = judged_release(release or row.release, row.system.releases)
    if judged.note:
        out.print(judged.note)
    row, changes = row.under(judged.name), parse_settings(settings)
    bounds = bounds_under(bounds_with(row.bounds, changes), row.release, faults, (), parse_rules(rules))
    by_faults = bounds_under(bounds, row.release, faults).rules
    return Scenario(
        path=Path("steps.yaml"),
        family=row.full_name,
        steps=(),
        bounds=bounds,
        release=row.release,
        settings={name: getattr(bounds, name) for name in changes},
        faults=tuple(faults),
        rules={name: value for name, value in asdict(bounds.rules).items() if value != getattr(by_faults, name)},
    )


def _page(out: Console, on_progress: Callable[[str], None] | None, begun: "Scenario", max_states: int | None) -> Result:
    """Return the result whose page holds the states around a run."""
    from oneowner.checkers.ledger.family_search import in_words
    from oneowner.checkers.report.graph_page import MOST, steppable
    from oneowner.checkers.scenarios.replay import replay

    tell = (lambda progress: on_progress(in_words(begun.family, progress))) if on_progress else None
    shown = steppable(replay(begun), max_states or MOST, f"oneowner step {shlex.quote(begun.family)}", tell)
    which = f"{shown.states:,} states: "
    if shown.depth is None:
        which += "all there are within its bounds"
    else:
        start = "the steps of the scenario" if begun.steps else "the start"
        which += (
            f"all up to {shown.depth} steps from {start}; beyond them the terminal goes on, or --max-states, or --set"
        )
    out.print(f"the page holds {which}")
    stats = Stats(states=shown.states, transitions=len(shown.graph.edges), depth=shown.graph.nodes[-1].depth)
    return Result("step", Verdict.VALID, [], stats, page=Page(subject=begun.family, steppable=shown))
