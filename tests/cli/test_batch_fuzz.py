"""Lines of a batch with values of any form: each is answered, or refused by file, line and key in our own words."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneowner.checkers.cli import assign, decide
from oneowner.checkers.cli.batch import Batch, answer
from oneowner.checkers.cli.batch_refusal import parts, replaced
from oneowner.checkers.verdict import Misuse
from oneowner.model.balancer.batch.algorithms import ALGORITHMS
from tests.command_line import oneowner

DOCS = Path(__file__).resolve().parents[2] / "docs"
OTHERS: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2.5,
    1e308,
    float("nan"),
    "",
    "x",
    [],
    [[]],
    ["x"],
    {},
    {"x": 1},
    {"x": {}},
)
PYTHONS_OWN = re.compile(
    r"indices must be|unhashable|object has no attribute|unsupported operand|not subscriptable|not iterable|"
    r"invalid literal|could not convert|must be real number|unpack|positional argument|out of range|object is not|"
    r"argument must be|takes \d|expected str|required argument|NoneType|Traceback"
)


def examples(page: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that the blocks of a page show."""
    for block in re.findall(r"```json\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        decoder, at = json.JSONDecoder(), 0
        while block[at:].strip():
            at += len(block[at:]) - len(block[at:].lstrip())
            found, at = decoder.raw_decode(block, at)
            yield found


class Line(NamedTuple):
    """An example of a document."""

    batch: Batch
    release: str
    row: dict[str, Any]

    def __repr__(self) -> str:
        return str(self.row)


DECIDE, ASSIGN = list(examples("decide.md")), list(examples("assign.md"))
LINES = [
    *(Line(decide.BATCH, "4.0.6", row) for row in (*DECIDE, *examples("pip-7.md"))),
    *(Line(assign.BATCH, "4.1.1", row) for row in ASSIGN),
]


def test_documents_have_an_example_of_every_algorithm() -> None:
    assert sorted(row["algorithm"] for row in DECIDE) == sorted(ALGORITHMS)
    assert {assign.BATCH.name_of(row) for row in ASSIGN} >= {"assignors", "series", "reconcile", "sticky"}


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line.row.get("algorithm", line.row.get("kind"))))
def test_example_is_answered(line: Line) -> None:
    found = answer(line.row, "page:1", line.release, line.batch, set())
    assert "error" not in json.dumps(found)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_value_of_another_form_is_answered_or_refused_in_our_own_words(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(LINES))
    row = line.row
    paths = [path for path, _ in parts(row, ()) if path and path[0] not in ("id", "algorithm", "kind")]
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(paths))
        with suppress(LookupError, TypeError, AttributeError):  # a value around it was replaced before
            row = replaced(row, path, data.draw(st.sampled_from(OTHERS)))
    words = refusal_of(row, line)
    assert words.startswith(("", "rows.jsonl:7: no input of ")[bool(words)])
    assert not PYTHONS_OWN.search(words), words


def refusal_of(row: Any, line: Line) -> str:
    """Return the words by which a row is refused; empty if it is answered."""
    try:
        answer(row, "rows.jsonl:7", line.release, line.batch, set())
    except Misuse as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"owned": {"b0": ["t/n0/0x0_0x1"]}}, "owned refused: {'b0': ['t/n0/0x0_0x1']}; it is a list"),
        ({"candidates": 7}, "candidates refused: 7; it is a list"),
        ({"groups": ["t/n0"]}, "groups refused: ['t/n0']; it is a mapping"),
        ({"bundle": 3}, "bundle refused: 3; it is a text"),
    ],
)
def test_wrong_form_is_refused_by_its_key_and_its_right_form(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    (row,) = examples("pip-7.md")
    (file := tmp_path / "rows.jsonl").write_text(
        f"{json.dumps(row)}\n{json.dumps({**row, **change})}\n", encoding="utf-8"
    )
    found = oneowner("decide", "--batch", file)
    assert found.code == 2
    assert found.err == f"error: {file}:2: no input of anti_affinity: {words}\n"


@pytest.mark.parametrize(
    ("batch", "row", "words"),
    [
        ("decide", {"algorithm": "topic_bundle", "bundles": 1e308, "topics": ["a"]}, "bundles refused: 1e+308"),
        ("decide", {"algorithm": "topic_bundle", "bundles": 0, "topics": ["a"]}, "bundles refused: 0"),
        (
            "assign",
            {"kind": "sticky", "members": [], "subtopologies": {"s1": {"partitions": 1 << 21, "stateful": True}}},
            "subtopologies.s1.partitions refused: 2097152; at most 1048576",
        ),
    ],
)
def test_number_that_no_memory_holds_is_refused(batch: str, row: dict[str, Any], words: str, tmp_path: Path) -> None:
    (file := tmp_path / "rows.jsonl").write_text(json.dumps({"id": 1, **row}) + "\n", encoding="utf-8")
    found = oneowner(batch, "--batch", file, "--release", {"decide": "4.0.6", "assign": "4.1.1"}[batch])
    assert found.code == 2
    assert words in found.err


SPLIT = {"algorithm": "split_boundaries", "split_algorithm": "range_equally_divide", "bundle": "0x00000000_0x80000000"}


def test_boundaries_as_texts_are_answered_as_texts(tmp_path: Path) -> None:
    texts, numbers = ["0x00000000", "0x80000000", "0xffffffff"], [0, 1 << 31, (1 << 32) - 1]
    lines = [json.dumps({"id": 1, **SPLIT, "boundaries": given}) for given in (texts, numbers)]
    (file := tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = oneowner("decide", "--batch", file)
    as_texts, as_numbers = map(json.loads, found.out.splitlines())
    assert (found.code, as_texts["proposed"]) == (0, ["0x40000000"])
    assert as_texts["boundaries"] == ["0x00000000", "0x40000000", "0x80000000", "0xffffffff"]
    assert (as_numbers["proposed"], as_numbers["boundaries"]) == ([1 << 30], [0, 1 << 30, 1 << 31, (1 << 32) - 1])


@pytest.mark.parametrize(
    ("batch", "row", "words"),
    [
        ("decide", {**SPLIT, "boundaries": ["0", "0x80000000"]}, "boundary refused: 0; it is a number, or a text"),
        ("decide", {**SPLIT, "boundaries": [0, True]}, "boundary refused: True; it is a number, or a text"),
        ("decide", {"algorithm": "topic_bundle", "boundaries": ["0x00", "end"], "topics": ["a"]}, "refused: end; it"),
        *(
            ("assign", {"clients": [{"id": 1}], "stateful": ["0_0"], "config": {key: value}}, f"{key} refused: {value}")
            for key, value in (("acceptable.recovery.lag", -1), ("max.warmup.replicas", 0), ("maxWarmupReplicas", -2))
        ),
    ],
)
def test_value_that_pulsar_or_kafka_refuses_is_refused(batch: str, row: Any, words: str, tmp_path: Path) -> None:
    (file := tmp_path / "rows.jsonl").write_text(json.dumps({"id": 1, **row}) + "\n", encoding="utf-8")
    found = oneowner(batch, "--batch", file, "--release", {"decide": "4.0.6", "assign": "4.1.1"}[batch])
    assert found.code == 2
    assert words in found.err
    assert len(found.err.splitlines()) == 1


@pytest.mark.parametrize("bad", [b"{\n", b"\xff\n", b"[]\n", b'{"id": 2, "algorithm": "top_q"}\n', b"{}\n"])
def test_bad_line_does_not_take_the_answers_of_the_others(bad: bytes, tmp_path: Path) -> None:
    good = json.dumps(DECIDE[1]).encode() + b"\n"
    (file := tmp_path / "rows.jsonl").write_bytes(good + bad + good)
    found = oneowner("decide", "--batch", file)
    assert (found.code, len(found.out.splitlines())) == (2, 2)
    assert found.err.startswith(f"error: {file}:2: ")
    assert len(found.err.splitlines()) == 1


def test_file_without_any_object_is_refused_by_its_first_line_alone(tmp_path: Path) -> None:
    (file := tmp_path / "rows.jsonl").write_text("nonsense\nand more\n", encoding="utf-8")
    found = oneowner("decide", "--batch", file)
    assert (found.code, found.err) == (2, f"error: {file}:1: no JSON object\n")
