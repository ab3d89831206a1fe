"""
``python -m tools.bench others``: logs among whose lines ten times as many are of other loggers, beside ``zgrep -c``.

Four brokers' logs are zipped. Seconds are those of the processor, of all processes together, and those that passed. The
reading stands for itself: the audit also judges what was read.
"""

import gzip
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tools.bench.generate_logs import write
from tools.bench.logs import LINES_OF_A_RECORD
from tools.bench.memory import PARTS, measure

OTHERS = 10
READ = (
    "import sys; from oneowner.checkers.recordings.read.broker_logs import read_logs; "
    "from oneowner.checkers.recordings.read.partition import in_processes, in_turn; "
    "each = in_processes if sys.argv[1] == 'processes' else in_turn; "
    "print(len(read_logs([*enumerate(sys.argv[2:])], {}, each).said))"
)


class Cost(NamedTuple):
    """A command's duration, in seconds."""

    processor: float
    passed: float


def bench(sizes: Sequence[int]) -> None:
    """Measure logs with so many lines of the load balancer; print a table."""
    table = Table("own lines", "all lines", "zgrep -c", "reading", "two processes", "audit", "read to zgrep",
                  "two to zgrep", "audit to zgrep", "peak", *PARTS, box=None, pad_edge=False)  # fmt: skip
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as name:
            folder = Path(name)
            _, lines = write(folder, int(size / LINES_OF_A_RECORD), OTHERS)
            logs = [_zipped(path) for path in sorted(folder.glob("*.log"))]
            grep = cost(["zgrep", "-c", "ServiceUnitState", *logs])
            read = cost([sys.executable, "-c", READ, "turn", *logs])
            both = cost([sys.executable, "-c", READ, "processes", *logs])
            audit = measure(
                [sys.executable, "-m", "oneowner", "audit", name, "--engine", "inline", "--json", f"{name}/out.json"]
            )
            costs = grep, read, both, Cost(audit.processor, audit.seconds)
            table.add_row(
                f"{lines:,}", f"{lines * (1 + OTHERS):,}", *(f"{c.processor:.1f} ({c.passed:.1f}) s" for c in costs),
                f"{read.processor / grep.processor:.1f}", f"{both.passed / grep.passed:.1f}",
                f"{audit.seconds / grep.passed:.1f}",
                *(f"{size / 2**20:,.0f} MiB" for size in (audit.peak, *(audit.parts[part] for part in PARTS))),
            )  # fmt: skip
    Console(width=180).print(table)


def cost(command: list[str]) -> Cost:
    """Run a command; return its duration."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended - begun)


def _zipped(path: Path) -> str:
    packed = path.with_name(f"{path.name}.gz")
    with path.open("rb") as source, gzip.open(packed, "wb", 6) as target:
        shutil.copyfileobj(source, target)
    path.unlink()
    return str(packed)
