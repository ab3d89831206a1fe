"""
What all verbs of the command line share: exit codes for what goes wrong, and the options --json, --quiet, --progress.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from checkers.explore.engines import ENGINES
from checkers.report import text
from checkers.report.json import STDOUT, write_json
from checkers.report.progress import ProgressLine
from checkers.results import Result
from checkers.searching import MINIMA
from checkers.verdict import EXIT_CODES, INTERRUPTED, MISUSE, EngineError, Misuse, Verdict
from checkers.walks.plan import DEFAULT_DEPTH, DEFAULT_SEED
from model.rules import Storage

PROGRESS = ProgressLine()


class Verbs(click.Group):
    """The group of verbs; a Misuse anywhere becomes one line on standard error and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Misuse as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(MISUSE)
        except EngineError as error:
            PROGRESS.clear()
            click.echo(f"error: {error}", err=True)
            ctx.exit(EXIT_CODES[Verdict.UNKNOWN])
        except KeyboardInterrupt:
            PROGRESS.clear()
            click.echo("interrupted: nothing is concluded", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(MISUSE)


def common(function: Callable[..., Result]) -> Callable[..., None]:
    """Give a verb the options that all have, print its JSON, and exit with its code."""

    @click.option("--json", "json_to", metavar="FILE", help="Write the result as JSON; - is standard output.")
    @click.option("--quiet", is_flag=True, help="Print nothing but errors; the exit code says it all.")
    @click.option("--progress/--no-progress", default=None, help="Show progress (default: on a terminal).")
    @wraps(function)
    def verb(json_to: str | None, quiet: bool, progress: bool | None, **arguments: Any) -> None:
        out = Console(quiet=True) if quiet else text.console(json_to == STDOUT, before_print=PROGRESS.clear)
        if json_to not in (None, STDOUT) and not Path(json_to).absolute().parent.is_dir():
            raise Misuse(f"{json_to}: cannot be written: there is no folder {Path(json_to).parent}")
        shows = sys.stderr.isatty() and not quiet if progress is None else progress
        result = function(out=out, on_progress=PROGRESS if shows else None, **arguments)
        PROGRESS.clear()
        if json_to is not None:
            write_json(result, json_to)
        click.get_current_context().exit(result.exit_code)

    return verb


def explore_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is explored, how far, and what is kept of it."""
    count, path = click.IntRange(1), click.Path(file_okay=False, path_type=Path)
    options = [
        click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True,
                     help="native interprets the model, python and c are made of it; auto is c, or native for small"
                          " models."),
        click.option("--fault", "faults", multiple=True, metavar="NAME",
                     help="Give the model a bug back (oneowner list faults)."),
        click.option("--repair", "repairs", multiple=True, metavar="NAME",
                     help="Mend a bug that the release still has (oneowner faults)."),
        click.option("--release", help="The Pulsar release whose rules apply (default: that of the family, 4.0.6)."),
        click.option("--set", "settings", multiple=True, metavar="BOUND=VALUE",
                     help="Change a bound, such as brokers=3."),
        click.option("--law", "laws", multiple=True, metavar="NAME", help="Check only this law (oneowner list laws)."),
        click.option("--max-states", type=count, help="Give up (unknown) beyond so many states."),
        click.option("--max-memory", metavar="SIZE",
                     help="Give up beyond so much memory, such as 8G (default: c, 60% of what is free)."),
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
    ]  # fmt: skip
    return _with(options, function)


def _with(options: list[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function
