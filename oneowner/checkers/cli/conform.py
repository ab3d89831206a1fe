"""The verb ``conform``: the real classes of a Pulsar release take the steps of a family."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import FAMILY, RELEASE, SWITCHING
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.results import Result, Stats
from oneowner.checkers.verdict import Misuse, Verdict, worst
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

if TYPE_CHECKING:
    from oneowner.checkers.real_classes.jars import Jars

MOST_TRIED = 2_000
"""Steps that the model refuses and are tried, if --refused names no number."""
_VERSION = re.compile(r"(?:org\.apache\.pulsar-)?pulsar-broker-(\d+\.\d+\.\d+(-M\d+)?)")


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="FAMILY...", type=FAMILY)
@click.option("--scenario", "scenarios", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Take the run of a saved scenario instead of a family's edges.")  # fmt: skip
@click.option("--all-releases", is_flag=True, help="Decide each switch of the rules in each release that is served.")
@click.option("--counterexamples", is_flag=True, help="Take every saved counterexample that the release's rules allow.")
@click.option(
    "--pulsar", "pulsar", metavar="RELEASE", help=f"The release with the classes (default {DEFAULT_RELEASE})."
)
@click.option("--jar", type=click.Path(path_type=Path), metavar="FILE",
              help="A pulsar-broker.jar of your own, before the jars of --pulsar.")  # fmt: skip
@click.option("--lib", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="The folder lib of a Pulsar distribution, in place of jars from Maven Central.")  # fmt: skip
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="The folder for releases of Pulsar.")
@click.option("--edges", type=click.IntRange(1), metavar="N",
              help="Walk at most N edges, of each action and kind of change in turn (default: all).")  # fmt: skip
@click.option("--refused", type=click.IntRange(0), metavar="N",
              help="Try at most N steps that the model refuses, of each kind in turn (default: 2,000).")  # fmt: skip
@click.option("--search", type=click.IntRange(1), metavar="N",
              help="Search the classes breadth first, up to N states, beyond the model's graph.")  # fmt: skip
@click.option("--random", type=click.IntRange(1), metavar="N",
              help="Take N random steps of the classes, beyond the model's graph.")  # fmt: skip
@click.option("--seed", type=int, metavar="N", help="The seed of --random (default: 1).")
@click.option("--save", type=click.Path(path_type=Path), metavar="DIR",
              help="Write the path to each finding of --search or --random as a scenario.")  # fmt: skip
@click.option("--release", metavar="RELEASE", type=RELEASE,
              help="The release whose rules the model follows (default: that of the classes).")  # fmt: skip
@click.option("--fault", "faults", multiple=True, metavar="NAME", type=SWITCHING, help="Switch a bug of the model on.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Set a switch of the model's rules.")
@click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE", help="Change a bound, such as brokers=2.")
@common
def conform(
    out: Console,
    on_progress: Callable[[str], None] | None,
    names: tuple[str, ...],
    scenarios: tuple[Path, ...],
    all_releases: bool,
    counterexamples: bool,
    pulsar: str | None,
    jar: Path | None,
    lib: Path | None,
    home: Path | None,
    release: str | None,
    **changes: Any,
) -> Result:
    """Walk the real classes of a Pulsar release along every edge of a family, and compare them with the model.

    \b
      oneowner conform removal                          the classes of 4.0.6, 5,000 edges, seconds
      oneowner conform failure --pulsar 4.0.8
      oneowner conform multi-phase --release 3.0.0      a planted difference: the rules of another release
      oneowner conform transfer --jar pulsar-broker-4.0.7.jar --edges 2000
      oneowner conform failure --random 100000 --seed 7    beyond the graph, judged by the model's laws
      oneowner conform --counterexamples --pulsar 4.0.8    saved runs, each to the law that it breaks
      oneowner conform --all-releases                   the switches of every release, beside those claimed

    The unmodified channel, its table views, its resolver and its splits run in one JVM over a scripted log, store,
    clock and executors. After each step the views, publishes under way, closes, topics and lookups of all brokers are
    compared. A difference is shown as the shortest path to it, both sides, and the Java stacks of its last step.

    Valid: every edge was walked, and agrees. Invalid: some differ. Unknown: edges are left, by --edges or as the graph
    is too large; no call stands for an action of the family; or Java, Maven or a jar is missing, which is named.
    """
    from oneowner.checkers.native_code import cache
    from oneowner.checkers.real_classes.jars import Missing, jars_of

    if all_releases:
        from oneowner.checkers.cli.conform_releases import conform_releases

        given = (names, scenarios, counterexamples, jar, lib, release, *changes.values())
        if any(given):
            raise Misuse("--all-releases goes with --pulsar RELEASE,... and --home alone")
        return conform_releases(
            out, on_progress, home or cache() / "pulsar", tuple(filter(None, (pulsar or "").split(",")))
        )
    if bool(names) == bool(scenarios or counterexamples):
        raise Misuse("conform takes either FAMILY... or runs: --scenario FILE, --counterexamples")
    named = pulsar or version_of(jar, lib)
    try:
        jars = jars_of(named, home or cache() / "pulsar", jar, lib)
        if not names:
            from oneowner.checkers.cli.conform_runs import conform_runs

            return conform_runs(out, jars, scenarios, counterexamples, release or named, changes)
        _refuse_together(changes)
        results = [_walked(out, on_progress, name, jars, release or named, changes) for name in names]
    except Missing as missing:
        out.print(f"unknown: {missing}", markup=False, highlight=False, soft_wrap=True)
        return Result("conform", Verdict.UNKNOWN, [str(missing)], more={"walked": []})
    seconds = round(sum(one.stats.seconds for one in results), 1)
    stats = Stats(transitions=sum(one.stats.transitions for one in results), seconds=seconds)
    reasons = [reason for one in results for reason in one.reasons]
    rows = {kind: [row for one in results for row in one.more.get(kind, [])] for kind in ("walked", "searched")}
    return Result("conform", worst(one.verdict for one in results), reasons, stats, more=rows)


def _refuse_together(changes: dict[str, Any]) -> None:
    """Refuse options that say nothing to each other."""
    searches = [option for option in ("search", "random") if changes[option] is not None]
    walks = [option for option in ("edges", "refused") if changes[option] is not None]
    if len(searches + walks) > 1 and searches:
        raise Misuse(f"--{searches[0]} does not go with --{(searches[1:] + walks)[0]}")
    if changes["seed"] is not None and searches != ["random"]:
        raise Misuse("--seed goes with --random")
    if changes["save"] is not None and not searches:
        raise Misuse("--save goes with --search or --random")


def version_of(jar: Path | None, lib: Path | None) -> str:
    """Return the release in the name of a broker's jar, or the default one without any jar."""
    names = [jar.name] if jar is not None else [path.name for path in lib.glob("*.jar")] if lib is not None else []
    found = [match[1] for name in names if (match := _VERSION.match(name))]
    if names and not found:
        raise Misuse(f"{jar or lib}: no release in the name of a jar; --pulsar RELEASE names the nearest one")
    return found[0] if found else DEFAULT_RELEASE


def _walked(
    out: Console,
    on_progress: Callable[[str], None] | None,
    name: str,
    jars: Jars,
    release: str,
    changes: dict[str, Any],
) -> Result:
    """Walk or search one family, and print the result."""
    from oneowner.checkers.catalogue.families import bounds_under
    from oneowner.checkers.catalogue.family import bounds_with
    from oneowner.checkers.cli.explore import parse_rules, parse_settings
    from oneowner.checkers.cli.explored_family import explored_family
    from oneowner.checkers.real_classes.in_words import as_json, lines_of, reasons_of, verdict_of
    from oneowner.checkers.real_classes.steps import why_not
    from oneowner.checkers.real_classes.walk import walk

    family = explored_family(name)
    if family.system.name != "channel":
        raise Misuse(f"{name}: a family of the system {family.system.name}; conform takes those of the channel")
    judged_by = judged_release(release, family.system.releases)
    settings, rules = parse_settings(changes["settings"]), parse_rules(changes["rules"])
    bounds = bounds_under(bounds_with(family.bounds, settings), judged_by.name, changes["faults"], (), rules)
    subject = f"{name} on {jars.name}, by the rules of {judged_by.name}"
    if why := why_not(bounds):
        return _reported(out, subject, Result("conform", Verdict.UNKNOWN, [why], more={"walked": []}))
    if changes["search"] or changes["random"]:
        from oneowner.checkers.cli.conform_search import searched

        return _reported(out, subject, searched(out, on_progress, jars, (family, bounds, judged_by), changes))
    refused = MOST_TRIED if changes["refused"] is None else changes["refused"]
    found = walk(bounds, jars, changes["edges"], on_progress, refused=refused)
    for line in lines_of(found):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    result = Result(
        "conform",
        verdict_of(found),
        [judged_by.note] * bool(judged_by.note) + reasons_of(found),
        Stats(transitions=found.walked, seconds=found.seconds),
        more={"walked": [as_json(name, jars.name, judged_by.name, found)]},
    )
    return _reported(out, subject, result)


def _reported(out: Console, subject: str, result: Result) -> Result:
    words = f": {'; '.join(result.reasons)}" if result.reasons else ""
    out.print(f"{subject}: {result.verdict}{words}", markup=False, highlight=False, soft_wrap=True)
    result.reasons = [f"{subject}: {reason}" for reason in result.reasons]
    return result
