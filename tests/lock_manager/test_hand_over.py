"""R0, the hand-over of PIP-192, for owners by nodes and the channel: families that keep it, or break it when."""

from __future__ import annotations

import re

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.documents import read_document
from oneowner.checkers.places import PACKAGE
from oneowner.model.handoff.requirement import Ownership, action_between
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step

PAGE = PACKAGE / "spec" / "lock_manager" / "README.md"
STEPS_AT_MOST = 12
ROWS = {
    row: (statement, int(number))
    for row, statement, number in re.findall(r"^\| `([\w/-]+)` \| (.*?) \| broken \| (\d+) \|$", PAGE.read_text(), re.M)
}
"""The page's text by family."""


def is_allowed(before: Ownership, after: Ownership) -> bool:
    """Return whether R0 has an action that leads there; a broker may fail and lose all its bundles at once."""
    failed = before._replace(lost=before.lost | after.lost)
    return all(
        action_between(failed, failed._replace(own=(*failed.own[:unit], own, *failed.own[unit + 1 :]))) is not None
        for unit, own in enumerate(after.own)
    )


def first_breach(name: str) -> tuple[int, Ownership, Ownership] | None:
    """Return the least number of steps to a change of ownership that R0 forbids, and the owners around it."""
    bounds = families()[name].bounds
    observe = bounds.system.observe
    assert observe is not None
    level = {state.key(): state for state in initial_states(bounds)}
    known = set(level)
    for number in range(1, STEPS_AT_MOST + 1):
        ahead = {}
        for before in level.values():
            for action in actions(bounds):
                try:
                    after = step(before, action)
                except Disabled:
                    continue
                pair = observe(before), observe(after)
                if not is_allowed(*pair):
                    return number, *pair
                if after.key() not in known:
                    known.add(after.key())
                    ahead[after.key()] = after
        level = ahead
    return None


def test_page_tells_of_the_lock_and_of_its_manager() -> None:
    assert {"locks/holders", "lock_manager/lookups", "lock_manager/loading", "lock_manager/expiry"} == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_owners_by_nodes_break_the_requirement_when_the_page_says(name: str) -> None:
    found = first_breach(name)
    assert found is not None
    number, before, after = found
    assert number == ROWS[name][1], (number, str(before), str(after))
    assert before.own != after.own
    assert not any(after.flight)


def test_channel_keeps_the_requirement_where_its_refinement_is_pinned() -> None:
    text = re.findall(r"^\| `([\w-]+)` \| .*? \| kept \|", PAGE.read_text(), re.M)
    rows = read_document(PACKAGE / "spec" / "channel" / "refinements.yaml").data
    kept = {row["family"] for row in rows if row.get("refinement") == "channel" and row.get("verdict") == "valid"}
    assert text
    assert set(text) <= kept
