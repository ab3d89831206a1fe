"""The verb ``decide``: what Pulsar's balancer decides for a snapshot of loads, and why; or for each line of a batch."""

from __future__ import annotations

import json
from pathlib import Path

import click

from oneowner.checkers.cli.batch import UNREADABLE, Asked, answers, complaint
from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS, check, diff, place, unread, what_if
from oneowner.checkers.cli.snapshot_documents import Given, snapshot_in
from oneowner.checkers.documents import suggestion
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import EXIT_CODES, EXIT_HELP, Misuse, Verdict
from oneowner.model.balancer.batch.algorithms import ALGORITHMS, RELEASES
from oneowner.model.balancer.batch.selection import SELECT_MODULAR

DEFAULT_RELEASE = "4.0.6"
ASKED = Asked(ALGORITHMS, lambda row: str(row["algorithm"]) if "algorithm" in row else None, "id and algorithm")


@click.command(epilog=EXIT_HELP)
@click.argument("snapshot", required=False, type=click.Path(path_type=Path))
@click.option("--batch", type=click.Path(path_type=Path), help="Answer each line of this file; - is standard input.")
@click.option("--release", default=DEFAULT_RELEASE, show_default=True, help="The Pulsar release whose rules apply.")
@click.option("--shedder", help=f"One of {', '.join(SNAPSHOTS)}; by default transfer, or that of Pulsar's own JSON.")
@click.option("--what-if", "asks", is_flag=True, help="Tell the smallest changes, each alone, that turn the decision.")
@click.option("--place", "bundle", metavar="BUNDLE", help="Tell who may be given this bundle by the modular manager.")
@click.option("--diff", "releases", nargs=2, metavar="R R", help="Tell what two releases decide otherwise, and why.")
def decide(
    snapshot: Path | None,
    batch: Path | None,
    release: str,
    shedder: str | None,
    asks: bool,
    bundle: str | None,
    releases: tuple[str, str] | None,
) -> None:
    """Tell which bundles Pulsar would move for SNAPSHOT, a file or folder of loads, and why; or why it moves none.

    SNAPSHOT is a YAML file as below, or what Pulsar itself writes: the answers of broker-stats load-report and
    monitoring-metrics, dumps of the topics of load data, nodes below /loadbalance (exit code 3 if they tell no load).

    Of a folder with brokers' logs it tells whether the extensible manager's placements, and what TransferShedder moved
    in which cycle, are as computed by the loads that brokers logged (exit code 1 if one is not, 3 if there is none or a
    log is damaged).

    A snapshot has brokers (id, load, throughput_in, throughput_out, throughput_ema, age_s, available), top_bundles (of
    each broker a list of name, bytes in, bytes out), and conf, keys of broker.conf; docs/decide.md shows one, and one
    for the shedders of the modular load manager. With --batch each line is an input with id and algorithm
    (docs/decide.md lists them), and a line of JSON is printed for each.

    \b
      oneowner decide snapshot.yaml
      oneowner decide loads.yaml --shedder threshold --what-if
      oneowner decide loads.yaml --place t/n/0x00000000_0x40000000
      oneowner decide snapshot.yaml --diff 3.0.7 4.0.6
      oneowner decide incident/
      oneowner decide --batch inputs.jsonl --release 4.2.4 > answers.jsonl
    """
    for name in releases or (release,):
        judged_release(name, RELEASES)  # before anything is read
    if (snapshot is None) == (batch is None):
        raise Misuse("decide refused: name a snapshot, or a batch with --batch")
    if asks + (bundle is not None) + bool(releases) > 1:
        raise Misuse("decide refused: --what-if, --place and --diff are three questions; ask one at a time")
    if batch is not None and (asks or releases or bundle):
        raise Misuse("decide refused: --what-if, --place and --diff ask about a snapshot, not about a batch")
    if shedder is not None and shedder not in SNAPSHOTS:
        raise Misuse(f"no such shedder: {shedder}; {suggestion(shedder, SNAPSHOTS)}")
    from oneowner.checkers.recordings.read.logged_placements import logs_of  # which loads NumPy

    if snapshot is not None and snapshot.is_dir() and (logs_of(snapshot) or not any(snapshot.iterdir())):
        if asks or releases or bundle:
            raise Misuse("decide refused: --what-if, --place and --diff ask about a snapshot, not about a recorded run")
        from oneowner.checkers.cli.decide_recording import recorded

        click.get_current_context().exit(EXIT_CODES[recorded(snapshot, release)])
    if snapshot is not None:
        given = snapshot_in(snapshot, shedder or ("threshold" if bundle else None))
        for line in given.remarks:
            click.echo(visible(line))
        if not given.is_known:
            click.echo(
                f"{visible(str(snapshot))}: no broker's load is told for {given.shedder}: nothing can be decided"
            )
            click.get_current_context().exit(EXIT_CODES[Verdict.UNKNOWN])
        for line in told(given, release, asks, bundle, releases):
            click.echo(visible(line))
        return
    for row in answers(str(batch), release, ASKED):
        click.echo(json.dumps(row))


def told(given: Given, release: str, asks: bool, bundle: str | None, releases: tuple[str, str] | None) -> list[str]:
    """Return what a shedder decides for a snapshot, and what else is asked of it, line by line."""
    document, shedder, asked = given.document, given.shedder, SNAPSHOTS[given.shedder]
    rules, of = (SELECT_MODULAR.rules, "placement") if bundle is not None else (asked.rules, shedder)
    judged = [judged_release(name, rules, of) for name in releases or (release,)]
    notes, named = [one.note for one in judged if one.note], [one.name for one in judged]
    check(document, shedder, is_placed=bundle is not None)
    try:
        if bundle is not None:
            return [*notes, *place(document.data, bundle, rules[named[0]])]
        if releases:
            return [*notes, *diff(document.data, asked, named[0], named[1])]
        lines = [*notes, *unread(document.data, asked), *asked.answer(document.data, rules[named[0]]).lines()]
        return [*lines, *what_if(document.data, asked, rules[named[0]])] if asks else lines
    except UNREADABLE as error:
        raise document.refuse(f"no snapshot: {complaint(error)}") from None
