"""Single laws of the election: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import (
    Kind,
    Notice,
    Result,
    State,
)
from oneowner.spec.leader_election.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells
from tests.leader_election.law_cases import BOTH_LEAD, OPEN


@pytest.mark.parametrize(
    "cells",
    [{"live": {1: False}}, {"timers": {1: 1}}, {"handling": {1: True}}, {"notices": {1: [Notice(Kind.DELETED, 0)]}}],
    ids=list,
)
def test_nothing_is_settled_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["one-leader-in-the-end"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(State(Bounds()), **BOTH_LEAD, node=1, **cells))


def test_election_that_failed_has_ended() -> None:
    (law,) = SYSTEM.liveness
    assert law.good(where(State(Bounds()), **(OPEN | {"elected": {1: Result.FAILED}})))


def test_reconnection_that_is_not_heard_is_no_fault() -> None:
    assert not isinstance(catalogue()["reconnection_is_not_heard"], Fault)


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
