"""
``make bench-audit``: the audit of ever longer channel dumps beside the bare loop; memory by part, seconds by cores.

Each dump is generated, measured and removed before the next one: the longest needs 300 bytes of disk per record.
Start-up is that of a tiny dump on as many cores, and taken out. It runs right before each audit, and the bare loop
before and after both, for the machine may be busy: the ratio is to the mean of the two loops.

The loop writes nothing, so it is beside the audit with its complete JSON. With tables too, which hold every event and
are written by the driver alone, it runs once more: its memory is what is shown.
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

from tools.bench.audit import HERE, TINY, UNITS, seconds
from tools.bench.generate import write
from tools.bench.memory import PARTS, Measured, measure


def bench(sizes: Sequence[int], cores: Sequence[int], rounds: int) -> None:
    """Measure dumps of so many records, in a folder that is gone afterwards; print a table."""
    columns = (
        "records",
        "cores",
        "bare loop",
        "audit",
        "events/s",
        "to bare loop",
        "processor",
        "with tables",
        "peak",
        *PARTS,
    )
    table = Table(*columns, box=None, pad_edge=False)
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as name:
        folder = Path(name)
        write(folder / "tiny.jsonl", TINY, UNITS)
        _audit(folder, "tiny", cores[0])  # the first one finds nothing compiled, and no library in memory
        for size in sizes:
            write(folder / "log.jsonl", size, UNITS)
            for count in cores:
                table.add_row(f"{size:,}", str(count), *_row(folder, size, count, rounds))
            (folder / "log.jsonl").unlink()
    Console(width=160).print(table)  # also where it is not a terminal


def _row(folder: Path, size: int, cores: int, rounds: int) -> Iterator[str]:
    bare = [_bare(folder)]
    start, found = list[Measured](), list[Measured]()
    for _ in range(rounds):
        start.append(_audit(folder, "tiny", cores))
        found.append(_audit(folder, "log", cores))
        bare.append(_bare(folder))
    net = [whole.seconds - begin.seconds for begin, whole in zip(start, found, strict=True)]
    ratios = [(before + after) / 2 / own for before, after, own in zip(bare, bare[1:], net, strict=False)]
    begin = statistics.median(one.seconds for one in start)
    yield f"{statistics.median(bare):.1f} s"
    yield f"{statistics.median(net):.1f} s + {begin:.1f} s"
    yield f"{size / statistics.median(net):,.0f}"
    yield f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    used = [whole.processor - begin.processor for begin, whole in zip(start, found, strict=True)]
    yield f"{statistics.median(used):.1f} s"
    whole = _audit(folder, "log", cores, "--tables", str(folder / "tables"), memory=True)
    yield f"{whole.seconds - begin:.1f} s"
    for bytes_ in (whole.peak, *(whole.parts[part] for part in PARTS)):
        yield f"{bytes_ / 2**20:,.0f} MiB"
    shutil.rmtree(folder / "tables")


def _bare(folder: Path) -> float:
    return seconds([sys.executable, str(HERE / "bare_loop.py"), str(folder / "log.jsonl")])


def _audit(folder: Path, name: str, cores: int, *more: str, memory: bool = False) -> Measured:
    files = [str(folder / f"{name}.jsonl"), "--json", str(folder / f"{name}.json"), *more]
    command = [sys.executable, "-m", "checkers", "audit", *files, "--engine", "spark", "--master", f"local[{cores}]"]
    return measure(command, memory)
