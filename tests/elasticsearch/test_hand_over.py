"""R0, the hand-over of PIP-192, for a shard: the families that keep it, and those that break it, with the step."""

from __future__ import annotations

import re

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.places import PACKAGE
from oneowner.model.handoff.requirement import Ownership, action_between
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step

PAGE = (PACKAGE / "spec" / "elasticsearch" / "README.md").read_text(encoding="utf-8")
ROWS = {
    name: (word, int(steps or 0))
    for name, word, steps in re.findall(
        r"^\| `elasticsearch/([\w-]+)` \| .*? \| (kept|broken) \| ?(\d*) ?\|$", PAGE, re.M
    )
}
"""The page's text by family: kept, or broken in so many steps."""


def is_allowed(before: Ownership, after: Ownership) -> bool:
    """Return whether R0 leads there; a node may fail, lose the shard, and another be named in one cluster state."""
    failed = before._replace(lost=before.lost | after.lost)
    goal = after._replace(lost=failed.lost)
    free = Ownership((0,), (None,), failed.lost)
    if action_between(failed, goal) is not None:
        return True
    return action_between(failed, free) is not None and action_between(free, goal) is not None


def first_breach(name: str) -> tuple[int, Ownership, Ownership] | None:
    """Return after how many steps at least ownership changes as R0 does not allow; None if it never does."""
    bounds = families()[f"elasticsearch/{name}"].bounds
    observe = bounds.system.observe
    assert observe is not None
    level = {state.key(): state for state in initial_states(bounds)}
    known, number = set(level), 0
    while level:
        number += 1
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


def test_page_tells_of_every_family() -> None:
    assert {f"elasticsearch/{name}" for name in ROWS} == {
        name for name in families() if name.startswith("elasticsearch/")
    }


QUICK = 2_000
"""States of a model that is walked in the tests that always run; the slow ones walk the others."""
FAMILIES = families()
KEPT = [
    pytest.param(name, marks=[pytest.mark.slow] * (FAMILIES[f"elasticsearch/{name}"].states > QUICK))
    for name, (word, _) in ROWS.items()
    if word == "kept"
]


@pytest.mark.parametrize("name", KEPT)
def test_requirement_is_kept_where_the_page_says(name: str) -> None:
    assert first_breach(name) is None


@pytest.mark.parametrize("name", [name for name, (word, _) in ROWS.items() if word == "broken"])
def test_requirement_is_broken_when_the_page_says(name: str) -> None:
    found = first_breach(name)
    assert found is not None
    number, before, after = found
    assert number == ROWS[name][1], (number, str(before), str(after))
