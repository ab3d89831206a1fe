"""R0, the requirement of PIP-192 for a hand-over, checked on owners in other systems: their pages list its breaches."""

import re
from itertools import product

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.documents import read_document
from oneowner.checkers.places import PACKAGE
from oneowner.model.handoff.requirement import Ownership, action_between
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step

PAGES = {
    name: (PACKAGE / "spec" / name / "README.md").read_text(encoding="utf-8")
    for name in ("elasticsearch", "kafka", "lock_manager")
}
ROW = re.compile(r"^\| `([\w/-]+)` \| .*? \| (kept|broken) \| ?(\d*) *\|$", re.M)
BREACHES = {
    name: int(steps) if word == "broken" else None
    for page in PAGES.values()
    for name, word, steps in ROW.findall(page)
    if "/" in name
}
"""By family, the number of steps after which R0 is broken, as its page states; None: it is kept."""
FAMILIES = families()
QUICK = 2_000
"""States of a model that is always walked in full; larger ones are walked by the slow tests."""
SLOW = {
    "kafka/two-join",
    *(name for name, steps in BREACHES.items() if steps is None and FAMILIES[name].states > QUICK),
}

LISTED = {
    "elasticsearch": {name for name in FAMILIES if name.startswith("elasticsearch/")},
    "kafka": {f"kafka/{name}" for name in ("join", "from-scratch", "late-member", "failover", "scale-out", "two-join")},
    "lock_manager": {"locks/holders", "lock_manager/lookups", "lock_manager/loading", "lock_manager/expiry"},
}
"""By page, the families that it speaks of."""


def is_allowed(before: Ownership, after: Ownership) -> bool:
    """Return whether R0 allows the change of each unit: one step may change several, and brokers may fail in it."""
    failed = before._replace(lost=before.lost | after.lost)
    for unit, (own, flight) in enumerate(zip(after.own, after.flight, strict=True)):
        owners = (*failed.own[:unit], own, *failed.own[unit + 1 :])
        flights = (*failed.flight[:unit], flight, *failed.flight[unit + 1 :])
        if action_between(failed, failed._replace(own=owners, flight=flights)) is None:
            return False
    return True


def passes_through_nobody(before: Ownership, after: Ownership) -> bool:
    """Return whether R0 allows the change in two steps: one cluster state drops a failed node and names another."""
    free = Ownership((0,), (None,), before.lost | after.lost)
    return is_allowed(before, free) and is_allowed(free, after)


def first_breach(name: str) -> tuple[int, Ownership, Ownership] | None:
    """Return the least number of steps after which R0 is broken, and ownership before and after the last of them."""
    bounds = FAMILIES[name].bounds
    observe = bounds.system.observe
    assert observe is not None
    level = {state.key(): state for state in initial_states(bounds)}
    known, number = set(level), 0
    while level:
        number += 1
        ahead = {}
        for before, action in product(level.values(), actions(bounds)):
            try:
                after = step(before, action)
            except Disabled:
                continue
            pair = observe(before), observe(after)
            if not is_allowed(*pair) and not (name.startswith("elasticsearch/") and passes_through_nobody(*pair)):
                return number, *pair
            if after.key() not in known:
                known.add(after.key())
                ahead[after.key()] = after
        level = ahead
    return None


@pytest.mark.parametrize(("page", "listed"), LISTED.items())
def test_page_lists_the_families(page: str, listed: set[str]) -> None:
    assert {name for name, _, _ in ROW.findall(PAGES[page]) if "/" in name} == listed
    assert listed <= FAMILIES.keys()


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in BREACHES])
def test_requirement_is_kept_or_broken_as_the_page_states(name: str) -> None:
    found = first_breach(name)
    assert (found and found[0]) == BREACHES[name], found
    if found and name.startswith("lock"):  # owners by nodes: an owner changes, and no hand-over is ever under way
        _, before, after = found
        assert before.own != after.own
        assert not any(after.flight)


def test_channel_keeps_the_requirement_where_its_refinement_is_pinned() -> None:
    named = {name for name, word, _ in ROW.findall(PAGES["lock_manager"]) if word == "kept"}
    rows = read_document(PACKAGE / "spec" / "channel" / "refinements.yaml").data
    kept = {row["family"] for row in rows if row.get("refinement") == "channel" and row.get("verdict") == "valid"}
    assert named
    assert named <= kept
