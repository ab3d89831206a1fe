"""
The verbs about the model: ``explore``, ``replay``, ``prove``, ``export`` and ``list``.

A verb imports its own dependencies late: ``explore`` does not wait for z3.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from oneowner.checkers.choices import FORMATS, KINDS, LAW_KINDS
from oneowner.checkers.cli.name_types import EXPLORED, FAMILY_OR_FILE, LEMMA, LISTED, RELEASE, SWITCHING, Choice
from oneowner.checkers.cli.options import common, explore_options
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.extras import need
from oneowner.checkers.results import Result
from oneowner.checkers.times import duration_ms, size_of
from oneowner.checkers.verdict import MISUSE, Misuse


@verb(Section.MODEL)
@click.argument("family", type=EXPLORED, required=False)
@explore_options
@common
def explore(out: Console, on_progress: Callable[[str], None] | None, family: str | None, **options: Any) -> Result:
    """Visit every state of FAMILY, a small model, and check every law (oneowner list families).

    FAMILY may also be a decision, a function of one input (oneowner list decisions); then every input is visited.

    \b
      oneowner explore transfer
      oneowner explore transfer --fault no_version_check --save /tmp/cx
      oneowner explore failure --set crashes=2 --max-states 100000
      oneowner explore failure --set brokers=4 --set crashes=3 --walks 100000
      oneowner explore balancer/topic-count-equally-divide --set topics=6
      oneowner explore channel --all --rule health_check=false --diff

    Under a change (--rule, --fault, --repair, --set) laws that restate the code are listed apart: they neither end the
    search nor decide the verdict, unless named by --law. With --all, FAMILY is a system, or left out.

    Random walks end at --depth, in a state without enabled steps, or at a violation, which is minimised. They cannot
    prove a law: without a violation the verdict is unknown. The same seed gives the same walks.
    """
    from oneowner.checkers.cli.explore import explore_family, parse_rules, parse_settings, plan_of
    from oneowner.checkers.cli.explore_changes import explore_changes
    from oneowner.checkers.cli.explore_decision import explore_decision, is_decision
    from oneowner.checkers.engines.explore.exploration import Limits
    from oneowner.checkers.ledger.family_search import Asked

    is_all, is_diff = options.pop("is_all"), options.pop("is_diff")
    if family is None and not is_all:
        raise click.UsageError("Missing argument 'FAMILY' (oneowner list families); or --all tries a change in all.")
    if family is not None and not is_all and is_decision(family):
        return explore_decision(out, on_progress, family, options)
    most, memory, duration = (options.pop(name) for name in ("max_states", "max_memory", "max_time"))
    seconds = None if duration is None else duration_ms(duration) / 1000
    limits = Limits(most, None if memory is None else size_of(memory), seconds)
    walks, depth, seed = (options.pop(name) for name in ("walks", "depth", "seed"))
    plan = plan_of(walks, depth, seed, limits, options["minimise"], options["goes_on"])
    settings, rules = parse_settings(options.pop("settings")), parse_rules(options.pop("rules"))
    save = options.pop("save")
    asked = Asked(settings=settings, rules=rules, limits=limits, plan=plan, **options)
    if family is None or is_all or is_diff:
        return explore_changes(out, on_progress, family, asked, is_all, is_diff, save)
    return explore_family(out, on_progress, family, asked, save)


@verb(Section.MODEL)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--itf", "itf_to", type=click.Path(dir_okay=False, path_type=Path), help="Write the run as an ITF trace.")
@click.option("--system", help="The system whose real class made the schedules in the files.")
@click.option("--release", metavar="RELEASE", type=RELEASE,
              help="The release whose rules apply (default: that of each scenario or schedule).")  # fmt: skip
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of a scenario's rules.")
@common
def replay(
    out: Console,
    on_progress: Callable[[str], None] | None,
    files: tuple[Path, ...],
    itf_to: Path | None,
    system: str | None,
    release: str | None,
    rules: tuple[str, ...],
) -> Result:
    """Replay scenario files (.yaml) or ITF traces (.itf.json) step by step through the model and its laws.
    A missing file is looked up among the packaged scenarios, such as no_version_check/version-chain.yaml. A fault or an
    upstream number, such as 26520, means its saved counterexample.

    --release judges a scenario by the rules of that release alone, without its faults, switches and expectation. A step
    that is not enabled there ends the replay with its guard.

    A reproduced counterexample has exit code 1, an unmet expectation 3. A folder is a recorded run of a real cluster,
    as for audit: valid if some run of the model explains the recording, with unrecorded steps inferred.

    \b
      oneowner replay 26520 --release 4.2.5

    With --system the files are schedules (.jsonl, .jsonl.gz) of the class that the system models: the model must accept
    every step and reach the state of the class. Otherwise the exit code is 1, and the step is printed.
    """
    from oneowner.checkers.cli.explore import parse_rules
    from oneowner.checkers.cli.replay_files import replay_files
    from oneowner.checkers.cli.replay_schedules import refuse_without_system, replay_schedules

    if system is not None:
        if itf_to is not None or rules:
            raise Misuse("--system excludes --itf and --rule: a schedule is no run of a family")
        return replay_schedules(out, on_progress, files, system, release)
    refuse_without_system(files)
    result = replay_files(out, on_progress, files, itf_to, parse_rules(rules), release)
    if result is None:
        click.get_current_context().exit(MISUSE)
    return result


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[LEMMA]...", type=LEMMA)
@common
def prove(out: Console, on_progress: Callable[[str], None] | None, names: tuple[str, ...]) -> Result:
    """Prove lemmas without bounds by z3: any number of brokers, 64-bit versions, an endless channel.

    A lemma is proved for every input, or refuted by a concrete one, which the model confirms. Named lemmas are printed
    with their assumptions in Python. Exit code 0 if all are as expected; some are expected to be refuted.

    \b
      oneowner prove                       every lemma, one sentence each
      oneowner prove single-owner-append   one step of the induction, with the invariant
    """
    need("prove", "prove")
    from oneowner.checkers.cli.prove import run_prove

    return run_prove(out, on_progress, names)


@verb(Section.MODEL)
@click.argument("what", metavar="FAMILY|SCENARIO", type=FAMILY_OR_FILE)
@click.option(
    "--to",
    type=Choice(FORMATS),
    required=True,
    help="tla, promela, dot or json for a family, itf for a scenario.",
)
@click.option(
    "--out",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="The folder for the files.",
)
@click.option("--fault", "faults", multiple=True, metavar="NAME", type=SWITCHING, help="Switch a bug on.")
@click.option("--release", metavar="RELEASE", type=RELEASE,
              help="The Pulsar release whose rules apply (default: that of the family, 4.0.6).")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE", help="Change a bound, such as brokers=3.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the model's rules.")
@click.option(
    "--max-states", type=click.IntRange(1), help="The limit of states of a graph (default: dot 2,000, json 300,000)."
)
@common
def export(out: Console, on_progress: Callable[[str], None] | None, what: str, **options: Any) -> Result:
    """Export a family as TLA+, Promela, dot or json, or a scenario as ITF.

    For referees, which count its states and judge its laws: tla (TLC) and promela (Spin). For people: dot, a picture of
    states and steps for Graphviz, and of tla the module FAMILY_named, whose counterexamples have named fields. For
    programs: json, the graph of states and steps, and itf, a run.

    \b
      oneowner export transfer --to tla --out /tmp/tla
      oneowner export transfer-metadata-store --set brokers=2 --set unloads=0 --to dot
      oneowner export traces/counterexamples/no_version_check/version-chain.yaml --to itf
    """
    from oneowner.checkers.cli.export import export as run_export

    return run_export(out, on_progress, what, **options)


@verb(Section.MODEL, name="list")
@click.argument("kind", required=False, metavar="[KIND]", type=Choice(KINDS))
@click.argument("names", nargs=-1, metavar="[NAME]...", type=LISTED)
@click.option("--kind", "law_kind", type=Choice(LAW_KINDS),
              help="Of laws list these: promises to users, promises of the design, or what the code does.")  # fmt: skip
@common
def list_(
    out: Console,
    on_progress: Callable[[str], None] | None,
    kind: str | None,
    names: tuple[str, ...],
    law_kind: str | None,
) -> Result:
    """List families, faults, findings, laws or actions; name one to see its description.

    KIND is one of families, decisions, actions, laws, faults, findings, lemmas, rules and bounds; without it all are
    listed. An upstream number, such as 26520, names a fault or a finding.

    \b
      oneowner list families transfer
      oneowner list findings split_crash_overlaps
      oneowner list laws --kind purpose
      oneowner list rules health_check
    """
    from oneowner.checkers.cli.list import listing

    return listing(out, kind, names, law_kind)
