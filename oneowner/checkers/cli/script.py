"""The verb ``script``: print a script for use beside a cluster, or list the scripts."""

import ast
from pathlib import Path

import click

from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.documents import suggestion
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Misuse

FOLDER = PACKAGE / "checkers" / "recordings" / "scripts"


@verb(Section.CLUSTER)
@click.argument("name", required=False)
def script(name: str | None) -> None:
    """Print the script NAME, which dumps a cluster's data on any machine; without NAME, list the scripts.

    \b
      oneowner script
      oneowner script dump_channel > dump_channel.py
    """
    known = scripts()
    if name is None:
        for stem, path in known.items():
            click.echo(f"{stem}  {about(path)}")
        return
    stem = name.removesuffix(".py")
    if stem not in known:
        raise Misuse(f"no such script: {name}; {suggestion(stem, known)}")
    click.echo(known[stem].read_text(encoding="utf-8"), nl=False)


def scripts() -> dict[str, Path]:
    """Return the packaged scripts by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"}


def about(path: Path) -> str:
    """Return the first sentence of a script's docstring, on one line."""
    words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(words.split("\n\n")[0].split())
