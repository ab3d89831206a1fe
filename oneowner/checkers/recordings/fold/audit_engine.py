"""
The engine reads and folds the runs, to the same bytes: in this process, read by one for each core, or on Spark.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import merge
from tempfile import TemporaryDirectory
from typing import Any

from oneowner.checkers.extras import install, missing, need
from oneowner.checkers.recordings.fold.blocks import Block, Packed
from oneowner.checkers.recordings.fold.bucket import (
    Stored,
    Task,
    fold_and_store,
    read_and_store,
)
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.column_formulas import traced
from oneowner.checkers.recordings.fold.intervals import Intervals
from oneowner.checkers.recordings.fold.outcomes import Outcomes, in_order
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.events import Finding, Refused, Tally
from oneowner.checkers.recordings.read.lines import Chunk, FileKind, weight
from oneowner.checkers.recordings.read.partition import Executor, in_processes, in_turn, processes
from oneowner.checkers.verdict import Misuse

INLINE_LIMIT = 16 * 1024 * 1024 * 1024
"""
Bytes of input (a gzipped file counts tenfold) up to which Spark is not asked for more cores.

Processes of this machine read and fold as its tasks do, on the same cores, and start in a second instead of 13 to 24.
Memory hardly grows: 40 million records, 11.7 GB, took 95 MiB here and 400 in two workers; 10 million 62 and 345.
"""

LOGS_LIMIT = 8 * 1024 * 1024 * 1024
"""The same for logs: laws use few of their lines, and the lines that are read stay in this process either way."""

ALONE = 128 * 1024 * 1024
"""Bytes of logs, or of other input, that one process has read before another one has begun."""

JAVA_HINT = "Spark needs Java 17 or later: sudo apt-get install openjdk-17-jre-headless, or set JAVA_HOME"


def run_engine(
    runs: Sequence[Run],
    engine: str,
    master: str | None,
    on_progress: Callable[[str], None] | None = None,
    with_evidence: bool = True,
) -> tuple[Outcomes, str]:
    """
    Judge *runs* by the wanted engine (auto, spark, inline); return the outcomes and the engine used.

    Without *with_evidence* files beside the channel are left to the judge.
    """
    chosen, why = choose(runs, engine, master)
    if chosen == "inline":
        return audit_inline(runs, on_progress, with_evidence), f"engine: inline ({why})"
    from oneowner.checkers.recordings.fold.spark import audit_spark

    outcomes, where = audit_spark(runs, master, with_evidence)
    return outcomes, f"engine: {where} ({why})"


def spreading(runs: Sequence[Run], engine: str, master: str | None) -> Executor:
    """Return the executor that works on the files of *runs* separately, by the wanted engine."""
    chosen, _ = choose(runs, engine, master)
    if chosen == "inline":
        return in_processes if logs_size(runs) > ALONE else in_turn
    from oneowner.checkers.recordings.fold.spark_partition import OnCluster

    return OnCluster(_dumps_size(runs) + logs_size(runs), master)


def choose(runs: Sequence[Run], engine: str, master: str | None) -> tuple[str, str]:
    """Return the engine to use and the reason."""
    size, logs = _dumps_size(runs), logs_size(runs)
    is_of_logs = size <= INLINE_LIMIT and logs > LOGS_LIMIT
    what = [(size, "input")] * (not is_of_logs) + [(logs, "logs")] * (logs > 0)
    words = "about " + " and ".join(f"{number / 1024 / 1024:.1f} MiB of {name}" for number, name in what)
    if engine == "inline":
        return "inline", "as asked"
    if engine == "spark" or master is not None:
        need("spark", "--engine spark" if master is None else "--master")
        if not has_java():
            raise Misuse(JAVA_HINT)
        return "spark", "as asked"
    if size <= INLINE_LIMIT and not is_of_logs:
        return "inline", words
    if missing("spark"):
        return "inline", f"{words}, but Spark is not installed: {install('spark')}"
    if not has_java():
        return "inline", f"{words}, but no Java is found; {JAVA_HINT}"
    return "spark", words


def _dumps_size(runs: Sequence[Run]) -> int:
    return sum(weight(piece.path) for run in runs for piece in run.pieces if piece.kind != FileKind.LOG)


def logs_size(runs: Sequence[Run]) -> int:
    """Return the approximate number of bytes of logs."""
    return sum(weight(piece.path) for run in runs for piece in run.pieces if piece.kind == FileKind.LOG)


def has_java() -> bool:
    """Return whether a Java runtime is found, or a Spark Connect server is used instead."""
    home = os.environ.get("JAVA_HOME")
    if os.environ.get("SPARK_REMOTE"):
        return True
    return shutil.which("java") is not None or (home is not None and shutil.which(f"{home}/bin/java") is not None)


def audit_inline(
    runs: Sequence[Run], on_progress: Callable[[str], None] | None = None, with_evidence: bool = True
) -> Outcomes:
    """
    Read and judge *runs* in this process, or in one for each core if they are long, with outcomes on disk.

    Files beside the channel are only read *with_evidence*.
    """
    chunks = [chunk for number, run in enumerate(runs) for chunk in run.chunks(number, with_evidence)]
    is_long = sum(weight(path) for path in {chunk.path for chunk in chunks}) > ALONE
    if on_progress is not None:
        on_progress(f"{runs[0].name}{' and others' if len(runs) > 1 else ''}: {len(chunks)} parts of files")
    if not is_long:
        return _judged(runs, chunks, in_turn, None, 1)
    with processes(len(chunks)) as executor:
        return _judged(runs, chunks, executor, TemporaryDirectory(prefix="oneowner-audit-"), os.cpu_count() or 1)


def _judged(
    runs: Sequence[Run],
    chunks: Sequence[Chunk],
    executor: Executor,
    folder: TemporaryDirectory[str] | None,
    buckets: int,
) -> Outcomes:
    """Read and judge the *chunks* of *runs*; blocks and outcomes are kept in *folder*, if there is one."""
    place = "" if folder is None else folder.name
    outcomes = Outcomes({number: Tally() for number, _ in enumerate(runs)})
    said: list[Stored] = []
    blocks: dict[tuple[int, int], list[Stored]] = {}
    for part in executor(partial(read_and_store, place, buckets), chunks):
        if isinstance(part, Summary):
            outcomes.note(part.chunk.run, part)
        elif part.kind is Block:
            blocks.setdefault((part.run, part.bucket), []).append(part)
        else:
            said.append(part)
    tasks = [
        Task(run, bucket, tuple(sorted(some, key=lambda block: block.first)), bucket >= buckets)
        for (run, bucket), some in sorted(blocks.items())
    ]
    questions = [run.question for run in runs]
    formulas = [None if folder is None else traced(question.storage) for question in questions]
    lasted: list[list[Stored]] = []
    for found in executor(partial(fold_and_store, place, questions, formulas), tasks):
        if isinstance(found, Stored):
            said.append(found)
        elif isinstance(found, list):
            lasted.append(found)
        else:
            outcomes.note(*found)
    said.sort(key=lambda some: (some.run, some.first))

    def stream(kind: type[Any], _: TemporaryDirectory[str] | None = folder) -> Iterator[tuple[int, Any]]:
        """Yield the outcomes; the folder exists as long as this function."""
        return in_order((some.run, some.value()) for some in said if some.kind is kind)

    def of_run(number: int, _: TemporaryDirectory[str] | None = folder) -> Iterator[Packed]:
        """Yield the events of a run; the folder exists as long as this function."""
        some = [block for task in tasks if task.run == number and not task.is_by_place for block in task.blocks]
        return iter(sorted(some, key=lambda block: block.first))

    def by_unit(_: TemporaryDirectory[str] | None = folder) -> Iterator[tuple[int, Intervals]]:
        """Yield the intervals; the folder exists as long as this function."""
        batches = [((part.run, piece) for part in some for piece in part.value()) for some in lasted]
        return merge(*batches, key=lambda pair: (pair[0], pair[1].units, pair[1].first()))

    outcomes.blocks = of_run
    outcomes.findings, outcomes.refusals = partial(stream, Finding), partial(stream, Refused)
    outcomes.intervals = by_unit
    return outcomes
