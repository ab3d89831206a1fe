"""Every law of Redis Cluster has a crafted state or step that breaks it, and every switch has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.redis.bounds import Bounds
from oneowner.model.redis.rules import Rules
from oneowner.model.redis.state import Mover, State
from oneowner.spec.redis.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import every_law_is_crafted, may_not_last, state_breaks, step_breaks, taken_step_breaks

AMPLE = Bounds(replicas=2, migrations=1, commands=1, crashes=1, elections=1)
Cells = dict[str, Any]

TWO_OWNERS: Cells = {"owner": {(2, 1): 2}}
STRANDED: Cells = {"data": {(1, 1): 0, (2, 1): 1}}
"""Node 1 owns the slot, and node 2 has its key."""

STATES: dict[str, Cells] = {
    "single-writer": TWO_OWNERS,
    "single-writer-always": TWO_OWNERS,
    "writes-are-kept": STRANDED,
    "writes-are-kept-always": STRANDED,
    "moved-key-is-found": STRANDED,
    "claims-differ": TWO_OWNERS | {"epoch": {(1, 1): 2}},
    "cluster-goes-on": {"votes": {4: 2}},
}
"""By law, the cells of a state that breaks it."""

STEPS: dict[str, tuple[str, Cells, Cells]] = {
    "serves-by-own-table": ("answer", {"at": 3}, {"acked": {1: 2}, "at": 0}),
    "ask-only-while-migrating": ("answer", {"at": 3}, {"asking": True, "at": 2}),
    "epochs-grow": ("gossip", {}, {"epoch": {(3, 1): 0}}),
    "closed-when-empty": ("set_node", {}, {"owner": {(2, 1): 2}}),
    "votes-once-an-epoch": ("vote", {"granted": {2: 4}}, {"votes": {4: 1}}),
    "elected-by-majority": ("take_over", {"granted": {2: 4}}, {"master": {4: 0}, "epoch": {(4, 4): 4}}),
    "one-winner-an-epoch": ("take_over", {"master": {5: 0}, "epoch": {(5, 5): 4, (4, 4): 4}}, {"master": {4: 0}}),
}
"""By law, an action, the cells of a state, and those that the action changes so that the law breaks."""

MOVING: Cells = {"mover": Mover.MOVING, "importing": {2: 1}, "migrating": {1: 2}}
TAKEN: dict[str, tuple[Cells, str, Cells]] = {
    "votes-are-kept": ({"failed": {(4, 1): True}}, "ask_for_votes", {"votes": {4: 1}}),
    "packet-is-heeded": ({"current": {1: 4}}, "gossip", {"current": {2: 3}}),
    "moved-to-one-place": (MOVING, "move_key", {"data": {(1, 1): 1}}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""

LIVENESS: dict[str, Cells] = {
    "views-converge": {"owner": {(3, 1): 2}},
    "claim-is-known": {"owner": {(3, 1): 2}},
    "epochs-differ-in-the-end": {"epoch": {(1, 1): 2}},
    "slot-has-live-owner": {"up": {1: False}},
    "migration-ends": {"migrating": {1: 2}},
    "command-ends": {"at": 1},
}
"""By law of runs, the cells of a state that may not last."""


def test_every_law_is_crafted() -> None:
    every_law_is_crafted(SYSTEM, STATES, STEPS | TAKEN, LIVENESS)


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(AMPLE), STATES[name])


@pytest.mark.parametrize("name", STEPS)
def test_step_breaks_its_law(name: str) -> None:
    taken, cells, changes = STEPS[name]
    step_breaks(SYSTEM, name, State(AMPLE), cells, changes, taken)


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(AMPLE), cells, taken, changes)


@pytest.mark.parametrize("name", LIVENESS)
def test_state_that_may_not_last(name: str) -> None:
    may_not_last(SYSTEM, name, State(AMPLE), LIVENESS[name])


def test_source_that_asks_is_no_second_writer() -> None:
    law = SYSTEM.laws_by_name["single-writer-always"]
    assert isinstance(law, StateLaw)
    closing = where(State(AMPLE), **TWO_OWNERS, data={(1, 1): 0})
    assert not law.holds(closing)
    assert law.holds(where(closing, migrating={1: 2}))


def test_every_switch_is_turned_by_a_fault_or_its_repair() -> None:
    rows = [row for row in catalogue().values() if row.system == "redis"]
    turned = {switch for row in rows for switch in (*getattr(row, "rules", ()), *getattr(row, "repaired", ()))}
    survivors = {"importing_is_respected", "doubt_ends_with_owner", "demoted_hands_over"}
    assert turned | survivors == set(Rules.__dataclass_fields__)


def test_manual_fail_over_loses_no_write_and_another_may() -> None:
    assert families()["redis/manual"].laws["writes-are-kept-always"] == Verdict.VALID
    assert families()["redis/fail-over"].laws["writes-are-kept-always"] == Verdict.INVALID
