"""An audit reads each file once, whatever it takes from it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold import blocks, bucket
from oneowner.checkers.recordings.read.lines import Chunk, FileKind, read_texts
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.scene import run_files
from tests.recordings.dumps import call


def test_channel_logs_and_companions_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = TOP / "traces" / "real" / "kill-owner"
    by_engine, logs, companions = list[FileKind](), Counter[str](), Counter[str]()
    read_log = LogReader.read

    def chunk_read(chunk: Chunk, buckets: int) -> Iterator[Any]:
        by_engine.append(chunk.kind)
        return blocks.read_chunk(chunk, buckets)

    def log_read(reader: LogReader) -> Iterator[Any]:
        logs[Path(reader.path).name] += 1
        return read_log(reader)

    def texts_read(chunk: Chunk) -> Iterator[Any]:
        companions[Path(chunk.path).name] += 1
        return read_texts(chunk)

    monkeypatch.setattr(bucket, "read_chunk", chunk_read)
    monkeypatch.setattr(run_files, "read_channel", lambda run: pytest.fail("the channel is read again"))
    monkeypatch.setattr(LogReader, "read", log_read)
    monkeypatch.setattr(run_files, "read_texts", texts_read)
    assert call("audit", run, "--engine", "inline", "--quiet").exit_code in (0, 1, 3)
    assert by_engine.count(FileKind.CHANNEL) == 1
    assert set(by_engine) <= {FileKind.CHANNEL, FileKind.COMPACTED}
    files = {path.name for path in run.iterdir()}
    assert logs == Counter(name for name in files if ".log" in name)
    assert {"lookups.jsonl.gz", "zookeeper.jsonl.gz", "clients.jsonl.gz"} & files <= set(companions)
    assert set(companions.values()) == {1}
