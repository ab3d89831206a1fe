"""The verb ``sweep``: many searches, walks, faults and simulated runs at once."""

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import RELEASE, SHEDDER, Choice
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse


@verb(Section.MODEL)
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--family", "families", multiple=True, metavar="NAME", help="A family (oneowner list families).")
@click.option(
    "--release",
    "releases",
    multiple=True,
    type=RELEASE,
    metavar="RELEASE",
    help="A release whose rules apply (default: the family's own).",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="A bug to switch on, several joined by +, or none (default: none).",
)
@click.option(
    "--set", "settings", multiple=True, metavar="BOUND=VALUES", help="Values of a bound, such as brokers=2,3."
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME=VALUES",
    help="A switch of the rules, such as version_check=true,false.",
)
@click.option("--law", "laws", multiple=True, metavar="NAME", help="Check only this law.")
@click.option("--walks", type=click.IntRange(1), metavar="N", help="Take N random walks instead of a search.")
@click.option("--depth", type=click.IntRange(1, 65_535), help="The longest walk, in steps.")
@click.option("--seeds", metavar="A..B", help="Seeds of walks or of simulated runs, such as 1..8, a task for each.")
@click.option(
    "--simulate", "traces", multiple=True, metavar="TRACE", help="Simulate a trace of load (docs/simulate.md)."
)
@click.option(
    "--shedder",
    "shedders",
    multiple=True,
    metavar="NAME",
    type=SHEDDER,
    help="With --simulate: overload, threshold, ...",
)
@click.option("--conf", multiple=True, metavar="KEY=VALUES", help="With --simulate: values of a key of broker.conf.")
@click.option("--brokers", multiple=True, type=click.IntRange(2), help="With --simulate: brokers (default: 10).")
@click.option("--bundles", multiple=True, type=click.IntRange(1), help="With --simulate: bundles (default: 200).")
@click.option("--cycles", multiple=True, type=click.IntRange(1), help="With --simulate: cycles (default: 100).")
@click.option("--kills", is_flag=True, help="The kill matrix of all faults, or of those of --fault.")
@click.option(
    "--by-release",
    is_flag=True,
    help="Each bug and prediction, or those of --fault, in every release (oneowner releases).",
)
@click.option("--max-states", type=click.IntRange(1), help="The limit of states for a task, which is then unknown.")
@click.option("--max-time", metavar="TIME", help="The limit of time for a task; rows then depend on the machine.")
@click.option(
    "--engine",
    type=Choice(["spark", "inline"]),
    default="spark",
    show_default=True,
    help="inline runs the tasks in processes of this machine, one for each core.",
)
@click.option("--master", metavar="URL", help="The Spark master (default: all cores of this machine).")
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder for sweep.parquet and finished rows, from which a sweep is continued.",
)
@common
def sweep(
    out: Console,
    on_progress: Callable[[str], None] | None,
    file: Path | None,
    families: tuple[str, ...],
    releases: tuple[str, ...],
    faults: tuple[str, ...],
    settings: tuple[str, ...],
    rules: tuple[str, ...],
    laws: tuple[str, ...],
    walks: int | None,
    depth: int | None,
    seeds: str | None,
    traces: tuple[str, ...],
    shedders: tuple[str, ...],
    conf: tuple[str, ...],
    brokers: tuple[int, ...],
    bundles: tuple[int, ...],
    cycles: tuple[int, ...],
    kills: bool,
    by_release: bool,
    max_states: int | None,
    max_time: str | None,
    engine: str,
    master: str | None,
    folder: Path | None,
) -> Result:
    """Explore, walk or simulate every combination of the options, each a task on Spark.

    A repeated option, and a bound or key with several values, is an axis: families, releases, faults, bounds, rules,
    traces, shedders, settings, seeds. A task has the verdict of explore; a failing one is unknown, with its reason. The
    exit code is that of the worst task. A simulated run is measured, not judged: it affects the exit code only if it
    fails.

    \b
      oneowner sweep --family transfer --family failure --release 3.0.4 --release 4.0.6 --out /tmp/sweep
      oneowner sweep --family failure --set brokers=2,3 --set crashes=1,2 --max-states 1000000
      oneowner sweep --family shedding --walks 100000 --seeds 1..8
      oneowner sweep --simulate step --simulate diurnal --shedder threshold --shedder transfer --seeds 1..8
      oneowner sweep --simulate load.csv --shedder threshold --conf loadBalancerBrokerThresholdShedderPercentage=5,10,20
      oneowner sweep --kills --by-release --html matrix.html
      oneowner sweep FILE

    The same in YAML:

    \b
      families: [transfer, failure]
      releases: [3.0.4, 4.0.6]
      faults: [none, no_version_check]
      set: {brokers: [2, 3]}
      max-states: 1000000

    \b
      simulate: [step, diurnal]
      shedders: [threshold, transfer]
      conf: {loadBalancerSheddingGracePeriodMinutes: [5, 30]}
      brokers: [10, 20]
      seeds: 1..8

    Rows and the bytes of sweep.parquet do not depend on the engine. A sweep can be continued after its driver was
    killed if all machines of the cluster share the folder.
    """
    from oneowner.checkers.sweep.axes import Axes, axes_in, seeds_of, settings_of
    from oneowner.checkers.sweep.simulation_axes import Simulations
    from oneowner.checkers.sweep.sweep import run_sweep
    from oneowner.checkers.times import duration_ms

    if master is not None and engine != "spark":
        raise Misuse("--master requires --engine spark")
    if file is not None:
        simulated = (traces, shedders, conf, brokers, bundles, cycles)
        if any(
            (families, releases, faults, settings, rules, laws, walks, depth, seeds, kills, by_release, max_states,
             max_time, *simulated)
        ):  # fmt: skip
            raise Misuse(f"{file} defines the sweep and excludes options that do so")
        axes = axes_in(file)
    else:
        axes = Axes(
            families, releases, faults, settings_of(settings), settings_of(rules, "--rule"), laws, walks, depth,
            seeds_of(seeds) if seeds is not None else (), kills, by_release, max_states,
            None if max_time is None else duration_ms(max_time) / 1000,
            Simulations(traces, shedders, settings_of(conf, "--conf"), brokers, bundles, cycles),
        )  # fmt: skip
    return run_sweep(out, on_progress, axes, engine, master, folder)
