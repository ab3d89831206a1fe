"""Random cuts of a dump, and lines as odd as a program could write them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable
from oneowner.checkers.recordings.read.events import Row
from oneowner.checkers.recordings.read.many_lines import LinesReader
from tests.recordings.dumps import Json, lines_of, message, range_of, recorded, silently, steadily, write_bytes

UNITS = tuple(f"tenant/ns/{range_of(text)}" for text in ("0-8", "0-4"))

SPLIT = b"".join(lines_of(recorded("split")))


@steadily
@given(st.integers(0, len(SPLIT)))
def test_cut_of_a_valid_dump_is_valid_only_between_lines(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    file = write_bytes(tmp_path_factory.mktemp("cut") / "channel.jsonl", SPLIT[:cut])
    whole, _, last = SPLIT[:cut].rpartition(b"\n")
    torn = last != b"" and last not in SPLIT.splitlines()
    found = silently("audit", file)
    lines = (1 if whole else 0) + whole.count(b"\n")
    assert found.json["stats"]["events"] == lines + (last != b"" and not torn)
    assert found.violations == []
    assert found.exit_code in ((2,) if torn else (0, 3))
    if torn:
        assert found.verdict == "unknown"
        assert found.json["reasons"][0].startswith(f"{file}:{lines + 1}: ")


@settings(steadily, max_examples=40)
@given(st.integers(0, 5000))
def test_cut_of_a_compressed_dump_is_never_valid(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    packed = gzip.compress(SPLIT, mtime=0)
    assume(cut < len(packed))
    file = tmp_path_factory.mktemp("cut") / "channel.jsonl.gz"
    file.write_bytes(packed[:cut])
    found = silently("audit", file)
    assert found.exit_code == (2 if cut else 3)
    assert found.verdict == "unknown"
    assert found.violations == []


odd_text = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["\u2028", "\x85", "\\", '"', "\r", "\n", "\0", "🐧"]
)
odd_value: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | odd_text | st.just([]) | st.just({})
)
fields = st.sampled_from(["messageId", "publishTime", "key", "value", "producer", "eventTime", "x"])
record_fields = st.sampled_from(["state", "dstBroker", "sourceBroker", "force", "versionId", "timestamp", "x",
                                 "splitServiceUnitToDestBroker"])  # fmt: skip


@st.composite
def odd_lines(draw: st.DrawFn) -> bytes:
    """A message as some program may write it: other texts and numbers, spaces, escapes, a field twice, two on one."""
    value: Any = draw(st.sampled_from([None, "", {"state": "Owned", "dstBroker": "b1", "versionId": 1}]))
    if value and draw(st.booleans()):
        value = {**value, draw(record_fields): draw(odd_value)}
    if value and draw(st.booleans()):
        value = json.dumps(value)
    one: Json = message(f"0:{draw(st.integers(0, 99))}", draw(st.sampled_from(UNITS)), value)
    if draw(st.booleans()):
        one[draw(fields)] = draw(odd_value)
    text = json.dumps(
        one, ensure_ascii=draw(st.booleans()), separators=draw(st.sampled_from([(",", ":"), (" , ", " : ")]))
    )
    if draw(st.booleans()):  # a field twice: the last one counts
        text = text[:-1] + f", {json.dumps(draw(fields))}: {json.dumps(draw(odd_value))}}}"
    for number, form in ((b"1795000000000", b"1.795e12"), (b'"versionId":1', b'"versionId":1.0')):
        if draw(st.integers(0, 9)) == 0:
            text = text.replace(number.decode(), form.decode())
    raw = text.encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        raw = draw(
            st.sampled_from(
                [b"", b" ", b"\t\r", raw + b" " + raw, raw + raw, raw[:30] + b"\n" + raw[30:], raw + b"\xff"]
            )
        )
    return raw


def one_by_one(text: bytes) -> tuple[list[Row], list[int]]:
    """Return the events of lines that are read one by one, and the numbers of those that cannot be."""
    reader, rows, unreadable = DumpReader(0, 0), [], []
    for number, raw in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        if raw and not raw.isspace():
            try:
                rows.append(reader.row(raw, number))
            except Unreadable:
                unreadable.append(number)
    return rows, unreadable


@settings(steadily, max_examples=150)
@given(st.lists(odd_lines(), min_size=1, max_size=4))
@example([lines_of([message("0:1", UNITS[0], None)])[0].rstrip() * 2, b""])
def test_many_lines_are_read_as_one_by_one(lines: list[bytes]) -> None:
    text = b"\n".join(lines) + b"\n"
    rows, unreadable = one_by_one(text)
    at_once = LinesReader(0, 0).columns(text, 1)
    assert at_once is None or (at_once.rows() == rows and unreadable == [])


@settings(steadily, max_examples=40)
@given(st.lists(odd_lines(), min_size=1, max_size=6))
def test_odd_lines_end_in_a_verdict(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    text = b"\n".join(lines) + b"\n"
    file = write_bytes(tmp_path_factory.mktemp("odd") / "channel.jsonl", text)
    rows, unreadable = one_by_one(text)
    found = silently("audit", file)
    named = [one["at"]["line"] for one in found.json["findings"] if one["law"] == "readable-input"]
    assert named == unreadable
    assert found.json["stats"]["events"] == len(rows)
    assert (found.exit_code == 2) == bool(unreadable)
    assert all(str(file) in reason for reason in found.json["reasons"])
