"""Every law of the election has a crafted state or step that breaks it, and every fault has its law."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.system import actions
from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import (
    Answer,
    Asked,
    Cached,
    Internal,
    Kind,
    Notice,
    Origin,
    Outcome,
    Request,
    Result,
    Says,
    State,
    Waiter,
)
from oneowner.spec.leader_election.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import state_breaks, taken_step_breaks

Cells = dict[str, Any]


def of_both(cell: str, value: Any) -> Cells:
    return {cell: {1: value, 2: value}}


OPEN = {"elected": {1: Result.LEADING}, "internal": {1: Internal.PRESENT}}
LEADS = OPEN | {"says": {1: Says.LEADING}, "told": {1: Says.LEADING}}
BOTH_LEAD = of_both("elected", Result.LEADING) | of_both("internal", Internal.PRESENT) | of_both("says", Says.LEADING)
FOLLOWS = OPEN | {"says": {1: Says.FOLLOWING}, "told": {1: Says.FOLLOWING}}
STATES: dict[str, Cells] = {
    "one-leader": BOTH_LEAD,
    "one-leader-in-the-end": BOTH_LEAD | {"node": 1},
    "leader-owns-the-node-in-the-end": LEADS | {"node": 2},
    "leader-without-node-will-hear": LEADS,
    "owner-of-the-node-does-not-follow": FOLLOWS | {"node": 1},
    "somebody-leads-in-the-end": OPEN,
    "no-election-is-in-progress-for-good": OPEN | {"internal": {1: Internal.IN_PROGRESS}},
    "listener-knows-in-the-end": LEADS | {"told": {1: Says.NO_LEADER}, "node": 1},
    "closed-election-leaves-no-node": OPEN | {"closed": {1: Result.CLOSED}, "node": 1},
    "value-names-the-owner-in-the-end": FOLLOWS | {"cached": {1: Cached.READY}, "value": {1: 1}, "node": 2},
    "follower-knows-the-leader-in-the-end": FOLLOWS | {"node": 2},
    "elections-go-on": {"timers": {1: 1}},
}
"""By law, the cells of a state that breaks it."""
CHECK = Request(Asked.CHECK, Origin.USER, 0)
CREATE = Request(Asked.CREATE, Origin.USER, 0)
ASKS = {"elected": {1: Result.PENDING}, "internal": {1: Internal.IN_PROGRESS}}
READS: Cells = {
    "node": 1,
    "cached": {1: Cached.LOADING},
    "waiters": {1: [Waiter(False, Origin.USER, 0, True, 1)]},
    "answers": {1: [Answer(Request(Asked.LOAD, Origin.USER, 0), Outcome.MINE, 1)]},
}
TAKEN: dict[str, tuple[Cells, str, Cells]] = {
    "election-is-begun": ({}, "elect", {"sent": {1: []}}),
    "election-goes-on": (ASKS | {"answers": {1: [Answer(CHECK, Outcome.ABSENT, 0)]}}, "answer", {"sent": {1: []}}),
    "answered-as-said": (
        LEADS | READS | {"elected": {1: Result.PENDING}},
        "answer",
        {"elected": {1: Result.FOLLOWING}},
    ),
    "store-carries-out": (ASKS | {"sent": {1: [CREATE]}}, "carry_out", {"node": 0}),
}
"""By law, the cells of a state, the step that is taken there, and what is changed after it so that the law breaks."""


def test_every_law_is_crafted() -> None:
    assert STATES.keys() == {law.name for law in SYSTEM.laws if isinstance(law, StateLaw)}
    assert {law.name for law in SYSTEM.laws if isinstance(law, StepLaw)} == {"deletes-its-own-node", *TAKEN}


@pytest.mark.parametrize("name", STATES)
def test_state_breaks_its_law(name: str) -> None:
    state_breaks(SYSTEM, name, State(Bounds()), STATES[name])


@pytest.mark.parametrize("name", TAKEN)
def test_step_that_is_taken_otherwise_breaks_its_law(name: str) -> None:
    cells, taken, changes = TAKEN[name]
    taken_step_breaks(SYSTEM, name, State(Bounds()), cells, taken, changes)


def test_a_deletion_of_anothers_node_breaks_its_law() -> None:
    law = SYSTEM.laws_by_name["deletes-its-own-node"]
    assert isinstance(law, StepLaw)
    before, after = where(State(Bounds()), node=2), State(Bounds())
    first, second = (one for one in actions(Bounds()) if one.name == "carry_out")
    assert law.when(before, first, after)
    assert not law.holds(before, first, after)
    assert law.holds(before, second, after)
    assert not law.when(before, first, before)


@pytest.mark.parametrize(
    "cells",
    [{"live": {1: False}}, {"timers": {1: 1}}, {"handling": {1: True}}, {"notices": {1: [Notice(Kind.DELETED, 0)]}}],
    ids=list,
)
def test_nothing_is_settled_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["one-leader-in-the-end"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(State(Bounds()), **BOTH_LEAD, node=1, **cells))


def test_who_wants_to_lead_for_ever_breaks_the_law_of_runs() -> None:
    (law,) = SYSTEM.liveness
    state = State(Bounds())
    assert law.good(state)
    state = where(state, **OPEN)
    assert law.when(state)
    assert not law.good(state)
    assert law.good(where(state, elected={1: Result.FAILED}))


def test_every_switch_is_a_fault_or_says_why_not() -> None:
    rows = {name: row for name, row in catalogue().items() if row.system == "leader_election"}
    turned = {switch for row in rows.values() if isinstance(row, Fault) for switch in (*row.rules, *row.repaired)}
    assert turned == {"leading_stays", "refreshes", "clears_cache", "close_resets", "cached", "reopens"}
    assert not isinstance(rows["reconnection_is_not_heard"], Fault)


@pytest.mark.parametrize(
    ("release", "law", "verdict"),
    [
        ("2.9.1", "leader-owns-the-node-in-the-end", Verdict.INVALID),
        ("4.0.6", "leader-owns-the-node-in-the-end", Verdict.INVALID),
        ("4.2.4", "leader-owns-the-node-in-the-end", Verdict.VALID),
        ("4.2.4", "deletes-its-own-node", Verdict.INVALID),
    ],
)
def test_a_broker_leads_without_a_node_until_the_election_keeps_the_value(
    release: str, law: str, verdict: Verdict
) -> None:
    family = families()["leader_election/restarted"].under(release)
    assert family.is_pinned
    assert family.laws[law] == verdict
