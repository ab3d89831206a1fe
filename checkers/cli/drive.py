"""The verb ``drive``: a scenario of the channel's model is done by real brokers, step by step."""

from __future__ import annotations

from pathlib import Path

import click

from oneowner.checkers.verdict import EXIT_CODES, EXIT_HELP, Misuse, Verdict, worst


@click.command(epilog=EXIT_HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pulsar", "release", default="4.0.6", show_default=True, help="The release of Pulsar.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be done; no cluster is needed.")
@click.option("--repeat", type=click.IntRange(1), default=1, help="How often each is driven.")
@click.option("--wait", default=300.0, show_default=True, help="How long the cluster may take to be up, in seconds.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="A new folder for the traces of all gates.")
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="Where releases of Pulsar are kept.")
@click.pass_context
def drive(
    ctx: click.Context,
    files: tuple[Path, ...],
    release: str,
    only_plan: bool,
    repeat: int,
    wait: float,
    out: Path | None,
    home: Path | None,
) -> None:
    """Do the steps of a scenario to real brokers, and compare the cluster with the model after every step.

    \b
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --plan
      oneowner drive traces/counterexamples/multi-phase/connections-end.yaml --pulsar 4.0.6
      oneowner drive --plan traces/counterexamples/*/*.yaml

    Valid: the cluster does what the model says, also where that breaks a law. Invalid: they part. Unknown: a step
    cannot be brought about, or the cluster does not come up. With several files --plan prints a table,
    and without it a cluster is used again where it can be.
    """
    from oneowner.checkers.lab.drive.plan import plan_of
    from oneowner.checkers.lab.drive.report import name_of, plan_in_words, row
    from oneowner.checkers.scenarios.scenario import read_scenario

    plans = [plan_of(read_scenario(file), release) for file in files]
    if only_plan:
        for plan in plans:
            click.echo(row(plan) if len(plans) > 1 else "\n".join(plan_in_words(plan)))
        ctx.exit(EXIT_CODES[Verdict.VALID if all(plan.drivable for plan in plans) else Verdict.UNKNOWN])
    if out is not None and out.exists():
        raise Misuse(f"{out}: is there already; traces go to a new folder")
    from oneowner.checkers.engines.explore.building import cache
    from oneowner.checkers.lab.drive.session import driven

    verdicts = driven(plans * repeat, cache(), home or cache() / "pulsar", out, wait, click.echo)
    if len(verdicts) > 1:
        for plan, verdict in zip(plans * repeat, verdicts, strict=True):
            click.echo(f"{name_of(plan):60} {verdict}")
    ctx.exit(EXIT_CODES[worst(verdicts)])
