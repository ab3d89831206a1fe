"""
``python -m tools.bench logs``: the audit of ever longer logs, each with its channel dump, beside a bare script.

Logs are those of four brokers in debug mode, rendered from runs of the model: every line is one of the load balancer.
The script does far less work, on one core: it joins nothing, and judges nothing. Start-up is taken out as in
``scale.py``.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.bench.audit import HERE, seconds
from tools.bench.generate_logs import write
from tools.bench.memory import PARTS, Measured, measure

LINES_OF_A_RECORD = 4.8
"""About; each broker handles or skips it, and some say more."""
TINY = 2_000


def bench(sizes: Sequence[int], cores: Sequence[int], rounds: int) -> None:
    """Measure runs of so many log lines, in a folder that is gone afterwards; print a table."""
    columns = ("log lines", "records", "cores", "bare script", "audit", "lines/s", "to script", "peak", *PARTS)
    table = Table(*columns, box=None, pad_edge=False)
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as name:
        folder = Path(name)
        write(folder / "tiny", TINY)
        _audit(folder / "tiny", cores[0])  # the first one finds nothing compiled, and no library in memory
        start = {count: [_audit(folder / "tiny", count) for _ in range(rounds)] for count in cores}
        for size in sizes:
            records, lines = write(folder / "run", int(size / LINES_OF_A_RECORD))
            for count in cores:
                table.add_row(
                    f"{lines:,}", f"{records:,}", str(count), *_row(folder, lines, count, start[count], rounds)
                )
            shutil.rmtree(folder / "run")
    Console(width=160).print(table)


def _row(folder: Path, lines: int, cores: int, start: Sequence[Measured], rounds: int) -> Iterator[str]:
    logs = [str(path) for path in sorted((folder / "run").glob("*.log"))]
    bare = [seconds([sys.executable, str(HERE / "bare_grep.py"), *logs]) for _ in range(rounds)]
    found = [_audit(folder / "run", cores) for _ in range(rounds)]
    begin = statistics.median(one.seconds for one in start)
    net = statistics.median(one.seconds for one in found) - begin
    yield f"{statistics.median(bare):.1f} s"
    yield f"{net:.1f} s + {begin:.1f} s"
    yield f"{lines / net:,.0f}"
    yield f"{statistics.median(bare) / net:.2f}"
    for bytes_ in (max(one.peak for one in found), *(max(one.parts[part] for one in found) for part in PARTS)):
        yield f"{bytes_ / 2**20:,.0f} MiB"


def _audit(run: Path, cores: int) -> Measured:
    out = ["--json", str(run.with_suffix(".json")), "--tables", str(run.with_suffix(".tables"))]
    command = [sys.executable, "-m", "checkers", "audit", str(run), *out]
    return measure([*command, "--engine", "spark", "--master", f"local[{cores}]"])
