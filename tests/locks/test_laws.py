"""Single laws of the lock: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import (
    FIRST_VERSION,
    Kind,
    Purpose,
    Request,
    State,
)
from oneowner.spec.locks.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells
from tests.locks.law_cases import BOTH_HOLD


@pytest.mark.parametrize(
    "cells",
    [
        {"live": {1: False}},
        {"timers": {1: 1}},
        {"handling": {1: True}},
        {"sent": {1: [Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)]}},
    ],
    ids=list,
)
def test_two_may_believe_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["one-holder-for-good"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(State(Bounds()), **BOTH_HOLD, **cells))


def test_failure_that_is_not_flagged_is_no_fault() -> None:
    assert not isinstance(catalogue()["failure_is_not_flagged"], Fault)


@pytest.mark.parametrize(
    ("row", "release", "verdict"),
    [
        ("locks/holders", "2.9.2", Verdict.INVALID),
        ("locks/holders", "2.10.5", Verdict.VALID),
        ("locks/holders", "3.0.7", Verdict.VALID),
        ("locks/holders", "4.2.4", Verdict.VALID),
        ("locks/lost-answer", "2.9.2", Verdict.INVALID),
        ("locks/lost-answer", "2.10.5", Verdict.INVALID),
        ("locks/lost-answer", "3.0.7", Verdict.VALID),
        ("locks/lost-answer", "4.2.4", Verdict.VALID),
    ],
)
def test_two_hold_one_lock_for_good_in_old_releases(row: str, release: str, verdict: Verdict) -> None:
    family = families()[row].under(release)
    assert family.is_pinned
    assert family.laws["one-holder-for-good"] == family.liveness["told-in-the-end"] == verdict
    assert family.laws["one-holder"] == Verdict.INVALID
