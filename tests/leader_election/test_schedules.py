"""Schedules of the real class: taken under their own release, refused under others' where these differ."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.model.kernel.schedule import Unreadable
from oneowner.spec.leader_election.schedules import follow_schedule
from tests.command_line import oneowner
from tests.packed_vectors import rows_of, text_of

OTHER = {"2.9.1": "4.0.6", "4.0.6": "2.9.1"}
MOST = 96
"""Twelve of each of four drawings, drawn by the class and as many by the model."""


@cache
def recorded(release: str) -> list[dict[str, Any]]:
    return rows_of(f"leader_election/{release}")


@pytest.mark.sample(1)
@pytest.mark.parametrize("release", OTHER)
def test_the_model_takes_every_schedule_of_its_release_and_refuses_others(release: str) -> None:
    schedules = recorded(release)
    assert len(schedules) == MOST
    assert sum("-model-" in one["id"] for one in schedules) == MOST // 2
    assert [follow_schedule(one, release) for one in schedules] == [None] * MOST
    refused = sum(follow_schedule(one, OTHER[release]) is not None for one in schedules)
    assert refused > MOST * 0.9


def changed(number: int, change: Any) -> dict[str, Any]:
    """A schedule of 4.0.6 with its step *number* changed."""
    schedule: dict[str, Any] = json.loads(json.dumps(recorded("4.0.6")[0]))
    change(schedule["steps"][number])
    return schedule


OTHERS: dict[str, Any] = {
    "live": "no",
    "internal": "Init",
    "state": "nothing",
    "value": 7,
    "elected": "Lost",
    "closed": "Lost",
    "heard": ["Leading", "Leading"],
    "timers": 7,
    "notifications": ["Modified"],
    "requests": [["get", False]] * 9,
    "unknown": 1,
}
"""Of every field, a value that it never has."""


@pytest.mark.parametrize("field", OTHERS)
def test_a_field_of_another_value_is_refused_where_it_is(field: str) -> None:
    steps = recorded("4.0.6")[0]["steps"]
    assert field == "unknown" or steps[0]["brokers"][1].keys() == OTHERS.keys() - {"unknown"}
    found = follow_schedule(changed(9, lambda step: step["brokers"][1].update({field: OTHERS[field]})), "4.0.6")
    assert found is not None
    assert (found.step, found.field, found.recorded) == (10, "brokers[2]." + field, OTHERS[field])


@pytest.mark.parametrize(("field", "value"), [("node", [2, True]), ("another", None)])
def test_another_node_is_refused(field: str, value: object) -> None:
    found = follow_schedule(changed(9, lambda step: step.update({field: value})), "4.0.6")
    assert found is not None
    assert (found.step, found.field) == (10, field)


@pytest.mark.parametrize(
    "schedule",
    [
        {"brokers": 2, "steps": []},
        {"brokers": 0, "steps": [{"step": ["elect", 1], "brokers": []}]},
        {"brokers": 2, "options": ["strict"], "steps": [{"step": ["elect", 1], "brokers": []}]},
        {"brokers": 2, "steps": [{"step": ["elect", 3], "brokers": []}]},
        {"brokers": 2, "steps": [{"step": "elect", "brokers": []}]},
        {"brokers": 2, "steps": [{"step": ["elect", 1]}]},
    ],
)
def test_what_is_no_schedule_is_unreadable(schedule: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        follow_schedule(schedule, "4.0.6")


def test_a_schedule_of_fewer_brokers_than_it_says_is_refused() -> None:
    found = follow_schedule(changed(0, lambda step: step["brokers"].pop()), "4.0.6")
    assert found is not None
    assert (found.step, found.field) == (1, "brokers")


def test_command_line_says_what_became_of_every_schedule(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join(text_of("leader_election/2.9.1.jsonl.gz").splitlines()[:20]))
    assert oneowner("replay", file, "--system", "pulsar-elections").code == 0  # by the release that each names
    found = oneowner("replay", file, "--system", "leader_election", "--release", "4.0.6", "--json", "-")
    assert found.code == 1
    assert all(one["at"]["line"] and "the class" in one["why"] for one in found.json["findings"])
