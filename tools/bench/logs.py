"""
``python -m tools.bench logs``: the audit of ever longer logs, each with its channel dump, beside a bare script.

Logs are those of four brokers in debug mode, rendered from runs of the model: every line is one of the load balancer,
or, with ``--others 10``, every eleventh. The script does far less work, on one core: it joins nothing, and judges
nothing. ``zgrep -c`` does nothing but look at each line. The audit runs in processes of this machine, and on Spark with
so many cores. Start-up is taken out as in ``scale.py``.
"""

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
"""About; each broker handles or skips it, and some log more."""
TINY = 2_000


INLINE = ("--engine", "inline")


def bench(sizes: Sequence[int], cores: Sequence[int], rounds: int, others: int) -> None:
    """Measure runs of so many log lines, *others* before each, in a folder that is gone afterwards; print a table."""
    columns = ("log lines", "records", "engine", "script", "zgrep -c", "audit", "processor", "lines/s", "to script",
               "to zgrep", "peak", *PARTS)  # fmt: skip
    engines = [INLINE, *(("--engine", "spark", "--master", f"local[{count}]") for count in cores)]
    table = Table(*columns, box=None, pad_edge=False)
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as name:
        folder = Path(name)
        write(folder / "tiny", TINY)
        _audit(folder / "tiny", engines[-1])  # the first one finds nothing compiled, and no library in memory
        start = {engine: [_audit(folder / "tiny", engine) for _ in range(rounds)] for engine in engines}
        for size in sizes:
            records, lines = write(folder / "run", int(size / LINES_OF_A_RECORD), others)
            logs = [str(path) for path in sorted((folder / "run").glob("*.log"))]
            bare = [seconds([sys.executable, str(HERE / "bare_grep.py"), *logs]) for _ in range(rounds)]
            grep = [seconds(["zgrep", "-c", "ServiceUnitState", *logs]) for _ in range(rounds)]
            for engine in engines:
                found = [_audit(folder / "run", engine) for _ in range(rounds)]
                peers = statistics.median(bare), statistics.median(grep)
                table.add_row(f"{lines:,}", f"{records:,}", engine[-1], *_row(lines, *peers, start[engine], found))
            shutil.rmtree(folder / "run")
    Console(width=180).print(table)


def _row(lines: int, bare: float, grep: float, start: Sequence[Measured], found: Sequence[Measured]) -> Iterator[str]:
    begin = statistics.median(one.seconds for one in start)
    net = statistics.median(one.seconds for one in found) - begin
    yield f"{bare:.1f} s"
    yield f"{grep:.1f} s"
    yield f"{net:.1f} s + {begin:.1f} s"
    yield f"{statistics.median(one.processor for one in found):.1f} s"
    yield f"{lines / net:,.0f}"
    yield f"{bare / net:.2f}"
    yield f"{net / grep:.1f}"
    for bytes_ in (max(one.peak for one in found), *(max(one.parts[part] for one in found) for part in PARTS)):
        yield f"{bytes_ / 2**20:,.0f} MiB"


def _audit(run: Path, engine: Sequence[str]) -> Measured:
    out = ["--json", str(run.with_suffix(".json")), "--tables", str(run.with_suffix(".tables"))]
    command = [sys.executable, "-m", "oneowner", "audit", str(run), *out]
    return measure([*command, *engine])
