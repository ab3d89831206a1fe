"""
A Spark session is started, configured and ended here.

Its workers get the project's own packages as one zip.
"""

import atexit
import compileall
import logging
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

import oneowner
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import EngineError, Misuse

ROOMS = ("model", "spec", "checkers")
DATA = tuple(
    f"checkers/recordings/read/{name}"
    for name in ("log_layouts.yaml", "log_patterns.yaml", "plain_lines.c", "plain_text.h", "record_lines.c")
)
"""Files other than Python that workers read or compile."""

ROWS_PER_BATCH = 8
"""Rows that go to or from a worker at once: one may be megabytes."""


def session(master: str | None) -> SparkSession:
    """Return a Spark session that can run our code on its workers."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    builder = SparkSession.builder.appName("oneowner")
    if master is None and not os.environ.get("SPARK_REMOTE"):
        master = "local[*]"
    if master is not None:
        builder = builder.master(master)
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            for name, value in _LOCAL_SETTINGS.items():
                builder = builder.config(name, value)
    with ThreadPoolExecutor(1) as aside, _quiet_start():
        packed = aside.submit(rooms_zip)  # a second of work, while the JVM starts
        spark = builder.getOrCreate()
    if counters := getattr(getattr(spark, "_sc", None), "_accumulatorServer", None):  # Spark Connect has none
        counters.handle_error = lambda *_: None  # a traceback about a JVM that is gone, which failing_in_a_line says
    for name, value in _SESSION_SETTINGS.items():
        spark.conf.set(name, value)
    spark.addArtifacts(packed.result(), pyfile=True)
    return spark


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_LOCAL_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    # The JVM only moves bytes between Python workers, for seconds: compiling itself hard costs more than it gains,
    # and the serial collector keeps its heap small.
    # By itself it keeps two fifths of the heap free. What is old is only collected where the heap ends, so a long run
    # takes all of it: there is no more of it than the longest needs.
    # Without memory it must end: else a thread of it is gone, and the driver waits for ever. Its last words are none
    # of the results.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=25 -XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr",
    "spark.shuffle.compress": "false",
    "spark.driver.memory": os.environ.get("SPARK_DRIVER_MEMORY", "768m"),
}
_SESSION_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_PER_BATCH),
    # What is kept on disk goes there in batches of so many rows: one may hold a thousand findings.
    "spark.sql.inMemoryColumnarStorage.batchSize": "64",
}


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Start the JVM with its standard error in a file: its greetings are not the user's business."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.NamedTemporaryFile("w", prefix="oneowner-spark-", suffix=".log", delete=False) as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
        atexit.register(_remove, log.name)
    except Exception as error:
        words = " ".join(str(error).split())
        raise Misuse(f"Spark does not start: {words[:200]}; its log is {log.name}") from None
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def where(spark: SparkSession) -> str:
    """Return the place where tasks run, in words."""
    kind = "Spark Connect" if _is_connect(spark) else "Spark"
    return f"{kind} at {spark.conf.get('spark.master', 'an unknown master')}"


def is_local(spark: SparkSession) -> bool:
    """Return whether tasks run on this machine alone, and so find its files."""
    return not _is_connect(spark) and str(spark.conf.get("spark.master")).startswith("local")


def _is_connect(spark: SparkSession) -> bool:
    return "connect" in type(spark).__module__


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks the cluster runs at once, about."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect has no context
        return os.cpu_count() or 2


@cache  # once in a process: packing takes a second, and a cluster takes a file by its name once
def rooms_zip() -> str:
    """Pack the rooms into one zip for the workers, compiled too, so that none has to; return its path."""
    handle, name = tempfile.mkstemp(prefix="oneowner-", suffix=".zip")
    atexit.register(_remove, name)
    with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
        files = [file for room in ROOMS for file in sorted((PACKAGE / room).rglob("*.py"))]
        for data in DATA:
            archive.write(PACKAGE / data, Path("oneowner", data))
        places = {Path("oneowner", file.relative_to(PACKAGE)): file for file in files}
        for place, file in {Path("oneowner", "__init__.py"): Path(oneowner.__file__), **places}.items():
            archive.write(file, place)  # for workers of another Python
            if compileall.compile_file(file, quiet=2):  # compiles what is not compiled already
                archive.write(cache_from_source(file), place.with_suffix(".pyc"))
    return name


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)


def streamed(rows: DataFrame) -> Iterator[Row]:
    """Yield *rows* on the driver, a partition at a time; the next one comes meanwhile."""
    with failing_in_a_line():
        # Not by the data frame's own iterator: in Spark 4.3.0 all that it has fetched stays in the JVM, where
        # DAGScheduler.activeQueryToJobs holds it under a query that has ended before. Spark Connect has no other.
        yield from rows.toLocalIterator() if _is_connect(rows.sparkSession) else rows.rdd.toLocalIterator(True)


@contextmanager
def failing_in_a_line() -> Iterator[None]:
    """Condense Spark's final error to one line: no memory, no disk, a lost cluster, a task of ours."""
    try:
        yield
    except (Py4JNetworkError, EOFError, ConnectionError) as error:
        raise EngineError(f"Spark gave up: {_GONE}; nothing is concluded") from error
    except (Py4JError, PySparkException) as error:
        raise EngineError(f"Spark gave up: {_reason(str(error))[:300]}; nothing is concluded") from error


def _reason(text: str) -> str:
    """Return the line of a stack trace that names the error: of a worker's, if there is one, the last."""
    lines = [line.strip(" :") for line in text.splitlines() if line.strip()] or [_GONE]
    raised = [line for line in lines if _RAISED.match(line)]
    of_worker = [line for line in raised if not line.startswith(("org.", "java.", "py4j."))]
    return of_worker[-1] if of_worker else raised[0] if raised else lines[0]


_GONE = "its process is gone, perhaps for want of memory: SPARK_DRIVER_MEMORY=2g gives it more"
_RAISED = re.compile(r"[\w.$]*(?:Exception|Error)\b")
