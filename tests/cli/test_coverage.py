"""The verb ``coverage``: pins of recordings and drives, by action and law."""

from typing import Final

import pytest

from oneowner.checkers.ledger.conformance_pins import counts_in
from oneowner.spec.channel.system import SYSTEM
from tests.command_line import oneowner
from tools.coverage_table import PAGE, page

OBSERVED: Final = 41
"""Actions that records, writes or drives show: the number may only grow."""
SHOWN: Final = 88
"""Those and the actions that lines of logs show, not lines that others print, too: the number may only grow."""
EXERCISED: Final = 73
"""Laws that recordings exercise: the number may only grow."""


def test_actions_and_laws_that_real_clusters_have_shown_only_grow() -> None:
    found = oneowner("coverage", "--json", "-").json
    actions = {one["action"]: one["seen"] for one in found["actions"]}
    assert set(actions) == {one.name for one in SYSTEM.declared}
    assert sum(seen == "observed" for seen in actions.values()) >= OBSERVED
    assert sum(seen in ("observed", "logged") for seen in actions.values()) >= SHOWN
    assert [law["law"] for law in found["coverage"]] == [law.name for law in SYSTEM.laws]
    assert sum(bool(law["exercised"]) for law in found["coverage"]) >= EXERCISED


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("append", "append: shown by "),
        ("expire", "expire: shown by "),
        ("clean-only-by-leader", "late-clean-up"),
        ("version-chain", "version-chain: exercised by "),
    ],
)
def test_action_or_law_is_described_with_its_recordings(name: str, words: str) -> None:
    assert words in oneowner("coverage", name).out


def test_actions_of_a_system_of_locks_are_those_that_logs_show() -> None:
    found = oneowner("coverage", "--system", "lock_manager", "--json", "-").json
    seen = {one["action"]: one["logged"] for one in found["actions"]}
    assert seen["begin_stop"].keys() == {"locks-graceful-stop"}
    assert seen["begin_split"].keys() == seen["write_policies"].keys() == {"locks-healthy"}
    assert (seen["crash"], found["coverage"]) == ({}, [])


def test_system_without_a_binding_table_is_refused() -> None:
    found = oneowner("coverage", "--system", "lock_manger")
    assert (found.code, "lock_manager" in found.err) == (2, True)


def test_unknown_name_is_refused_with_the_nearest() -> None:
    found = oneowner("coverage", "overide")
    assert found.code == 2
    assert "override" in found.err


def test_pinned_line_of_counts_is_read() -> None:
    assert counts_in({"a": "append 24, restart 3"}, "a") == {"append": 24, "restart": 3}
    assert counts_in({}, "a") == counts_in({"a": ""}, "a") == {}


def test_page_has_the_present_counts() -> None:
    assert page() == PAGE.read_text(encoding="utf-8")
