"""
Options that verbs of the command line share, such as --json, --quiet and --progress.
"""

import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from oneowner.checkers.choices import ENGINES, MINIMA
from oneowner.checkers.cli.name_types import LAW, RELEASE, REPAIR, SWITCHING, Choice
from oneowner.checkers.engines.walks.plan import DEFAULT_DEPTH, DEFAULT_SEED
from oneowner.checkers.remote_files import check_reachable, is_away
from oneowner.checkers.report import text
from oneowner.checkers.report.json import STDOUT, write_json
from oneowner.checkers.report.progress import ProgressLine
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.rules import Storage

PROGRESS = ProgressLine()
PAGED = ("audit", "timeline", "replay", "explore", "step", "compare", "sweep", "lint", "releases",
         "coverage", "conform", "check-patch")  # fmt: skip
"""The verbs that have a page (``--html``)."""

UNJUDGED = ("export", "list")
"""The verbs that judge nothing, and have no checks for JUnit and SARIF."""


def check_outputs(files: Sequence[str]) -> None:
    """Raise Misuse, before any computation, for duplicate files and for files without a folder."""
    if len({os.path.realpath(file) if file != STDOUT else STDOUT for file in files}) < len(files):
        raise Misuse(f"files refused: {files[0]} is named twice; every output needs its own file")
    for file in files:
        check_reachable(file)
        if file != STDOUT and not is_away(file) and not Path(file).absolute().parent.is_dir():
            raise Misuse(f"{file}: cannot be written: no folder {Path(file).parent}")


def common(function: Callable[..., Result]) -> Callable[..., None]:
    """Add to a verb, named as its function, the common options that it takes; write its outputs; exit with its code."""
    name = function.__name__.rstrip("_").replace("_", "-")

    @wraps(function)
    def verb(
        json_to: str | None, quiet: bool, progress: bool | None, html_to: str | None = None,
        junit_to: str | None = None, sarif_to: str | None = None, **arguments: Any,
    ) -> None:  # fmt: skip
        own = (arguments.get(option) for option in ("perfetto_to", "itf_to", "table_to"))
        outputs = (json_to, html_to, junit_to, sarif_to, *own)
        files = [str(file) for file in outputs if file is not None]
        check_outputs(files)
        out = Console(quiet=True) if quiet else text.console(STDOUT in files, before_print=PROGRESS.clear)
        result = function(out=out, on_progress=_progress(quiet, progress), **arguments)
        PROGRESS.clear()
        if json_to is not None:
            write_json(result, json_to)
        if html_to is not None:
            from oneowner.checkers.report.html import write_html  # templates take a while to load

            write_html(result, html_to)
        if junit_to is not None:
            from oneowner.checkers.report.junit import write_junit

            write_junit(result, junit_to)
        if sarif_to is not None:
            from oneowner.checkers.report.sarif import write_sarif

            write_sarif(result, sarif_to)
        click.get_current_context().exit(result.exit_code)

    return _with([*_outputs_of(name), *_TALK], verb)


_TALK = [
    click.option("--quiet", is_flag=True, help="Print only errors; the exit code is the verdict."),
    click.option("--progress/--no-progress", default=None, help="Show progress (default: on a terminal)."),
]


def _outputs_of(verb: str) -> list[Callable[..., Any]]:
    """Return the options for the output files that a verb writes."""
    options = [
        click.option("--json", "json_to", metavar="FILE", help="Write the result as JSON; - is standard output.")
    ]
    if verb in PAGED:
        options.append(click.option("--html", "html_to", metavar="FILE", help="Write the result as a page."))
    if verb not in UNJUDGED:
        options += [
            click.option(
                "--junit", "junit_to", metavar="FILE", help="Write the result as JUnit XML, for build servers."
            ),
            click.option(
                "--sarif", "sarif_to", metavar="FILE", help="Write the result as SARIF 2.1.0, for code scanning."
            ),
        ]
    return options


def _progress(quiet: bool, asked: bool | None) -> ProgressLine | None:
    """Return the progress line, or None: it is on a terminal, or asked for."""
    return PROGRESS if asked or (asked is None and not quiet and sys.stderr.isatty()) else None


def some_seconds(_: click.Context, option: click.Parameter, given: float) -> float:
    """Return the value of an option; raise Misuse unless it is a positive, finite number."""
    if not 0 < given < math.inf:
        raise Misuse(f"{option.opts[0]} refused: {given:g}; a positive number of seconds is required")
    return given


def wants_page() -> bool:
    """Return whether --html is given; a verb then gathers the additional data of the page."""
    return click.get_current_context().params.get("html_to") is not None


def credential_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the credentials for a running cluster, named as in pulsar-admin."""
    for option in reversed(
        (
            click.option(
                "--client-conf", type=click.Path(path_type=Path), metavar="FILE",
                help="A client.conf of Pulsar: URLs and credentials for options that are not given.",
            ),
            click.option("--auth-plugin", metavar="NAME", help="token, tls, or the name of Pulsar's class."),
            click.option(
                "--auth-params", metavar="TEXT",
                help="file:///PATH, env:NAME or token:TEXT; tlsCertFile:PATH,tlsKeyFile:PATH.",
            ),
            click.option("--tls-trust-cert-path", metavar="FILE", help="The trusted certificates."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def explore_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of an exploration: model, limits, output."""
    count, path = click.IntRange(1), click.Path(file_okay=False, path_type=Path)
    options = [
        click.option("--engine", type=Choice(ENGINES), default="auto", show_default=True,
                     help="native interprets the model; python and c compile it; auto is c, or native for small"
                          " models; spark runs c in tasks, with states on disk."),
        click.option("--master", metavar="URL", help="With --engine spark: the Spark master (default local[*])."),
        click.option("--checkpoint", type=path, metavar="DIR",
                     help="With --engine spark: the folder for levels, from which a search is continued; all machines"
                          " must share it."),
        click.option("--fault", "faults", multiple=True, metavar="NAME", type=SWITCHING,
                     help="Switch a bug on (oneowner list faults)."),
        click.option("--repair", "repairs", multiple=True, metavar="NAME", type=REPAIR,
                     help="Fix a bug that the release has (oneowner faults NAME names the bounds)."),
        click.option("--release", metavar="RELEASE", type=RELEASE,
                     help="The Pulsar release whose rules apply (default: that of the family, 4.0.6)."),
        click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE",
                     help="Change a bound, such as brokers=3 (oneowner list bounds)."),
        click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE",
                     help="Set a switch of the model's rules, such as version_check=false (oneowner list rules)."),
        click.option("--all", "is_all", is_flag=True,
                     help="With a change (--rule, --fault, --repair): all families of a system, or of every system that"
                          " has the switch, with the change beside without it; --max-states and --max-time are for each"
                          " (default 300,000 states)."),
        click.option("--diff", "is_diff", is_flag=True,
                     help="Print only what a change changes: law, verdicts, fewest steps, states."),
        click.option("--law", "laws", multiple=True, metavar="NAME", type=LAW,
                     help="Check only this law (oneowner list laws)."),
        click.option("--max-states", type=count, help="The limit of states; beyond it the verdict is unknown."),
        click.option("--max-memory", metavar="SIZE",
                     help="The limit of memory, such as 8G (default for c: 60% of free memory; spark: for each task,"
                          " which needs 200M to 450M)."),
        click.option("--max-time", metavar="TIME", help="The limit of time, such as 10m."),
        click.option("--threads", type=count, help="The threads of the c engine (default: all cores); same results."),
        click.option("--symmetry", is_flag=True,
                     help="Visit one state of each orbit, if z3 proves that brokers are symmetric."),
        click.option("--walks", type=count, metavar="N", help="Take N random walks instead of a search."),
        click.option("--depth", type=click.IntRange(1, 65_535),
                     help=f"The longest walk, in steps (default {DEFAULT_DEPTH})."),
        click.option("--seed", type=click.IntRange(0, 2**63 - 1),
                     help=f"The seed of the walks (default {DEFAULT_SEED})."),
        click.option("--minimise", type=Choice(MINIMA), default="steps",
                     help="The measure by which a counterexample is minimal."),
        click.option("--continue", "goes_on", is_flag=True,
                     help="Continue after a violation: finish the graph, or the walks."),
        click.option("--save", type=path, help="The folder for the counterexample."),
    ]  # fmt: skip
    return _with(options, function)


def clock_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the zone and the day of logs whose lines lack them."""
    options = [
        click.option("--zone", metavar="ZONE",
                     help="The zone of logs whose lines print none, such as +08:00 or Asia/Shanghai (default UTC)."),
        click.option("--date", metavar="DAY",
                     help="The day of the first line of logs that print no date, such as 2024-05-01 (default: that in "
                          "the file's name, or of the manifest; else durations alone are right)."),
    ]  # fmt: skip
    return _with(options, function)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading a dump."""
    storages = Choice([storage.value for storage in Storage])
    options = [
        click.option("--storage", type=storages, help="The storage of the channel (default: that of the manifest)."),
        click.option("--engine", type=Choice(["auto", "spark", "inline"]), default="auto", show_default=True,
                     help="auto is Spark, or inline for a few MB."),
        click.option("--master", metavar="URL", help="The Spark master (default local[*]); or set SPARK_REMOTE."),
        click.option("--tmp", type=click.Path(exists=True, file_okay=False, writable=True), expose_value=False,
                     callback=_keep_files_in, metavar="DIR",
                     help="The folder for Spark's temporary files, a third of the input (default /tmp)."),
    ]  # fmt: skip
    return _with(options, clock_options(function))


def _keep_files_in(context: click.Context, parameter: click.Parameter, folder: str | None) -> None:
    """Set the folder for temporary files of Spark and of this process."""
    if folder is not None:
        os.environ["SPARK_LOCAL_DIRS"] = tempfile.tempdir = os.path.abspath(folder)


def audit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the limits for a recorded run, and the options for the story of one bundle."""
    file = click.Path(dir_okay=False, path_type=Path)
    options = [
        click.option("--partial", is_flag=True, help="Records may be missing: findings of gaps become warnings."),
        click.option("--in-flight-limit", metavar="TIME", help="The limit for a hand-over (default 120s)."),
        click.option("--dual-serving-limit", metavar="TIME", default="10s", show_default=True,
                     help="The limit for two brokers serving a bundle at once, if there is a cause."),
        click.option("--unavailable-limit", metavar="TIME",
                     help="The limit for a bundle that clients cannot use although its owner lives (default 60s, or"
                          " three times the session time-out of the manifest)."),
        click.option("--clock-skew", metavar="TIME", default="0s", show_default=True,
                     help="How far clocks may differ, in place of the difference that the run shows."),
        click.option("--explain", type=Choice(["never", "auto", "always"]), default="auto", show_default=True,
                     help="Judge the run by the model's laws of states, too (auto: up to 2,000 observations)."),
        click.option("--broker-log", "logs", multiple=True, metavar="BROKER=FILE",
                     help="The broker of a log, if neither the manifest nor the log names it."),
        click.option("--unit", metavar="KEY", help="With --why: the bundle."),
        click.option("--why", is_flag=True,
                     help="Print the story of one bundle: records, their receipt by brokers, observations."),
        click.option("--save", type=file, help="With --why: write the story as a scenario for replay."),
        click.option("--waivers", metavar="FILE",
                     help="A file of violations accepted until a day (docs/audit.md)."),
        click.option("--today", metavar="DAY", help="With --waivers: the day of the audit (default: today, UTC)."),
    ]  # fmt: skip
    return _with(options, function)


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the range, the names and the output files of a recorded run."""
    options = [
        click.option("--time-range", metavar="FROM..TO",
                     help="Judge only this time (milliseconds or ISO 8601; either end is optional)."),
        click.option("--anonymise", is_flag=True, help="Replace tenants, namespaces, brokers and files by pseudonyms."),
        click.option("--salt", metavar="TEXT", help="With --anonymise: the same salt gives the same pseudonyms."),
        click.option("--tables", type=click.Path(file_okay=False), metavar="DIR",
                     help="Write events, intervals, findings and refusals as Parquet."),
        click.option("--perfetto", "perfetto_to", metavar="FILE",
                     help="Write ownership over time as a trace for ui.perfetto.dev."),
    ]  # fmt: skip
    return _with(options, function)


def _with(options: list[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function
