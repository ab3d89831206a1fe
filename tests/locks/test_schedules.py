"""Schedules of the real class: taken under their own release, refused under others' where these differ."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.model.kernel.schedule import Unreadable
from oneowner.spec.locks.schedules import follow_schedule
from oneowner.spec.locks.system import SYSTEM
from tests.command_line import oneowner
from tests.packed_vectors import VECTORS, rows_of, text_of

RELEASES = tuple(SYSTEM.releases)
REFUSED = {  # of 140: under the rules of 2.9.2, 2.10.5, and of 3.0.7 and all after it
    "2.9.2": (0, 73, 74),
    "2.10.5": (73, 0, 100),
    "3.0.7": (75, 100, 0),
    "4.0.6": (75, 100, 0),
    "4.2.4": (75, 100, 0),
}


@cache
def recorded(release: str) -> list[dict[str, Any]]:
    return [*rows_of(f"locks/{release}"), *rows_of(f"locks/{release}-wide")]


@pytest.mark.parametrize("release", ["2.9.2", "4.0.6"])
def test_some_schedules_are_taken_under_their_release_and_refused_under_others(release: str) -> None:
    some = recorded(release)[::7]
    assert [follow_schedule(one, release) for one in some] == [None] * 20
    other = "2.10.5" if release == "4.0.6" else "3.0.7"
    assert 5 < sum(follow_schedule(one, other) is not None for one in some) < 20


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_model_takes_every_schedule_of_its_release_and_refuses_others(release: str) -> None:
    schedules = recorded(release)
    assert len(schedules) == 140
    under = ("2.9.2", "2.10.5", release if release in ("4.0.6", "4.2.4") else "3.0.7")
    refused = tuple(sum(follow_schedule(one, other) is not None for one in schedules) for other in under)
    assert refused == REFUSED[release]


def changed(number: int, change: Any) -> dict[str, Any]:
    """A schedule of 4.0.6 with its step *number* changed."""
    schedule: dict[str, Any] = json.loads(json.dumps(recorded("4.0.6")[0]))
    change(schedule["steps"][number])
    return schedule


def first_with(field: str, value: object) -> tuple[int, int]:
    """The point at which a client of the schedule first has a value."""
    steps = recorded("4.0.6")[0]["steps"]
    return next(
        (at, c) for at, step in enumerate(steps) for c, told in enumerate(step["clients"]) if told[field] == value
    )


@pytest.mark.parametrize(("field", "value"), [("state", "Valid"), ("live", True), ("version", 0)])
def test_a_field_of_another_value_is_refused_where_it_is(field: str, value: object) -> None:
    at, client = first_with(field, value)
    other = {"state": "Released", "live": False, "version": 7}[field]
    found = follow_schedule(changed(at, lambda step: step["clients"][client].update({field: other})), "4.0.6")
    assert found is not None
    assert (found.step, found.field) == (at + 1, f"clients[{client + 1}].{field}")
    assert (found.model, found.recorded) == (value, other)


def test_a_node_of_another_session_is_refused() -> None:
    steps = recorded("4.0.6")[0]["steps"]
    at = next(at for at, step in enumerate(steps) if step["node"])
    found = follow_schedule(changed(at, lambda step: step["node"].update(session="nobody's")), "4.0.6")
    assert found is not None
    assert found.field == "node.session"
    found = follow_schedule(changed(at, lambda step: step["node"].update(version=1)), "4.0.6")
    assert found is not None
    assert found.field == "node.version"


def test_what_the_form_leaves_open_is_read() -> None:
    schedule: dict[str, Any] = json.loads(json.dumps(recorded("4.2.4")[0]))
    for step in schedule["steps"]:
        name, client = step["step"]
        step["step"], step["client"] = name, client - 1
        step["unknown"] = [1]
        for told in step["clients"]:
            told["requests"] = len(told["requests"])
            told.pop("timers")
    assert follow_schedule(schedule, "4.2.4") is None
    for step in schedule["steps"]:
        step["step"] = {"step": step["step"], "client": f"c{step.pop('client') + 1}"}
    assert follow_schedule(schedule, "4.2.4") is None


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [{"step": ["acquire", 1]}],
        [{"step": ["acquire", 3], "clients": [{}, {}]}],
        [{"step": ["aquire", 1], "clients": [{}, {}]}],
        [{"clients": [{}]}],
        [{"step": ["acquire", 1], "clients": 2}],
        [{"step": ["acquire", 1], "clients": [{}]}, {"step": ["acquire", 1], "clients": [{}, {}]}],
    ],
)
def test_what_is_no_schedule_is_unreadable(steps: list[Any]) -> None:
    with pytest.raises(Unreadable):
        follow_schedule({"steps": steps}, "4.0.6")


def test_command_line_says_what_became_of_every_schedule(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join(text_of("locks/2.9.2.jsonl.gz").splitlines()[:20]))
    assert oneowner("replay", file, "--system", "pulsar-locks", "--release", "2.9.2").code == 0
    assert oneowner("replay", file, "--system", "locks").code == 0  # by the release that each names
    found = oneowner("replay", file, "--system", "locks", "--release", "4.2.4", "--json", "-")
    assert found.code == 1
    assert all(one["at"]["line"] and "the class" in one["why"] for one in found.json["findings"])
    torn = tmp_path / "torn.jsonl"
    torn.write_text('{"steps": []}\nno json\n')
    found = oneowner("replay", torn, "--system", "locks")
    assert found.code == 2
    assert f"{torn}:1: " in found.err
    assert f"{torn}:2: not JSON" in found.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--system", "lokcs"), "locks"),
        (("--system", "channel"), "channel"),
        (("--system", "locks", "--release", "4.2.x"), "4.2.4"),
        (("--release", "4.2.4"), "--system"),
        ((), "--system locks"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    found = oneowner("replay", VECTORS / "locks" / "4.2.4.jsonl.gz", *arguments)
    assert found.code == 2
    assert words in found.err
    assert found.err.count("\n") == 1


def test_release_that_is_not_known_is_judged_by_the_nearest_older_one_and_noted() -> None:
    found = oneowner("replay", VECTORS / "locks" / "4.2.4.jsonl.gz", "--system", "locks", "--release", "4.2.5")
    assert found.code == 0, found.said
    assert found.out.startswith("release 4.2.5 is not known; it is judged by the rules of 4.2.4\n")
