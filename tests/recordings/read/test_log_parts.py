"""A log that is read in parts yields the same as a whole, wherever it is cut."""

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.recordings.read import lines as audit_lines
from oneowner.checkers.recordings.read import log_parts, log_reader
from oneowner.checkers.recordings.read.broker_logs import read_logs
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.file_reads import FileRead
from oneowner.checkers.recordings.read.log_files import LogPlace, read_file
from oneowner.checkers.recordings.read.log_parts import in_parts, of_files
from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.partition import in_turn
from tests.recordings.dumps import REAL
from tests.recordings.read.test_json_layouts import LAYOUTS, as_json
from tests.recordings.read.test_wanted_lines import HEAD, LOGS, events_of

SMALL = 700
"""Bytes of a chunk, so that a short log has many."""


def cut_small(patch: pytest.MonkeyPatch, part: int, size: int = SMALL) -> None:
    patch.setattr(log_reader, "chunks_of", partial(audit_lines.chunks_of, size=size))
    patch.setattr(log_parts, "CHUNK", size)
    patch.setattr(log_parts, "PART", part)


def events_in_parts(path: Path) -> list[Any]:
    """Return all that is read of a log in parts, as ``events_of`` does of a whole one."""
    parts = in_parts([LogPlace(0, str(path))])
    reads = of_files((one for part in parts for one in read_file(part, table())), parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.recordings.read.test_wanted_lines.read_file", lambda place, patterns: reads)
        return events_of(path)


@settings(deadline=None, max_examples=60)
@given(lines=LOGS, part=st.integers(1, 3), is_whole=st.booleans())
def test_log_is_read_in_parts_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], part: int, is_whole: bool
) -> None:
    path = tmp_path_factory.mktemp("log") / "b.log"
    path.write_text("\n".join(lines) + "\n" * is_whole, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, part)
        assert events_in_parts(path) == events_of(path)


def test_line_after_a_torn_head_has_its_number(tmp_path: Path) -> None:
    words = said("words")
    trace = "\tat org.example.Some.call(Some.java:1) - ServiceUnitStateChannelImpl - x"
    waits = said("b1:8080 is waiting for owner for serviceUnit:rig/a/0x00000000_0x40000000")
    lines = [words, trace, words, words, "7 of 9", words, words, "2026-11-21T00:18:19,8", waits]
    path = tmp_path / "b.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, 1)
        assert events_in_parts(path) == events_of(path)
        assert events_of(path)[0][0] == Origin(0, 1, 2)


def said(words: str) -> str:
    """Return a line of the class of the channel."""
    logger = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
    return HEAD.format(10, "main", "INFO ", logger) + words


def test_recorded_log_is_read_in_parts_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.log"
    path.write_bytes(gzip.decompress((REAL / "split-crash" / "broker-1.log.gz").read_bytes()))
    cut_small(monkeypatch, 1, 20_000)
    assert len(in_parts([LogPlace(0, str(path))])) > 5
    assert events_in_parts(path) == events_of(path)
    apart, whole = read_logs([(0, str(path))], {}, partial(in_turn)), read_logs([(0, str(path))], {})
    assert [(*one[:7], one.text) for one in apart.said] == [(*one[:7], one.text) for one in whole.said]
    assert (apart.coverage, apart.damage) == (whole.coverage, whole.damage)


def test_log_with_a_prefix_in_json_or_compressed_is_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_small(monkeypatch, 1)
    text = gzip.decompress((REAL / "split-crash" / "broker-1.log.gz").read_bytes())[:50_000]
    lines = text.splitlines()
    logs = {
        "plain.log": text,
        "prefix.log": b"".join(b"[pod/b/broker] %s\n" % line for line in lines),
        "json.log": b"\n".join(as_json(lines, LAYOUTS["EcsLayout"])),
        "zipped.log.gz": gzip.compress(text),
        "none.log": b"no head\n" * 1000,
    }
    for name, raw in logs.items():
        (tmp_path / name).write_bytes(raw)
        assert (len(in_parts([LogPlace(0, str(tmp_path / name))])) > 1) == (name == "plain.log")


def test_parts_of_several_files_are_put_together_by_file() -> None:
    places = [LogPlace(0, "a"), LogPlace(1, "b", None, (0, 4)), LogPlace(1, "b", None, (4, None)), LogPlace(2, "c")]
    reads: list[Any] = [one for place in places for one in read_file(place._replace(path="/dev/null"), table())]
    assert sum(isinstance(one, FileRead) for one in reads) == 4
    assert sum(isinstance(one, FileRead) for one in of_files(reads, places)) == 3
