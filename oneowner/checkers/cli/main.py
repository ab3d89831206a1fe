"""The command line: ``oneowner VERB``."""

import click

from oneowner.checkers.cli.assign import assign
from oneowner.checkers.cli.bugs import bugs
from oneowner.checkers.cli.check_patch import check_patch
from oneowner.checkers.cli.cluster_verbs import audit, timeline
from oneowner.checkers.cli.conform import conform
from oneowner.checkers.cli.coverage import coverage
from oneowner.checkers.cli.decide import decide
from oneowner.checkers.cli.drive import drive
from oneowner.checkers.cli.lab import lab
from oneowner.checkers.cli.lint import lint
from oneowner.checkers.cli.model_verbs import explore, export, list_, prove, replay
from oneowner.checkers.cli.pinned_verbs import (
    bless,
    check,
    compare,
    explain,
    faults,
    gate,
    logs,
    referee,
    refine,
    releases,
)
from oneowner.checkers.cli.record import record
from oneowner.checkers.cli.script import script
from oneowner.checkers.cli.simulate import simulate
from oneowner.checkers.cli.step import step
from oneowner.checkers.cli.sweep import sweep
from oneowner.checkers.cli.upgrade import upgrade
from oneowner.checkers.cli.verbs import Verbs, help_, print_version
from oneowner.checkers.cli.watch import watch
from oneowner.checkers.cli.where import where
from oneowner.checkers.cli.why import why
from oneowner.checkers.verdict import EXIT_HELP

VERBS = [
    bugs, audit, timeline, why, where, watch, record, script, explain, decide, assign, lint, upgrade, lab, drive,
    explore, replay, step, prove, conform, check_patch, releases, coverage, compare, refine, logs, simulate, sweep,
    export, list_,
    gate, bless, faults, referee, check, help_,
]  # fmt: skip
"""In the order of the help."""


@click.group(
    cls=Verbs,
    commands=VERBS,
    epilog=EXIT_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=print_version,
              help="Show the version, and the commit of a checkout.")  # fmt: skip
def main() -> None:
    """Check that each bundle has one owner: in every run of a model, and in a recorded run of your cluster.

    An executable model of Apache Pulsar's load balancer (PIP-192) and the suite that checks it.

    \b
      oneowner bugs --like FILE           find the known bug behind a piece of a log
      oneowner audit DIR                  judge a recorded run of a real cluster
      oneowner timeline DIR --unit KEY    list the owners of a bundle over time
      oneowner why KEY DIR                report who owns a bundle, since when, and why
      oneowner explore transfer           visit every state of a small cluster, and find a counterexample
      oneowner replay FILE                step through a counterexample or a recorded run
      oneowner step transfer              take the steps of a model yourself
      oneowner prove                      prove the laws that hold for any number of brokers
      oneowner releases 3.0.4             list the bugs of a release, and the releases that fix them
      oneowner faults 26520               list the real bugs that the model covers
      oneowner gate                       check everything that CI relies on
    """
