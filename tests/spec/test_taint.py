"""Each item of the taint list is needed: without it, single-server fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import model.channel
from checkers.explore.native import explore
from model.channel import entry, write
from model.record import OWNED, TOMBSTONE, Record, is_absent, is_active, next_version
from model.state import Bounds, State
from model.system import Action, needs_normalising, normalise
from spec import PROPERTIES
from spec.ownership import SINGLE_SERVER
from spec.property import sometimes
from tests.model.cluster import Cluster, start

Taints = Callable[[Record, Record], bool]

ITEMS: dict[str, Taints] = {
    "force": lambda held, accepted: not is_absent(accepted) and accepted.force,
    "tombstone of an active entry": lambda held, accepted: is_absent(accepted) and is_active(held),
    "gap": lambda held, accepted: (
        not is_absent(accepted) and not is_absent(held) and accepted.version > next_version(held)
    ),
}
"""The items that the model has now; together they are ``model.channel.taints``."""


AFTER_A_FAULT = (
    Bounds(owner=2, unloads=1, expiries=1, closings=2),
    Bounds(owner=2, unloads=1, crashes=1, closings=2),
)


def without(item: str) -> Taints:
    kept = [taints for name, taints in ITEMS.items() if name != item]
    return lambda held, accepted: any(taints(held, accepted) for taints in kept)


def test_items_together_are_the_models_taint() -> None:
    versions = [Record(OWNED, 1, 0, force, version) for force in (False, True) for version in (1, 2, 3, 5)]
    records = [TOMBSTONE, *versions, *(it._replace(state=state) for it in versions for state in TOMBSTONE_STATES)]
    for held in records:
        for accepted in records:
            expected = any(taints(held, accepted) for taints in ITEMS.values())
            assert model.channel.taints(held, accepted) == expected, (held, accepted)


TOMBSTONE_STATES = tuple(type(OWNED)(word) for word in ("Free", "Assigning", "Releasing", "Splitting", "Deleted"))


@pytest.mark.parametrize("bounds", AFTER_A_FAULT, ids=["expiry", "crash"])
def test_force_is_needed(bounds: Bounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leader overrules an owner that lives, or lives again; both serve until it hears of it."""
    monkeypatch.setattr(model.channel, "taints", without("force"))
    found = explore(bounds, [SINGLE_SERVER], stop_at=frozenset({SINGLE_SERVER.name}))
    steps = found.laws[SINGLE_SERVER.name].steps
    assert steps is not None
    assert "override" in {action.name for action in steps}


@pytest.mark.parametrize("bounds", AFTER_A_FAULT, ids=["expiry", "crash"])
def test_force_alone_is_enough_while_no_action_writes_tombstones_or_gaps(
    bounds: Bounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    No action writes a tombstone yet, and no publisher is ahead of the entry, so there are no gaps.

    The other two items are not reachable by the actions that exist: dropping them changes nothing here. This test
    fails once they are; then each needs a search of its own, like force.
    """
    monkeypatch.setattr(model.channel, "taints", ITEMS["force"])
    unreached = sometimes("tombstone-or-gap", "A tombstone or a gap is written.", "this test", a_tombstone_or_a_gap)
    found = explore(bounds, [SINGLE_SERVER], [unreached])
    assert found.finished
    assert found.laws[SINGLE_SERVER.name].steps is None
    assert found.laws[SINGLE_SERVER.name].exercised > 0
    assert not found.witnesses[unreached.name]


def a_tombstone_or_a_gap(before: State, action: Action, after: State) -> bool:
    if action.name not in ("append", "append_unacknowledged"):
        return False
    held, written = entry(before, 1), before.outbox[action.argument("broker")][1].record
    return is_absent(written) or (not is_absent(held) and written.version > next_version(held))


def by_hand(cluster: Cluster, record: Record) -> Cluster:
    """Append a record that no action of the model publishes yet."""
    state = cluster.state.copy()
    write(state, 1, record)
    while needs_normalising(state):
        normalise(state)
    cluster.state = state
    return cluster


def late_tombstone() -> State:
    """channel.D1, models.H3: a tombstone erases an Owned entry; nobody is told, and the next lookup assigns it."""
    cluster = by_hand(start(owner=1, assigns=1), TOMBSTONE).do("consume(broker=2)", "look_up(broker=2)")
    cluster.do("assign(broker=2, destination=2)", "append(broker=2)", "consume(broker=2)", "append(broker=2)")
    return cluster.do("consume(broker=2)", "open(broker=2)").state


def illegal_move_behind_a_gap() -> State:
    """models.H6: behind a gap the system topic accepts any move, such as Owned to Owned of another broker."""
    cluster = by_hand(start(owner=1), Record(OWNED, 2, version=4))
    return cluster.do("consume(broker=2)", "open(broker=2)").state


@pytest.mark.parametrize(
    ("item", "history"), [("tombstone of an active entry", late_tombstone), ("gap", illegal_move_behind_a_gap)]
)
def test_item_will_be_needed_once_an_action_writes_such_a_record(
    item: str, history: Callable[[], State], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is put into the channel by hand here; everything after it the model does by itself."""
    assert SINGLE_SERVER.holds(history())
    monkeypatch.setattr(model.channel, "taints", without(item))
    assert not SINGLE_SERVER.holds(history())


def test_refused_forced_record_does_not_taint() -> None:
    cluster = by_hand(start(owner=1), Record(OWNED, 2, 1, True, 2))
    assert not cluster.state.tainted[1]


def test_taint_is_only_read_by_single_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit that is always tainted would excuse nothing but dual serving."""
    monkeypatch.setattr(model.channel, "taints", lambda held, accepted: True)
    found = explore(AFTER_A_FAULT[0], list(PROPERTIES))
    violated = {name for name, law in found.laws.items() if law.steps is not None}
    assert violated == {"single-server-always"}
