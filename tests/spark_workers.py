"""A Spark cluster of a master and two workers, each a process of its own, on ports that are free."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil
import pyspark

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
    jobs: list[subprocess.Popen[bytes]] = field(default_factory=list)
    """The processes that run on it, and end with it."""

    def environment(self) -> dict[str, str]:
        return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def waited_for(what: str, look: Callable[[], Value | None], patience: float = PATIENCE) -> Value:
    end = time.monotonic() + patience
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


def log_match(folder: Path, pattern: str) -> str | None:
    found = re.search(pattern, (folder / "log").read_text(encoding="utf-8", errors="replace"))
    return found and found.group()


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


@contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    """Start a master and two workers with a core and a gigabyte each, whose folders are below *folder*; end them."""
    here = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    processes = [started(folder / "master", "master.Master", *here)]
    try:
        url = waited_for("the master", lambda: log_match(folder / "master", r"spark://127\.0\.0\.1:\d+"))
        folders = [folder / f"worker-{number}" for number in (1, 2)]
        size = ("--cores", "1", "--memory", "1g")
        processes += [started(place, "worker.Worker", *here, *size, "--work-dir", str(place), url) for place in folders]
        for place in folders:
            waited_for("a worker", lambda: log_match(place, "Successfully registered with master"))  # noqa: B023
        found = Cluster(url, processes[1:], folders)
        processes = found.jobs = [*processes]
        yield found
    finally:
        for process in reversed(processes):
            kill_with_children(process)
