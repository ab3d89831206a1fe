"""Our answers are those of a release's unmodified classes to random inputs (tests/vectors/balancer)."""

import builtins
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.cli.batch import plain
from oneowner.model.balancer.batch.algorithms import ALGORITHMS
from oneowner.model.balancer.batch.algorithms import answer as ours
from tests.packed_vectors import VECTORS, rows_of

EDGES = VECTORS / "edges"
"""Inputs, each of which some function answered otherwise than the class does."""
FILES = [
    pytest.param(
        path,
        id=f"{path.parent.name}-{path.name.split('.')[0]}",
        marks=[pytest.mark.slow] * (path.parent.name in ("2.10.5", "3.0.7", "3.3.6")),
    )
    for path in sorted(VECTORS.glob("balancer/*/*.jsonl.gz"))
]
"""Releases between the others are slow: of each algorithm 4.0.6 is asked, and of those that differ the ends."""


def answer(row: dict[str, Any], release: str) -> Any:
    return json.loads(json.dumps(plain(ours(row, release))))


@pytest.mark.parametrize("path", FILES)
def test_every_answer_is_that_of_the_class_to_the_last_bit(path: Path) -> None:
    release, algorithm = path.parent.name, path.name.removesuffix(".jsonl.gz")
    rows = rows_of(f"balancer/{release}/{algorithm}")
    assert len(rows) >= 100
    assert {row["input"]["algorithm"] for row in rows} == {algorithm}
    assert [row["input"]["id"] for row in rows if answer(row["input"], release) != row["answer"]] == []


@pytest.mark.parametrize("release", [path.name.removesuffix(".jsonl.gz") for path in sorted(EDGES.iterdir())])
def test_every_answer_at_an_edge_is_that_of_the_class(release: str) -> None:
    rows = rows_of(f"edges/{release}")
    assert len(rows) > 20
    assert [row["input"]["id"] for row in rows if answer(row["input"], release) != row["answer"]] == []


def test_sums_of_doubles_are_rounded_as_java_rounds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """``sum`` compensates for rounding, from Python 3.12 on: then brokers tie that do not."""
    rows = [row for row in rows_of("edges/4.0.6") if row["input"]["algorithm"] == "least_long_term"]
    assert len(rows) >= 5
    monkeypatch.setattr(builtins, "sum", lambda numbers, start=0: math.fsum([start, *numbers]))
    assert [row["input"]["id"] for row in rows if answer(row["input"], "4.0.6") != row["answer"]] == []


def test_every_algorithm_has_vectors_of_4_0_6() -> None:
    assert {path.name.partition(".jsonl")[0] for path in (VECTORS / "balancer/4.0.6").iterdir()} == set(ALGORITHMS)


def test_vectors_tell_releases_and_debug_mode_apart() -> None:
    """They are no inputs to which any function would answer the same."""
    rows = rows_of("balancer/4.0.6/transfer")
    assert sum(answer(row["input"], "3.0.0") != row["answer"] for row in rows) > 10
    other = [{**row["input"], "conf": {**row["input"]["conf"], "loadBalancerTransferEnabled": False}} for row in rows]
    assert sum(answer(one, "4.0.6") != row["answer"] for one, row in zip(other, rows, strict=True)) > 20
    kinds = Counter(kind for row in rows for one in row["answer"]["cycles"] for kind in one["counted"] or {"moves": 1})
    assert {"moves", "Skip/CoolDown", "Skip/HitCount", "Skip/NoBundles", "Skip/NoLoadData"} <= kinds.keys()


@pytest.mark.parametrize(
    ("algorithm", "other", "least"),
    [
        ("overload", "3.3.6", 30),
        pytest.param("overload", "2.9.1", 30, marks=pytest.mark.slow),
        ("threshold", "2.9.1", 50),
        pytest.param("threshold", "2.10.5", 50, marks=pytest.mark.slow),
        ("uniform", "2.10.5", 30),
        pytest.param("uniform", "4.2.4", 30, marks=pytest.mark.slow),
        pytest.param("avg", "3.3.6", 10, marks=pytest.mark.slow),
        ("avg", "4.0.8", 5),
    ],
)
def test_vectors_of_shedders_tell_releases_apart(algorithm: str, other: str, least: int) -> None:
    rows = rows_of(f"balancer/4.0.6/{algorithm}")
    assert sum(answer(row["input"], other) != row["answer"] for row in rows) >= least
    assert sum(bool(one.get("unload")) for row in rows for one in row["answer"]["cycles"]) > 40


def test_comparator_that_is_no_order_loses_cycles_until_4_0_8() -> None:
    def lost(release: str) -> int:
        return sum("error" in one for row in rows_of(f"balancer/{release}/avg") for one in row["answer"]["cycles"])

    assert lost("4.0.6") > 0 == lost("4.0.8")
