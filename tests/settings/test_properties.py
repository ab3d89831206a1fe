"""A file of properties is read as ``java.util.Properties`` reads it, with the line of every key."""

import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.settings.properties import LARGEST, logical_lines, property_of, read_properties
from oneowner.checkers.verdict import Misuse


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a=1", [("a", "1", 1)]),
        ("  a =  1 ", [("a", "1 ", 1)]),
        ("a:1\nb 2\nc\td", [("a", "1", 1), ("b", "2", 2), ("c", "d", 3)]),
        ("a", [("a", "", 1)]),
        ("a = = b", [("a", "= b", 1)]),
        ("# a=1\n! b=2\n\nc=3", [("c", "3", 4)]),
        ("a=1,\\\n   2,\\\n\t3\nb=4", [("a", "1,2,3", 1), ("b", "4", 4)]),
        ("a=1\\\n# 2", [("a", "1# 2", 1)]),
        ("a=1\\\\\nb=2", [("a", "1\\", 1), ("b", "2", 2)]),
        ("a=1\\", [("a", "1", 1)]),
        ("a\\=b\\:c\\ d=1", [("a=b:c d", "1", 1)]),
        ("a=\\u0041\\t\\q", [("a", "A\tq", 1)]),
        ("a=1\r\nb=2\rc=3", [("a", "1", 1), ("b", "2", 2), ("c", "3", 3)]),
        ("a=1\na=2", [("a", "1", 1), ("a", "2", 2)]),
    ],
)
def test_properties_are_read_as_java_reads_them(tmp_path: Path, text: str, read: list[tuple[str, str, int]]) -> None:
    path = tmp_path / "broker.conf"
    path.write_bytes(text.encode("latin-1"))
    assert [tuple(one) for one in read_properties(path)] == read


@given(st.text(st.sampled_from("xy=: \t\\\n#!u"), max_size=30))
def test_any_text_is_read_or_refused_by_its_line(text: str) -> None:
    for line, joined in logical_lines(text):
        assert 1 <= line <= text.count("\n") + 1
        is_malformed = re.search(r"(?<!\\)(\\\\)*\\u", joined) is not None  # no digit is drawn
        expected = pytest.raises(Misuse, match=f"^f:{line}: ") if is_malformed else nullcontext()
        with expected:
            assert property_of(joined, f"f:{line}", line).line == line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a=1\nb=\\u00", "broker.conf:2: no property: \\u is followed by four hexadecimal digits"),
        (b"a=1\n\x7fELF\0\0", "broker.conf:2: no broker.conf: it contains a zero byte"),
        (b"#", "broker.conf: no broker.conf: it has more than 4 MiB"),
    ],
    ids=["escape", "zero byte", "size"],
)
def test_what_is_no_file_of_properties_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broker.conf"
    path.write_bytes(content * (LARGEST + 1) if content == b"#" else content)
    with pytest.raises(Misuse) as refused:
        read_properties(path)
    assert words in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, words in ((tmp_path, "it is a folder"), (tmp_path / "none", "there is no such file")):
        with pytest.raises(Misuse, match=words):
            read_properties(path)
