"""R0, the hand-over of PIP-192, for groups of Kafka Streams: the families that keep it, and the step that breaks it."""

from __future__ import annotations

import re
from itertools import product

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.places import PACKAGE
from oneowner.model.handoff.requirement import Ownership, action_between
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step

PAGE = PACKAGE / "spec" / "kafka" / "README.md"
ROWS = {
    row: int(number) if number else None
    for row, number in re.findall(
        r"^\| `kafka/([\w-]+)` \| [^|]* \| (?:broken|kept) \| (\d*) *\|$", PAGE.read_text(), re.M
    )
}
"""The page's number of steps to the broken requirement, by family; None: it is kept."""


def is_allowed(before: Ownership, after: Ownership) -> bool:
    """Return whether R0 leads there, task by task: a leader assigns many at once, and a failure loses all at once."""
    failed = before._replace(lost=before.lost | after.lost)
    for task, (own, flight) in enumerate(zip(after.own, after.flight, strict=True)):
        owners = (*failed.own[:task], own, *failed.own[task + 1 :])
        flights = (*failed.flight[:task], flight, *failed.flight[task + 1 :])
        if action_between(failed, failed._replace(own=owners, flight=flights)) is None:
            return False
    return True


def first_breach(name: str) -> tuple[int, Ownership, Ownership] | None:
    """Return the least number of steps that break R0, and the ownership before and after the last one."""
    bounds = families()[f"kafka/{name}"].bounds
    observe = bounds.system.observe
    level = {state.key(): state for state in initial_states(bounds)}
    known = set(level)
    number = 0
    while level:
        number += 1
        ahead = {}
        for before, action in product(level.values(), actions(bounds)):
            try:
                after = step(before, action)
            except Disabled:
                continue
            if not is_allowed(observe(before), observe(after)):
                return number, observe(before), observe(after)
            if after.key() not in known:
                known.add(after.key())
                ahead[after.key()] = after
        level = ahead
    return None


def test_page_tells_of_families_that_keep_and_that_break_it() -> None:
    assert set(ROWS) <= {name.removeprefix("kafka/") for name in families() if name.startswith("kafka/")}
    assert len(ROWS) > 3


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "two-join")) for name in ROWS])
def test_requirement_is_kept_or_broken_as_the_page_says(name: str) -> None:
    found = first_breach(name)
    assert (None if found is None else found[0]) == ROWS[name], found
