"""The verb ``drive``: a scenario of the channel's model is done by real brokers, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from oneowner.checkers.cli.options import common, some_seconds
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import EXIT_HELP, Misuse, Verdict, worst

if TYPE_CHECKING:
    from oneowner.checkers.lab.drive.outcome import Driven
    from oneowner.checkers.lab.drive.plan import Plan


@click.command(epilog=EXIT_HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pulsar", "release", default="4.0.6", show_default=True, help="The release of Pulsar.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be done; no cluster is needed.")
@click.option("--repeat", type=click.IntRange(1), default=1, help="How often each is driven.")
@click.option("--gates/--no-gates", "gated", default=True,
              help="One real event a step; or only what needs no gate, and how often the end is seen.")  # fmt: skip
@click.option("--watch", "watch_for", default=30.0, show_default=True, callback=some_seconds,
              help="How long a scenario's rest, or loop, is watched after the last step, in seconds.")  # fmt: skip
@click.option("--wait", default=300.0, show_default=True, callback=some_seconds,
              help="How long the cluster may take to be up, in seconds.")  # fmt: skip
@click.option("--keep", "kept", is_flag=True, help="Write what came of each into the ledger, spec/channel/driven.yaml.")
@click.option(
    "--agent-rule",
    "mending",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Mend the brokers by rules that stand for a fix (checkers/lab/gates/repairs), and the model likewise.",
)
@click.option("--out", "traces", type=click.Path(path_type=Path), metavar="DIR",
              help="A new folder for the traces of all gates.")  # fmt: skip
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="Where releases of Pulsar are kept.")
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
    """Do the steps of a scenario to real brokers, and compare the cluster with the model after every step.

    \b
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --plan
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --pulsar 4.0.6
      oneowner drive --plan traces/counterexamples/*/*.yaml

    Where a scenario says what follows its last step for ever, that is watched: a rest with all gates open, a loop by
    driving it round.

    Valid: the cluster does what the model says, also where that breaks a law. Invalid: they part. Unknown: a step
    cannot be brought about, or the cluster does not come up. With --no-gates a run is valid if the model's end is seen,
    and unknown if it is not. With several files --plan prints a table
    and leaves out other systems than the channel, and without it a cluster is used again where it can be.
    """
    from oneowner.checkers.lab.drive.plan import is_of_channel, plan_of
    from oneowner.checkers.lab.gates.repair import read_repair
    from oneowner.checkers.scenarios.scenario import read_scenario

    repairs = [read_repair(path) for path in mending]
    switches = {name: value for repair in repairs for name, value in repair.switches.items()}
    scenarios = [read_scenario(file, switches) for file in files]
    if only_plan and len(files) > 1:
        scenarios = [scenario for scenario in scenarios if is_of_channel(scenario)]
    plans = [plan_of(scenario, release, repairs) for scenario in scenarios]
    if only_plan:
        return _result(out, _planned(out, plans))
    if traces is not None and traces.exists():
        raise Misuse(f"{traces}: is there already; traces go to a new folder")
    if kept and not gated:
        raise Misuse("--keep refused: the ledger is of what was driven step by step; leave out --no-gates")
    rows = _driven(out, plans * repeat, wait, kept, traces, home, gated, watch_for)
    return _result(out, rows) if gated else _counted(out, rows)


def _planned(out: Console, plans: list[Plan]) -> list[Driven]:
    from oneowner.checkers.lab.drive.outcome import Driven
    from oneowner.checkers.lab.drive.report import plan_in_words, row

    for plan in plans:
        for line in [row(plan)] if len(plans) > 1 else plan_in_words(plan):
            _tell(out, line)
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
    for row in driven(plans, cache(), releases, traces, wait, lambda line: _tell(out, line), watch_for, gated):
        rows.append(row)
        if kept:
            keep([kept_of(row, f"{datetime.now(UTC):%Y-%m-%d}")])
    if gated and len(rows) > 1:
        for row in rows:
            _tell(out, f"{row.plan.name:60} {row.verdict}")
    return rows


def _counted(out: Console, rows: list[Driven]) -> Result:
    """Return the result of runs with open gates: valid if the end of each scenario was seen at least once."""
    by_name: dict[str, list[Driven]] = {}
    for row in rows:
        by_name.setdefault(row.plan.name, []).append(row)
    seen = {name: sum(row.verdict is Verdict.VALID for row in runs) for name, runs in by_name.items()}
    for name, runs in by_name.items():
        _tell(out, f"{name}: seen in {seen[name]} of {len(runs)} runs")
    return _result(out, [row for row in rows if row.verdict is Verdict.VALID or not seen[row.plan.name]], rows)


def _result(out: Console, rows: list[Driven], told: Sequence[Driven] = ()) -> Result:
    """Return the result that *rows* come to; *told* are all, if there are more."""
    verdict = worst(row.verdict for row in rows)
    reasons = [f"{row.plan.name}: {row.why}" for row in rows if row.verdict is not Verdict.VALID]
    seconds = round(sum(one.seconds for row in told or rows for one in row.done), 1)
    more = {"driven": [row.as_json() for row in told or rows]}
    return Result("drive", verdict, reasons, Stats(seconds=seconds), more=more)


def _tell(out: Console, line: str) -> None:
    out.print(line, markup=False, highlight=False, soft_wrap=True)
