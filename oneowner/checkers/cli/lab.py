"""The verb ``lab``: a real cluster on this machine, started, stopped, or recorded during a scenario."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oneowner.checkers.cli.name_types import Choice
from oneowner.checkers.cli.options import some_seconds
from oneowner.checkers.cli.verbs import Section, VerbGroup
from oneowner.checkers.documents import suggestion
from oneowner.checkers.extras import need
from oneowner.checkers.verdict import EXIT_HELP, EngineError, Misuse
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

if TYPE_CHECKING:
    from oneowner.checkers.lab.cluster.named import Named


HOME = click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="The folder for releases of Pulsar.")
RELEASE = click.option("--pulsar", "release", default=DEFAULT_RELEASE, show_default=True, help="The release of Pulsar.")
LOAD_MANAGER = click.option(
    "--load-manager",
    type=Choice(["modular", "extensible"]),
    default="extensible",
    show_default=True,
    help="Ownership by the channel (extensible) or by locks in ZooKeeper (modular).",
)
SETTINGS = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of every broker; repeatable."
)
NAMED = click.option("--name", default="lab", show_default=True, help="The name of the cluster.")


@click.group(cls=VerbGroup, section=Section.CLUSTER, epilog=EXIT_HELP)
def lab() -> None:
    """Start real brokers on this machine, and record what they do.

    Pulsar comes from Maven Central; Java 17 and Maven are required. Three brokers, ZooKeeper and a bookie take about
    2 GB of memory and free ports of the loopback address. Only the clusters of `lab up` keep running, until `lab down`.
    """


@lab.command()
@NAMED
@RELEASE
@click.option("--brokers", type=click.IntRange(1, 9), default=3, show_default=True, help="The number of brokers.")
@click.option(
    "--storage",
    type=Choice(["system-topic", "metadata-store"]),
    default="system-topic",
    show_default=True,
    help="The storage of the channel.",
)
@LOAD_MANAGER
@click.option("--fast", is_flag=True, help="Short timers: sessions of 10 s, a monitor that runs every 5 s.")
@click.option(
    "--gates", "gated", is_flag=True, help="Install gates in each broker (docs/lab.md lists them); requires a JDK."
)
@SETTINGS
@click.option("--wait", default=300.0, show_default=True, callback=some_seconds,
              help="Seconds that the cluster may take to start.")  # fmt: skip
@HOME
def up(
    name: str,
    release: str,
    brokers: int,
    storage: str,
    load_manager: str,
    fast: bool,
    gated: bool,
    settings: tuple[str, ...],
    wait: float,
    home: Path | None,
) -> None:
    """Start a cluster, and return when its brokers serve and have found each other.

    \b
      oneowner lab up --pulsar 4.0.6 --brokers 3
      oneowner lab up --name store --storage metadata-store --fast
      oneowner lab down

    Each broker reaches ZooKeeper through its own relay. An interrupted or killed start leaves nothing behind. Exit
    codes: 0 the cluster is up, 2 misuse (no such release, no Java, no memory), 3 it did not start.
    """
    from oneowner.checkers.lab.cluster.distribution import distribution
    from oneowner.checkers.lab.cluster.processes import free_ports
    from oneowner.checkers.lab.cluster.start import FAST, Wanted, check, start
    from oneowner.checkers.lab.gates.agent import prepared, told_to_cluster
    from oneowner.checkers.native_code import cache

    given = {**(FAST if fast else {}), **_settings(settings)}
    wanted = Wanted(cache() / "lab", name, Path(), release, brokers, storage, load_manager, given)
    check(wanted)
    releases = home or cache() / "pulsar"
    wanted = replace(wanted, pulsar=distribution(release, releases))
    if gated:
        traces = [cache() / "lab" / name / f"gates-{number}.jsonl" for number in range(1, brokers + 1)]
        ports = free_ports(brokers)
        gates = told_to_cluster(*prepared(wanted.pulsar, releases), traces, ports)
        wanted = replace(wanted, gates=gates, ports=ports)
    found = start(wanted, lambda words: click.echo(words, err=True), wait)
    _show(found)


@lab.command(epilog=EXIT_HELP)
@NAMED
def down(name: str) -> None:
    """Stop a cluster: wait until its processes have ended, and remove its files."""
    from oneowner.checkers.lab.cluster.named import file_of, forget, read, take_down
    from oneowner.checkers.native_code import cache

    home = cache() / "lab"
    found = read(file_of(home, name))
    if found is None:
        forget(home, name)
        click.echo(f"{name}: no such cluster")
        return
    take_down(home, found, lambda words: click.echo(words, err=True))
    click.echo(f"{name}: stopped and removed")


@lab.command(epilog=EXIT_HELP)
def status() -> None:
    """List the running clusters with their ports."""
    from oneowner.checkers.lab.cluster.named import every
    from oneowner.checkers.native_code import cache

    found = every(cache() / "lab")
    for cluster in found:
        _show(cluster)
    if not found:
        click.echo("no cluster is up")


def _show(cluster: Named) -> None:
    """Print a cluster, a line for each part."""
    standing = "up" if cluster.is_up and cluster.kept else "starting" if cluster.kept else "its keeper has died"
    click.echo(f"{cluster.name}: {standing}, Pulsar {cluster.release}, {cluster.load_manager}, {cluster.storage}")
    click.echo(f"  zookeeper  127.0.0.1:{cluster.zookeeper}")
    running = cluster.running()
    for number, broker in enumerate(cluster.brokers, 1):
        lives = "" if f"broker-{number}" in running else "  (not running)"
        gates = f"  gates 127.0.0.1:{broker.gates}" if broker.gates else ""
        click.echo(f"  broker {number}   http://{broker.id}  pulsar://127.0.0.1:{broker.binary}{gates}{lives}")
    click.echo(f"  logs       {cluster.folder}")
    if not cluster.kept:
        click.echo(f"  remove it with: oneowner lab down --name {cluster.name}")


def _settings(settings: tuple[str, ...]) -> dict[str, object]:
    """Parse settings of the form ``KEY=VALUE``."""
    given: dict[str, object] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise Misuse(f"--set {text} refused; the form is KEY=VALUE")
        given[key] = value
    return given


@lab.command(epilog=EXIT_HELP)
@click.argument("scenario", required=False)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="A new folder for the recording.")
@RELEASE
@click.option("--seed", type=int, metavar="N", help="The seed of a random scenario (default 1).")
@LOAD_MANAGER
@SETTINGS
@HOME
def record(
    scenario: str | None,
    out: Path | None,
    release: str,
    seed: int | None,
    load_manager: str,
    settings: tuple[str, ...],
    home: Path | None,
) -> None:
    """Record SCENARIO on a cluster of its own, as a folder for audit, timeline and replay; without it, list them.

    An audit of the folder follows; its findings are written to expectation.yaml and compared with the recording of that
    name in traces/real, for a race need not recur.

    \b
      oneowner lab record
      oneowner lab record kill-owner --out night
      oneowner lab record zk-restart --pulsar 4.2.4 --out outage && oneowner replay outage
      oneowner lab record resumed-owner --load-manager modular --out paused
      oneowner lab record nemesis --seed 7 --out chance
    """
    from oneowner.checkers.lab.cluster.distribution import distribution
    from oneowner.checkers.lab.cluster.recording import record_scenario
    from oneowner.checkers.lab.scenarios.prepare import prepare
    from oneowner.checkers.lab.scenarios.register import SCENARIOS
    from oneowner.checkers.ledger.recording_pins import first_pinned
    from oneowner.checkers.native_code import cache

    if scenario is None:
        for name, one in SCENARIOS.items():
            click.echo(f"{name}  {one.about}")
        return
    if scenario not in SCENARIOS:
        raise Misuse(f"no such scenario: {scenario}; {suggestion(scenario, SCENARIOS)}")
    if out is None:
        raise Misuse("--out DIR is required")
    if out.exists():
        raise Misuse(f"{out} exists; --out takes a new folder")
    done = SCENARIOS[scenario]
    if load_manager == "modular" and not done.of_locks:
        of_locks = ", ".join(name for name, one in SCENARIOS.items() if one.of_locks)
        raise Misuse(f"lab: {scenario} needs the channel; scenarios for locks: {of_locks}")
    if seed is not None and not done.by_chance:
        by_chance = ", ".join(name for name, one in SCENARIOS.items() if one.by_chance)
        raise Misuse(f"lab: {scenario} is not random; scenarios that take --seed: {by_chance}")
    need("lab", "lab record")
    releases = home or cache() / "pulsar"
    pulsar = distribution(release, releases)
    wanted = prepare(scenario, done, pulsar, releases, out, load_manager, _settings(settings))
    try:
        record_scenario(wanted, done.done, out, lambda words: click.echo(words, err=True), 1 if seed is None else seed)
    except (RuntimeError, OSError, EngineError) as error:
        raise Misuse(f"lab: {error}") from None
    click.echo(f"{out}: recorded; judge it with: oneowner audit {out}")
    verdict, found = first_pinned(out)
    click.echo(f"audit: {verdict}: {', '.join(found) or 'every law holds'}")
    if missing := [law for law in done.shows if law not in found]:
        click.echo(f"shown by the saved recording, but not by this one: {', '.join(missing)}")
