"""
The verbs about what is pinned: ``gate`` and ``bless``, those that show one kind of it, and what referees it.

A verb imports what it alone needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from oneowner.checkers.choices import PROFILES
from oneowner.checkers.cli.options import common
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import EXIT_HELP, Misuse

OnProgress = Callable[[str], None] | None


@click.command(epilog=EXIT_HELP)
@click.option("--profile", type=click.Choice(PROFILES), default="pr", show_default=True, help="How much is checked.")
@click.option("--verbose", is_flag=True, help="Print the whole table.")
@click.option("--table", "table_to", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the whole table is written (default: in the user's cache).")  # fmt: skip
@common
def gate(out: Console, on_progress: OnProgress, profile: str, verbose: bool, table_to: Path | None) -> Result:
    """Check what is pinned, and print what is not as expected; all of it with --profile nightly.

    Every family of the profile (smoke: seconds; pr: minutes; nightly: hours) against its ledger, every saved
    counterexample, every recorded run against its expectation, and Spark against the inline engine byte for byte.
    Exit code 0 if all is as expected. Where standard error is no terminal, a line every ten seconds says how far it is.
    """
    if on_progress is not None:
        on_progress(f"gate, profile {profile}: reading what is pinned")
    from oneowner.checkers.ledger.gate import run_gate

    return run_gate(out, on_progress, profile, verbose, table_to)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[KIND] [NAME]...")
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why what is found changed, on one line; blessed.yaml keeps it. Without it nothing is written, only shown.",
)
@click.option("--because", multiple=True, metavar="LAW=TEXT",
              help="Why the verdict on this law or witness changed, on one line; the row keeps it. Also ROW=TEXT, of a"
                   " row that is left out.")  # fmt: skip
@common
def bless(
    out: Console, on_progress: OnProgress, names: tuple[str, ...], reason: str | None, because: tuple[str, ...]
) -> Result:
    """Find what is pinned anew, and pin what was found: all rows of KIND, or those named, and all of them or none.

    KIND is family (the default), logs, decision, recording, conformance or refinement. What would be written is shown,
    and is written for one reason. A verdict that changes, or a witness that is no longer reached, needs one of its
    own: --because, or a line below "reason:" in the row that is new since the last commit; so does a law that should
    hold and fails where it had no row. Exit code 2 says what is yours to decide, 3 that a search did not finish.

    \b
      oneowner bless transfer failure      what would change
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
        raise Misuse(f"--because refused: {because}; write LAW=TEXT, such as single-server=It holds in these bounds")
    return subject, words


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@common
def faults(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Kill every real bug that the model knows, or those named: the kill matrix.

    Each bug is given back to the model (oneowner explore FAMILY --fault NAME); the law that its record names must
    then fail, after as many steps as are pinned, and hold without it. Exit code 0 if every bug is killed as pinned.
    """
    from oneowner.checkers.ledger.kills.fault_matrix import run_faults

    return run_faults(out, on_progress, names)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[RELEASE]...")
@common
def releases(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Say what goes wrong in which release of Pulsar, computed, and which release ends it.

    The law of every known bug (oneowner faults) is judged under the rules of every release since 3.0.0 (of
    the lock: from 2.9.2). Of a release by name, it also says how its rules are known: from source, bytecode or release
    notes. Takes minutes. Exit code 0 if the releases are those that are pinned.

    \b
      oneowner releases 3.0.4     what bites me?
      oneowner releases           every bug, and the releases that have it
    """
    from oneowner.checkers.ledger.kills.releases import run_releases

    return run_releases(out, on_progress, names)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@common
def logs(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Judge whole logs by the laws of compaction: every short log over an alphabet, and many random longer ones.

    Without NAME, the rows of spec/channel/logs.yaml that take seconds. Each law that fails tells the shortest log that
    breaks it, record by record. Exit code 0 if all is as pinned.

    \b
      oneowner logs two-units
    """
    from oneowner.checkers.cli.pinned_rows import show_logs

    return show_logs(out, on_progress, names)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[FAMILY]...")
@click.option(
    "--fault", "faults", multiple=True, metavar="NAME", help="Give the model a bug back (oneowner list faults)."
)
@common
def refine(out: Console, on_progress: OnProgress, names: tuple[str, ...], faults: tuple[str, ...]) -> Result:
    """Walk families through their refinements: is every step one of the abstract specification, or no step of it?

    Without FAMILY, all that are small enough to be built whole, also under the faults that are pinned: minutes. A
    refinement that fails shows the shortest run whose last step is none of the specification.

    \b
      oneowner refine transfer-metadata-store
      oneowner refine assignment --fault no_broker_check
    """
    from oneowner.checkers.cli.pinned_rows import show_refinements

    return show_refinements(out, on_progress, names, faults)


@click.command(epilog=EXIT_HELP)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--unit", metavar="KEY", help="Explain this unit of one RUN alone.")
@click.option("--trail", is_flag=True, help="With --unit: the steps of the run that was found.")
@click.option("--refute", is_flag=True,
              help="Turn each switch of the rules: which recordings are refused then? (15 minutes)")  # fmt: skip
@common
def explain(
    out: Console, on_progress: OnProgress, runs: tuple[str, ...], unit: str | None, trail: bool, refute: bool
) -> Result:
    """Explain recordings of real clusters as runs of the model, with controls: recordings with one thing corrupted.

    RUN is a recording of traces/real, by its name, or a folder of yours; without one, all of traces/real, compared
    with spec/channel/conformance.yaml. Exit code 0 if all is as pinned, and yours explained.

    \b
      oneowner explain transfer
      oneowner explain zombie --unit rig/c/0x00000000_0x40000000 --trail
    """
    from oneowner.checkers.cli.explain import explain_runs, explain_switches, explain_unit

    if trail and unit is None:
        raise Misuse("--trail goes with --unit KEY")
    if refute and unit is not None:
        raise Misuse("--refute goes without --unit: it asks of whole recordings")
    if unit is not None:
        return explain_unit(out, runs, unit, trail)
    return (explain_switches if refute else explain_runs)(out, on_progress, runs)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[FAMILY]...")
@click.option("--profile", type=click.Choice(PROFILES), default="pr", show_default=True,
              help="Without FAMILY: the families of this profile.")  # fmt: skip
@click.option("--anew", is_flag=True, help="Try again also what was tried before, with the same program.")
@common
def referee(out: Console, on_progress: OnProgress, names: tuple[str, ...], profile: str, anew: bool) -> Result:
    """Let engines referee each other: the same states and transitions by C, Python, the interpreter, TLC and Spin.

    What is not installed cannot agree, so the whole is then unknown (make setup-referees). A family too big for them is
    visited whole by C, with one thread and with two, and by the others up to a budget of states. What agrees is kept in
    the user's cache while the family's program and the engine are the same: nightly takes hours, once.

    \b
      oneowner referee pip-192
      oneowner referee --profile smoke
    """
    from oneowner.checkers.ledger.referee_table import run_referee

    return run_referee(out, on_progress, names, profile, anew)


@click.command(epilog=EXIT_HELP)
@click.argument("names", nargs=-1, metavar="[SYSTEM]...")
@common
def compare(out: Console, on_progress: OnProgress, names: tuple[str, ...]) -> Result:
    """Say what each system promises of a hand-over: R0 of PIP-192, O1 to O10 of every step, V1 to V6 in the end.

    Each cell is computed from what is pinned of the laws that stand for the requirement: in how many small models they
    hold, or after how many steps they fail and in which scenario. Of one SYSTEM all of these are listed. A law that
    does not exist or never had an occasion, and a requirement that a system does not mention, are unknown: exit code 3.

    \b
      oneowner compare
      oneowner compare lock_manager
      oneowner compare --html hand-over.html
    """
    from oneowner.checkers.cli.compare import run_compare

    return run_compare(out, names)


@click.command(hidden=True, epilog=EXIT_HELP)
@common
def check(out: Console, on_progress: OnProgress) -> Result:
    """Check the sources of models and laws for what no engine but the interpreter could follow (make check)."""
    from oneowner.checkers.cli.check import run_check

    return run_check(out)


VERBS = [gate, bless, faults, releases, logs, refine, explain, compare, referee, check]
