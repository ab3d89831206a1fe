"""
The command line: ``oneowner VERB``. Parses arguments, calls the verb, prints, and sets the exit code.

A verb imports what it alone needs: who explores does not wait until Spark's columns or z3 are loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from oneowner.checkers import VERSION
from oneowner.checkers.choices import FORMATS, KINDS
from oneowner.checkers.cli.assign import assign
from oneowner.checkers.cli.decide import decide
from oneowner.checkers.cli.drive import drive
from oneowner.checkers.cli.lab import lab
from oneowner.checkers.cli.lint import lint
from oneowner.checkers.cli.options import (
    Verbs,
    audit_options,
    common,
    engine_options,
    explore_options,
    telling_options,
    wants_page,
)
from oneowner.checkers.cli.pinned_verbs import VERBS
from oneowner.checkers.cli.record import record
from oneowner.checkers.cli.script import script
from oneowner.checkers.cli.simulate import simulate
from oneowner.checkers.cli.sweep import sweep
from oneowner.checkers.cli.watch import watch
from oneowner.checkers.extras import need
from oneowner.checkers.results import Result
from oneowner.checkers.times import duration_ms, moment_ms, size_of
from oneowner.checkers.verdict import EXIT_HELP, MISUSE, Misuse

if TYPE_CHECKING:
    from oneowner.checkers.recordings.laws.scene_verdict import Evidence
    from oneowner.checkers.recordings.scene.scene import Scene


@click.group(
    cls=Verbs,
    commands=[assign, decide, drive, lab, lint, record, script, simulate, sweep, watch, *VERBS],
    epilog=EXIT_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="oneowner")
def main() -> None:
    """Who owns this bundle, can two brokers ever serve it, and did that happen in my cluster last night?

    An executable model of Apache Pulsar's load balancer (PIP-192) and the suite that checks it.

    \b
      oneowner gate                       everything that CI should know
      oneowner explore transfer           every state of a small cluster; a counterexample if a law breaks
      oneowner replay FILE                a counterexample, or a recorded run, step by step
      oneowner faults                     the real bugs that the model finds again
      oneowner releases 3.0.4             what goes wrong in my release, and which one ends it
      oneowner prove                      what holds for any number of brokers
      oneowner audit DIR                  judge a recorded run of a real cluster
      oneowner timeline DIR --unit KEY    who owned a bundle, when
    """


@main.command(epilog=EXIT_HELP)
@click.argument("family")
@explore_options
@common
def explore(out: Console, on_progress: Callable[[str], None] | None, family: str, **options: Any) -> Result:
    """Visit every state of FAMILY, a small model (oneowner list families), and check every law.

    FAMILY may also be a decision, a function of one input (oneowner list decisions): then every input is visited.

    \b
      oneowner explore transfer
      oneowner explore transfer --fault no_version_check --save /tmp/cx
      oneowner explore failure --set crashes=2 --max-states 100000
      oneowner explore failure --set brokers=4 --set crashes=3 --walks 100000
      oneowner explore balancer/topic-count-equally-divide --set topics=6

    Random walks end at --depth, where nothing is enabled, or at a violation, which is minimised. They never show that
    there is none: without a violation the verdict is unknown. The same seed gives the same walks.
    """
    from oneowner.checkers.cli.explore import explore_family, parse_rules, parse_settings, plan_of
    from oneowner.checkers.cli.explore_decision import explore_decision, is_decision
    from oneowner.checkers.engines.explore.exploration import Limits
    from oneowner.checkers.ledger.family_search import Asked

    if is_decision(family):
        return explore_decision(out, on_progress, family, options)
    most, memory, duration = (options.pop(name) for name in ("max_states", "max_memory", "max_time"))
    seconds = None if duration is None else duration_ms(duration) / 1000
    limits = Limits(most, None if memory is None else size_of(memory), seconds)
    walks, depth, seed = (options.pop(name) for name in ("walks", "depth", "seed"))
    plan = plan_of(walks, depth, seed, limits, options["minimise"], options["goes_on"])
    settings, rules = parse_settings(options.pop("settings")), parse_rules(options.pop("rules"))
    save = options.pop("save")
    asked = Asked(settings=settings, rules=rules, limits=limits, plan=plan, **options)
    return explore_family(out, on_progress, family, asked, save)


@main.command(epilog=EXIT_HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--itf", "itf_to", type=click.Path(dir_okay=False, path_type=Path), help="Write the run as an ITF trace.")
@click.option("--system", help="The files hold schedules of the real class that this system models, a line each.")
@click.option("--release", help="With --system: whose rules apply (default: those that a schedule names).")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Turn a switch of a scenario's rules.")
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
    One that is not there is looked up among those that are packaged, such as no_version_check/version-chain.yaml.

    A counterexample that is reproduced ends with exit code 1, an expectation that is not met with 3. A folder is a
    recorded run of a real cluster, as for audit: valid if some run of the model shows all that was seen, steps that
    nobody saw inferred.

    With --system the files are schedules (.jsonl, .jsonl.gz) of the class that the system models: the model must take
    every step, and stand where the class stood after it. Exit code 1 tells where it does not.
    """
    from oneowner.checkers.cli.explore import parse_rules
    from oneowner.checkers.cli.replay_files import replay_files
    from oneowner.checkers.cli.replay_schedules import refuse_without_system, replay_schedules

    if system is not None:
        if itf_to is not None or rules:
            raise Misuse("--itf and --rule go without --system: a schedule is no run of a family")
        return replay_schedules(out, on_progress, files, system, release)
    refuse_without_system(files, release)
    result = replay_files(out, on_progress, files, itf_to, parse_rules(rules))
    if result is None:
        click.get_current_context().exit(MISUSE)
    return result


@main.command(epilog=EXIT_HELP)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@engine_options
@audit_options
@telling_options
@click.option("--verbose", is_flag=True, help="Show the log lines of the load balancer that were not understood.")
@click.option("--laws", "with_laws", is_flag=True, help="Show the table of laws.")
@common
def audit(
    out: Console,
    on_progress: Callable[[str], None] | None,
    paths: tuple[str, ...],
    engine: str,
    master: str | None,
    verbose: bool,
    with_laws: bool,
    **asked: Any,
) -> Result:
    """Judge recorded runs of real clusters: channel dumps, or the ZooKeeper history of a metadata-store channel.

    A PATH is a folder with channel*.jsonl[.gz] (and manifest.yaml, if there is one), or such a file. Broker logs
    (*.log[.gz]), timed lookups and the ZooKeeper history beside it are judged with it; .zst and .lz4 are read as .gz
    is. docs/audit.md says how to record a run.

    \b
      oneowner audit traces/real/zombie
      oneowner audit dump/ --broker-log broker-1:8080=/var/log/pulsar.log
      oneowner audit traces/real/zombie --why --unit rig/c/0x00000000_0x40000000
    """
    from oneowner.checkers.cli.audit_options import needs_intervals, options_of, story_asked, write_files
    from oneowner.checkers.cli.unit_story import tell
    from oneowner.checkers.recordings.judge.audit import audit as run_audit
    from oneowner.checkers.report.audit_text import print_audit

    options = options_of(asked, intervals=wants_page() or needs_intervals(asked))
    unit = story_asked(asked, paths)
    scenes: list[tuple[Scene, Evidence]] = []
    keep = None if unit is None else lambda scene, evidence: scenes.append((scene, evidence))
    result, judgement, line = run_audit(paths, options, engine, master, on_progress, keep)
    write_files(asked, judgement)
    if unit is not None:
        return tell(out, result, judgement, unit, *scenes[0], asked["save"])
    print_audit(out, result, judgement, line, verbose, with_laws)
    return result


@main.command(epilog=EXIT_HELP)
@click.argument("path")
@click.option("--unit", metavar="KEY", help="Only this bundle: tenant/namespace/0xLOW_0xHIGH.")
@click.option("--at", metavar="TIME", help="Who owned it then: epoch milliseconds or ISO 8601 (UTC without a zone).")
@engine_options
@telling_options
@common
def timeline(
    out: Console,
    on_progress: Callable[[str], None] | None,
    path: str,
    unit: str | None,
    at: str | None,
    engine: str,
    master: str | None,
    **asked: Any,
) -> Result:
    """Tell who owned every bundle of a recorded run when, and by which record."""
    from oneowner.checkers.cli.audit_options import options_of, write_files
    from oneowner.checkers.recordings.judge.audit import timeline as run_timeline
    from oneowner.checkers.report.audit_text import print_timeline

    moment = None if at is None else moment_ms(at)
    options = options_of(asked, intervals=True, unit=unit, at=moment)
    result, judgement, line = run_timeline(path, unit, moment, options, engine, master, on_progress)
    print_timeline(out, result, judgement, line)
    write_files(asked, judgement)
    return result


@main.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[LEMMA]...")
@common
def prove(out: Console, on_progress: Callable[[str], None] | None, names: tuple[str, ...]) -> Result:
    """Prove by z3 what holds without bounds: any number of brokers, 64-bit versions, a channel without end.

    A lemma is proved for every input, or refuted by a concrete one, which the model itself confirms. Named lemmas are
    shown with their assumptions in Python. Exit code 0 if all are as expected; some say what looks true and is not.

    \b
      oneowner prove                       every lemma, one sentence each
      oneowner prove single-owner-append   one step of the induction, with the invariant
    """
    need("prove", "prove")
    from oneowner.checkers.cli.prove import run_prove

    return run_prove(out, on_progress, names)


@main.command(epilog=EXIT_HELP)
@click.argument("what", metavar="FAMILY|SCENARIO")
@click.option(
    "--to", type=click.Choice(FORMATS), required=True, help="tla, promela, dot or json of a family, itf of a scenario."
)
@click.option("--out", "directory", type=click.Path(file_okay=False, path_type=Path), default=".", help="Where to.")
@click.option("--fault", "faults", multiple=True, metavar="NAME", help="Give the model a bug back.")
@click.option("--release", help="The Pulsar release whose rules apply (default: that of the family, 4.0.6).")
@click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE", help="Change a bound, such as brokers=3.")
@click.option("--max-states", type=click.IntRange(1), help="Most states of a graph (default: dot 2,000, json 300,000).")
@common
def export(out: Console, on_progress: Callable[[str], None] | None, what: str, **options: Any) -> Result:
    """Write a family as TLA+ for TLC or Promela for Spin, its states and steps as dot or json; a scenario as ITF.

    \b
      oneowner export transfer --to tla --out /tmp/tla
      oneowner export transfer-metadata-store --set brokers=2 --set unloads=0 --to dot
      oneowner export traces/counterexamples/no_version_check/version-chain.yaml --to itf
    """
    from oneowner.checkers.cli.export import export as run_export

    return run_export(out, on_progress, what, **options)


@main.command("list", epilog=EXIT_HELP)
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.argument("names", nargs=-1)
@common
def list_(out: Console, on_progress: Callable[[str], None] | None, kind: str | None, names: tuple[str, ...]) -> Result:
    """List families, faults, laws or actions; name one to see everything about it (list families transfer)."""
    from oneowner.checkers.cli.list import listing

    return listing(out, kind, names)
