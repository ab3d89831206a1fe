"""Two workers explore as one process does, also if one is killed in a level, or the driver between two."""

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneowner.checkers.engines.spark.checkpoint import NAME
from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold.audit_engine import has_java
from tests.engines.spark.searching import assert_same, by_c
from tests.spark_workers import Cluster, cluster_in, kill_with_children, waited_for

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not has_java(), reason="a Spark cluster needs Java"),
]

WORDS = """
import pickle, sys
from pathlib import Path
from tests.engines.spark.searching import by_spark
found = by_spark(folder=Path(sys.argv[1]), small=0, master=sys.argv[2])
Path(sys.argv[3]).write_bytes(pickle.dumps(found))
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster_in(tmp_path) as found:
        yield found


def begun(cluster: Cluster, tmp_path: Path) -> subprocess.Popen[bytes]:
    """Start a search in a process of its own, each of whose levels is a job."""
    arguments = [str(tmp_path / "levels"), cluster.master, str(tmp_path / "found")]
    job = subprocess.Popen([sys.executable, "-c", WORDS, *arguments], env=cluster.environment(), cwd=TOP)
    cluster.jobs.append(job)
    return job


def levels_in(tmp_path: Path) -> int:
    path = tmp_path / "levels" / NAME
    return len(json.loads(path.read_text())["levels"]) if path.exists() else 0


def assert_found(tmp_path: Path) -> None:
    assert_same(by_c(), pickle.loads((tmp_path / "found").read_bytes()))


def test_worker_that_is_killed_in_a_level_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    job = begun(cluster, tmp_path)
    waited_for("three levels", lambda: job.poll() is not None or levels_in(tmp_path) > 3, 600)
    kill_with_children(cluster.workers[0])
    assert job.wait() == 0
    assert_found(tmp_path)


def test_driver_that_is_killed_between_levels_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    job = begun(cluster, tmp_path)
    waited_for("three levels", lambda: job.poll() is not None or levels_in(tmp_path) > 3, 600)
    kill_with_children(job)
    known = levels_in(tmp_path)
    assert not (tmp_path / "found").exists()
    again = begun(cluster, tmp_path)
    assert again.wait() == 0
    assert known < levels_in(tmp_path)
    assert_found(tmp_path)
