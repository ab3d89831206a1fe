"""
A Spark cluster of a master and two workers, each a process of its own: the same bytes as inline.

Also if a worker is killed with the output of its tasks while the job runs.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.audit_engine import has_java
from tests.command_line import REAL
from tests.recordings.fold.test_engines import bytes_of, timeless
from tests.spark_workers import Cluster, cluster_in, kill_with_children, waited_for
from tools.bench import generate

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not has_java(), reason="a Spark cluster needs Java"),
]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster_in(tmp_path) as found:
        yield found


def audit_on(cluster: Cluster, dump: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start an audit in a process of its own; its files are cut into many chunks."""
    words = (
        "import sys; from functools import partial; "
        "from oneowner.checkers.recordings.fold import runs; "
        "from oneowner.checkers.recordings.read.lines import chunks_of; "
        "runs.chunks_of = partial(chunks_of, size=60_000); "
        "from oneowner.checkers.cli.main import main; main()"
    )
    command = [sys.executable, "-c", words, "audit", str(dump), "--json", str(out), "--master", cluster.master]
    command += options
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


@pytest.mark.parametrize("is_killed", [False, True], ids=["both workers", "one killed"])
def test_lines_that_wait_on_two_workers_are_judged_to_the_same_bytes(
    is_killed: bool, cluster: Cluster, tmp_path: Path
) -> None:
    """Files that a worker had read and kept for the judge are read anew elsewhere, if the worker is gone."""
    out, folder, run = tmp_path / "out.json", cluster.folders[0], REAL / "zombie"
    job = audit_on(cluster, run, out, "--engine", "spark")
    if is_killed:
        waited_for("a part that is kept", lambda: job.poll() is not None or list(folder.rglob("rdd_*")))
        assert job.poll() is None
        kill_with_children(cluster.workers[0])
    code, text = bytes_of("audit", run, "--engine", "inline")
    assert job.wait() == code
    assert timeless(out.read_text(encoding="utf-8")) == text
    assert '"dual-serving"' in text
