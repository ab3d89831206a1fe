"""The verb ``lab``: a real cluster on this machine, recorded while something is done to it."""

from __future__ import annotations

from pathlib import Path

import click

from oneowner.checkers.documents import suggestion
from oneowner.checkers.extras import need
from oneowner.checkers.verdict import Misuse


@click.group()
def lab() -> None:
    """Start real brokers on this machine, and record what they do.

    Pulsar comes from Maven Central; Java 17 and Maven must be there. Three brokers, ZooKeeper and a bookie take about
    2 GB of memory and free ports of the loopback address. Nothing is left running.
    """


@lab.command()
@click.argument("scenario", required=False)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="A new folder for the recording.")
@click.option("--pulsar", "release", default="4.0.6", show_default=True, help="The release of Pulsar.")
@click.option(
    "--load-manager",
    type=click.Choice(["modular", "extensible"]),
    default="extensible",
    show_default=True,
    help="Who owns bundles: the channel (extensible), or locks in ZooKeeper (modular).",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of every broker; repeatable.")
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="Where releases of Pulsar are kept.")
def record(
    scenario: str | None,
    out: Path | None,
    release: str,
    load_manager: str,
    settings: tuple[str, ...],
    home: Path | None,
) -> None:
    """Record SCENARIO on a cluster of its own, as a folder for audit, timeline and replay; without it, list them.

    \b
      oneowner lab record
      oneowner lab record kill-owner --out night
      oneowner lab record resumed-owner --load-manager modular --out paused && oneowner audit paused
    """
    from oneowner.checkers.engines.explore.building import cache
    from oneowner.checkers.lab.cluster.distribution import distribution
    from oneowner.checkers.lab.cluster.recording import FAST, record_scenario
    from oneowner.checkers.lab.cluster.scenarios import SCENARIOS

    if scenario is None:
        for name, done in SCENARIOS.items():
            click.echo(f"{name}  {' '.join((done.__doc__ or '').split())}")
        return
    if scenario not in SCENARIOS:
        raise Misuse(f"no such scenario: {scenario}; {suggestion(scenario, SCENARIOS)}")
    if out is None:
        raise Misuse("--out DIR says where the recording goes")
    if out.exists():
        raise Misuse(f"{out}: is there already; a recording goes to a new folder")
    need("lab", "lab record")
    given = dict(FAST)
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise Misuse(f"--set {text} refused: it is KEY=VALUE")
        given[key] = value
    pulsar = distribution(release, home or cache() / "pulsar")
    try:
        record_scenario(
            scenario, SCENARIOS[scenario], pulsar, out, load_manager, given, lambda words: click.echo(words, err=True)
        )
    except (RuntimeError, OSError) as error:
        raise Misuse(f"lab: {error}") from None
    click.echo(f"{out}: recorded; judge it by: oneowner audit {out}")
