"""
Tasks of a sweep are done on a Spark cluster, each a task there, by a process of ours on every worker.

That process needs files beside modules (families, C), so the rooms travel as a zip that a worker unpacks once. Spark
does a task again whose worker is gone.
"""

import atexit
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles

import oneowner
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.spark_session import ROOMS, failing_in_a_line, session, where
from oneowner.checkers.sweep.kept_rows import Kept
from oneowner.checkers.sweep.task import Row, Task, failed
from oneowner.checkers.verdict import EngineError

MASTER = "local[*,4]"
"""All cores of this machine, and a task that was lost is done again: up to four times in all."""
ENDINGS = (".py", ".yaml", ".md", ".c", ".h", ".json")
_ROWS = pa.schema({"number": pa.int32(), "row": pa.string()})


@cache
def version() -> str:
    """Return the digest of all that rows depend on: our source."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(str(path.relative_to(PACKAGE)).encode() + path.read_bytes())
    return digest.hexdigest()


def _files() -> list[Path]:
    return [
        path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*"))
        if path.suffix in ENDINGS and "__pycache__" not in path.parts
    ]  # fmt: skip


@cache
def _packed() -> str:
    """Pack the rooms with their data, and return the path."""
    folder = tempfile.TemporaryDirectory(prefix="oneowner-")
    atexit.register(folder.cleanup)
    name = Path(folder.name, f"oneowner-rooms-{version()[:16]}.zip")
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(str(oneowner.__file__), "oneowner/__init__.py")
        for path in _files():
            archive.write(path, Path("oneowner", path.relative_to(PACKAGE)))
    return str(name)


def done_on_spark(
    tasks: Sequence[Task], kept: Kept, master: str | None, on_progress: Callable[[str], None] | None
) -> tuple[dict[Task, Row], str]:
    """Run tasks; return the finished rows, and the name of the cluster or the reason for its failure."""
    spark = session(master or MASTER)
    archive = _packed()
    spark.sparkContext.addFile(archive)
    numbers = spark.range(0, len(tasks), 1, len(tasks))
    answers = numbers.mapInArrow(_doing(list(tasks), kept, Path(archive).name), "number int, row string")
    place = where(spark)
    try:
        with ThreadPoolExecutor(1) as aside, failing_in_a_line():
            asked = aside.submit(answers.collect)
            try:
                while not asked.done():
                    time.sleep(0.2)
                    if on_progress is not None:
                        there = sum(kept.path(task).exists() for task in tasks)
                        on_progress(f"{there} of {len(tasks)} tasks done")
            except KeyboardInterrupt:
                spark.sparkContext.cancelAllJobs()
                raise
            found = {tasks[row["number"]]: json.loads(row["row"]) for row in asked.result()}
    except EngineError as error:
        return {task: row for task in tasks if (row := kept.find(task)) is not None}, str(error)
    for task, row in found.items():  # on a cluster that does not see the folder, nobody else has kept it
        if not kept.path(task).exists():
            kept.keep(task, row)
    return found, place


def _doing(tasks: list[Task], kept: Kept, archive: str) -> Any:
    def do(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                row = kept.find(tasks[number]) or _answered(tasks[number], archive)
                kept.keep(tasks[number], row)
                columns = [pa.array([number], pa.int32()), pa.array([json.dumps(row)], pa.string())]
                yield pa.RecordBatch.from_arrays(columns, schema=_ROWS)

    return do


@dataclass
class _Process:
    """The process that does tasks for this worker of Spark."""

    child: subprocess.Popen[str]

    def ask(self, task: Task) -> Row | None:
        """Return the row of a task; None if the process died of it."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        try:
            self.child.stdin.write(task.text + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except BrokenPipeError:
            return None
        row: Row | None = json.loads(line) if line.endswith("\n") else None
        return row


_processes: list[_Process] = []


def _answered(task: Task, archive: str) -> Row:
    if not _processes:
        _processes.append(_Process(_started(_unpacked(SparkFiles.get(archive)))))
    row = _processes[-1].ask(task)
    if row is None:
        code = _processes.pop().child.wait()
        return failed(task, f"the process that did it ended with code {code}, perhaps for want of memory")
    return row


def _started(rooms: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": rooms}
    command = [sys.executable, "-m", "oneowner.checkers.sweep.worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=rooms, env=environment
    )


def _unpacked(archive: str) -> str:
    """Unpack the rooms beside the archive, once on a machine; return the folder."""
    folder = Path(archive).with_suffix("")
    if not folder.exists():
        place = tempfile.mkdtemp(dir=folder.parent)
        with zipfile.ZipFile(archive) as whole:
            whole.extractall(place)
        with suppress(OSError):  # another worker was faster
            os.rename(place, folder)
    return str(folder)
