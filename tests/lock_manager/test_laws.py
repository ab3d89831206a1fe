"""The law of windows in the lock-based manager."""

import pytest

from oneowner.model.kernel.law import StateLaw
from oneowner.model.lock_manager.state import Lock, State, Unload
from oneowner.spec.lock_manager.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells
from tests.lock_manager.law_cases import AMPLE, LOST


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
