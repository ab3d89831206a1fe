"""
Runners of the peers: for each tool its presence, its model for some bounds, and its counts.

A command runs in the folder that its peer prepared; it checks every law of the peer and keeps what a counterexample
needs. Peers share no line with our model; *source* is the folder of the hand-written models, for tests that break one.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.ledger.tlc import jar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TRANSFER_IN_RUST = ROOT / "build" / "stateright" / "release" / "transfer"
HINT = "make setup-referees"


class Bounds(NamedTuple):
    """The bounds of the family that peers can vary; by default those of ``spec/channel/families/transfer.yaml``."""

    transfers: int = 2
    unloads: int = 1
    window: int = 3
    versions: int = 10

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self._asdict().items())


class Counts(NamedTuple):
    """The result of a search; None where the tool reports none."""

    states: int
    transitions: int | None = None
    depth: int | None = None


class Unfinished(Exception):
    """A run that broke a law, stopped early or printed something unknown; the words are one line of it."""


@dataclass(frozen=True)
class Peer:
    """A tool with its hand-written model."""

    name: str
    missing: Callable[[], str]
    """The missing programs, in words; empty if all is there."""
    prepare: Callable[[Bounds, Path, int], list[str]]
    """Make the model for some bounds, in a folder, for about so many states; return the command to run there."""
    parse: Callable[[str], Counts]
    """Parse that command's output; raise Unfinished unless the whole graph was visited and every law holds."""


def numbers(pattern: str, out: str) -> list[int]:
    """Return the numbers that *pattern* finds in a tool's output, which must hold it."""
    found = re.search(pattern, out)
    if found is None:
        lines = [line.strip() for line in out.splitlines() if line.strip()]
        wrong = next((line for line in lines if re.search("error|violated|broken|exceeded", line, re.I)), "")
        raise Unfinished(wrong or (lines[-1] if lines else "it prints nothing"))
    return [int(number) for number in found.groups()]


# ---- TLC ----


def tlc(workers: int = 1, source: Path = HERE) -> Peer:
    """With one worker the depth is exact; with more it depends on how they interleave, and is left out."""

    def prepare(bounds: Bounds, folder: Path, states: int) -> list[str]:
        shutil.copy(source / "transfer.tla", folder)
        written = (HERE / "transfer.cfg").read_text(encoding="utf-8")
        for name, value in bounds._asdict().items():
            written, times = re.subn(rf"(?m)^( *{name.capitalize()} =) \d+$", rf"\1 {value}", written)
            assert times == 1, name
        (folder / "transfer.cfg").write_text(written, encoding="utf-8")
        java, archive = shutil.which("java"), jar()
        assert java is not None
        # -deadlock: a state without steps is no error. The collector is the one that TLC itself recommends.
        options = ["-deadlock", "-workers", str(workers)]
        return [java, "-XX:+UseParallelGC", "-cp", str(archive), "tlc2.TLC", *options, "transfer"]

    def parse(out: str) -> Counts:
        pattern = r"No error has been found[\s\S]*?(\d+) states generated, (\d+) distinct states found, 0 states left"
        generated, states = numbers(pattern, out)
        (depth,) = numbers(r"depth of the complete state graph search is (\d+)", out)
        # It counts the initial state as generated, and calls its depth 1.
        return Counts(states, generated - 1, depth - 1 if workers == 1 else None)

    return Peer("TLC" if workers == 1 else f"TLC, {workers} workers", _tlc_missing, prepare, parse)


def _tlc_missing() -> str:
    if shutil.which("java") is None:
        return "java: sudo apt-get install openjdk-17-jre-headless"
    return "" if jar() else HINT


# ---- Spin ----


def spin(source: Path = HERE) -> Peer:
    """Full state vectors (no -DCOLLAPSE, no hash compaction), no partial-order reduction: the whole graph."""

    def prepare(bounds: Bounds, folder: Path, states: int) -> list[str]:
        given = [f"-D{name.upper()}={value}" for name, value in bounds._asdict().items()]
        _run(["spin", "-a", *given, str(source / "transfer.pml")], folder)
        flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK"]
        _run(["cc", *flags, "-o", "pan", "pan.c"], folder)
        slots = max(16, states.bit_length() + 1)  # two to four times as many as there are states
        return [str(folder / "pan"), "-m10000", f"-w{slots}"]

    return Peer("Spin", _spin_missing, prepare, _spin_counts)


def _spin_missing() -> str:
    absent = [f"{tool}: sudo apt-get install {name}" for tool, name in (("spin", "spin"), ("cc", "gcc"))]
    return "; ".join(hint for hint in absent if shutil.which(hint.partition(":")[0]) is None)


def _spin_counts(out: str) -> Counts:
    """Parse pan's output. Its depth is that of a depth-first search; its first state counts as a transition."""
    (errors,) = numbers(r"errors: (\d+)", out)
    if errors or "Search not completed" in out or "max search depth too small" in out:
        raise Unfinished(next(line for line in out.splitlines() if line.strip()))
    (states,) = numbers(r"(\d+) states, stored", out)
    (transitions,) = numbers(r"(\d+) transitions", out)
    return Counts(states, transitions - 1)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unfinished(" ".join((done.stdout + done.stderr).split())[:300])


# ---- stateright ----


def stateright(threads: int = 1) -> Peer:
    """Breadth first; with one thread the depth is exact."""

    def prepare(bounds: Bounds, folder: Path, states: int) -> list[str]:
        return [str(TRANSFER_IN_RUST), *map(str, bounds), str(threads)]

    def parse(out: str) -> Counts:
        states, transitions, depth = numbers(r"(?m)\Astates (\d+) transitions (\d+) depth (\d+)$", out)
        return Counts(states, transitions, depth if threads == 1 else None)

    name = "stateright" if threads == 1 else f"stateright, {threads} threads"
    return Peer(name, _stateright_missing, prepare, parse)


def _stateright_missing() -> str:
    if not TRANSFER_IN_RUST.exists():
        return f"{HINT} (it needs cargo)"
    built = TRANSFER_IN_RUST.stat().st_mtime
    sources = [HERE / "stateright" / name for name in ("src/main.rs", "Cargo.toml", "Cargo.lock")]
    return f"it is older than its source: {HINT}" if any(path.stat().st_mtime > built for path in sources) else ""


# ---- minicheck ----


def minicheck(source: Path = HERE) -> Peer:
    """It does not report its depth."""

    def prepare(bounds: Bounds, folder: Path, states: int) -> list[str]:
        return [sys.executable, str(source / "by_minicheck.py"), *map(str, bounds)]

    def parse(out: str) -> Counts:
        return Counts(*numbers(r"(?m)\Astates (\d+) transitions (\d+)$", out))

    return Peer("minicheck", lambda: "" if find_spec("minicheck") else "make setup", prepare, parse)
