"""
Verbs of the command line and the group that runs them.

A verb names its section of the help where it is declared. A failure anywhere becomes one line on standard error and an
exit code.
"""

import errno
import os
import sys
from collections.abc import Callable
from enum import Enum
from typing import Any

import click
from click.shell_completion import CompletionItem

from oneowner.checkers.cli.handing_over import HandOver, handed_over
from oneowner.checkers.cli.options import PROGRESS
from oneowner.checkers.cli.unexpected import print_failure
from oneowner.checkers.documents import suggestion
from oneowner.checkers.remote_files import reason
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import (
    EXIT_CODES,
    EXIT_HELP,
    INTERRUPTED,
    MISUSE,
    UNREAD,
    EngineError,
    Misuse,
    Verdict,
)

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room for standard output; a file that cannot be written is a Misuse where it is written."""


class Section(Enum):
    """The subject of a verb, in the order of the help."""

    CLUSTER = "A cluster"
    MODEL = "The model"
    REPOSITORY = "This repository"


class Verb(click.Command):
    """A verb in its section of the help."""

    def __init__(self, *arguments: Any, section: Section, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.section = section


class VerbGroup(Verb, click.Group):
    """A verb that has verbs of its own."""


def verb(section: Section, **options: Any) -> Callable[[Callable[..., Any]], Verb]:
    """Declare a function as a verb; *options* are those of ``click.command``."""
    return click.command(cls=Verb, section=section, **{"epilog": EXIT_HELP, **options})


class Verbs(click.Group):
    """The group of verbs; a Misuse anywhere becomes one line on standard error and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            try:
                return super().invoke(ctx)
            except HandOver as asked:
                return handed_over(asked, ctx, self)
        except Misuse as error:
            click.echo(f"error: {visible(str(error))}", err=True)
            ctx.exit(MISUSE)
        except EngineError as error:
            PROGRESS.clear()
            click.echo(f"error: {visible(str(error))}", err=True)
            ctx.exit(EXIT_CODES[Verdict.UNKNOWN])
        except KeyboardInterrupt:
            PROGRESS.clear()
            sys.unraisablehook = lambda _: None  # an object that was half made may fail to end
            click.echo("interrupted: no verdict", err=True)
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
                ctx.exit(print_failure())
            ctx.exit(MISUSE)
        except Exception:  # Python's own 1 would say that a law is broken
            PROGRESS.clear()
            ctx.exit(print_failure())

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the verbs as they are given, the important ones of each section first."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print a section for each subject, with the whole first sentence of every verb, which click would cut off."""
        for section in Section:
            shown = [one for one in self.commands.values() if isinstance(one, Verb) and one.section is section]
            with formatter.section(section.value):
                formatter.write_dl(
                    [(one.name or "", one.get_short_help_str(limit=300)) for one in shown if not one.hidden]
                )


def print_version(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """Print the version with the commit, and end."""
    if asked and not ctx.resilient_parsing:
        from oneowner.checkers.version_text import version_text

        click.echo(f"oneowner {version_text()}")
        ctx.exit()


class VerbName(click.ParamType[str]):
    """The name of a verb, completed by the shell."""

    name = "verb"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the verbs that begin as what is typed."""
        group = ctx.find_root().command
        verbs = group.commands.values() if isinstance(group, click.Group) else ()
        return [CompletionItem(one.name, help=one.get_short_help_str()) for one in verbs
                if str(one.name).startswith(incomplete) and not one.hidden]  # fmt: skip


@verb(Section.REPOSITORY, name="help")
@click.argument("names", nargs=-1, metavar="[VERB]...", type=VerbName())
@click.pass_context
def help_(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a verb, as VERB --help does.

    \b
      oneowner help explore
      oneowner help lab up
    """
    at = ctx.find_root()
    for name in names:
        group = at.command
        known = group.commands if isinstance(group, click.Group) else {}
        if name not in known:
            allowed = suggestion(name, known) if known else f"{at.info_name} has no verbs of its own"
            raise Misuse(f"no such verb: {' '.join(names)}; {allowed}")
        at = click.Context(known[name], info_name=name, parent=at)
    click.echo(at.get_help())
