"""The verb ``drive``: real brokers run a scenario of the channel's model, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from oneowner.checkers.cli.handing_over import refuse_another
from oneowner.checkers.cli.options import common, some_seconds
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.inputs.kinds import REPLAY
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import Misuse, Verdict, worst
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

if TYPE_CHECKING:
    from oneowner.checkers.lab.drive.outcome import Driven
    from oneowner.checkers.lab.drive.plan import Plan


@verb(Section.CLUSTER)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pulsar", "release", default=DEFAULT_RELEASE, show_default=True, help="The release of Pulsar.")
@click.option("--plan", "only_plan", is_flag=True, help="Print the plan without a cluster.")
@click.option("--repeat", type=click.IntRange(1), default=1, help="The number of runs of each scenario.")
@click.option("--gates/--no-gates", "gated", default=True,
              help="One real event per step; or no gates, and a count of the runs that reach the end.")  # fmt: skip
@click.option("--watch", "watch_for", default=30.0, show_default=True, callback=some_seconds,
              help="Seconds for which to watch the state, or drive the loop, after the last step.")  # fmt: skip
@click.option("--wait", default=300.0, show_default=True, callback=some_seconds,
              help="Seconds that the cluster may take to start.")  # fmt: skip
@click.option("--keep", "kept", is_flag=True, help="Record the outcomes in the ledger, spec/channel/driven.yaml.")
@click.option(
    "--agent-rule",
    "mending",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Patch the brokers with the rules of a fix (checkers/lab/gates/repairs), and the model with its switch.",
)
@click.option("--out", "traces", type=click.Path(path_type=Path), metavar="DIR",
              help="A new folder for the traces of all gates.")  # fmt: skip
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="The folder for releases of Pulsar.")
@common
def drive(
    out: Console,
    on_progress: Callable[[str], None] | None,
    files: tuple[Path, ...],
    release: str,
    only_plan: bool,
    repeat: int,
    gated: bool,
    watch_for: float,
    wait: float,
    kept: bool,
    mending: tuple[Path, ...],
    traces: Path | None,
    home: Path | None,
) -> Result:
    """Run a scenario against real brokers, and compare the cluster with the model after every step.

    \b
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --plan
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --pulsar 4.0.6
      oneowner drive --plan traces/counterexamples/*/*.yaml

    After the last step the cluster is watched: with all gates open if the scenario rests, driven round if it loops.

    Valid: the cluster follows the model, even where that breaks a law. Invalid: they differ. Unknown: a step is
    impossible, or the cluster does not start. With --no-gates a run is valid if it reaches the model's end, else
    unknown. With several files, --plan prints a table and omits systems other than the channel; without --plan, runs
    share a cluster where possible.
    """
    from oneowner.checkers.lab.drive.plan import is_of_channel, plan_of
    from oneowner.checkers.lab.gates.repair import read_repair
    from oneowner.checkers.scenarios.scenario import read_scenario

    repairs = [read_repair(path) for path in mending]
    switches = {name: value for repair in repairs for name, value in repair.switches.items()}
    for file in files:
        refuse_another(file, "drive", REPLAY, "a scenario")
    scenarios = [read_scenario(file, switches) for file in files]
    if only_plan and len(files) > 1:
        scenarios = [scenario for scenario in scenarios if is_of_channel(scenario)]
    plans = [plan_of(scenario, release, repairs) for scenario in scenarios]
    for note in _notes(plans):
        _print(out, note)
    if only_plan:
        return _result(out, _planned(out, plans))
    if traces is not None and traces.exists():
        raise Misuse(f"{traces} exists; --out takes a new folder")
    if kept and not gated:
        raise Misuse("--keep refused: the ledger holds runs driven step by step; omit --no-gates")
    rows = _driven(out, plans * repeat, wait, kept, traces, home, gated, watch_for)
    return _result(out, rows) if gated else _counted(out, rows)


def _notes(plans: Sequence[Plan]) -> list[str]:
    """Return which plans go by the rules of another release than their own, each report once."""
    return list(dict.fromkeys(plan.judged_by.note for plan in plans if plan.judged_by.note))


def _planned(out: Console, plans: list[Plan]) -> list[Driven]:
    from oneowner.checkers.lab.drive.outcome import Driven
    from oneowner.checkers.lab.drive.report import plan_in_words, row

    for plan in plans:
        for line in [row(plan)] if len(plans) > 1 else plan_in_words(plan):
            _print(out, line)
    return [Driven(plan, Verdict.VALID if plan.drivable else Verdict.UNKNOWN, plan.words) for plan in plans]


def _driven(
    out: Console,
    plans: list[Plan],
    wait: float,
    kept: bool,
    traces: Path | None,
    home: Path | None,
    gated: bool,
    watch_for: float,
) -> list[Driven]:
    from oneowner.checkers.lab.drive.ledger import keep, kept_of
    from oneowner.checkers.lab.drive.session import driven
    from oneowner.checkers.native_code import cache

    rows = []
    releases = home or cache() / "pulsar"
    for row in driven(plans, cache(), releases, traces, wait, lambda line: _print(out, line), watch_for, gated):
        rows.append(row)
        if kept:
            keep([kept_of(row, f"{datetime.now(UTC):%Y-%m-%d}")])
    if gated and len(rows) > 1:
        for row in rows:
            _print(out, f"{row.plan.name:60} {row.verdict}")
    return rows


def _counted(out: Console, rows: list[Driven]) -> Result:
    """Return the result of runs with open gates: valid if each scenario reached its end at least once."""
    by_name: dict[str, list[Driven]] = {}
    for row in rows:
        by_name.setdefault(row.plan.name, []).append(row)
    seen = {name: sum(row.verdict is Verdict.VALID for row in runs) for name, runs in by_name.items()}
    for name, runs in by_name.items():
        _print(out, f"{name}: seen in {seen[name]} of {len(runs)} runs")
    return _result(out, [row for row in rows if row.verdict is Verdict.VALID or not seen[row.plan.name]], rows)


def _result(out: Console, rows: list[Driven], everything: Sequence[Driven] = ()) -> Result:
    """Return the result of *rows*; *everything* is listed in the JSON if it has more rows."""
    verdict = worst(row.verdict for row in rows)
    reasons = _notes([row.plan for row in rows])
    reasons += [f"{row.plan.name}: {row.why}" for row in rows if row.verdict is not Verdict.VALID]
    seconds = round(sum(one.seconds for row in everything or rows for one in row.done), 1)
    more = {"driven": [row.as_json() for row in everything or rows]}
    return Result("drive", verdict, reasons, Stats(seconds=seconds), more=more)


def _print(out: Console, line: str) -> None:
    out.print(line, markup=False, highlight=False, soft_wrap=True)
