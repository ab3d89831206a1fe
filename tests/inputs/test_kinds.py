"""A text is of its kind by its first lines: whatever its name, compressed, or in a mail."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.inputs.beginning import LOOKED_AT, Beginning
from oneowner.checkers.inputs.kinds import KINDS, kind_of_file, kind_of_text
from oneowner.checkers.places import TOP
from tests.inputs.texts import BINARY, TEXTS


@pytest.mark.parametrize(("kind", "text"), TEXTS, ids=[f"{kind} {at}" for at, (kind, _) in enumerate(TEXTS)])
def test_text_is_of_its_kind(tmp_path: Path, kind: str, text: str) -> None:
    assert kind_of_text(Beginning(text.encode())).name == kind
    path = tmp_path / "paste.txt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()))
    assert kind_of_file(path).name == kind


@pytest.mark.parametrize("kind", BINARY)
def test_bytes_are_of_their_kind(kind: str) -> None:
    assert kind_of_text(Beginning(BINARY[kind])).name == kind


def test_every_kind_has_a_text() -> None:
    assert {kind.name for kind in KINDS} == {kind for kind, _ in TEXTS} | set(BINARY)


@pytest.mark.parametrize("kind", ["a broker's log", "a stack trace", "a broker.conf", "a client's log"])
def test_text_in_a_mail_is_of_its_kind(kind: str) -> None:
    for name, text in TEXTS:
        if name == kind:
            quoted = "".join(f"> {line}\n" for line in text.splitlines())
            assert kind_of_text(Beginning(quoted.encode())).name == kind


def test_long_text_is_of_the_kind_of_its_beginning() -> None:
    for kind, text in TEXTS:
        if text.endswith("\n") and text.strip() and "{\n" not in text:
            long = (text * (LOOKED_AT // len(text) + 2)).encode()[:LOOKED_AT]
            assert kind_of_text(Beginning(long)).name == kind


@pytest.mark.parametrize(
    "unit", ["a", "a.", "at ", "1", " ", "12:12:12 ", "a=", "a{", '{"a":', "[", "-e a.", "\n", "\t", "x - "]
)
def test_long_text_of_one_pattern_is_of_some_kind(unit: str) -> None:
    """It is looked at in one pass: an expression that goes back would take hours."""
    for text in (unit * (LOOKED_AT // len(unit)), f"12:12:12 {unit * 50_000}", f"{unit * 40}\n" * 500):
        assert kind_of_text(Beginning(text.encode()[:LOOKED_AT])) in KINDS


@given(st.binary(max_size=400) | st.text(st.sampled_from('{}[]":=,.- \nab01'), max_size=200).map(str.encode))
def test_any_bytes_are_of_some_kind(data: bytes) -> None:
    assert kind_of_text(Beginning(data)) in KINDS


def test_files_of_a_recording_are_of_their_kinds() -> None:
    kinds = {path.name: kind_of_file(path).name for path in (TOP / "traces" / "real" / "healthy").iterdir()}
    assert {
        name: kind for name, kind in kinds.items() if name.startswith(("broker", "channel.", "zoo", "manifest"))
    } == {
        "broker-1.log.gz": "a broker's log",
        "broker-2.log.gz": "a broker's log",
        "broker-3.log.gz": "a broker's log",
        "channel.jsonl": "a channel dump",
        "zookeeper.jsonl": "a ZooKeeper history",
        "zookeeper.log": "a log of ZooKeeper",
        "manifest.yaml": "a manifest of a recording",
    }
    assert kind_of_file(TOP / "README.md").name == "a text of no known kind"


def test_file_that_cannot_be_read_counts_as_empty(tmp_path: Path) -> None:
    assert kind_of_file(tmp_path / "none").name == kind_of_file(tmp_path).name == "an empty text"
