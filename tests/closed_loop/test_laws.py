"""Single laws of the closed loop: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

from oneowner.model.closed_loop.bounds import Bounds
from oneowner.model.closed_loop.state import State
from oneowner.spec.closed_loop.system import SYSTEM
from tests.cells import where
from tests.closed_loop.law_cases import FLIES


def test_bundle_that_is_passed_over_has_not_moved() -> None:
    law = next(law for law in SYSTEM.liveness if law.name == "moves-end")
    assert law.good(where(State(Bounds()), rest={1: 1}, **FLIES))
