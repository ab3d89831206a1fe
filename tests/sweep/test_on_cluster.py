"""A worker, or the driver, that is killed at a random moment changes no byte of a sweep."""

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.audit_engine import has_java
from tests.command_line import oneowner
from tests.spark_workers import Cluster, cluster_in, kill_with_children, waited_for

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not has_java(), reason="a Spark cluster needs Java"),
]

SWEEP = ("sweep", "--family", "leader", "--family", "expiry", "--walks", "3000", "--seeds", "1..12")
TASKS = 24


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster_in(tmp_path) as found:
        yield found


def begun(cluster: Cluster, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "oneowner", *SWEEP, "--master", cluster.master, "--out", str(out)]
    job = subprocess.Popen(command, env=cluster.environment(), stdout=subprocess.DEVNULL)
    cluster.jobs.append(job)
    return job


def rows_in(out: Path) -> int:
    return len(list((out / "rows").glob("*.json")))


@pytest.fixture
def expected(tmp_path: Path) -> bytes:
    oneowner(*SWEEP, "--engine", "inline", "--out", tmp_path / "here")
    return (tmp_path / "here" / "sweep.parquet").read_bytes()


def test_killed_worker_changes_no_byte(cluster: Cluster, tmp_path: Path, expected: bytes) -> None:
    job, moment = begun(cluster, tmp_path / "there"), random.randint(1, TASKS - 2)
    waited_for(f"{moment} rows", lambda: job.poll() is not None or rows_in(tmp_path / "there") >= moment, 600)
    kill_with_children(cluster.workers[0])
    assert job.wait() == 3
    assert (tmp_path / "there" / "sweep.parquet").read_bytes() == expected


def test_killed_driver_goes_on_with_what_is_done(cluster: Cluster, tmp_path: Path, expected: bytes) -> None:
    job, moment = begun(cluster, tmp_path / "there"), random.randint(1, TASKS - 2)
    waited_for(f"{moment} rows", lambda: job.poll() is not None or rows_in(tmp_path / "there") >= moment, 600)
    kill_with_children(job)
    assert not (tmp_path / "there" / "sweep.parquet").exists()
    assert begun(cluster, tmp_path / "there").wait() == 3
    assert (tmp_path / "there" / "sweep.parquet").read_bytes() == expected


def test_killed_sweep_without_spark_goes_on_with_what_is_done(tmp_path: Path, expected: bytes) -> None:
    out = tmp_path / "there"
    command = [sys.executable, "-m", "oneowner", *SWEEP, "--engine", "inline", "--out", str(out)]
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    waited_for("a row", lambda: job.poll() is not None or rows_in(out), 600)
    kill_with_children(job)
    there = rows_in(out)
    assert 0 < there < TASKS
    assert f"{there} of {TASKS} tasks were done before" in oneowner(*SWEEP, "--engine", "inline", "--out", out).said
    assert (out / "sweep.parquet").read_bytes() == expected
