"""
The verbs about pins: ``gate`` and ``bless``, those that print one kind of pin, and ``referee``.

A verb imports what it alone needs.
"""

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from oneowner.checkers.choices import PROFILES
from oneowner.checkers.cli.name_types import FAMILY, FAULT_ROW, RELEASE_OR_DEFECT, SWITCHING, SYSTEM, Choice
from oneowner.checkers.cli.options import clock_options, common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse

OnProgress = Callable[[str], None] | None

RECOMPUTE = click.option("--recompute", is_flag=True, help="Search again instead of reading the pins (minutes).")


@verb(Section.REPOSITORY)
@click.option("--profile", type=Choice(PROFILES), default="pr", show_default=True, help="The extent of the check.")
@click.option("--verbose", is_flag=True, help="Print the whole table.")
@click.option("--table", "table_to", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The file for the whole table (default: in the user's cache).")  # fmt: skip
@common
def gate(out: Console, on_progress: OnProgress, profile: str, verbose: bool, table_to: Path | None) -> Result:
    """Check every pin of a profile, and print the deviations.

    Every family of the profile (smoke: seconds; pr: minutes; nightly: hours) against its ledger, every saved
    counterexample, every recorded run against its expectation, and Spark against the inline engine byte for byte.
    Exit code 0 if all is as expected. --progress reports progress in a log, too.
    """
    if on_progress is not None:
        on_progress(f"gate, profile {profile}: reading the pins")
    from oneowner.checkers.ledger.gate import run_gate

    return run_gate(out, on_progress, profile, verbose, table_to)


@verb(Section.REPOSITORY)
@click.argument("names", nargs=-1, metavar="[KIND] [NAME]...")
@click.option(
    "--reason",
    metavar="TEXT",
    help="The reason for the change, on one line, kept in blessed.yaml. Without it nothing is written.",
)
@click.option("--because", multiple=True, metavar="LAW=TEXT",
              help="The reason for a changed verdict on this law or witness, on one line, kept in the row. Also"
                   " ROW=TEXT for an omitted row.")  # fmt: skip
@common
def bless(
    out: Console, on_progress: OnProgress, names: tuple[str, ...], reason: str | None, because: tuple[str, ...]
) -> Result:
    """Compute pins again, and write them: all rows of KIND, or those named, all or none.

    KIND is family (the default), logs, decision, recording, conformance or refinement. Changes are printed; a reason
    writes them. A changed verdict, or a witness that is no longer reached, needs a reason of its own: --because, or a
    line below "reason:" in the row that is new since the last commit; so does a law that should hold and fails where it
    had no row. Exit code 2 lists your decisions, 3 means an unfinished search.

    \b
      oneowner bless transfer failure      print the changes
      oneowner bless transfer failure --reason "A lookup may wait for a deferred answer"
      oneowner bless lookup --reason "Lookups time out" --because "lookup-ends=The time-out ends it"
      oneowner bless logs --reason "Records of splits are in the alphabet"
      oneowner bless recording zombie --reason "Lookups are judged too"
    """
    from oneowner.checkers.ledger.bless import run_bless
    from oneowner.checkers.ledger.kinds import BLESSED

    has_kind = bool(names) and names[0] in BLESSED
    kind = BLESSED[names[0]] if has_kind else BLESSED["family"]
    reasons = dict(_split(one) for one in because)
    return run_bless(out, on_progress, kind, names[1:] if has_kind else names, reason, reasons)


def _split(because: str) -> tuple[str, str]:
    subject, equals, words = because.partition("=")
    if not equals:
        raise Misuse(
            f"--because refused: {because}; the form is LAW=TEXT, such as single-server=It holds in these bounds"
        )
    return subject, words


@verb(Section.REPOSITORY)
@click.argument("names", nargs=-1, metavar="[NAME]...", type=FAULT_ROW)
@RECOMPUTE
@common
def faults(out: Console, on_progress: OnProgress, names: tuple[str, ...], recompute: bool) -> Result:
    """List every real bug that the model covers, the greatest harm first, with the law that kills it: the kill matrix.

    NAME is a fault, or an upstream number such as 26520. The verdicts are the pinned ones. With --recompute each bug is
    switched on in the model (oneowner explore FAMILY --fault NAME), which takes minutes; the law that its record names
    must then fail after the pinned number of steps, and hold without the bug. Exit code 0 if every bug is killed as
    pinned.

    \b
      oneowner faults 26520
      oneowner faults no_version_check --recompute
    """
    from oneowner.checkers.ledger.kills.fault_matrix import run_faults

    return run_faults(out, on_progress, names, recompute)


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[RELEASE|NAME]...", type=RELEASE_OR_DEFECT)
@RECOMPUTE
@common
def releases(out: Console, on_progress: OnProgress, names: tuple[str, ...], recompute: bool) -> Result:
    """List the bugs of each Pulsar release, the greatest harm first, and the releases that fix them.

    The law of every known bug (oneowner faults) is judged under the rules of every release since 3.0.0 (of the lock:
    from 2.9.2), and the verdicts are pinned. For a release by name, it also names the origin of its rules: source,
    bytecode or release notes. NAME is a fault, a finding, or an upstream number. With --recompute all is
    searched again, which takes minutes; exit code 0 if the releases are as pinned.

    \b
      oneowner releases 3.0.4     the bugs of this release
      oneowner releases 26520     the releases that have this bug
      oneowner releases           every bug, and the releases that have it
    """
    from oneowner.checkers.ledger.kills.releases import run_releases

    return run_releases(out, on_progress, names, recompute)


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@common
def logs(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Judge whole logs by the laws of compaction: every short log over an alphabet, and random longer ones.

    Without NAME, the rows of spec/channel/logs.yaml that take seconds. For each failing law the shortest log that
    breaks it is printed, record by record. Exit code 0 if all is as pinned.

    \b
      oneowner logs two-units
    """
    from oneowner.checkers.cli.pinned_rows import show_logs

    return show_logs(out, on_progress, names)


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[FAMILY]...", type=FAMILY)
@click.option("--fault", "faults", multiple=True, metavar="NAME", type=SWITCHING,
              help="Switch a bug on (oneowner list faults).")  # fmt: skip
@common
def refine(out: Console, on_progress: OnProgress, names: tuple[str, ...], faults: tuple[str, ...]) -> Result:
    """Check refinements: every step of a family is a step of the abstract specification, or none.

    Without FAMILY, all that are small enough to be built whole, also under the pinned faults: minutes. For a failing
    refinement the shortest run is printed whose last step the specification does not have.

    \b
      oneowner refine transfer-metadata-store
      oneowner refine assignment --fault no_broker_check
    """
    from oneowner.checkers.cli.pinned_rows import show_refinements

    return show_refinements(out, on_progress, names, faults)


@verb(Section.CLUSTER)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--unit", metavar="KEY", help="Explain only this unit of one RUN.")
@click.option("--trail", is_flag=True, help="With --unit: print the steps of the model's run.")
@click.option("--refute", is_flag=True,
              help="Flip each switch of the rules, and list the refused recordings (15 minutes).")  # fmt: skip
@clock_options
@common
def explain(
    out: Console, on_progress: OnProgress, runs: tuple[str, ...], unit: str | None, trail: bool, refute: bool,
    zone: str | None, date: str | None,
) -> Result:  # fmt: skip
    """Explain recordings of real clusters as runs of the model, with corrupted recordings as controls.

    RUN is the name of a recording of traces/real, or a folder; without RUN, all of traces/real are compared with
    spec/channel/conformance.yaml. Exit code 0 if all is as pinned, and your folders are explained.

    \b
      oneowner explain transfer
      oneowner explain zombie --unit rig/c/0x00000000_0x40000000 --trail
    """
    from oneowner.checkers.cli.explain import explain_runs, explain_switches, explain_unit
    from oneowner.checkers.recordings.read.log_clock import clock_of

    clock = clock_of(zone, date)
    if trail and unit is None:
        raise Misuse("--trail requires --unit KEY")
    if refute and unit is not None:
        raise Misuse("--refute and --unit exclude each other: --refute is about whole recordings")
    if unit is not None:
        return explain_unit(out, runs, unit, trail, clock)
    return (explain_switches if refute else explain_runs)(out, on_progress, runs, clock)


@verb(Section.REPOSITORY)
@click.argument("names", nargs=-1, metavar="[FAMILY]...", type=FAMILY)
@click.option("--profile", type=Choice(PROFILES), default="pr", show_default=True,
              help="Without FAMILY: the families of this profile.")  # fmt: skip
@click.option("--anew", is_flag=True, help="Run again the comparisons kept in the cache.")
@common
def referee(out: Console, on_progress: OnProgress, names: tuple[str, ...], profile: str, anew: bool) -> Result:
    """Compare engines: C, Python, the interpreter, TLC and Spin must count the same states and transitions.

    A missing engine makes the result unknown (make setup-referees). A family too big for the others is visited whole by
    C, with one thread and with two, and by the others up to a budget of states. Agreement is kept in the user's cache
    until the family's program or the engine changes: nightly takes hours, once.

    \b
      oneowner referee pip-192
      oneowner referee --profile smoke
    """
    from oneowner.checkers.ledger.referee_table import run_referee

    return run_referee(out, on_progress, names, profile, anew)


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[SYSTEM]...", type=SYSTEM)
@common
def compare(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Compare the hand-over guarantees of all systems.

    The requirements are R0 of PIP-192, O1 to O10 for every step, and V1 to V6 for the end. Each cell is computed from
    the pins of the laws that stand for the requirement: the number of small models in which they hold, or the steps and
    the scenario in which they fail. For one SYSTEM all of these are listed. A law that does not exist or never had an
    occasion, and a requirement that a system does not mention, are unknown: exit code 3.

    \b
      oneowner compare
      oneowner compare lock_manager
      oneowner compare --html hand-over.html
    """
    from oneowner.checkers.cli.compare import run_compare

    return run_compare(out, names)


@verb(Section.REPOSITORY, hidden=True)
@common
def check(out: Console, on_progress: OnProgress) -> Result:
    """Check the sources of models and laws for code that engines cannot trace (make check)."""
    from oneowner.checkers.cli.check import run_check

    return run_check(out)
