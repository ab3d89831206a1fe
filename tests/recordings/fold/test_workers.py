"""Spark's workers have only the files sent to them: all their work succeeds with these alone."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.laws.scene_verdict import judge_scene
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.spark_session import rooms_zip
from tests.recordings.dumps import REAL
from tests.recordings.laws.recorded import gathered
from tests.recordings.scene.test_packed_logs import shown

WORKER = """\
import pickle, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
sys.path[:] = [sys.argv[1], *(place for place in sys.path if place)]
with open(sys.argv[2], "rb") as stream:
    work, items = pickle.load(stream)
with open(sys.argv[2], "wb") as stream:
    pickle.dump([part for item in items for part in work(item)], stream)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["healthy", "split", "zk-partition-livelock"])
def test_run_is_read_and_judged_by_what_is_sent(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(work: Callable[[Any], Iterator[Any]], items: Sequence[Any], files: Sequence[str] = ()) -> Iterator[Any]:
        asked = tmp_path / "asked"
        asked.write_bytes(pickle.dumps((work, list(items))))
        subprocess.run([sys.executable, "-c", WORKER, rooms_zip(), asked], check=True, cwd=tmp_path)
        return iter(pickle.loads(asked.read_bytes()))

    monkeypatch.chdir(REAL)  # and nobody works where the paths are relative to
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run = find_runs([name], Options())[0]
    found = judge_scene(*gather(run, Options(), sent, is_packed=True), executor=sent)
    assert shown(found).replace(f"{name}/", "") == shown(judge_scene(*gathered(name))).replace(f"{REAL / name}/", "")
