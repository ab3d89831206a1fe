"""The leader forgets a promise where the class does (tests/vectors/lock_manager)."""

import json
from typing import Any

import pytest

from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, step
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.rules import RELEASES
from oneowner.model.lock_manager.state import NOBODY, Entry, State
from tests.cells import where
from tests.packed_vectors import VECTORS

ROWS = [json.loads(line) for line in (VECTORS / "lock_manager/promises.jsonl").read_text().splitlines()]


def forgets(row: dict[str, Any], bounds: Bounds) -> bool:
    """Report whether broker 1 may forget that it has promised the bundle to broker 2."""
    (forget,) = (one for one in actions(bounds) if str(one) == "forget_promise(broker=1)")
    entries = {(1, 1): Entry.ACTIVE if row["owned"] else Entry.NONE, (2, 1): Entry.NONE}
    if row["reported"]:
        entries[2, 1] = Entry.ACTIVE
    state = where(State(bounds), promised={1: 2}, registered={2: row["known"]}, entry=entries)
    try:
        return step(state, forget).promised[1] == NOBODY
    except Disabled:
        return False


@pytest.mark.parametrize("release", ["2.9.1", "3.0.0", "3.3.6", "4.0.0", "4.0.6", "4.2.4"])
def test_promise_is_forgotten_in_each_situation_in_which_the_class_forgets_it(release: str) -> None:
    assert len(ROWS) == 16
    bounds = Bounds(clients=1, asks=1, rules=RELEASES[release])
    assert [row for row in ROWS if forgets(row, bounds) != row["forgotten"]] == []
