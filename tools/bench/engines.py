"""
Our engines beside TLC, Spin, stateright and minicheck on one family, each peer with its own hand-written model.

Runs of all contenders take turns, so that a noisy machine is noisy for all; medians are printed. Start-up, the time
of a tiny size, is taken out of every rate. A contender whose counts differ from our C engine's fails the bench.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tools.bench.contenders import C_ALL_LAWS, C_TWO_RUNS, C_TWO_THREADS, CONTENDERS, GROWTH, TINY, TLC, C, Contender
from tools.peers.contenders import ROOT, Bounds, Counts, Unfinished

NOTE = """\
Every contender checks the same eleven laws and keeps predecessors (Spin: its stack). Sizes differ, rates are compared.
start: what a tiny size takes; a rate is of the states and seconds beyond it, for all alike. Compiling is in neither.
cpu s: seconds of one processor, which other work on the machine disturbs less than seconds.
memory: of the largest process, start-up included; of two runs at once, both."""

WIDTH = 120
"""Columns of the tables, also where the output is no terminal."""


NOTHING = Counts(0, 0, 0)


class Run(NamedTuple):
    """A command's duration, memory and output; of several copies at once, all together."""

    seconds: float
    cpu: float
    """Seconds of all processors, in user and system mode."""
    peak: int
    """Bytes of its largest process, as the kernel counts them; summed over copies."""
    outs: list[str]


@dataclass
class Row:
    """The measurements of one contender, a list element per round."""

    contender: Contender
    bounds: Bounds
    trouble: str = ""
    """The reason that there is nothing to compare: not installed, not finished, other counts."""
    failed: bool = False
    expected: Counts = NOTHING
    tiny: Counts = NOTHING
    starts: list[Run] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    @property
    def start(self) -> float:
        """Seconds of the tiny size."""
        return median(run.seconds for run in self.starts)

    @property
    def distinct_rate(self) -> float:
        """Distinct states a second beyond the tiny size; of several copies, all together."""
        return self._rate(self.expected.states - self.tiny.states)

    @property
    def generated_rate(self) -> float:
        """Transitions a second, likewise."""
        return self._rate((self.expected.transitions or 0) - (self.tiny.transitions or 0))

    def _rate(self, count: int) -> float:
        return median(count * self.contender.copies / beyond(run.seconds, self.start) for run in self.runs)

    @property
    def cpu_rate(self) -> float:
        """Distinct states a second of one processor, likewise: other work on the machine disturbs it less."""
        count, start = (
            (self.expected.states - self.tiny.states) * self.contender.copies,
            median(r.cpu for r in self.starts),
        )
        return median(count / beyond(run.cpu, start * self.contender.copies) for run in self.runs)

    @property
    def peak(self) -> float:
        return median(run.peak for run in self.runs)


def beyond(seconds: float, start: float) -> float:
    """Return the duration of a run without its start-up; noise must not make a run free."""
    return max(seconds - start, seconds / 100)


def bench(rounds: int, quick: bool, others: Sequence[Contender] = ()) -> int:
    """Measure our engines, their peers and *others*, print the tables, return the exit code."""
    out, progress = Console(width=WIDTH, highlight=False), Console(stderr=True)
    if words := C.peer.missing():
        out.print(f"failed: every count is compared with that of our C engine, which needs {words}", style="bold red")
        return 1
    with tempfile.TemporaryDirectory(prefix="oneowner-bench-") as folder:
        rows = [Row(contender, contender.quick if quick else contender.size) for contender in (*CONTENDERS, *others)]
        grown = [Row(C, bounds) for bounds in (GROWTH[:-1] if quick else GROWTH)]
        expected = {}
        for bounds in dict.fromkeys((TINY, *(row.bounds for row in (*rows, *grown)))):
            progress.print(f"C, alone, to know what to expect: {bounds}", style="dim")
            try:
                expected[bounds] = reference(bounds, Path(folder))
            except Unfinished as error:
                out.print(f"failed: C within {bounds}: {error}", style="bold red", markup=False)
                return 1
        for row in (*rows, *grown):
            row.expected, row.tiny = expected[row.bounds], expected[TINY]
        for row in (row for row in rows if row.contender in (C_ALL_LAWS, *others)):
            progress.print(f"{row.contender.name}: compiled before it is timed", style="dim")
            for bounds in (TINY, row.bounds):
                run(row.contender.peer.prepare(bounds, Path(folder), 0), Path(folder))
        turns = [(f"round {number} of {rounds}", row) for number in range(1, rounds + 1) for row in rows]
        for turn, row in (*turns, *(("growth", row) for row in grown)):
            progress.print(f"{turn}: {row.contender.name}, {row.bounds}", style="dim")
            measure(row, Path(folder))
    out.print(table_of(rows), NOTE, sep="\n")
    out.print(*ceiling(rows), sep="\n")
    out.print(*pairs(rows, others), sep="\n")
    out.print(growth_of(grown))
    for row in (*rows, *grown):
        if row.trouble:
            out.print(f"{row.contender.name}: {row.trouble}", style="bold red" if row.failed else "", markup=False)
    return 1 if any(row.failed for row in (*rows, *grown)) else 0


def reference(bounds: Bounds, folder: Path) -> Counts:
    """Return the counts of our C engine; this also compiles its search, which the timed runs then find ready."""
    (out,) = run(C.peer.prepare(bounds, folder, 0), folder).outs
    return C.peer.parse(out)


def measure(row: Row, folder: Path) -> None:
    """Add one round to *row*, or set its trouble."""
    if row.trouble:
        return
    peer = row.contender.peer
    if words := peer.missing():
        row.trouble = f"not installed: {words}"
        return
    try:
        for bounds, expected, copies in ((TINY, row.tiny, 1), (row.bounds, row.expected, row.contender.copies)):
            with tempfile.TemporaryDirectory(dir=folder) as place:
                took = run(peer.prepare(bounds, Path(place), expected.states), Path(place), copies)
            for printed in took.outs:
                if words := differs(peer.parse(printed), expected):
                    raise Unfinished(f"counts differ in {bounds}: {words}")
            if bounds is TINY:
                row.starts.append(took)
            else:
                row.runs.append(took)
    except Unfinished as error:
        row.trouble, row.failed = f"failed: {error}", True


def differs(found: Counts, expected: Counts) -> str:
    """Return in words the counts of *found* other than *expected*, of those that the tool counts."""
    pairs = zip(Counts._fields, found, expected, strict=True)
    return "; ".join(
        f"{name} {theirs:,}, by C {ours:,}"
        for name, theirs, ours in pairs
        if theirs is not None and ours is not None and theirs != ours
    )


def run(command: Sequence[str], folder: Path, copies: int = 1) -> Run:
    """Run *command* in *folder*, as many times at once as asked; its output includes its errors."""
    files = [folder / f"printed-{copy}" for copy in range(copies)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = time.perf_counter()
    children = []
    for path in files:
        with path.open("wb") as stream:
            children.append(
                subprocess.Popen(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT, env=environment)
            )
    cpu, peak = 0.0, 0
    for child in children:
        _, status, used = os.wait4(child.pid, 0)  # with its descendants: the maximum, not the sum
        child.returncode = os.waitstatus_to_exitcode(status)
        cpu += used.ru_utime + used.ru_stime
        peak += used.ru_maxrss * 1024
    return Run(time.perf_counter() - started, cpu, peak, [path.read_text(encoding="utf-8") for path in files])


# ---- what is printed ----


def table_of(rows: Sequence[Row]) -> Table:
    """Return the comparison; a contender in trouble keeps its row."""
    peer = next(row for row in rows if row.contender is TLC)
    rates = "distinct/s", "generated/s", "distinct/cpu s"
    table = grid("contender", "states", "transitions", *rates, "memory", "B/state", "start", "to TLC")
    for row in rows:
        if row.trouble:
            table.add_row(row.contender.name, *["-"] * 8, "see below")
        else:
            table.add_row(row.contender.name, *figures(row), to_peer(row, peer))
    return table


def figures(row: Row) -> Iterator[str]:
    """Yield the columns of a row that was measured."""
    copies = row.contender.copies
    yield f"{row.expected.states * copies:,}"
    yield f"{(row.expected.transitions or 0) * copies:,}"
    yield f"{row.distinct_rate:,.0f}"
    yield f"{row.generated_rate:,.0f}"
    yield f"{row.cpu_rate:,.0f}"
    yield f"{row.peak / 2**20:,.0f} MiB"
    yield f"{row.peak / (row.expected.states * copies):,.0f}"
    yield f"{row.start:.2f} s"


def to_peer(row: Row, peer: Row) -> str:
    """Return how many times as fast as *peer* a row is."""
    return "unknown" if peer.trouble else f"{row.distinct_rate / peer.distinct_rate:.2f}"


def ceiling(rows: Sequence[Row]) -> Iterator[str]:
    """Return the share of the joint speed of two separate runs that two threads of one run reach."""
    threads = next(row for row in rows if row.contender is C_TWO_THREADS)
    runs = next(row for row in rows if row.contender is C_TWO_RUNS)
    if threads.trouble or runs.trouble:
        yield "C, two threads to two runs at once: unknown"
    else:
        yield f"C, two threads to two runs at once: {threads.distinct_rate / runs.distinct_rate:.0%}"


def pairs(rows: Sequence[Row], others: Sequence[Contender]) -> Iterator[str]:
    """Return the ratio of our C engine's seconds to those of each of *others*, round by round."""
    own = next(row for row in rows if row.contender is C)
    for row in rows:
        if row.contender not in others:
            continue
        if own.trouble or row.trouble:
            yield f"C to {row.contender.name}: unknown"
            continue
        seconds = compared(
            (beyond(run.seconds, own.start) for run in own.runs), (beyond(run.seconds, row.start) for run in row.runs)
        )
        cpu = compared((run.cpu for run in own.runs), (run.cpu for run in row.runs))
        yield f"C to {row.contender.name}, round by round: {seconds} times the seconds, {cpu} times the processor's"


def compared(mine: Iterable[float], theirs: Iterable[float]) -> str:
    """Return the median of how many times *theirs* each of *mine* is, with the least and the most."""
    ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
    return f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def growth_of(rows: Sequence[Row]) -> Table:
    """Return C's durations and memory as states grow."""
    table = grid("C, as states grow", "states", "seconds", "us/state", "memory", "B/state")
    for row in rows:
        if row.trouble:
            table.add_row(str(row.bounds), *["-"] * 4, "see below")
            continue
        costs = f"{beyond(row.runs[0].seconds, row.start):.2f}", f"{1e6 / row.distinct_rate:.2f}"
        memory = f"{row.peak / 2**20:,.0f} MiB", f"{row.peak / row.expected.states:,.0f}"
        table.add_row(str(row.bounds), f"{row.expected.states:,}", *costs, *memory)
    return table


def grid(first: str, *columns: str) -> Table:
    """Return an empty table whose other columns are numbers."""
    table = Table(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
