"""Each item of the taint list is needed: without it, single-server or single-writer fails."""

from collections.abc import Callable
from types import ModuleType

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.explore.native import explore
from oneowner.model.channel import channel, syncer, syncer_start
from oneowner.model.channel import slow_close as slow
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import forget_first as normalise
from oneowner.model.channel.channel import is_forgettable as needs_normalising
from oneowner.model.channel.channel import write
from oneowner.model.channel.record import OWNED, TOMBSTONE, Record, is_absent, is_active, next_version
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import StateLaw, StepLaw
from oneowner.model.kernel.system import initial_states, step
from oneowner.spec.channel.registry import PROPERTIES
from oneowner.spec.channel.system import SYSTEM
from tests.model.channel.cluster import Cluster, start

pytestmark = pytest.mark.slow

(SINGLE_SERVER,) = (law for law in PROPERTIES if isinstance(law, StateLaw) and law.name == "single-server")
SINGLE_WRITER = SYSTEM.laws_by_name["single-writer"]
Taints = Callable[[Record, Record], bool]

ITEMS: dict[str, Taints] = {
    "force": lambda held, accepted: not is_absent(accepted) and accepted.force,
    "tombstone of an active entry": lambda held, accepted: is_absent(accepted) and is_active(held),
    "gap": lambda held, accepted: (
        not is_absent(accepted) and not is_absent(held) and accepted.version > next_version(held)
    ),
}
"""Together they are ``model.channel.channel.taints``."""


AFTER_A_FAULT = (Bounds(owner=2, unloads=1, expiries=1, closings=2), Bounds(owner=2, unloads=1, crashes=1, closings=2))


def without(item: str) -> Taints:
    kept = [taints for name, taints in ITEMS.items() if name != item]
    return lambda held, accepted: any(taints(held, accepted) for taints in kept)


def test_items_together_are_the_models_taint() -> None:
    versions = [Record(OWNED, 1, 0, force, version) for force in (False, True) for version in (1, 2, 3, 5)]
    records = [TOMBSTONE, *versions, *(it._replace(state=state) for it in versions for state in TOMBSTONE_STATES)]
    for held in records:
        for accepted in records:
            expected = any(taints(held, accepted) for taints in ITEMS.values())
            assert channel.taints(held, accepted) == expected, (held, accepted)


TOMBSTONE_STATES = tuple(type(OWNED)(word) for word in ("Free", "Assigning", "Releasing", "Splitting", "Deleted"))


@pytest.mark.parametrize("bounds", AFTER_A_FAULT, ids=["expiry", "crash"])
def test_force_is_needed(bounds: Bounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leader overrules an owner that lives, or lives again; both serve until it hears of it."""
    monkeypatch.setattr(channel, "taints", without("force"))
    found = explore(bounds, [SINGLE_SERVER], stop_at=frozenset({SINGLE_SERVER.name}))
    steps = found.laws[SINGLE_SERVER.name].steps
    assert steps is not None
    assert "override" in {action.name for action in steps}


LATE = families()["tombstone"].bounds
"""No fault at all: a unit is unloaded, its entry is deleted, and it is assigned twice."""


@pytest.mark.parametrize(
    ("item", "last"),
    [("tombstone of an active entry", "tombstone-safe"), ("gap", "version-chain")],
    ids=["tombstone", "gap"],
)
def test_late_tombstone_and_gap_are_needed(item: str, last: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """models.H3 and H6: each taints by itself where the other is not met."""
    monkeypatch.setattr(channel, "taints", without(item))
    found = explore(LATE, [SINGLE_SERVER], stop_at=frozenset({SINGLE_SERVER.name}))
    steps = found.laws[SINGLE_SERVER.name].steps
    assert steps is not None
    (state,) = initial_states(LATE)
    broken = set()
    for action in steps:
        after = step(state, action)
        broken |= {law.name for law in PROPERTIES if isinstance(law, StepLaw) and fails(law, state, action, after)}
        state = after
    assert last in broken
    assert "override" not in {action.name for action in steps}


def fails(law: StepLaw, before: State, action: Action, after: State) -> bool:
    return law.when(before, action, after) and not law.holds(before, action, after)


@pytest.mark.parametrize("bounds", AFTER_A_FAULT, ids=["expiry", "crash"])
def test_force_alone_is_enough_without_tombstones(bounds: Bounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """No publisher is ahead of the entry while versions do not begin anew, so there are no gaps."""
    monkeypatch.setattr(channel, "taints", ITEMS["force"])
    found = explore(bounds, [SINGLE_SERVER])
    assert found.finished
    assert found.laws[SINGLE_SERVER.name].steps is None
    assert found.laws[SINGLE_SERVER.name].exercised > 0


def by_hand(cluster: Cluster, record: Record) -> Cluster:
    """Append a record that no action publishes here."""
    state = cluster.state.copy()
    write(state, 1, record)
    while needs_normalising(state):
        normalise(state)
    cluster.state = state
    return cluster


def test_refused_forced_record_does_not_taint() -> None:
    cluster = by_hand(start(owner=1), Record(OWNED, 2, 1, True, 2))
    assert not cluster.state.tainted[1]


def test_taint_is_only_read_by_the_laws_of_one_server_and_one_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit that is always tainted would excuse nothing but dual serving; other violations remain either way."""
    violated = {}
    for tainted in (False, True):
        monkeypatch.setattr(channel, "taints", lambda held, accepted, tainted=tainted: tainted)
        found = explore(AFTER_A_FAULT[0], list(PROPERTIES))
        assert found.finished
        violated[tainted] = {name for name, law in found.laws.items() if law.steps is not None}
    assert violated[True] == {"single-server-always", "single-writer-always", "no-lost-override"}
    assert violated[False] - violated[True] == {SINGLE_SERVER.name, SINGLE_WRITER.name}


def test_close_that_times_out_is_needed_for_a_single_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next owner opens ledgers of lingering topics, which no record reports; nobody is served there."""
    bounds, laws = Bounds(owner=1, transfers=1, slow_closes=1), [SINGLE_WRITER, SINGLE_SERVER]
    assert all(law.steps is None for law in explore(bounds, laws).laws.values())
    monkeypatch.setattr(slow, "taint", lambda state, unit: None)
    found = explore(bounds, laws).laws
    steps = found[SINGLE_WRITER.name].steps
    assert steps is not None
    assert [action.name for action in steps].count("time_out_close") == 1
    assert found[SINGLE_SERVER.name].steps is None


@pytest.mark.parametrize(("module", "second"), [(channel, 1), (syncer, 2)])
def test_record_that_meets_a_rival_in_the_other_storage_must_taint(
    module: ModuleType, second: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """models.S50: whichever side writes second, two brokers own the unit, each by its storage."""
    monkeypatch.setattr(module, "is_rival", lambda elsewhere, accepted: False)
    cluster = start(assigns=2, synced=1)
    for broker in (1, 2):
        cluster.do(f"look_up(broker={broker})", f"assign(broker={broker}, destination={broker})")
    on_topic = ("append(broker=1)", "consume(broker=1)") * 2
    in_store = ("put(broker=2)", "put(broker=2)")
    cluster.do(*(on_topic + in_store if second == 2 else in_store + on_topic), "open(broker=1)", "open(broker=2)")
    assert cluster.servers == [1, 2]
    assert not SINGLE_SERVER.holds(cluster.state)


FORGOTTEN = """
unload(broker=1); append(broker=1); consume(broker=1); look_up(broker=1); close(broker=1, number=1); append(broker=1)
consume(broker=1); assign(broker=1, destination=1); copy_to_store; copy_to_store; look(broker=2); look_up(broker=2)
assign(broker=2, destination=2); put(broker=2); put(broker=2); open(broker=2); start_syncer; append(broker=1)
consume(broker=1); append(broker=1); consume(broker=1); open(broker=1)
"""


@pytest.mark.parametrize("is_needed", [True, False])
def test_start_of_a_syncer_that_deletes_nodes_must_taint(is_needed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the node the rival is forgotten that the topic's next record would have met."""
    if is_needed:
        monkeypatch.setattr(syncer_start, "is_held_elsewhere", lambda state, unit: False)
    cluster = start(owner=1, assigns=2, unloads=1, closings=2, synced=1, syncs=1)
    cluster.do(*FORGOTTEN.strip().replace("\n", "; ").split("; "))
    assert cluster.servers == [1, 2]
    assert SINGLE_SERVER.holds(cluster.state) is not is_needed
