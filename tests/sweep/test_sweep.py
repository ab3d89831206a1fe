"""The verb sweep: the worst row decides, rows are kept, and who does them changes no byte."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from oneowner.checkers.recordings.fold.audit_engine import has_java
from oneowner.checkers.sweep import sweep as sweeping
from oneowner.checkers.sweep.task import Row, Task
from tests.command_line import VALIDATOR, oneowner

FAULT = "destination_returns"
AXES = ("--family", "pip-192", "--fault", "none", "--fault", FAULT, "--law", "transfer-handshake")
INLINE = ("sweep", *AXES, "--engine", "inline")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("swept")
    oneowner(*INLINE, "--out", folder)
    return folder


def test_worst_row_decides_and_every_task_has_one(swept: Path) -> None:
    found = oneowner(*INLINE, "--out", swept, "--json", "-")
    VALIDATOR.validate(found.json)
    verdicts = [row["verdict"] for row in found.json["tasks"]]
    assert len(verdicts) == 2
    assert found.json["verdict"] in verdicts
    assert "2 of 2 tasks were done before" in found.err
    table = pq.read_table(swept / "sweep.parquet").to_pylist()
    assert [(row["faults"], row["verdict"]) for row in table] == [
        ("", verdicts[0]),
        (FAULT, verdicts[1]),
    ]


def test_rows_that_are_done_are_not_done_again(swept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (swept / "sweep.parquet").read_bytes()
    asked: list[str] = []

    def note(tasks: list[Task], *_: object) -> dict[Task, Row]:
        asked.extend(map(str, tasks))
        return {}

    monkeypatch.setattr(sweeping, "_done_here", note)
    oneowner(*INLINE, "--out", swept)
    assert (asked, (swept / "sweep.parquet").read_bytes()) == ([], before)
    kept = next(path for path in (swept / "rows").iterdir() if FAULT in path.read_text())
    torn = kept.read_text()
    kept.write_text(torn[:20])
    found = oneowner(*INLINE, "--out", swept)
    kept.write_text(torn)
    assert len(asked) == 1
    assert found.code == 3
    assert "it was not done" in found.out


def test_page_shows_the_matrix(swept: Path, tmp_path: Path) -> None:
    oneowner(*INLINE, "--out", swept, "--html", tmp_path / "matrix.html")
    page = (tmp_path / "matrix.html").read_text()
    assert FAULT in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(not has_java(), reason="Spark needs Java")
def test_sweep_on_spark_writes_the_same_bytes(swept: Path, tmp_path: Path) -> None:
    oneowner("sweep", *AXES, "--out", tmp_path, "--master", "local[2,4]")
    assert (tmp_path / "sweep.parquet").read_bytes() == (swept / "sweep.parquet").read_bytes()
