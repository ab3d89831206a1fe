"""The smallest change of one value that turns a decision is found from both sides, and turns it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.decisions.what_if import Row, turns
from tests.model.channel.strategies import steadily


def over(row: Row) -> list[str]:
    """Decide what is over a limit, as a decision of which everything is known."""
    limit = float(row["conf"]["limit"])
    if row["conf"]["off"]:
        return []
    return [broker["id"] for broker in row["brokers"] if broker.get("available", True) and broker["load"] > limit]


DEFAULTS = {"limit": 0.8, "off": False}


def snapshot(**loads: float) -> dict[str, Any]:
    return {"brokers": [{"id": name, "load": load} for name, load in loads.items()]}


def test_smallest_change_comes_first_and_says_what_is_decided_then() -> None:
    limit, a, b = turns(snapshot(a=0.75, b=0.1), over, DEFAULTS)
    assert [limit.name, a.name, b.name] == ["limit", "load of a", "load of b"]
    assert a.decided == ("a",)
    assert a.after == pytest.approx(0.8, abs=0.001)
    assert limit.after == pytest.approx(0.75, abs=0.001)


def test_changes_of_settings_come_before_those_of_loads_and_are_as_many_as_asked() -> None:
    found = turns(snapshot(a=0.81, b=0.82, c=0.83), over, DEFAULTS, most=2)
    assert [turn.name for turn in found] == ["limit", "off", "load of a", "load of b"]


def test_switch_is_thrown() -> None:
    found = turns(snapshot(a=0.9), over, DEFAULTS)
    assert ("off", False, True, ()) in [(turn.name, turn.before, turn.after, turn.decided) for turn in found]
    assert ("available of a", True, False, ()) in [(turn.name, turn.before, turn.after, turn.decided) for turn in found]


def test_setting_of_the_snapshot_counts_before_its_default() -> None:
    (limit,) = (
        turn for turn in turns({**snapshot(a=0.5), "conf": {"limit": "0.6"}}, over, DEFAULTS) if turn.name == "limit"
    )
    assert (limit.before, limit.decided) == (0.6, ("a",))


def test_input_that_is_refused_turns_nothing() -> None:
    def refusing(row: Row) -> list[str]:
        if row["brokers"][0]["load"] != 0.5:
            raise ValueError("no such load")
        return []

    assert [turn.name for turn in turns(snapshot(a=0.5), refusing, {})] == []


def test_every_change_that_is_found_turns_the_decision_near_where_it_turns() -> None:
    @steadily
    @given(st.lists(st.floats(0, 1.5).map(lambda load: round(load, 3)), min_size=1, max_size=4))
    def turn(loads: list[float]) -> None:
        row = {**snapshot(**{f"b{number}": load for number, load in enumerate(loads)})}
        decided = tuple(over({**row, "conf": DEFAULTS}))
        for found in turns(row, over, DEFAULTS):
            assert found.decided != decided
            assert found.share > 0
            if found.name.startswith("load of"):
                assert abs(found.after - 0.8) < 0.01 * max(*loads, 1.0)

    turn()
