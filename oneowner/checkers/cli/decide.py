"""The verb ``decide``: the decisions of Pulsar's balancer for a snapshot of loads, or for each line of a batch."""

from collections.abc import Iterator
from pathlib import Path

import click

from oneowner.checkers.cli.batch import Batch, print_answers
from oneowner.checkers.cli.batch_refusal import blame
from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS, check, diff, place, unread, what_if
from oneowner.checkers.cli.handing_over import look_at
from oneowner.checkers.cli.name_types import RELEASE, SHEDDER
from oneowner.checkers.cli.snapshot_documents import Given, snapshot_in
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.documents import suggestion
from oneowner.checkers.inputs.content import DASH, is_pasted
from oneowner.checkers.inputs.kinds import DECIDE, DECIDE_BATCH, HISTORY
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import EXIT_CODES, Misuse, Verdict
from oneowner.model.balancer.batch.algorithms import ALGORITHMS, RELEASES
from oneowner.model.balancer.batch.filters import answer_anti_affinity
from oneowner.model.balancer.batch.selection import SELECT_MODULAR
from oneowner.model.balancer.filters.anti_affinity import namespace_of
from oneowner.model.kernel.batch import Row
from oneowner.model.pulsar.releases import DEFAULT_RELEASE


def known_of(row: Row, answer: Row, release: str) -> Iterator[str]:
    """Yield the known defect that a placement by anti-affinity shows: a bundle's own namespace is counted, too."""
    if row["algorithm"] != "anti_affinity":
        return
    own = namespace_of(row["bundle"])
    others = [one for one in row.get("owned") or () if namespace_of(one["bundle"]) != own]
    without = answer_anti_affinity({**row, "owned": others}, extensible="extensible" in answer)
    for manager in ("modular", "extensible"):
        kept, wanted = answer.get(manager) or (), without.get(manager) or ()
        if wanted and set(wanted) < set(kept):
            yield (
                f"id {row['id']}: the {manager} manager keeps {', '.join(kept)}, as it counts bundles of {own} itself;"
                f" without these its group leaves {', '.join(wanted)} (#16563)"
            )


BATCH = Batch(
    ALGORITHMS,
    lambda row: str(row["algorithm"]) if "algorithm" in row else None,
    "id and algorithm",
    notes=known_of,
)


@verb(Section.CLUSTER)
@click.argument("snapshot", required=False, type=click.Path(path_type=Path))
@click.option("--batch", type=click.Path(path_type=Path), help="Answer each line of this file; - is standard input.")
@click.option(
    "--release",
    type=RELEASE,
    metavar="RELEASE",
    help=f"The Pulsar release whose rules apply (default: that of the load reports; {DEFAULT_RELEASE} if they state"
    " none).",
)
@click.option(
    "--shedder",
    type=SHEDDER,
    metavar="NAME",
    help=f"One of {', '.join(SNAPSHOTS)}; the default is transfer, or the shedder of Pulsar's own JSON.",
)
@click.option("--what-if", "asks", is_flag=True, help="Print the smallest single changes that turn the decision.")
@click.option(
    "--place", "bundle", metavar="BUNDLE", help="Print the brokers to which the modular manager may assign this bundle."
)
@click.option(
    "--diff",
    "releases",
    nargs=2,
    metavar="R R",
    help="Print the differences between the decisions of two releases, and their causes.",
)
@click.option("--html", "html_to", metavar="FILE", help="Write the decision for a snapshot as a page.")
def decide(
    snapshot: Path | None,
    batch: Path | None,
    release: str | None,
    shedder: str | None,
    asks: bool,
    bundle: str | None,
    releases: tuple[str, str] | None,
    html_to: str | None,
) -> None:
    """Compute which bundles Pulsar would move for SNAPSHOT, a file or folder of loads, and why.

    SNAPSHOT is a YAML file as below, or output of Pulsar itself: the answers of broker-stats load-report and
    monitoring-metrics, metrics of Prometheus, dumps of the topics of load data, nodes below /loadbalance (exit code 3
    if they have no load). Isolation policies, lists of brokers, lookups of partitions and boundaries of bundles, as
    pulsar-admin prints them, are explained without loads. - is standard input.

    For a folder with broker logs it compares the extensible manager's placements and TransferShedder's cycles with the
    decisions computed from the logged loads (exit code 1 if one differs, 3 if there is none or a log is damaged).

    A snapshot has brokers (id, load, throughput_in, throughput_out, throughput_ema, age_s, available), top_bundles (for
    each broker a list of name, bytes in, bytes out), and conf (keys of broker.conf). docs/decide.md has an example for
    each load manager. With --batch each line is an input with id and algorithm (docs/decide.md lists them), and the
    verb prints one line of JSON for each.

    \b
      oneowner decide snapshot.yaml
      oneowner decide loads.yaml --shedder threshold --what-if
      oneowner decide loads.yaml --place t/n/0x00000000_0x40000000
      oneowner decide snapshot.yaml --diff 3.0.7 4.0.6
      oneowner decide snapshot.yaml --html decision.html
      oneowner decide incident/
      oneowner decide --batch inputs.jsonl --release 4.2.4 > answers.jsonl
    """
    for name in releases or ((release,) if release is not None else ()):
        judged_release(name, RELEASES)  # before anything is read
    if (snapshot is None) == (batch is None):
        raise Misuse("decide refused: give either a snapshot or --batch")
    if asks + (bundle is not None) + bool(releases) > 1:
        raise Misuse("decide refused: --what-if, --place and --diff exclude each other")
    if batch is not None and (asks or releases or bundle or html_to):
        raise Misuse("decide refused: --what-if, --place, --diff and --html require a snapshot, not a batch")
    if shedder is not None and shedder not in SNAPSHOTS:
        raise Misuse(f"no such shedder: {shedder}; {suggestion(shedder, SNAPSHOTS)}")
    if batch is not None:
        batch = Path(DASH) if is_pasted(batch) else batch
        look_at(str(batch), DECIDE_BATCH)
    if snapshot is not None and not snapshot.is_dir():
        look_at(str(snapshot), DECIDE, also=(HISTORY,))
    from oneowner.checkers.cli.decide_recording import is_recorded  # which loads NumPy

    if snapshot is not None and snapshot.is_dir() and is_recorded(snapshot):
        if asks or releases or bundle or html_to:
            raise Misuse("decide refused: --what-if, --place, --diff and --html require a snapshot, not a recorded run")
        from oneowner.checkers.cli.decide_recording import recorded

        click.get_current_context().exit(EXIT_CODES[recorded(snapshot, release or DEFAULT_RELEASE)])
    if snapshot is not None:
        given = snapshot_in(snapshot, shedder or ("threshold" if bundle else None))
        is_decided = given.is_known or bundle is not None
        asked = releases or (release or given.release or DEFAULT_RELEASE,)
        judged = judges(given, bundle, asked) if is_decided else []
        names = [one.name for one in judged]
        before = [*(one.note for one in judged if one.note), *given.remarks, *given.facts]
        for line in before:
            click.echo(visible(line), err=html_to == DASH)
        if is_decided:
            lines, is_known = decisions(given, names, asks, bundle)
        else:
            none = f"{snapshot}: no broker has a load for {given.shedder}; no decision is possible"
            none += "; collect loads: a folder with the files of docs/decide.md"
            lines, is_known = [] if given.facts else [none], bool(given.facts)
        if is_decided and not releases and release is None:
            source = "which the load reports state" if given.release else "the default"
            lines.insert(0, f"by the rules of {names[0]}, {source}; --release names another")
        for line in lines:
            click.echo(visible(line), err=html_to == DASH)
        if html_to is not None:
            from oneowner.checkers.cli.decide_page import page  # templates take a while to load
            from oneowner.checkers.report.html import write_html

            write_html(page(given, names, bundle, before, lines, is_known), html_to)
        if not is_known:
            click.get_current_context().exit(EXIT_CODES[Verdict.UNKNOWN])
        return
    click.get_current_context().exit(print_answers(str(batch), release or DEFAULT_RELEASE, BATCH))


def judges(given: Given, bundle: str | None, releases: tuple[str, ...]) -> list[JudgedRelease]:
    """Return by which releases a shedder, or the placement of a bundle, is judged; raise Misuse for one without it."""
    if bundle is not None:
        return [judged_release(one, SELECT_MODULAR.rules, "placement", SELECT_MODULAR.lacks) for one in releases]
    asked = SNAPSHOTS[given.shedder]
    return [judged_release(one, asked.rules, given.shedder, asked.lacks) for one in releases]


def decisions(given: Given, releases: list[str], asks: bool, bundle: str | None) -> tuple[list[str], bool]:
    """
    Return the decisions of a shedder for a snapshot, line by line; and whether the snapshot has what they need.

    Of two *releases* they are compared.
    """
    document, asked = given.document, SNAPSHOTS[given.shedder]
    rules = (SELECT_MODULAR if bundle is not None else asked).rules
    check(document, given.shedder, is_placed=bundle is not None)

    def answered(data: Row) -> tuple[list[str], bool]:
        if bundle is not None:
            return [*place(data, bundle, rules[releases[0]])], True
        if len(releases) > 1:
            return [*diff(data, asked, *releases)], True
        found = asked.answer(data, rules[releases[0]])
        return [*unread(data, asked), *found.lines()], found.is_known

    try:
        lines, is_known = answered(document.data)
        more = what_if(document.data, asked, rules[releases[0]]) if asks and is_known else ()
        return [*lines, *more], is_known
    except Exception as error:  # what no value is to blame for is raised again
        found = blame(error, document.data, answered)
        raise document.refuse(f"no snapshot: {found.words}", *found.path) from None
