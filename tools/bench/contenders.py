"""Contenders on the family ``transfer`` and their sizes: our engines beside the peers of ``tools/peers``."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from oneowner.spec.channel.registry import PROPERTIES
from tools.peers.contenders import Bounds, Counts, Peer, Unfinished, minicheck, spin, stateright, tlc

TINY = Bounds(transfers=1, unloads=1, versions=8)
"""1,728 states: a contender's time for it is its start-up."""

SMALL = Bounds(transfers=2, unloads=1, versions=10)  # 25,056 states
MEDIUM = Bounds(transfers=3, unloads=1, versions=16)  # 197,154
LARGE = Bounds(transfers=3, unloads=2, versions=20)  # 772,456
HUGE = Bounds(transfers=5, unloads=2, versions=24)  # 12,643,590

GROWTH = (
    SMALL,
    MEDIUM,
    Bounds(transfers=4, unloads=1, versions=22),  # 1,009,696
    Bounds(transfers=4, unloads=2, versions=22),  # 3,652,896
    HUGE,
)
"""The sizes of our C engine whose costs are compared."""


LAWS = (
    "type-ok", "view-is-prefix-fold", "version-chain", "legal-step", "unique-winner", "accepted-is-cas", "one-owner",
    "serve-implies-view", "single-server", "single-server-always", "quiescent-agreement",
)  # fmt: skip
"""The laws that the peers judge (``tools/peers/README.md``), and so ours beside them: equal work."""


THIS = (sys.executable, "-m", "oneowner")
"""The command of this checkout."""


def ours(engine: str, threads: int = 1, laws: Sequence[str] = LAWS, command: Sequence[str] = THIS) -> Peer:
    """
    Return one of our engines, run as a user runs it: laws and witnesses checked, predecessors kept.

    No *laws* are all of them: a law asked for by name is owed an occasion, which many do not have here.
    """

    def prepare(bounds: Bounds, folder: Path, states: int) -> list[str]:
        given = [word for name, value in bounds._asdict().items() for word in ("--set", f"{name}={value}")]
        threaded = ["--threads", str(threads)] if engine == "c" else []
        asked = [word for law in laws for word in ("--law", law)]
        verb = ["explore", "transfer", "--engine", engine, *threaded, *given]
        return [*command, *verb, *asked, "--quiet", "--json", "-"]

    def missing() -> str:
        return "cc: sudo apt-get install gcc" if engine == "c" and shutil.which("cc") is None else ""

    name = {"native": "native", "python": "generated Python", "c": "C"}[engine]
    more = [f"{threads} threads"] * (threads > 1) + [f"all {len(PROPERTIES)} laws"] * (not laws)
    return Peer(", ".join([name, *more]), missing, prepare, counts_of)


def counts_of(out: str) -> Counts:
    """Return the counts of a JSON result; raise Unfinished unless it is valid."""
    try:
        found = json.loads(out)
    except ValueError:
        raise Unfinished(out.strip().rpartition("\n")[2] or "it prints nothing") from None
    if found["verdict"] != "valid":
        raise Unfinished(f"{found['verdict']}: {'; '.join(found['reasons'])}")
    stats = found["stats"]
    return Counts(stats["states"], stats["transitions"], stats["depth"])


class Contender(NamedTuple):
    """A row of the table: who, how big in full and in the quick bench, and how many runs at the same time."""

    peer: Peer
    size: Bounds
    quick: Bounds
    copies: int = 1

    @property
    def name(self) -> str:
        return f"{self.peer.name}, {self.copies} runs at once" if self.copies > 1 else self.peer.name


C = Contender(ours("c"), HUGE, LARGE)
C_ALL_LAWS = Contender(ours("c", laws=()), HUGE, LARGE)
C_TWO_THREADS = Contender(ours("c", threads=2), HUGE, LARGE)
C_TWO_RUNS = Contender(ours("c"), HUGE, LARGE, copies=2)
TLC = Contender(tlc(workers=2), LARGE, SMALL)

OURS = (
    Contender(ours("native"), SMALL, SMALL), Contender(ours("python"), LARGE, MEDIUM), C, C_ALL_LAWS, C_TWO_THREADS,
    C_TWO_RUNS,
)  # fmt: skip
CONTENDERS = (
    *OURS,
    TLC,
    Contender(spin(), HUGE, LARGE),
    Contender(stateright(), HUGE, LARGE),
    Contender(stateright(threads=2), HUGE, LARGE),
    Contender(minicheck(), MEDIUM, SMALL),
)


def beside(checkout: Path) -> Contender:
    """Return our C engine as another checkout has it, such as that of the commit before; raise OSError without one."""
    command = checkout.resolve() / ".venv" / "bin" / "oneowner"
    if not command.is_file():
        raise FileNotFoundError(f"{command} is not there: make setup in {checkout}")
    peer = ours("c", command=("env", "-u", "PYTHONPATH", str(command)))
    return Contender(replace(peer, name=f"C of {checkout.name}"), HUGE, LARGE)
