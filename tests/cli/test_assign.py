"""``assign``: a batch is answered line by line; invalid input is refused by file and line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import oneowner

TWO = [{"id": "P1", "capacity": 1, "lags": {"0_0": 500}}, {"id": "P2", "capacity": 1, "lags": {"0_0": 0}}]
ONE_TASK = {"clients": TWO, "stateful": ["0_0"], "config": {"acceptable.recovery.lag": 100}}


def batch(tmp_path: Path, *rows: Any) -> str:
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(path)


def test_batch_answers_each_line_under_its_id(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "kind": "random", "assignors": ["high_availability", "fallback"], **ONE_TASK, "stateless": ["1_0"]},
        {"id": "s", "kind": "series", **ONE_TASK, "rounds": [{"leave": ["P2"]}], "end": 500, "budget": 9},
    ]
    outcome = oneowner("assign", "--batch", batch(tmp_path, *rows), "--release", "3.9.1")
    assert outcome.code == 0
    first, second = map(json.loads, outcome.out.splitlines())
    assert first["id"] == 7
    assert first["high_availability"] == {
        "probing": True,
        "clients": {"P1": {"active": ["1_0"], "standby": ["0_0"]}, "P2": {"active": ["0_0"], "standby": []}},
    }
    assert first["fallback"]["probing"]
    assert [one["probing"] for one in second["rounds"]] == [True, False, False]
    assert second["rounds"][-1]["clients"] == {"P1": {"active": ["0_0"], "standby": []}}


def test_streams_group_is_answered_by_its_kind(tmp_path: Path) -> None:
    heartbeat = {
        "id": 2, "kind": "reconcile", "owned": None, "target": {"epoch": 11, "active": {"s1": [2, 3]}},
        "member": {"process": "p1", "state": "STABLE", "epoch": 10, "assigned": {"active": {"s1": [1, 2]}}},
    }  # fmt: skip
    member = {"id": "m1", "process": "p1", "active": {"s1": [0, 1]}}
    subtopologies = {"s1": {"partitions": 2, "stateful": True}}
    group = {
        "id": 3, "kind": "sticky", "members": [member, {"id": "m2", "process": "p2"}], "subtopologies": subtopologies,
        "config": {"num.standby.replicas": 1},
    }  # fmt: skip
    first, second = map(json.loads, oneowner("assign", "--batch", batch(tmp_path, heartbeat, group)).out.splitlines())
    assert (first["state"], first["epoch"]) == ("UNREVOKED_TASKS", 10)
    assert first["assigned"]["active"] == {"s1": [2]}
    assert first["pending"]["active"] == {"s1": [1]}
    assert second["members"]["m1"] == {"active": {"s1": [1]}, "standby": {"s1": [0]}}
    assert second["members"]["m2"] == {"active": {"s1": [0]}, "standby": {"s1": [1]}}


def test_release_that_has_no_streams_group_is_refused(tmp_path: Path) -> None:
    outcome = oneowner("assign", "--batch", batch(tmp_path, {"id": 1, "kind": "reconcile"}), "--release", "3.9.1")
    assert outcome.code == 2
    assert "reconcile is not modelled for 3.9.1; it is modelled for 4.1.0, 4.1.1, 4.1.2" in outcome.err


def test_releases_answer_otherwise(tmp_path: Path) -> None:
    unknown = [{**TWO[0], "lags": {"0_0": -3}}, {**TWO[1], "lags": {"0_0": -2}}]
    path = batch(tmp_path, {"id": 1, **ONE_TASK, "clients": unknown})
    answers = {
        release: json.loads(oneowner("assign", "--batch", path, "--release", release).out)
        for release in ("2.6.3", "4.1.1")
    }
    assert answers["2.6.3"]["high_availability"]["clients"]["P2"]["active"] == ["0_0"]
    assert answers["4.1.1"]["high_availability"]["clients"]["P1"]["active"] == ["0_0"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{", "no JSON object"),
        ({"id": 1}, "required: id"),
        ({"id": 1, "kind": "stiky"}, "no such algorithm: stiky"),
        ({"id": 1, "stateful": []}, "'clients' is missing"),
        ({"id": 1, **ONE_TASK, "assignors": ["ha"]}, "no such assignor: ha; there are high_availability"),
        ({"id": 1, **ONE_TASK, "clients": [*TWO, {**TWO[0], "id": 1}]}, "two clients have one id"),
        ({"id": 1, **ONE_TASK, "clients": [{**TWO[0], "capacity": 0}]}, "client P1 has 0 threads; it has 1 at least"),
        ({"id": 1, **ONE_TASK, "clients": [{**TWO[0], "id": "x"}]}, "x is no id of a client"),
        ({"id": 1, **ONE_TASK, "config": {"rack.aware.assignment.strategy": "nearest"}}, "there are none, min_traffic"),
        ({"id": 1, **ONE_TASK, "racks": {"0_0": ["r1"]}}, "each partition has a list of racks"),
        ({"id": 1, **ONE_TASK, "rounds": [{"gone": [1]}], "end": 9, "budget": 2}, "no such event: gone"),
        ({"id": 1, **ONE_TASK, "rounds": [], "end": 9}, "'budget' is missing"),
    ],
)  # fmt: skip
def test_line_that_is_no_input_is_refused_by_file_and_line(tmp_path: Path, row: Any, why: str) -> None:
    outcome = oneowner("assign", "--batch", batch(tmp_path, "", row))
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {tmp_path}/batch.jsonl:2: ")
    assert why in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--batch", "-", "--release", "9"], ["--batch", "nowhere"]])
def test_misuse_is_one_line(arguments: list[str]) -> None:
    outcome = oneowner("assign", *arguments)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
