"""Messages that are read many at once are kept as those that are read one by one."""

import gzip
import json
import pickle
import random
import shutil
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold import blocks, runs
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.read.dump import DumpReader
from oneowner.checkers.recordings.read.lines import chunks_of
from oneowner.checkers.recordings.read.many_lines import LinesReader
from oneowner.checkers.recordings.read.mapped_files import GrowingArray
from oneowner.checkers.recordings.scene import channel_fold
from oneowner.checkers.recordings.scene.message_columns import MessageColumns
from oneowner.checkers.recordings.scene.run_files import RunFiles
from oneowner.model.channel.rules import Storage
from tests.recordings.dumps import call
from tests.recordings.laws.crafted import B1, message, printed

REAL = TOP / "traces" / "real"
STRANGE: dict[str, tuple[Any, ...]] = {
    "messageId": ("7:01", "7:1:-1:3", "7:2:0", "7:3:-1", "7:4:1:2", "7:5:-1:-1", " 7:6"),
    "sequenceId": (None, -1, "5", 2**63 - 1),
    "producer": (None, "", "p q"),
    "value": (None, "", "null"),
    "key": ("t/other/0x00000000_0xffffffff",),
}


def channel_of(path: Path) -> tuple[Any, ...]:
    """The whole channel of a run, and its defects."""
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
    for sent in messages if seed else ():
        if chance.random() < 0.1:
            field = chance.choice(["messageId", "producer", "value", *(["sequenceId", "key"] if seed == 2 else [])])
            sent[field] = chance.choice(STRANGE[field])
        if chance.random() < 0.02 and isinstance(sent["value"], dict):
            sent["value"].pop("timestamp", None)
    path = tmp_path / "channel.jsonl"
    path.write_text("".join(f"{json.dumps(sent)}\n" for sent in messages))
    monkeypatch.setattr("oneowner.checkers.recordings.read.lines._READ", 4_096)
    quick = channel_of(path)
    monkeypatch.setattr(LinesReader, "columns", lambda reader, text, line: None)
    assert channel_of(path) == quick
    assert call("audit", path, "--quiet").exit_code in (0, 1, 2, 3)


def test_a_dump_as_a_machine_writes_it_is_read_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DumpReader, "row", lambda reader, raw, line: pytest.fail("read alone"))
    assert channel_of(REAL / "split")[0]


@pytest.mark.parametrize("name", ["split", "metadata-store", pytest.param("transfer", marks=pytest.mark.slow)])
def test_channel_that_lies_in_files_is_that_in_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its messages come in batches, of which the last is short; all beside the columns goes on from batch to batch."""
    for packed in (REAL / name).glob("*.jsonl.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    shutil.copy(REAL / name / "manifest.yaml", tmp_path)
    whole = channel_of(tmp_path)
    monkeypatch.setattr(blocks, "MERGED_EVENTS", 20)
    monkeypatch.setattr(channel_fold, "MANY", 30)
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=2_000))
    added, put = GrowingArray.add, list[int]()

    def add(array: GrowingArray, part: Any) -> None:
        put.append(len(part))
        added(array, part)

    monkeypatch.setattr(GrowingArray, "add", add)
    parted = channel_of(tmp_path)
    assert placeless(parted) == placeless(whole)
    assert put[0] >= 30
    assert len(put) > len(fields(MessageColumns))


def placeless(channel: tuple[Any, ...]) -> list[Any]:
    """The whole channel, except for places that chunks are part of: there are more where these are short."""
    return [(message[2:], *rest) for message, *rest in channel[0]]


def test_columns_that_were_pickled_hold_what_they_held_however_narrow_they_are() -> None:
    edges = [0, 1, -1, 127, 128, -129, 2**15, 2**31 - 1, 2**31, 2**62]
    messages = [
        message(n, edge, printed("Owned", 1 + n, B1, timestamp=edge), "t/n/0x00000000_0xffffffff")
        for n, edge in enumerate(edges)
    ]
    for some in (messages[:2], messages[:4], messages[:7], messages[:8], messages):
        columns = MessageColumns(Storage.SYSTEM_TOPIC)
        for one in some:
            columns.append(one)
        again = pickle.loads(pickle.dumps(columns, 5))
        assert [again.message(n) for n in range(len(some))] == [columns.message(n) for n in range(len(some))]
        assert again.array("time").dtype == np.int64
        part = again.part([0])
        part.append(messages[-1])  # which a narrow column does not hold
        assert [part.message(n) for n in (0, 1)] == [columns.message(0), messages[-1]]
