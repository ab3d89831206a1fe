"""Single laws of a streams group: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.streams_group.state import State
from oneowner.spec.streams_group.system import SYSTEM
from tests.cells import where
from tests.streams_group.law_cases import AMPLE, BOTH_RUN, REMOVED, TAKEN


def test_two_may_run_a_task_while_one_of_them_was_removed_or_denied_it() -> None:
    law = SYSTEM.laws_by_name["one-runner"]
    assert isinstance(law, StateLaw)
    for excuse in (REMOVED, TAKEN):
        assert law.holds(where(State(AMPLE), **(BOTH_RUN | excuse)))


@pytest.mark.parametrize(
    ("row", "law", "verdict"),
    [
        ("start", "taken-is-not-run", Verdict.INVALID),
        ("retarget", "taken-is-not-run", Verdict.VALID),
        ("retarget", "one-runner-always", Verdict.VALID),
        ("expiry", "one-runner-always", Verdict.INVALID),
        ("lost-farewell", "join-is-accepted", Verdict.INVALID),
    ],
)
def test_families_tell_where_the_holes_are(row: str, law: str, verdict: Verdict) -> None:
    family = families()[f"streams_group/{row}"]
    assert family.is_pinned
    assert family.laws[law] == verdict
