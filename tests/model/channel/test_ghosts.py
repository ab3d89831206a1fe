"""Ghosts: history that no broker sees and only the laws read: taints of a unit, winning versions."""

import pytest

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.channel import taints, write
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    MAX_VERSION,
    MIN_VERSION,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
)
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.system import step
from tests.model.channel.cluster import start


@pytest.mark.parametrize(
    ("held", "accepted", "tainted"),
    [
        (Record(OWNED, 1, version=2), Record(OWNED, 2, 1, True, 3), True),
        (TOMBSTONE, Record(OWNED, 2, 1, True, 3), True),
        (Record(OWNED, 1, version=2), TOMBSTONE, True),
        (Record(ASSIGNING, 1, version=1), TOMBSTONE, True),
        (Record(RELEASING, 0, 1, version=3), TOMBSTONE, True),
        (Record(SPLITTING, 0, 1, version=3), TOMBSTONE, True),
        (Record(FREE, 0, 1, version=4), TOMBSTONE, False),
        (TOMBSTONE, TOMBSTONE, False),
        (Record(OWNED, 1, version=2), Record(RELEASING, 0, 1, version=4), True),
        (Record(OWNED, 1, version=2), Record(RELEASING, 0, 1, version=3), False),
        (TOMBSTONE, Record(ASSIGNING, 1, version=5), False),
        (Record(ASSIGNING, 1, version=MAX_VERSION), Record(OWNED, 1, version=MIN_VERSION), False),
    ],
    ids=str,
)
def test_taint_is_set_by_force_a_tombstone_of_an_active_entry_or_a_gap(
    held: Record, accepted: Record, tainted: bool
) -> None:
    """Events that end the promise that one broker at most serves the unit."""
    assert taints(held, accepted) == tainted


def test_taint_is_set_when_the_record_is_appended_and_not_by_a_refused_one() -> None:
    state = start(owner=1).state
    write(state, 1, Record(OWNED, 2, 1, True, 2))
    assert not state.tainted[1]
    write(state, 1, Record(OWNED, 2, 1, True, 3))
    assert state.tainted[1]


def test_won_versions_are_remembered_until_the_next_tombstone() -> None:
    state = start(owner=1, versions=5).state
    write(state, 1, Record(RELEASING, 0, 1, version=3))
    write(state, 1, Record(RELEASING, 0, 1, version=3))
    assert [state.won[1, version] for version in range(1, 6)] == [True, True, True, False, False]
    write(state, 1, TOMBSTONE)
    assert [state.won[1, version] for version in range(1, 6)] == [False] * 5


def test_publish_of_a_version_above_the_bound_is_neither_enabled_nor_disabled() -> None:
    """A guard would prune behaviour of Pulsar: beyond ``Bounds.versions`` a search is blind."""
    cluster = start(owner=1, versions=3, unloads=1)
    state = cluster.do("unload(broker=1, unit=1)", "append(broker=1)", "consume(broker=1)").state
    with pytest.raises(BoundReached, match="the bound versions is used up"):
        step(state, find_action(state.bounds, "close(broker=1)"))
