"""
``make bench-audit``: the audit of ever longer channel dumps beside the bare loop; memory by part, seconds by cores.

Each dump is generated, measured and removed before the next one: the longest needs 300 bytes of disk per record. It is
audited in process, on all cores, and then on Spark. Start-up is that of a tiny dump by the same engine, and taken out.
It runs right before each audit, and the bare loop before and after both, for the machine may be busy: the ratio is to
the mean of the two loops. Where other programs take the cores, seconds mean little: then compare seconds of processor,
of which two cores have two in a second and the loop uses one.

The loop writes nothing, so it is beside the audit with its complete JSON. With tables too, which hold every event
and are written by the driver alone, it runs once more: its memory is the one shown.
"""

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.bench.audit import HERE, TINY, UNITS
from tools.bench.generate import write
from tools.bench.memory import PARTS, Measured, measure

Engine = tuple[str, ...]
"""The options of the command that choose an engine."""


def bench(sizes: Sequence[int], cores: Sequence[int], rounds: int) -> None:
    """Measure dumps of so many records, in a folder that is gone afterwards; print a table."""
    columns = (
        "records", "engine", "bare loop", "audit", "events/s", "to bare loop", "processor", "of the loop",
        "2 x loop / audit", "with tables", "peak", *PARTS,
    )  # fmt: skip
    table = Table(*columns, box=None, pad_edge=False)
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as name:
        folder = Path(name)
        write(folder / "tiny.jsonl", TINY, UNITS)
        engines = [("--engine", "inline"), *(("--engine", "spark", "--master", f"local[{count}]") for count in cores)]
        for engine in engines:
            _audit(folder, "tiny", engine)  # the first one finds nothing compiled, and no library in memory
        for size in sizes:
            write(folder / "log.jsonl", size, UNITS)
            for engine in engines:
                table.add_row(f"{size:,}", engine[-1], *_row(folder, size, engine, rounds))
            (folder / "log.jsonl").unlink()
    Console(width=160).print(table)  # also where it is not a terminal


def _row(folder: Path, size: int, engine: Engine, rounds: int) -> Iterator[str]:
    bare = [_bare(folder)]
    start, found = list[Measured](), list[Measured]()
    for _ in range(rounds):
        start.append(_audit(folder, "tiny", engine))
        found.append(_audit(folder, "log", engine))
        bare.append(_bare(folder))
    net = [whole.seconds - begin.seconds for begin, whole in zip(start, found, strict=True)]
    used = [whole.processor - begin.processor for begin, whole in zip(start, found, strict=True)]
    ratios, of_processor = (
        [(before + after) / 2 / own for before, after, own in zip(loops, loops[1:], owns, strict=False)]
        for loops, owns in (([one.seconds for one in bare], net), ([one.processor for one in bare], used))
    )
    begin = statistics.median(one.seconds for one in start)
    yield f"{statistics.median(one.seconds for one in bare):.1f} s"
    yield f"{statistics.median(net):.1f} s + {begin:.1f} s"
    yield f"{size / statistics.median(net):,.0f}"
    yield f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    yield f"{statistics.median(used):.1f} s"
    yield f"{statistics.median(one.processor for one in bare):.1f} s"
    yield f"{2 * statistics.median(of_processor):.2f}"
    whole = _audit(folder, "log", engine, "--tables", str(folder / "tables"), memory=True)
    yield f"{whole.seconds - begin:.1f} s"
    for bytes_ in (whole.peak, *(whole.parts[part] for part in PARTS)):
        yield f"{bytes_ / 2**20:,.0f} MiB"
    shutil.rmtree(folder / "tables")


def _bare(folder: Path) -> Measured:
    return measure([sys.executable, str(HERE / "bare_loop.py"), str(folder / "log.jsonl")], memory=False)


def _audit(folder: Path, name: str, engine: Engine, *more: str, memory: bool = False) -> Measured:
    files = [str(folder / f"{name}.jsonl"), "--json", str(folder / f"{name}.json"), *more]
    return measure([sys.executable, "-m", "oneowner", "audit", *files, *engine], memory)
