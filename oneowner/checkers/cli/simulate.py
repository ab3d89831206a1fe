"""The verb ``simulate``: a trace of load, cycle by cycle, under each named shedder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from oneowner.checkers.cli.handing_over import refuse_another
from oneowner.checkers.cli.name_types import RELEASE, SHEDDER
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.documents import suggestion
from oneowner.checkers.extras import need
from oneowner.checkers.inputs.kinds import SIMULATE
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import write_json
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import write_document
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

SHOWN = 5
"""The number of most moved bundles that are listed."""


@verb(Section.MODEL)
@click.argument("trace", metavar="TRACE")
@click.option(
    "--shedder",
    "shedders",
    multiple=True,
    required=True,
    type=SHEDDER,
    metavar="NAME",
    help="overload, threshold, uniform, avg, transfer.",
)
@click.option("--release", type=RELEASE, metavar="RELEASE", default=DEFAULT_RELEASE, show_default=True,
              help="The Pulsar release whose rules apply.")  # fmt: skip
@click.option("--brokers", type=click.IntRange(2), default=10, show_default=True, help="The number of brokers.")
@click.option(
    "--bundles", type=click.IntRange(1), default=200, show_default=True, help="The number of generated bundles."
)
@click.option(
    "--capacity",
    type=click.FloatRange(0, min_open=True),
    metavar="BYTES",
    help="The capacity of a broker in bytes per second (default: all brokers together carry twice the load).",
)
@click.option(
    "--cycles", type=click.IntRange(1), default=100, show_default=True, help="The number of cycles, one minute each."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of the run.")
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A key of broker.conf.")
@click.option("--snapshot", type=click.IntRange(0), metavar="CYCLE", help="Write the leader's load data of this cycle.")
@click.option(
    "--save", type=click.Path(file_okay=False, path_type=Path), help="The folder for the snapshot, SHEDDER-CYCLE.yaml."
)
@click.option("--parquet", type=click.Path(dir_okay=False, path_type=Path), help="Write every cycle as Parquet.")
@click.option("--html", "html_to", metavar="FILE", help="Draw the runs on a page that works offline.")
@click.option("--json", "json_to", metavar="FILE", help="Write every cycle as JSON; - is standard output.")
def simulate(
    trace: str,
    shedders: tuple[str, ...],
    release: str,
    brokers: int,
    bundles: int,
    capacity: float | None,
    cycles: int,
    seed: int,
    settings: tuple[str, ...],
    snapshot: int | None,
    save: Path | None,
    parquet: Path | None,
    html_to: str | None,
    json_to: str | None,
) -> None:
    """Simulate load balancing of TRACE with each shedder: does it settle, and after how many moves?

    TRACE is constant, step, diurnal, hot-bundle, broker-lost or scale-up, with the sizes of the options; or a CSV file
    with the columns cycle, bundle, bytes, messages: the load of a bundle per second from that cycle on. A fifth column,
    broker, may name the first owner. Time is counted in cycles of one minute (loadBalancerSheddingIntervalMinutes). The
    same seed gives the same bytes. docs/simulate.md describes the scope of the simulation.

    \b
      oneowner simulate constant --shedder threshold --shedder transfer
      oneowner simulate hot-bundle --shedder threshold --conf loadBalancerDistributeBundlesEvenlyEnabled=false
      oneowner simulate scale-up --shedder avg --snapshot 40 --save points
    """
    from oneowner.checkers.simulation.conf import check
    from oneowner.checkers.simulation.run import LACKS, RELEASES
    from oneowner.checkers.simulation.run import simulate as run_through
    from oneowner.checkers.simulation.traces import GENERATORS, Sizes, generated, recorded

    if parquet is not None:
        need("spark", "simulate --parquet")
        if str(parquet) == "-":
            raise Misuse("--parquet refused: -; Parquet goes to a file")
    if (snapshot is None) != (save is None):
        raise Misuse("simulate refused: --snapshot and --save require each other")
    for name in shedders:
        if name not in RELEASES:
            raise Misuse(f"no such shedder: {name}; {suggestion(name, RELEASES)}")
    judged = {name: judged_release(release, RELEASES[name], name, LACKS[name]) for name in shedders}
    conf = dict(setting.split("=", 1) for setting in settings if "=" in setting)
    if len(conf) < len(settings):
        raise Misuse("simulate refused: --conf takes KEY=VALUE, each key once")
    check(conf, shedders)
    sizes = Sizes(brokers, bundles, cycles, seed)
    path = Path(trace)
    is_file = path.suffix == ".csv" or (trace not in GENERATORS and path.exists())
    if is_file:
        refuse_another(path, "simulate", SIMULATE, "a trace of loads, in CSV")
    loads = recorded(path, sizes) if is_file else generated(trace, sizes)
    loads = loads if capacity is None else loads._replace(capacity=capacity)
    if snapshot is not None and snapshot >= len(loads.loads):
        raise Misuse(f"simulate refused: --snapshot {snapshot}; the run has cycles 0 to {len(loads.loads) - 1}")

    runs = []
    for name in shedders:

        def look(cycle: int, leader: Any, name: str = name) -> None:
            if cycle == snapshot and save is not None:
                save.mkdir(parents=True, exist_ok=True)
                rows = {"conf": conf, **leader.row()}
                (save / f"{name}-{cycle}.yaml").write_text(write_document(rows), encoding="utf-8")

        try:
            runs.append(run_through(loads, name, judged[name].name, conf, seed, look))
        except ValueError as error:
            raise Misuse(f"simulate refused: {error}") from None
    if json_to == html_to == "-":
        raise Misuse("simulate refused: --json and --html both write to standard output")
    quiet = "-" in (json_to, html_to)
    for line in [*notes_of(judged), *lines(loads, runs)]:
        click.echo(visible(line), err=quiet)
    if parquet is not None:
        from oneowner.checkers.simulation.parquet import write_cycles

        write_cycles(parquet, loads.name, release, seed, runs)
    write_outputs(result(loads, runs, release, seed, notes_of(judged)), html_to, json_to)


def write_outputs(found: Result, html_to: str | None, json_to: str | None) -> None:
    """Write the page and the JSON, where they are asked for."""
    if html_to is not None:
        from oneowner.checkers.report.html import write_html  # templates take a while to load

        write_html(found, html_to)
    if json_to is not None:
        write_json(found, json_to)


def lines(trace: Any, runs: list[Any]) -> list[str]:
    """Return a table of the runs, and the most moved bundles."""
    rows = [("shedder", "moves", "called off", "bound", "returns", "last", "spread", "most")]
    for run in runs:
        first, last = run.points[0], run.points[-1]
        returns = sum(point.returns for point in run.points)
        spread = f"{first.spread:.3f} -> {last.spread:.3f}"
        most = f"{max(point.most for point in run.points):.3f}"
        numbers = (run.moves, run.called_off.number, run.fewest, returns, run.rounds)
        rows.append((run.shedder, *map(str, numbers), spread, most))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    told = ["  ".join(one.ljust(width) for one, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    for run in runs:
        moved = ", ".join(f"{name} ({count})" for name, count in run.moved[:SHOWN])
        if moved:
            told.append(f"{run.shedder}: moved most: {moved}")
        told += reasons(run, len(trace.loads))
    told.append(
        "called off: moves that the shedder named and the placement gave back; bound: the least number of moves"
    )
    told.append(
        "that bring the most used broker to its final usage; last: the last cycle with a move; spread: most minus"
    )
    told.append("least usage, after the first cycle and at the end")
    return [
        f"{trace.name}: {len(trace.brokers)} brokers, {len(trace.bundles)} bundles, {len(trace.loads)} cycles",
        *told,
    ]


def reasons(run: Any, cycles: int) -> list[str]:
    """Return why moves were called off, and why cycles named none, each with its commonest reason."""
    found = []
    if (off := run.called_off).number:
        found.append(f"{run.shedder}: {off.number} moves were called off, {off.of_it} because: {off.commonest}")
    if run.overruled:
        found.append(
            f"{run.shedder}: {run.overruled} bundles could not go to the broker with the fewest messages, which has"
            " more bundles of their namespace (loadBalancerDistributeBundlesEvenlyEnabled, #16059)"
        )
    if (idle := run.idle).number:
        found.append(
            f"{run.shedder}: {idle.number} of {cycles} cycles named none, {idle.of_it} because: {idle.commonest}"
        )
    return found


def notes_of(judged: Mapping[str, JudgedRelease]) -> list[str]:
    """Return which shedders go by the rules of another release, each report once."""
    return list(dict.fromkeys(one.note for one in judged.values() if one.note))


def result(trace: Any, runs: list[Any], release: str, seed: int, notes: list[str]) -> Result:
    """Return every cycle of the runs for the JSON, without times, so that the same seed gives the same bytes."""
    told = [
        {
            "shedder": run.shedder,
            "moves": run.moves,
            "bound": run.fewest,
            "last": run.rounds,
            "called_off": run.called_off._asdict(),
            "overruled": run.overruled,
            "idle": run.idle._asdict(),
            "moved": dict(run.moved),
            "cycles": [{**point._asdict(), "spread": point.spread} for point in run.points],
        }
        for run in runs
    ]
    more = {"trace": trace.name, "release": release, "seed": seed, "runs": told}
    reasons = [*notes, "runs were measured: no law is judged"]
    return Result("simulate", Verdict.VALID, reasons, more=more, page=Page(figures=figures(trace, runs)))


def figures(trace: Any, runs: list[Any]) -> dict[str, Any]:
    """Return the numbers that the page draws beside the result, usages in percent."""
    order = sorted(range(len(trace.brokers)), key=lambda one: (len(trace.brokers[one]), trace.brokers[one]))
    usages = [
        [[None if cycle[one] is None else 100 * cycle[one] for cycle in run.usages] for one in order] for run in runs
    ]
    return {
        "brokers": [trace.brokers[one] for one in order],
        "bundles": len(trace.bundles),
        "usages": usages,
        "reasons": [reasons(run, len(trace.loads)) for run in runs],
        "top": 100 * max([1.0, *(point.most for run in runs for point in run.points)]),
        "most_moves": max(point.moves for run in runs for point in run.points),
    }
