"""Messages that are read many at once are kept as those that are read one by one."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.places import ROOT
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.scene import run_files
from oneowner.checkers.recordings.scene.run_files import RunFiles
from tests.recordings.dumps import call

REAL = ROOT / "traces" / "real"
STRANGE: dict[str, tuple[Any, ...]] = {
    "messageId": ("7:01", "7:1:-1:3", "7:2:0", "7:3:-1", "7:4:1:2", "7:5:-1:-1", " 7:6"),
    "sequenceId": (None, -1, "5", 2**63 - 1),
    "producer": (None, "", "p q"),
    "value": (None, "", "null"),
    "key": ("t/other/0x00000000_0xffffffff",),
}


def channel_of(path: Path) -> tuple[Any, ...]:
    """All that is known of the channel of a run, and what is wrong with it."""
    files = RunFiles(find_runs([str(path)], Options())[0])
    channel = files.channel()
    return [(step.message, step.held, step.is_accepted) for step in channel.timeline], files.damage, files.present


@pytest.mark.parametrize("name", ["split", "kill-owner", pytest.param("transfer", marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", range(3))
def test_many_are_kept_as_one_by_one(name: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    messages = [
        json.loads(line) for line in gzip.decompress((REAL / name / "channel.jsonl.gz").read_bytes()).splitlines()
    ]
    for message in messages if seed else ():
        if chance.random() < 0.1:
            field = chance.choice(["messageId", "producer", "value", *(["sequenceId", "key"] if seed == 2 else [])])
            message[field] = chance.choice(STRANGE[field])
        if chance.random() < 0.02 and isinstance(message["value"], dict):
            message["value"].pop("timestamp", None)
    path = tmp_path / "channel.jsonl"
    path.write_text("".join(f"{json.dumps(message)}\n" for message in messages))
    monkeypatch.setattr("oneowner.checkers.recordings.read.lines._READ", 4_096)
    quick = channel_of(path)
    monkeypatch.setattr(run_files, "_at_once", lambda chunk: lambda text, line: None)
    assert channel_of(path) == quick
    assert call("audit", path, "--quiet").exit_code in (0, 1, 2, 3)


def test_a_dump_as_a_machine_writes_it_is_read_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_files, "message_of", lambda raw: pytest.fail("read alone"))
    assert channel_of(REAL / "split")[0]
