"""YAML documents: the data, the line of every part, and complaints that name file and line."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.documents import parsed_by, read_document
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import FastLoader, write_document
from tests.model.channel.strategies import steadily

TEXT = """\
# a comment

family: transfer
set:
  brokers: 3
  storage: system-topic
faults: [no_version_check,
  no_broker_check]
steps:
  - transfer(broker=1)

  - append(broker=1)
  - {a: 1, b: {c: 2}}
7: seven
"""


def file_with(folder: Path, text: str) -> Path:
    path = folder / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("at", "line"),
    [
        (("family",), 3), (("set",), 4), (("set", "brokers"), 5), (("set", "storage"), 6), (("faults",), 7),
        (("faults", 0), 7), (("faults", 1), 8), (("steps",), 9), (("steps", 0), 10), (("steps", 1), 12),
        (("steps", 2), 13), (("steps", 2, "b", "c"), 13), (("7",), 14),
    ],
)  # fmt: skip
def test_document_knows_the_line_of_every_part(tmp_path: Path, at: tuple[str | int, ...], line: int) -> None:
    path = file_with(tmp_path, TEXT)
    document = read_document(path)
    assert document.lines[at] == line
    assert str(document.refuse("wrong", *at)) == f"{path}:{line}: wrong"


def test_complaint_about_what_is_not_there_names_the_file(tmp_path: Path) -> None:
    path = file_with(tmp_path, TEXT)
    assert str(read_document(path).refuse("missing", "loop")) == f"{path}:1: missing"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1, 2\n", 2), ("a: 'b\n", 2), ("a: b: c\n", 1), ("a: 1\n\tb: 2\n", 2), ("a: 1\n b: 2\n", 2),
        ("a: 1\n- 2\n", 2), ("a: &x\nb: *y\n", 2), ("a: !!python/name:os.system\n", 1), ("a: 1\n\n\nb: %\n", 4),
        ("a: 1\nb: \x00\n", 2), ("a: 1\nb: 2\nc: \x1b[31m\n", 3), ("a: 1\n---\nb: 2\n", 2),
        ("a: 1\nb: 2\na: 3\n", 3), ("a:\n  b: 1\n  b: 1\n", 3), ("a: {b: 1, b: 1}\n", 1),
    ],
)  # fmt: skip
def test_text_that_is_not_yaml_is_refused_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    path = file_with(tmp_path, text)
    with pytest.raises(Misuse) as refusal:
        read_document(path)
    assert str(refusal.value).startswith(f"{path}:{line}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", ["[" * 600, "&a [*a]", "{" * 600, "- " * 600, "a: " + "9" * 5000])
def test_text_that_would_exhaust_a_reader_is_refused(tmp_path: Path, text: str) -> None:
    path = file_with(tmp_path, text)
    with pytest.raises(Misuse, match=r"a\.yaml:1: "):
        read_document(path)


def test_place_that_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.yaml", file_with(tmp_path, "") / "below.yaml"):
        with pytest.raises(Misuse) as refusal:
            read_document(path)
        assert str(refusal.value).startswith(f"{path}: ")


def test_text_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert read_document(file_with(tmp_path, "\ufeffa: 1\n")).data == {"a": 1}


def test_empty_document_holds_nothing(tmp_path: Path) -> None:
    assert read_document(file_with(tmp_path, "")).data is None


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=30)
SCALARS = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | WORDS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4))


def test_document_that_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("documents")

    @steadily
    @given(st.dictionaries(WORDS, VALUES, max_size=4), st.booleans())
    def back_and_forth(data: dict[str, Any], flow: bool) -> None:
        text = write_document(data, flow)
        again = read_document(file_with(folder, text)).data
        assert again == data
        assert list(again) == list(data)  # in the order given
        assert yaml.safe_load(text) == data

    back_and_forth()


SPEC = PACKAGE / "spec"


@pytest.mark.parametrize("path", [*SPEC.glob("*/faults.yaml"), *SPEC.glob("load_data/families/*.yaml")])
def test_fast_reading_gives_what_pyyaml_gives(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert parsed_by(path, text, FastLoader) == parsed_by(path, text, yaml.SafeLoader)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "[" * 5000 + "]" * 5000, "- " * 5000 + "x", "{a: " * 9000 + "}" * 9000],
    ids=["open lists", "lists", "items", "mappings"],
)
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, text: str) -> None:
    path = file_with(tmp_path, text)
    with pytest.raises(Misuse, match="nested too deeply"):
        read_document(path)
