"""
The audit on Spark beside a bare loop over the same file, and its memory as the log grows.

The peer does far less work (no checks, no laws, no findings), on one core. Start-up of Spark is measured on a
tiny dump and taken out of the audit's time; both are printed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tools.bench.generate import write
from tools.bench.memory import measure

HERE = Path(__file__).parent
TINY = 2_000
UNITS = 5_000


def bench(records: int, growth: int, rounds: int) -> None:
    """Measure a log of *records* events and one *growth* times as long, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as folder:
        run(Path(folder), records, growth, rounds)


def run(folder: Path, records: int, growth: int, rounds: int) -> None:
    """Measure, and print the table."""
    console = Console()
    sizes = {"tiny": TINY, "log": records, "long": records * growth}
    for name, count in track(sizes.items(), "generating", console=Console(stderr=True), transient=True):
        write(folder / f"{name}.jsonl", count, UNITS)
    bare, start, audit = [], [], []
    for _ in track(range(rounds), "measuring", console=Console(stderr=True), transient=True):
        bare.append(seconds([sys.executable, str(HERE / "bare_loop.py"), str(folder / "log.jsonl")]))
        start.append(seconds(audit_of(folder, "tiny")))
        audit.append(seconds(audit_of(folder, "log")))
    net = [total - statistics.median(start) for total in audit]
    ratios = [peer / own for peer, own in zip(bare, net, strict=True)]
    short, long = (measure(audit_of(folder, name)) for name in ("log", "long"))
    table = Table("what", "median", box=None, pad_edge=False)
    rows = {
        "cores": f"{os.cpu_count()}",
        "bare loop, one core": rate(records, statistics.median(bare)),
        "audit on Spark, start-up taken out": rate(records, statistics.median(net)),
        "start-up of the audit": f"{statistics.median(start):.1f} s",
        "speed, audit to bare loop": f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        f"peak memory at {records:,} events": f"{short.peak / 2**20:,.0f} MiB",
        f"peak memory at {records * growth:,} events": f"{long.peak / 2**20:,.0f} MiB",
        "memory, long log to short": f"{long.peak / short.peak:.2f}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)


def audit_of(folder: Path, name: str) -> list[str]:
    """Return the command that audits one log on Spark and writes its complete JSON."""
    files = [str(folder / f"{name}.jsonl"), "--json", str(folder / f"{name}.json")]
    return [sys.executable, "-m", "oneowner", "audit", *files, "--engine", "spark"]


def seconds(command: list[str]) -> float:
    """Return how long *command* takes."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def rate(records: int, took: float) -> str:
    """Return a rate in words."""
    return f"{records / took:,.0f} events/s ({took:.1f} s)"
