"""
The releases whose sources have the change that a switch stands for, and those whose sources lack it.

    python -m tools.release_edges --elasticsearch FOLDER --redis CLONE --pulsar CLONE [--write]

FOLDER holds source jars as Maven Central names them (``elasticsearch-6.5.0-sources.jar``); a CLONE is a git repository
with the tags of its project. ``release_edges.yaml`` has a row for each switch: a text that its change brought, or
``gone``, one that it took away, and files that may hold it. The command searches the releases that are listed there,
compares them with the row, or writes what it finds into the row. A number in release notes names a pull request; this
is the code. Exit code 1 if a row differs.
"""

import argparse
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from oneowner.model.kernel.releases import Version, version

TABLE: Final = Path(__file__).with_suffix(".yaml")
HEAD: Final = "# Generated in part: python -m tools.release_edges --write sets `with` and `without`.\n"

Source = Callable[[str, str], str | None]
"""Returns the text of a file of a release; None where the release has no such file."""


def from_jars(folder: Path) -> Source:
    """Return the files of the source jars in *folder*."""

    def read(release: str, file: str) -> str | None:
        with zipfile.ZipFile(folder / f"elasticsearch-{release}-sources.jar") as jar:
            return jar.read(file).decode() if file in jar.namelist() else None

    return read


def from_tags(clone: Path, prefix: str = "") -> Source:
    """Return the files of the tags of *clone*, which are named by *prefix* and a release."""

    def read(release: str, file: str) -> str | None:
        tag = f"{prefix}{release}"
        git = ["git", "-C", str(clone)]
        subprocess.run([*git, "rev-parse", "--verify", "--quiet", f"{tag}^{{commit}}"], check=True, capture_output=True)
        found = subprocess.run([*git, "show", f"{tag}:{file}"], check=False, capture_output=True)
        return found.stdout.decode(errors="replace") if found.returncode == 0 else None

    return read


def age(release: str) -> Version:
    """Return the numbers of *release*, in the order of age; raise ValueError for a text that names none."""
    if (found := version(release)) is None:
        raise ValueError(f"{release} is no release")
    return found


def has_change(row: dict[str, Any], release: str, read: Source) -> bool:
    """Return whether the sources of *release* have the change of *row*; spaces and line ends do not count."""
    texts = [text for file in row["files"] if (text := read(release, file)) is not None]
    if not texts and "gone" in row:
        raise ValueError(f"{row['switch']}: {release} has none of {row['files']}")
    wanted = re.sub(r"\s+", " ", row["text" if "text" in row else "gone"])
    there = any(wanted in re.sub(r"\s+", " ", text) for text in texts)
    return there == ("text" in row)


def compared(row: dict[str, Any], read: Source) -> Iterator[str]:
    """Search all releases of *row*, sort them anew in it, and yield those that were listed otherwise."""
    releases = sorted((*row["without"], *row["with"]), key=age)
    found = {release: has_change(row, release, read) for release in releases}
    for release in releases:
        if found[release] != (release in row["with"]):
            yield f"{row['system']} {row['switch']}: {release} {'has' if found[release] else 'lacks'} {row['change']}"
    row["without"] = [release for release in releases if not found[release]]
    row["with"] = [release for release in releases if found[release]]


def rows() -> list[dict[str, Any]]:
    """Return the rows of the table."""
    return list(yaml.safe_load(TABLE.read_text("utf-8")))


def main() -> int:
    """Compare the rows of each system whose sources are given; return the exit code."""
    asked = argparse.ArgumentParser(prog="python -m tools.release_edges", description=__doc__)
    asked.add_argument("--elasticsearch", type=lambda text: from_jars(Path(text)))
    asked.add_argument("--redis", type=lambda text: from_tags(Path(text)))
    asked.add_argument("--pulsar", type=lambda text: from_tags(Path(text), "v"))
    asked.add_argument("--write", action="store_true")
    given = asked.parse_args()
    table = rows()
    differs = [line for row in table if (read := getattr(given, row["sources"])) for line in compared(row, read)]
    if given.write:
        TABLE.write_text(HEAD + yaml.safe_dump(table, sort_keys=False, width=118, default_flow_style=None), "utf-8")
    if differs:
        print(*differs, sep="\n")
    return 1 if differs and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
