"""Lines are read many at a time: of compressed files, too, and around a line that has to be read alone."""

import gzip
import json
from pathlib import Path
from unittest.mock import Mock

import pytest

from oneowner.checkers.recordings.fold.blocks import Block, merge, read_chunk
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.read.dump import DumpReader
from oneowner.checkers.recordings.read.lines import Damage, FileKind, chunks_of, read_texts
from tests.recordings.dumps import dump

MESSAGES = b"".join(json.dumps(one).encode() + b"\n" for one in dump(*(["0-8 Assigning(1) v1"] * 20_000)))
MEGABYTE = 1024 * 1024


def texts_of(path: Path) -> list[bytes | Damage]:
    (chunk,) = chunks_of(0, 0, str(path), FileKind.CHANNEL)
    return list(read_texts(chunk))


def test_much_of_a_compressed_file_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "channel.jsonl.gz"
    path.write_bytes(gzip.compress(MESSAGES))
    texts = texts_of(path)
    assert b"".join(text for text in texts if isinstance(text, bytes)) == MESSAGES
    assert len(texts) <= len(MESSAGES) // MEGABYTE + 1


def test_what_a_broken_file_still_gave_comes_before_its_damage(tmp_path: Path) -> None:
    path = tmp_path / "channel.jsonl.gz"
    packed = gzip.compress(MESSAGES)
    path.write_bytes(packed[: len(packed) // 2])
    *texts, last = texts_of(path)
    read = b"".join(text for text in texts if isinstance(text, bytes))
    assert len(read) > len(MESSAGES) // 4
    assert MESSAGES.startswith(read)
    assert last == Damage("the gzip stream is cut short")


@pytest.mark.parametrize("place", [0, 7_000, 19_999])
def test_around_an_unusual_line_others_are_read_many_at_a_time(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = MESSAGES.splitlines(keepends=True)
    lines[place] = b" " + lines[place]
    path = tmp_path / "channel.jsonl"
    path.write_bytes(b"".join(lines))
    alone = Mock(side_effect=DumpReader.row)
    monkeypatch.setattr(DumpReader, "row", lambda self, raw, line: alone(self, raw, line))
    parts = [part for chunk in chunks_of(0, 0, str(path), FileKind.CHANNEL) for part in read_chunk(chunk, 1)]
    columns = list(merge(part for part in parts if isinstance(part, Block)))
    assert sum(len(some.table) for some in columns) == len(lines)
    assert [number for some in columns for number in some.table["line"].tolist()] == list(range(1, len(lines) + 1))
    assert [part.lines for part in parts if isinstance(part, Summary)] == [len(lines)]
    assert 0 < alone.call_count < 1_000
