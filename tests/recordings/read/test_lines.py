"""Random cuts of a dump, and lines as odd as a program could write them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from oneowner.checkers.recordings.read import plain_lines, plain_text
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable
from oneowner.checkers.recordings.read.event_columns import NUMBERS, Columns
from oneowner.checkers.recordings.read.events import KEY, Row
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


NONE = 2**62
each_way = pytest.mark.parametrize("many", [pytest.param(0, id="compiled"), pytest.param(NONE, id="decoded")])
"""From how many bytes on the compiled reader is used."""


@each_way
@settings(steadily, max_examples=2 * settings().max_examples)
@given(st.lists(odd_lines(), min_size=1, max_size=4))
@example([lines_of([message("0:1", UNITS[0], None)])[0].rstrip() * 2, b""])
def test_many_lines_are_read_as_one_by_one(many: int, lines: list[bytes]) -> None:
    text = b"\n".join(lines) + b"\n"
    rows, unreadable = one_by_one(text)
    at_once = LinesReader(0, 0, many).columns(text, 1)
    assert at_once is None or (at_once.rows() == rows and unreadable == [])


REAL_LINES = sorted({line.rstrip(b"\n") for line in SPLIT.splitlines()})[:50]
BITS = (
    b'"', b"\\", b"{", b"}", b",", b":", b"-", b"0", b"9" * 19, b"e1", b".5", b" ", b"\t", b"\0", b"\x7f", b"\xff",
    b"[]", b"{}", b'""', b"null", b"true", b"nothing", b'"state":"Free",', b'"versionId":3,', b'"force":true,',
    b'"x":{"a":1},',
)  # fmt: skip
changes = st.tuples(st.integers(0, 400), st.integers(0, 20), st.sampled_from(BITS) | st.just(b""))


@settings(steadily, max_examples=4 * settings().max_examples)
@given(st.lists(st.tuples(st.sampled_from(REAL_LINES), st.lists(changes, max_size=3)), min_size=1, max_size=4))
def test_compiled_reader_reads_what_is_decoded_and_nothing_else(
    changed: list[tuple[bytes, list[tuple[int, int, bytes]]]],
) -> None:
    """Whatever was done to real lines: the same events and numbers, or neither reads them."""
    lines = []
    for line, edits in changed:
        for at, size, put in edits:
            line = line[:at] + put + line[at + size :]
        lines.append(line)
    text = b"\n".join(lines)
    assume(text)
    compiled, decoded = LinesReader(0, 0, 0), LinesReader(0, 0, NONE)
    found, right = compiled.columns(text, 5), decoded.columns(text, 5)
    assert (found is None) == (right is None)
    if found is not None and right is not None:
        assert found.rows() == right.rows()
        assert found.table[NUMBERS].tolist() == right.table[NUMBERS].tolist()


@pytest.mark.skipif(plain_lines.library() is None, reason="no C compiler is found")
def test_plain_lines_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing is gained. Of this dump the lines of splits, which name children, are odd."""
    asked: list[bytes] = []
    decode = LinesReader._decoded

    def noting(self: LinesReader, text: bytes, line: int) -> Columns | None:
        asked.extend(text.splitlines())
        return decode(self, text, line)

    monkeypatch.setattr(LinesReader, "_decoded", noting)
    assert LinesReader(0, 0, 0).columns(SPLIT, 1) is not None
    assert asked == [line for line in SPLIT.splitlines() if b'"splitServiceUnitToDestBroker":{' in line] != []


@each_way
def test_names_of_odd_and_plain_lines_have_the_same_codes(many: int) -> None:
    """An odd line is decoded in between, and gives names numbers of its own."""
    messages = [
        message(f"0:{number}", UNITS[number % 2], {"state": "Owned", "dstBroker": f"b{number % 3}", "versionId": 1})
        for number in range(9)
    ]
    lines = [json.dumps(one | ({"x": {"a": 1}} if number % 4 == 0 else {})) for number, one in enumerate(messages)]
    reading, text = LinesReader(0, 0, many), "\n".join(lines).encode()
    for line in (1, 10):
        columns = reading.columns(text, line)
        assert columns is not None
        assert columns.rows() == [
            (*row[:5], row[5] + line - 1, *row[6:]) for row in one_by_one(text)[0]
        ]  # fmt: skip
        assert sorted(columns.keys) == sorted(UNITS)


@each_way
def test_many_names_keep_their_numbers(many: int) -> None:
    keys = [f"tenant/ns{number}/{range_of('0-8')}" for number in range(3_000)]
    lines = [message(f"0:{number}", key, None) for number, key in enumerate([*keys, *reversed(keys)])]
    columns = LinesReader(0, 0, many).columns(b"".join(lines_of(lines)), 1)
    assert columns is not None
    assert [row[KEY] for row in columns.rows()] == [*keys, *reversed(keys)]


def test_without_a_compiler_or_a_cache_lines_are_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_text.compiled.cache_clear()
    try:
        monkeypatch.setenv("CC", "no-such-compiler")
        assert plain_lines.library() is None
        assert LinesReader(0, 0, 0).columns(SPLIT, 1) is not None
        monkeypatch.delenv("CC")
        plain_text.compiled.cache_clear()
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        assert plain_lines.library() is None
    finally:
        plain_text.compiled.cache_clear()


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
