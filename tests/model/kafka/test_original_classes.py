"""Our answers are those of Kafka's unmodified classes to random inputs (tests/vectors/kafka)."""

import json
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.cli.batch import plain
from oneowner.model.kafka.batch.algorithms import ALGORITHMS, RELEASES
from oneowner.model.kafka.batch.assignors import RULES
from tests.packed_vectors import VECTORS, rows_of
from tools.oracle.admitted import admitted

FILES = [
    pytest.param(
        path,
        id=f"{path.parent.name}-{path.name.split('.')[0]}",
        marks=[pytest.mark.slow] * (path.parent.name in ("3.7.2", "3.9.1")),
    )
    for path in sorted(VECTORS.glob("kafka/*/*.jsonl.gz"))
]
"""Releases that decide by the rules of 4.1.1 are slow."""


def answer(row: dict[str, Any], release: str) -> Any:
    algorithm = ALGORITHMS[row["algorithm"]]
    return json.loads(json.dumps(plain(algorithm.answer(row, algorithm.rules[release]))))


@pytest.mark.parametrize("path", FILES)
def test_every_answer_is_that_of_the_class(path: Path) -> None:
    release, algorithm = path.parent.name, path.name.removesuffix(".jsonl.gz")
    rows = rows_of(f"kafka/{release}/{algorithm}")
    assert len(rows) >= 40
    assert {row["input"]["algorithm"] for row in rows} == {algorithm}
    other = [row for row in rows if answer(row["input"], release) != row["answer"]]
    assert [row["input"]["id"] for row in other if not is_left_open(row["input"], row["answer"])] == []
    assert len(other) < len(rows) / 2


def is_left_open(row: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Only the broker's assignor leaves something open: which of equally loaded processes it takes."""
    return row["algorithm"] == "sticky" and admitted(row, theirs)


def test_target_that_the_class_cannot_answer_is_not_left_open() -> None:
    row = next(row for row in rows_of("kafka/4.1.1/sticky") if len(row["input"]["members"]) > 2)
    members = row["answer"]["members"]
    (first, one), (second, other), *_ = members.items()
    assert one["active"] != other["active"]
    swapped = {**members, first: other, second: one, "m9": one}
    assert admitted(row["input"], row["answer"])
    assert not admitted(row["input"], {"members": swapped})


def test_every_release_that_was_read_has_vectors() -> None:
    assert {path.parent.name for path in VECTORS.glob("kafka/*/*.jsonl.gz")} == set(RULES)
    assert set(RULES) <= set(RELEASES)


@pytest.mark.parametrize(
    ("other", "assignor", "least"),
    [("2.6.3", "high_availability", 40), ("3.2.3", "high_availability", 10), ("2.6.3", "sticky", 5)],
)
def test_vectors_tell_releases_apart(other: str, assignor: str, least: int) -> None:
    rows = rows_of("kafka/4.1.1/assignors")
    assert sum(answer(row["input"], other)[assignor] != row["answer"][assignor] for row in rows) >= least


def test_vectors_have_warm_ups_standbys_tags_and_unknown_lags() -> None:
    rows = rows_of("kafka/4.1.1/assignors")
    found = [row["answer"]["high_availability"] for row in rows]
    assert 40 < sum(one["probing"] for one in found) < 120
    assert sum(any(client["standby"] for client in one["clients"].values()) for one in found) > 40
    assert sum(bool(row["input"]["config"]["rack.aware.assignment.tags"]) for row in rows) > 20
    assert sum(-3 in client["lags"].values() for row in rows for client in row["input"]["clients"]) > 50


def test_vectors_have_tasks_that_move_for_racks_by_either_strategy() -> None:
    for strategy in ("min_traffic", "balance_subtopology"):
        key = "rack.aware.assignment.strategy"
        rows = [row["input"] for row in rows_of("kafka/4.1.1/racks") if row["input"]["config"][key] == strategy]
        blind = [{**row, "config": {**row["config"], key: "none"}} for row in rows]
        pairs = zip(rows, blind, strict=True)
        assert sum(answer(row, "4.1.1") != answer(other, "4.1.1") for row, other in pairs) >= 5
