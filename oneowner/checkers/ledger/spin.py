"""
Spin on an exported model: its commands, and its verifier's output.

Debian has it (``sudo apt-get install spin tcc``); it writes C, so a C compiler is needed too. The verifier of a small
model may have megabytes of C, which tcc compiles in less than a second, and others in twenty.
"""

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.native_code import compiler

HINT = "Spin is not installed: make setup-referees"

DEPTH = 1_000_000
"""The depth of a search by default: its stack takes 46 MiB."""

LAW_BROKEN = re.compile(r"assertion violated \(law_(\w+)!=2\)")


class Found(NamedTuple):
    """Counts of Spin's verifier; *wrong* is the reason that it did not visit every state, if it did not."""

    stored: int
    transitions: int
    preparing: float
    """Seconds until there was a verifier: Spin's own and the compiler's."""
    seconds: float
    wrong: str = ""

    @property
    def broken(self) -> str:
        """The law that is violated, as Promela spells it, or an empty string."""
        found = LAW_BROKEN.search(self.wrong)
        return found[1] if found else ""


def version() -> str:
    if not is_installed():
        return "no Spin"
    return subprocess.run(["spin", "-V"], capture_output=True, text=True, check=False).stdout.strip()


def commands(model: str, depth: int = DEPTH, cc: str = "cc", optimise: str = "-O1") -> list[list[str]]:
    """
    Return the commands that verify *model*, a file in the current folder.

    The search is depth first: it may get as deep as there are states, or deeper by every statement of the sequences
    that are ``atomic``. It needs 48 bytes per step of *depth* and 128 MiB for its table, more for more than some ten
    million states (``-w``). Nothing is left out: no step (``-DNOREDUCE``), and of a state no variable that is never
    read (``-o2``); ``-o3`` is for long sequences.
    """
    return [
        ["spin", "-o2", "-o3", "-a", model],
        [cc, optimise, "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
        ["./pan", f"-m{depth}"],
    ]


def is_installed() -> bool:
    return shutil.which("spin") is not None and _quickest_compiler() is not None


def verify(model: str, depth: int = DEPTH) -> Found:
    """Run Spin on the text of a model. Its verifier is not optimised: that would take longer than it runs."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(model, encoding="utf-8")
        *preparation, search = commands("model.pml", depth, _quickest_compiler() or "cc", "-O0")
        started = time.monotonic()
        for command in preparation:
            done = _run(command, folder)
            if done.returncode:
                words = (done.stdout + done.stderr).strip().splitlines() or [f"code {done.returncode}"]
                return Found(0, 0, time.monotonic() - started, 0.0, f"{command[0]} failed: {words[-1]}")
        preparing = time.monotonic() - started
        output = _run(search, folder).stdout
        return read(output, preparing, time.monotonic() - started - preparing)


def read(output: str, preparing: float = 0.0, seconds: float = 0.0) -> Found:
    """
    Parse a verifier's output.

    >>> read("State-vector 76 byte, depth reached 22, errors: 0\\n 5032 states, stored\\n 20110 transitions").stored
    5032
    >>> read("pan:1: assertion violated (law_one_owner!=2) (at depth 4)\\n 9 states, stored\\n 20 transitions").broken
    'one_owner'
    """
    counts = [re.search(rf"^ *(\d+) {what}", output, re.MULTILINE) for what in ("states, stored", "transitions")]
    stored, transitions = (int(count[1]) if count else 0 for count in counts)
    wrong = re.search(
        r"^(?:pan:1|pan|error): .*(?:violated|too small|memory|MEMLIM|aborted|error).*$", output, re.MULTILINE
    )
    words = wrong[0] if wrong else ""
    if not words and ("errors: 0" not in output or "not completed" in output or not all(counts)):
        words = "Spin did not finish"
    return Found(stored, transitions, preparing, seconds, words)


def _quickest_compiler() -> str | None:
    return shutil.which("tcc") or compiler()


def _run(command: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
