"""A search continues from its checkpoint, or reports why it does not."""

import errno
import fcntl
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.spark.checkpoint import NAME, held
from oneowner.checkers.engines.spark.level_files import level_file, read
from oneowner.checkers.verdict import EngineError, Misuse
from tests.command_line import TINY
from tests.engines.spark.searching import assert_same, by_c, by_spark


@pytest.fixture
def half_done(tmp_path: Path) -> Path:
    """The folder of a search that came to its budget of states."""
    found = by_spark(folder=tmp_path / "levels", limits=Limits(states=by_c().distinct // 2))
    assert found.is_cut_short
    return tmp_path / "levels"


def files_of(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.glob("level-*/part-*")}


def test_search_goes_on_from_the_last_whole_level(half_done: Path) -> None:
    before = files_of(half_done)
    known = len(json.loads((half_done / NAME).read_text())["levels"])
    assert_same(by_c(), by_spark(folder=half_done))
    after = files_of(half_done)
    kept = [path for path in before if int(Path(path).parent.name.removeprefix("level-")) < known]
    assert kept
    assert all(after[path] == before[path] for path in kept)


def test_folder_may_be_moved(half_done: Path) -> None:
    assert_same(by_c(), by_spark(folder=half_done.rename(half_done.with_name("elsewhere"))))


def test_finished_search_is_told_again_without_a_step(tmp_path: Path) -> None:
    by_spark(folder=tmp_path / "levels")
    before = files_of(tmp_path)
    assert_same(by_c(), by_spark(folder=tmp_path / "levels"))
    assert files_of(tmp_path) == before


def test_checkpoint_of_another_model_is_refused(half_done: Path) -> None:
    with pytest.raises(Misuse, match="another model"):
        by_spark(TINY, folder=half_done)
    with pytest.raises(Misuse, match="another model"):
        by_spark(folder=half_done, limits=Limits(perturbations=1))


def test_search_that_was_killed_before_its_first_checkpoint_begins_anew(tmp_path: Path) -> None:
    by_spark(folder=tmp_path)
    for path in tmp_path.iterdir():
        if path.is_dir() and path.name != "level-00000":
            shutil.rmtree(path)
    (tmp_path / "checkpoint.json").rename(tmp_path / "checkpoint.json.new")
    (tmp_path / "library.pickle.half").write_bytes(b"half")
    assert_same(by_c(), by_spark(folder=tmp_path))


def test_checkpoint_that_is_gone_from_its_levels_is_refused(tmp_path: Path) -> None:
    by_spark(folder=tmp_path)
    (tmp_path / "checkpoint.json").unlink()
    with pytest.raises(Misuse, match="not empty"):
        by_spark(folder=tmp_path)


def test_folder_that_cannot_be_written_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misuse, match="cannot be written: Not a directory"):
        by_spark(folder=tmp_path / "file" / "levels")


def test_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear all")
    with pytest.raises(Misuse, match="not empty"):
        by_spark(folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


HOLDS = """
import sys
from pathlib import Path
from oneowner.checkers.engines.spark.checkpoint import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
"""A search that has a folder, until it is ended."""


def test_folder_on_which_another_search_is_at_work_is_refused_until_that_is_killed(half_done: Path) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(half_done)], stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(Misuse, match="another search goes on there"):
            by_spark(folder=half_done)
        other.kill()
        other.wait()
        assert_same(by_c(), by_spark(folder=half_done))


def test_where_nothing_can_be_locked_the_search_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with held(tmp_path) as said:
        assert said == f"{tmp_path} cannot be locked (No locks available): see that no other search goes on there"


def test_url_is_refused_as_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match="a folder that all machines see"):
        by_spark(folder=Path("s3://bucket/levels"))
    assert not list(tmp_path.iterdir())


def last_level(folder: Path) -> Path:
    levels = json.loads((folder / NAME).read_text())["levels"]
    part = next(part for part, count in enumerate(levels[-1]) if count)
    return level_file(folder, len(levels) - 1, part)


def test_lost_level_is_unknown(half_done: Path) -> None:
    last_level(half_done).unlink()
    found = by_spark(folder=half_done)
    assert "lost" in found.stopped
    assert not found.finished


def test_level_that_was_cut_short_is_unknown(half_done: Path) -> None:
    path = last_level(half_done)
    path.write_bytes(path.read_bytes()[:-40])
    found = by_spark(folder=half_done)
    assert "damaged" in found.stopped
    assert not found.finished


def test_level_with_another_state_is_unknown(half_done: Path) -> None:
    """Keys are worked out anew from states: a bit that has changed in either is found."""
    path = last_level(half_done)
    (keys, states), *_ = read(path, rows_of(path), "key", "state")
    whole = path.read_bytes()
    for column in (keys, states):
        at = whole.index(column.tobytes())
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        found = by_spark(folder=half_done)
        assert "damaged" in found.stopped
        assert not found.finished


def rows_of(path: Path) -> int:
    with pa.OSFile(str(path)) as file:
        return int(pa.ipc.open_file(file).read_all().num_rows)


def test_torn_list_of_levels_is_unknown(half_done: Path) -> None:
    text = (half_done / NAME).read_text()
    (half_done / NAME).write_text(text[: len(text) // 2])
    with pytest.raises(EngineError, match="damaged"):
        by_spark(folder=half_done)
