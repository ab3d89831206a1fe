"""Checkpoints that are another's, damaged, or in use."""

import json
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.verdict import Misuse
from oneowner.checkers.watch.checkpoint import STATE, Checkpoint, State
from tests.recordings.dumps import call, dump, write
from tests.watch.broken_dumps import watched, write_broken

KEPT = State(3, {"offset": 0}, {"lines": 0})


def test_state_comes_back(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "a" / "b", "b")
    assert checkpoint.read() is None
    checkpoint.write(KEPT)
    assert checkpoint.read() == KEPT
    checkpoint.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fold": "another"}, "another version of the fold"),
        ({"format": 0}, "another version of the fold"),
        ({"cluster": "x"}, "a checkpoint of x, not of b"),
        ({"place": ...}, "no checkpoint of a watch"),
        (None, "no checkpoint of a watch"),
    ],
)
def test_checkpoint_of_something_else_is_refused(change: dict[str, Any] | None, words: str, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "b")
    checkpoint.write(KEPT)
    path = tmp_path / STATE
    found = {**json.loads(path.read_text()), **(change or {})}
    path.write_text("{" if change is None else json.dumps({k: v for k, v in found.items() if v is not ...}))
    with pytest.raises(Misuse, match=rf"{words}.*use another --checkpoint"):
        checkpoint.read()


def test_two_watches_do_not_share_a_checkpoint(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "c")
    dumped = write(tmp_path / "channel.jsonl", dump("0-8 Owned(1) v1"))
    called = call("watch", "--replay", dumped, "--name", "c", "--checkpoint", tmp_path)
    assert called.exit_code == 2
    assert "another watch has it; end that one first" in called.stderr
    checkpoint.close()


def test_checkpoint_of_another_dump_is_refused(tmp_path: Path) -> None:
    one, other = write_broken(tmp_path / "one.jsonl", 300), write_broken(tmp_path / "other.jsonl", 400, seed=8)
    watched(one, tmp_path / "state")
    with pytest.raises(Misuse, match="not the dump that the checkpoint is of"):
        watched(other, tmp_path / "state")


def test_journal_that_is_damaged_is_refused(tmp_path: Path) -> None:
    one = write_broken(tmp_path / "one.jsonl", 300)
    watched(one, tmp_path / "state")
    (journal,) = (tmp_path / "state" / "c").glob("told-*.jsonl")
    journal.write_text("[]\n")
    with pytest.raises(Misuse, match=r"told-.*cannot be read.*another --checkpoint"):
        watched(one, tmp_path / "state")
