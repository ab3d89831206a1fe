"""Every law of the lock-based manager has a crafted state or step that breaks it, and every switch has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.rules import Rules
from oneowner.model.lock_manager.state import Entry, Lock, Lookup, State, Unload
from oneowner.spec.lock_manager.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, step_breaks, taken_step_breaks

AMPLE = Bounds(
    clients=1, asks=1, acquires=1, unloads=1, splits=2, expiries=1, crashes=1, restarts=1, stops=1, losses=1, loads=1
)
HEARTBEAT = Bounds(monitored=2, idle=1, clients=1, asks=1, permits=1, starting=1)
SERVICE_LEVEL = Bounds(monitored=2, idle=1, service_level=1)
IN_BOUNDS = {
    "heartbeat-stays": HEARTBEAT,
    "sent-to-its-broker": HEARTBEAT,
    "permit-comes-back": HEARTBEAT,
    "permits-are-counted": HEARTBEAT,
    "service-level-returns": SERVICE_LEVEL,
}
"""By law, the bounds of its crafted states where they are not ``AMPLE``."""
Cells = dict[str, Any]

BOTH_SERVE: Cells = {"serving": {(1, 1): True, (2, 1): True}}
LOST: Cells = {"window": {(1, 1): 3}, "live": {1: False}}
ASKED: Cells = {"stage": {1: Lookup.ASKED}, "at": {1: 2}}
SEARCHING: Cells = {"stage": {1: Lookup.SEARCHING}, "at": {1: 1}}

STATES: dict[str, Cells] = {
    "window-closes": {"window": {(1, 1): 3}},
    "single-server": BOTH_SERVE,
    "single-server-always": BOTH_SERVE | LOST,
    "cache-is-store": {"node": {1: 2}},
    "two-redirects": {"hops": {1: 3}, "steady": {1: True}},
    "two-redirects-always": {"hops": {1: 3}},
    "cut-has-no-node": {"cut": {1: True}},
    "heartbeat-stays": {"node": {1: 1}},
    "permit-comes-back": ASKED | {"stuck": {1: 1}},
    "bundles-go-on": {"up": {1: False}},
    "brokers-go-on": {"up": {1: False}, "stopping": {1: True}},
    "lookups-go-on": {"promised": {1: 2}, "entry": {(2, 1): Entry.ACTIVE}, "up": {2: False}},
}
"""By law, the cells of a state that breaks it."""

STEPS: dict[str, tuple[Cells, Cells]] = {
    "window-shrinks": (LOST | {"window": {(1, 1): 2}}, {"window": {(1, 1): 3}}),
    "unload-spares-newer": ({}, {"lock": {(1, 1): Lock.GIVEN_BACK}}),
    "told-owner-is-there": (ASKED | {"up": {1: False}}, {"stage": {1: Lookup.TOLD}, "at": {1: 1}}),
    "told-owner-lives": (ASKED | {"up": {1: False}, "ghost": {1: True}}, {"stage": {1: Lookup.TOLD}, "at": {1: 1}}),
    "owner-lets-clients-in": (ASKED, {"stage": {1: Lookup.TOLD}}),
    "choice-is-registered": (
        SEARCHING | {"promised": {1: 2}, "registered": {2: False}},
        {"stage": {1: Lookup.FAILED}},
    ),
    "stopping-is-spared": (SEARCHING | {"stopping": {2: True}}, {"hops": {1: 1}, "at": {1: 2}}),
    "sent-to-its-broker": (SEARCHING, {"stage": {1: Lookup.ACQUIRING}}),
    "boundary-stays": ({"cut": {1: True}, "version": 1}, {"cut": {1: False}, "version": 2}),
}
"""By law, the cells of a state, and those that a step changes so that the law breaks."""

TAKEN: dict[str, tuple[Cells, str, Cells]] = {
    "holders-are-told": ({"lock": {(1, 1): Lock.GIVEN_BACK}}, "delete_node", {"lock": {(1, 1): Lock.VALID}}),
    "session-is-whole": ({}, "expire", {"leader": 1}),
    "loaded-at-the-owner": (
        {"loading": {(1, 1): True}, "entry": {(1, 1): Entry.NONE}},
        "end_load",
        {"serving": {(1, 1): True}},
    ),
    "lookup-goes-by-rule": (ASKED, "look", {"stage": {1: Lookup.SEARCHING}}),
    "permits-are-counted": ({}, "ask", {"stage": {1: Lookup.FAILED}}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {
    "unload-ends": {"entry": {(1, 1): Entry.INACTIVE}},
    "running-is-registered": {"registered": {1: False}},
    "lookup-ends": {"stage": {1: Lookup.JOINED}},
    "service-level-returns": {"node": {1: 1}},
}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(IN_BOUNDS.get(name, AMPLE)), STATES[name])


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    cells, changes = STEPS[name]
    step_breaks(SYSTEM, name, State(IN_BOUNDS.get(name, AMPLE)), cells, changes)


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(IN_BOUNDS.get(name, AMPLE)), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(IN_BOUNDS.get(name, AMPLE)), LIVENESS[name])


@pytest.mark.parametrize(
    "cells",
    [
        LOST | {"live": {1: False}},
        {"window": {(1, 1): 2}, "lock": {(1, 1): Lock.IN_DOUBT}},
        {"window": {(1, 1): 1}, "unload": {(1, 1): Unload.OUTLIVED}},
    ],
    ids=["hears of it", "checks its lock", "closes topics"],
)
def test_window_is_open_while_its_next_step_is_on_its_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["window-closes"]
    assert isinstance(law, StateLaw)
    state = where(State(AMPLE), **cells)
    assert law.when(state)
    assert law.holds(state)
    assert not law.holds(where(state, live={1: True}, lock={(1, 1): Lock.VALID}, unload={(1, 1): Unload.NONE}))


@pytest.mark.parametrize(
    "cells",
    [
        {"live": {2: False}},
        {"ghost": {1: True}},
        {"splitting": {1: 1}},
        {"lock": {(1, 1): Lock.WANTED}},
        {"unload": {(1, 1): Unload.CLOSING}},
    ],
    ids=lambda cells: str(*cells),
)
def test_cache_may_differ_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["cache-is-store"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(where(State(AMPLE), node={1: 2}), **cells))


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "lock_manager" and isinstance(row, Fault)]
    turned = {switch for row in rows for switch in (*row.rules, *row.repaired)}
    assert turned == set(Rules.__dataclass_fields__)


@pytest.mark.parametrize(
    ("row", "law", "verdicts"),
    [
        ("expiry", "single-server", {"4.0.6": Verdict.VALID}),
        ("lost-acquire", "owner-lets-clients-in", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("stop", "stopping-is-spared", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("splits", "cut-has-no-node", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("acquired-anew", "single-server", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.INVALID}),
        ("two-managers", "single-server", {"4.0.6": Verdict.INVALID}),
    ],
)
def test_releases_differ_where_their_bugs_are(row: str, law: str, verdicts: dict[str, Verdict]) -> None:
    family = families()[f"lock_manager/{row}"]
    for release, verdict in verdicts.items():
        pinned = family if release == "4.0.6" else family.under(release)
        assert pinned.is_pinned
        assert pinned.laws[law] == verdict
