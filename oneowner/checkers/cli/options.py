"""
What all verbs of the command line share: exit codes for what goes wrong, and the options --json, --quiet, --progress.
"""

from __future__ import annotations

import errno
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
from oneowner.checkers.cli.bugs import tell_bug
from oneowner.checkers.engines.walks.plan import DEFAULT_DEPTH, DEFAULT_SEED
from oneowner.checkers.remote_files import check_reachable, is_away, reason
from oneowner.checkers.report import text
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import STDOUT, write_json
from oneowner.checkers.report.progress import ProgressLine
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import EXIT_CODES, INTERRUPTED, MISUSE, UNREAD, EngineError, Misuse, Verdict
from oneowner.model.channel.rules import Storage

PROGRESS = ProgressLine()
LOGGED = ("faults", "gate", "referee", "releases")
"""The verbs that take minutes: on a build server, too, they say how far they are, in a line every ten seconds."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room where standard output goes; a file that cannot be written is a Misuse where it is written."""

PAGED = ("audit", "timeline", "replay", "explore", "compare", "sweep")
"""The verbs that have a page (``--html``)."""


class Verbs(click.Group):
    """The group of verbs; a Misuse anywhere becomes one line on standard error and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Misuse as error:
            click.echo(f"error: {visible(str(error))}", err=True)
            ctx.exit(MISUSE)
        except EngineError as error:
            PROGRESS.clear()
            click.echo(f"error: {visible(str(error))}", err=True)
            ctx.exit(EXIT_CODES[Verdict.UNKNOWN])
        except KeyboardInterrupt:
            PROGRESS.clear()
            sys.unraisablehook = lambda _: None  # what was half made when it came may not be able to end
            click.echo("interrupted: nothing is concluded", err=True)
            ctx.exit(INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(UNREAD)
        except OSError as error:
            PROGRESS.clear()
            if error.errno in FULL:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                click.echo(f"error: the output cannot be written: {error.strerror}", err=True)
            elif error.filename is not None:
                click.echo(f"error: {visible(str(error.filename))}: {reason(error)}", err=True)
            else:
                tell_bug()
                ctx.exit(EXIT_CODES[Verdict.UNKNOWN])
            ctx.exit(MISUSE)
        except Exception:  # Python's own 1 would say that a law is broken
            PROGRESS.clear()
            tell_bug()
            ctx.exit(EXIT_CODES[Verdict.UNKNOWN])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs, each with its whole first sentence, which click would cut off."""
        verbs = [verb for name in self.list_commands(ctx) if (verb := self.get_command(ctx, name)) and not verb.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(verb.name or "", verb.get_short_help_str(limit=300)) for verb in verbs])


def check_outputs(files: Sequence[str]) -> None:
    """Raise Misuse, before anything is computed, for files of which two are the same, or that have no folder."""
    if len({os.path.realpath(file) if file != STDOUT else STDOUT for file in files}) < len(files):
        raise Misuse(f"files refused: {files[0]} twice; every output needs a file of its own")
    for file in files:
        check_reachable(file)
        if file != STDOUT and not is_away(file) and not Path(file).absolute().parent.is_dir():
            raise Misuse(f"{file}: cannot be written: there is no folder {Path(file).parent}")


def common(function: Callable[..., Result]) -> Callable[..., None]:
    """Give a verb the options that all have, print its JSON, and exit with its code."""

    @click.option("--json", "json_to", metavar="FILE", help="Write the result as JSON; - is standard output.")
    @click.option("--html", "html_to", metavar="FILE", help=f"Write the result as a page ({', '.join(PAGED)}).")
    @click.option("--junit", "junit_to", metavar="FILE", help="Write the result as JUnit XML, for build servers.")
    @click.option("--sarif", "sarif_to", metavar="FILE", help="Write the result as SARIF 2.1.0, for code scanning.")
    @click.option("--quiet", is_flag=True, help="Print nothing but errors; the exit code says it all.")
    @click.option("--progress/--no-progress", default=None, help="Show progress (default: on a terminal).")
    @wraps(function)
    def verb(
        json_to: str | None, html_to: str | None, junit_to: str | None, sarif_to: str | None, quiet: bool,
        progress: bool | None, **arguments: Any,
    ) -> None:  # fmt: skip
        own = (arguments.get(option) for option in ("perfetto_to", "itf_to", "table_to"))
        outputs = (json_to, html_to, junit_to, sarif_to, *own)
        files = [str(file) for file in outputs if file is not None]
        name = str(click.get_current_context().info_name)
        if html_to is not None and name not in PAGED:
            raise Misuse(f"--html refused: {name} has no page; {', '.join(PAGED[:-1])} and {PAGED[-1]} have one")
        check_outputs(files)
        out = Console(quiet=True) if quiet else text.console(STDOUT in files, before_print=PROGRESS.clear)
        result = function(out=out, on_progress=_progress(name, quiet, progress), **arguments)
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

    return verb


def _progress(verb: str, quiet: bool, asked: bool | None) -> ProgressLine | None:
    """Return what hears how far a verb is, if anybody is to hear it."""
    if asked is False or (quiet and not asked):
        return None
    if asked or sys.stderr.isatty():
        return PROGRESS
    return ProgressLine(every=10) if verb in LOGGED else None


def some_seconds(_: click.Context, option: click.Parameter, given: float) -> float:
    """Return what an option was given; raise Misuse for a time that is none, is over already, or never ends."""
    if not 0 < given < math.inf:
        raise Misuse(f"{option.opts[0]} refused: {given:g}; a number of seconds above 0 is needed")
    return given


def wants_page() -> bool:
    """Say whether a page was asked for: then a verb gathers what only the page shows."""
    return click.get_current_context().params.get("html_to") is not None


def who_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say who asks a running cluster, as pulsar-admin has them."""
    for option in reversed(
        (
            click.option(
                "--client-conf", type=click.Path(path_type=Path), metavar="FILE",
                help="A client.conf of Pulsar: URLs and credentials, where no option says them.",
            ),
            click.option("--auth-plugin", metavar="NAME", help="token or tls, or Pulsar's name of the class."),
            click.option(
                "--auth-params", metavar="TEXT",
                help="file:///PATH, env:NAME or token:TEXT; tlsCertFile:PATH,tlsKeyFile:PATH.",
            ),
            click.option("--tls-trust-cert-path", metavar="FILE", help="The certificates that are trusted."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def explore_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is explored, how far, and what is kept of it."""
    count, path = click.IntRange(1), click.Path(file_okay=False, path_type=Path)
    options = [
        click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True,
                     help="native interprets the model, python and c are made of it; auto is c, or native for small"
                          " models. spark is c in tasks, with states on disk."),
        click.option("--master", metavar="URL", help="With --engine spark: the Spark master (default local[*])."),
        click.option("--checkpoint", type=path, metavar="DIR",
                     help="With --engine spark: keep each level here, and go on from what is here. All machines must"
                          " see it."),
        click.option("--fault", "faults", multiple=True, metavar="NAME",
                     help="Give the model a bug back (oneowner list faults)."),
        click.option("--repair", "repairs", multiple=True, metavar="NAME",
                     help="Mend a bug that the release still has (oneowner faults NAME says in which bounds)."),
        click.option("--release", help="The Pulsar release whose rules apply (default: that of the family, 4.0.6)."),
        click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE",
                     help="Change a bound, such as brokers=3 (oneowner list bounds)."),
        click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE",
                     help="Turn a switch of the model's rules, such as version_check=false (oneowner list rules)."),
        click.option("--law", "laws", multiple=True, metavar="NAME", help="Check only this law (oneowner list laws)."),
        click.option("--max-states", type=count, help="Give up (unknown) beyond so many states."),
        click.option("--max-memory", metavar="SIZE",
                     help="Give up beyond so much memory, such as 8G (default: c, 60% of what is free; spark: of each"
                          " task, which needs 200M to 450M)."),
        click.option("--max-time", metavar="TIME", help="Give up after so long, such as 10m."),
        click.option("--threads", type=count, help="Threads of the c engine (default: all cores); same results."),
        click.option("--symmetry", is_flag=True,
                     help="Visit one state of each orbit, if z3 proves that brokers are alike."),
        click.option("--walks", type=count, metavar="N", help="Take N random walks instead of a search."),
        click.option("--depth", type=click.IntRange(1, 65_535),
                     help=f"The most steps of a walk (default {DEFAULT_DEPTH})."),
        click.option("--seed", type=click.IntRange(0, 2**63 - 1),
                     help=f"Another seed, other walks (default {DEFAULT_SEED})."),
        click.option("--minimise", type=click.Choice(MINIMA), default="steps",
                     help="What a counterexample has the fewest of."),
        click.option("--continue", "goes_on", is_flag=True,
                     help="Go on after a violation: finish the graph, or the walks."),
        click.option("--save", type=path, help="Write the counterexample here."),
    ]  # fmt: skip
    return _with(options, function)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose how a dump is read."""
    storages = click.Choice([storage.value for storage in Storage])
    options = [
        click.option("--storage", type=storages, help="Where the channel lived (default: what the manifest says)."),
        click.option("--engine", type=click.Choice(["auto", "spark", "inline"]), default="auto", show_default=True,
                     help="auto is Spark, and inline for a few MB."),
        click.option("--master", metavar="URL", help="The Spark master (default local[*]); SPARK_REMOTE works too."),
        click.option("--tmp", type=click.Path(exists=True, file_okay=False, writable=True), expose_value=False,
                     callback=_keep_files_in, metavar="DIR",
                     help="Where Spark keeps what memory does not hold: a third of the input (default /tmp)."),
    ]  # fmt: skip
    return _with(options, function)


def _keep_files_in(context: click.Context, parameter: click.Parameter, folder: str | None) -> None:
    """Let Spark and this process keep their temporary files in *folder*."""
    if folder is not None:
        os.environ["SPARK_LOCAL_DIRS"] = tempfile.tempdir = os.path.abspath(folder)


def audit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say by which limits a recorded run is judged, and whose story is told."""
    file = click.Path(dir_okay=False, path_type=Path)
    options = [
        click.option("--partial", is_flag=True, help="Records may be missing: what that could fake only warns."),
        click.option("--in-flight-limit", metavar="TIME", help="How long a hand-over may take (default 120s)."),
        click.option("--dual-serving-limit", metavar="TIME", default="10s", show_default=True,
                     help="How long two brokers may serve a bundle at once, if there is a cause for it."),
        click.option("--unavailable-limit", metavar="TIME",
                     help="How long clients may not be able to use a bundle whose owner lives (default 60s, or three "
                          "times the session time-out of the manifest)."),
        click.option("--clock-skew", metavar="TIME", default="0s", show_default=True,
                     help="How far the clocks of two machines may be apart."),
        click.option("--broker-log", "logs", multiple=True, metavar="BROKER=FILE",
                     help="Whose log a file is, where the manifest or the log itself does not say."),
        click.option("--unit", metavar="KEY", help="With --why: the bundle whose story is told."),
        click.option("--why", is_flag=True,
                     help="Tell the story of one bundle: records, who took them when, what was seen."),
        click.option("--save", type=file, help="With --why: the story as a scenario, for replay."),
        click.option("--waivers", metavar="FILE",
                     help="Violations that are known and accepted until a day (docs/audit.md)."),
        click.option("--today", metavar="DAY", help="With --waivers: another day than the present one (UTC)."),
    ]  # fmt: skip
    return _with(options, function)


def telling_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is told of a recorded run, and in which other files."""
    options = [
        click.option("--time-range", metavar="FROM..TO",
                     help="Judge this time alone (milliseconds or ISO 8601; either end may be left out). All is read."),
        click.option("--anonymise", is_flag=True, help="Show pseudonyms for tenants, namespaces, brokers, files."),
        click.option("--salt", metavar="TEXT", help="With --anonymise: the same pseudonyms for the same salt."),
        click.option("--tables", type=click.Path(file_okay=False), metavar="DIR",
                     help="Write events, intervals, findings as Parquet."),
        click.option("--perfetto", "perfetto_to", metavar="FILE",
                     help="Write who owned what as a trace for ui.perfetto.dev."),
    ]  # fmt: skip
    return _with(options, function)


def _with(options: list[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function
