"""
Which engine judges the runs: inline for a few megabytes, Spark for more. Both give the same bytes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial

from oneowner.checkers.extras import install, missing, need
from oneowner.checkers.recordings.fold.inline import audit_inline
from oneowner.checkers.recordings.fold.outcomes import Outcomes
from oneowner.checkers.recordings.fold.partition import Each, in_turn
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.lines import Kind, weight
from oneowner.checkers.verdict import Misuse

INLINE_LIMIT = 32 * 1024 * 1024
"""Bytes of input (a gzipped file counts tenfold) up to which Spark would only cost its start."""

LOGS_LIMIT = 1024 * 1024 * 1024
"""The same of logs: most of their lines are of loggers that nobody asks, and quickly read."""

JAVA_HINT = "Spark needs Java 17 or later: sudo apt-get install openjdk-17-jre-headless, or set JAVA_HOME"


def run_engine(
    runs: Sequence[Run], engine: str, master: str | None, on_progress: Callable[[str], None] | None = None
) -> tuple[Outcomes, str]:
    """Judge *runs* by the wanted engine (auto, spark, inline); return the outcomes and which one it was."""
    chosen, why = choose(runs, engine, master)
    if chosen == "inline":
        return audit_inline(runs, on_progress), f"engine: inline ({why})"
    from oneowner.checkers.recordings.fold.spark import audit_spark

    outcomes, where = audit_spark(runs, master)
    return outcomes, f"engine: {where} ({why})"


def spreading(runs: Sequence[Run], engine: str, master: str | None) -> Each:
    """Return who works on the files of *runs* apart from each other, by the wanted engine."""
    chosen, _ = choose(runs, engine, master)
    if chosen == "inline":
        return in_turn
    from oneowner.checkers.recordings.fold.spark_partition import on_cluster

    return partial(on_cluster, size=_dumps_size(runs) + logs_size(runs), master=master)


def choose(runs: Sequence[Run], engine: str, master: str | None) -> tuple[str, str]:
    """Return the engine to use and why."""
    size, logs = _dumps_size(runs), logs_size(runs)
    is_of_logs = size <= INLINE_LIMIT and logs > LOGS_LIMIT
    words = f"about {(logs if is_of_logs else size) / 1024 / 1024:.1f} MiB of {'logs' if is_of_logs else 'input'}"
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
    return sum(weight(piece.path) for run in runs for piece in run.pieces if piece.kind != Kind.LOG)


def logs_size(runs: Sequence[Run]) -> int:
    """Return how many bytes of logs there are, about."""
    return sum(weight(piece.path) for run in runs for piece in run.pieces if piece.kind == Kind.LOG)


def has_java() -> bool:
    """Say whether a Java runtime is found, or a Spark Connect server is used instead."""
    home = os.environ.get("JAVA_HOME")
    if os.environ.get("SPARK_REMOTE"):
        return True
    return shutil.which("java") is not None or (home is not None and shutil.which(f"{home}/bin/java") is not None)
