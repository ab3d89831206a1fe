"""
A Spark cluster of a master and two workers, each a process of its own: the same bytes as inline.

Also if a worker is killed with the output of its tasks while the job runs. Spark's own classes are started, on ports
that are free; their folders are the test's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
import pyspark
import pytest

from oneowner.checkers.recordings.fold.audit_engine import has_java
from tests.recordings.fold.test_engines import bytes_of, timeless
from tools.bench import generate

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not has_java(), reason="a Spark cluster needs Java"),
]

HOME = Path(pyspark.__file__).parent
PATIENCE = 120.0
"""Seconds that a process may take to start, or the job to come where it is waited for, on a busy machine."""

Value = TypeVar("Value")


@dataclass
class Cluster:
    """A master and its workers."""

    master: str
    workers: list[subprocess.Popen[bytes]]
    folders: list[Path]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def waited_for(what: str, look: Callable[[], Value | None]) -> Value:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise TimeoutError(what)


def started(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_DIRS": str(folder), "PYSPARK_PYTHON": sys.executable,
    }  # fmt: skip
    folder.mkdir(parents=True)
    command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


def said(folder: Path, pattern: str) -> str | None:
    found = re.search(pattern, (folder / "log").read_text(encoding="utf-8", errors="replace"))
    return found and found.group()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    here = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    processes = [started(tmp_path / "master", "master.Master", *here)]
    try:
        url = waited_for("the master", lambda: said(tmp_path / "master", r"spark://127\.0\.0\.1:\d+"))
        folders = [tmp_path / f"worker-{number}" for number in (1, 2)]
        size = ("--cores", "1", "--memory", "1g")
        processes += [
            started(folder, "worker.Worker", *here, *size, "--work-dir", str(folder), url) for folder in folders
        ]
        for folder in folders:
            waited_for("a worker", lambda: said(folder, "Successfully registered with master"))  # noqa: B023
        yield Cluster(url, processes[1:], folders)
    finally:
        for process in processes:
            kill_with_children(process)


def kill_with_children(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that the test started, and those that it started in turn."""
    if process.poll() is None:
        family = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
        for member in family:
            try:
                member.kill()
            except psutil.NoSuchProcess:
                continue
    process.wait()


def audit_on(cluster: Cluster, dump: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start an audit in a process of its own; its files are cut into many chunks."""
    words = (
        "import sys; from functools import partial; "
        "from oneowner.checkers.recordings.fold import runs; "
        "from oneowner.checkers.recordings.read.lines import chunks_of; "
        "runs.chunks_of = partial(chunks_of, size=60_000); "
        "from oneowner.checkers.cli.main import main; main()"
    )
    command = [sys.executable, "-c", words, "audit", str(dump), "--json", str(out), "--master", cluster.master]
    return subprocess.Popen(command, env=cluster.environment(), stdout=subprocess.DEVNULL)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    generate.write(tmp_path / "channel.jsonl", 20_000, 300)
    return tmp_path / "channel.jsonl"


def assert_same(job: subprocess.Popen[bytes], out: Path, dump: Path) -> None:
    code, text = bytes_of("audit", dump, "--engine", "inline")
    assert job.wait() == code
    assert timeless(out.read_text(encoding="utf-8")) == text
    assert text.count('"rule"') > 400


def test_two_workers_give_the_same_bytes(cluster: Cluster, dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    job = audit_on(cluster, dump, out)
    assert_same(job, out, dump)
    assert all(list(folder.rglob("shuffle_*.data")) or list(folder.glob("app-*")) for folder in cluster.folders)


def test_killed_worker_changes_nothing(cluster: Cluster, dump: Path, tmp_path: Path) -> None:
    """It is killed when it has written output that no task has read yet."""
    out, folder = tmp_path / "out.json", cluster.folders[0]
    job = audit_on(cluster, dump, out)
    waited_for("output of a task", lambda: job.poll() is not None or list(folder.rglob("shuffle_*.data")))
    assert job.poll() is None
    kill_with_children(cluster.workers[0])
    assert job.poll() is None
    assert_same(job, out, dump)
