"""A broker's duties for an accepted record: the protocol P1-P6, and the topics that it opens and closes."""

import pytest

from oneowner.model.channel.broker import handle
from oneowner.model.channel.record import DELETED, FREE, INIT, OWNED, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.channel.topics import start_closing
from oneowner.model.kernel.guards import Disabled
from tests.model.channel.cluster import Cluster, start

storages = pytest.mark.parametrize("storage", Storage)


def hears(cluster: Cluster, broker: int) -> str:
    """The step by which a broker learns what the channel holds."""
    on_topic = cluster.state.bounds.storage == Storage.SYSTEM_TOPIC
    return f"consume(broker={broker})" if on_topic else f"notify(broker={broker})"


def all_hear(cluster: Cluster) -> None:
    for broker in range(1, cluster.state.bounds.brokers + 1):
        if cluster.guard(hears(cluster, broker)) == "":
            cluster.do(hears(cluster, broker))


@storages
def test_assignment_is_published_by_the_lookup_broker_and_taken_by_the_destination(storage: Storage) -> None:
    cluster = start(storage=storage, brokers=3, assigns=1)
    cluster.do("look_up(broker=1)", "assign(broker=1, destination=2)")
    assert cluster.outbox(1) == ["Assigning(2) v1"]
    cluster.do("append(broker=1)")
    all_hear(cluster)
    assert [cluster.outbox(broker) for broker in (1, 2, 3)] == [[], ["Owned(2) v2"], []]
    assert cluster.guard("open(broker=2)") == "the broker's view says that it owns the unit"
    cluster.do("append(broker=2)")
    all_hear(cluster)
    assert cluster.views == ["Owned(2) v2"] * 3
    assert cluster.servers == []
    cluster.do("open(broker=2)")
    assert cluster.servers == [2]


@storages
def test_transfer_closes_at_the_source_before_the_destination_may_open(storage: Storage) -> None:
    cluster = start(storage=storage, brokers=3, owner=1, transfers=1).do("transfer(broker=3, destination=2)")
    assert cluster.outbox(3) == ["Releasing(2, from 1) v3"]  # P4, by whoever serves the command
    cluster.do("append(broker=3)")
    assert cluster.servers == [1]
    all_hear(cluster)
    assert cluster.closing(1) == ["Releasing(2, from 1) v3"]
    assert [cluster.outbox(broker) for broker in (1, 2, 3)] == [[], [], []]
    assert (cluster.servers, cluster.writers) == ([], [1])
    assert cluster.guard("open(broker=2)") == "the broker's view says that it owns the unit"
    cluster.do("close(broker=1)")
    assert (cluster.writers, cluster.closing(1)) == ([], [])
    assert cluster.outbox(1) == ["Assigning(2, from 1) v4"]  # P5
    assert cluster.guard("open(broker=1)") == "the broker's view says that it owns the unit"
    cluster.do("append(broker=1)")
    all_hear(cluster)
    assert [cluster.outbox(broker) for broker in (1, 2, 3)] == [[], ["Owned(2, from 1) v5"], []]  # P2
    assert cluster.guard("open(broker=2)") == "the broker's view says that it owns the unit"
    cluster.do("append(broker=2)")
    all_hear(cluster)
    assert cluster.closing(1) == []  # it serves nothing that the second, disconnecting close could end
    cluster.do("open(broker=2)")
    assert (cluster.servers, cluster.entry) == ([2], "Owned(2, from 1) v5")
    assert not cluster.state.tainted[1]
    assert not cluster.state.poisoned


@storages
def test_unload_closes_at_the_owner_and_frees_the_unit(storage: Storage) -> None:
    cluster = start(storage=storage, brokers=3, owner=1, unloads=1, assigns=1).do("unload(broker=2)")
    assert cluster.outbox(2) == ["Releasing(from 1) v3"]  # P3
    cluster.do("append(broker=2)")
    all_hear(cluster)
    assert (cluster.servers, cluster.closing(1), cluster.outbox(1)) == ([], ["Releasing(from 1) v3"], [])
    assert cluster.writers == [1]
    cluster.do("close(broker=1)")
    assert (cluster.writers, cluster.outbox(1)) == ([], ["Free(from 1) v4"])  # P6
    cluster.do("append(broker=1)")
    all_hear(cluster)
    assert cluster.views == ["Free(from 1) v4"] * 3
    cluster.do("look_up(broker=3)", "assign(broker=3, destination=3)")
    assert cluster.outbox(3) == ["Assigning(3) v5"]
    assert not cluster.state.poisoned


def test_source_that_serves_nothing_answers_a_release_at_once() -> None:
    cluster = start(owner=1, transfers=1)
    cluster.state.serving[1, 1] = False
    cluster.do("transfer(broker=2, destination=2)", "append(broker=2)", "consume(broker=1)")
    assert (cluster.closing(1), cluster.outbox(1)) == ([], ["Assigning(2, from 1) v4"])


def test_lookups_at_brokers_that_lag_see_the_old_owner_until_they_consume() -> None:
    cluster = start(brokers=3, owner=1, transfers=2).do("transfer(broker=1, destination=2)", "append(broker=1)")
    cluster.do("consume(broker=1)")
    assert cluster.views == ["Releasing(2, from 1) v3", "Owned(1) v2", "Owned(1) v2"]
    cluster.do("transfer(broker=3, destination=3)", "append(broker=3)")  # stale, and legal to publish
    cluster.do("consume(broker=3)", "consume(broker=3)")
    assert cluster.views[2] == "Releasing(2, from 1) v3"  # the rival lost by its version


@pytest.mark.parametrize("switch", [True, False])
def test_transfer_assigns_before_it_closes_only_in_the_pip_text(switch: bool) -> None:
    """models.H1: PIP-192's four states let the source give the unit on while it still serves."""
    rules = Rules(close_before_assign=switch)
    cluster = start(owner=1, transfers=1, rules=rules).do("transfer(broker=1, destination=2)", "append(broker=1)")
    cluster.do("consume(broker=1)")
    assert cluster.outbox(1) == ([] if switch else ["Assigning(2, from 1) v4"])
    assert (cluster.servers, cluster.closing(1)) == ([], ["Releasing(2, from 1) v3"])
    if not switch:
        cluster.do("append(broker=1)", "close(broker=1)")
        assert (cluster.writers, cluster.outbox(1)) == ([], [])  # published once, not twice


def test_unload_closes_first_even_in_the_pip_text() -> None:
    cluster = start(owner=1, unloads=1, rules=Rules(close_before_assign=False))
    cluster.do("unload(broker=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.outbox(1) == []
    cluster.do("close(broker=1)")
    assert cluster.outbox(1) == ["Free(from 1) v4"]


def test_topic_that_is_being_closed_is_not_opened_anew() -> None:
    cluster = start(owner=1, transfers=1).do("transfer(broker=1, destination=2)", "append(broker=1)")
    cluster.do("consume(broker=1)").state.view[1, 1] = Record(OWNED, 1, version=9)
    assert cluster.guard("open(broker=1)") == "the unit's topics are neither open nor being closed there"


@pytest.mark.parametrize("record", [Record(SPLITTING, 0, 1), Record(DELETED, 0, 1), Record(INIT, 1)])
def test_handler_poisons_the_state_when_it_has_no_case(record: Record) -> None:
    state = start(owner=1).state
    handle(state, 1, 1, record)
    assert state.poisoned


def test_tombstone_asks_nothing_of_anybody() -> None:
    state = start(owner=1).state
    key = state.key()
    handle(state, 1, 1, TOMBSTONE)
    assert state.key() == key


def test_closes_under_way_are_bounded_and_end_in_any_order() -> None:
    state = start(owner=1, units=2, closings=2).state
    release, owned = Record(RELEASING, 0, 1, version=3), Record(OWNED, 2, 1, version=3)
    start_closing(state, 1, 1, release)
    start_closing(state, 1, 2, owned)
    with pytest.raises(Disabled, match="bound of closes"):
        start_closing(state, 1, 1, owned)
    cluster = Cluster(state)
    assert cluster.guard("close(broker=2, number=1)") == "that close of topics is under way"
    cluster.do("close(broker=1, number=2)")
    assert cluster.writers == [1]
    assert cluster.closing(1) == ["Releasing(from 1) v3"]
    cluster.do("close(broker=1, number=1)")
    assert (cluster.outbox(1), cluster.writers) == (["Free(from 1) v4"], [])


def test_consume_waits_while_the_broker_has_no_room_for_what_it_would_owe() -> None:
    cluster = start(owner=1, units=2, unloads=2).do("unload(broker=2, unit=1)", "append(broker=2)")
    cluster.do("unload(broker=2, unit=2)", "append(broker=2)", "consume(broker=1)")
    assert cluster.guard("consume(broker=1)") == "the broker is within its bound of closes under way"
    cluster.do("close(broker=1)").do("consume(broker=1)")
    assert cluster.guard("close(broker=1)") == "the broker's producer has room for a publish"
    cluster.do("append(broker=1)", "close(broker=1)")


@pytest.mark.parametrize(
    ("record", "guard"),
    [
        (Record(OWNED, 1, version=2), ""),
        (Record(SPLITTING, 0, 1, version=3), ""),
        (Record(OWNED, 2, version=2), "the broker's view says that it owns the unit"),
        (Record(RELEASING, 0, 1, version=3), "the broker's view says that it owns the unit"),
        (Record(FREE, 0, 1, version=3), "the broker's view says that it owns the unit"),
        (TOMBSTONE, "the broker's view says that it owns the unit"),
    ],
    ids=str,
)
def test_open_trusts_the_brokers_own_view(record: Record, guard: str) -> None:
    cluster = start()
    cluster.state.view[1, 1] = record
    assert cluster.guard("open(broker=1)") == guard


def test_open_happens_once() -> None:
    assert start(owner=1).guard("open(broker=1)") == "the unit's topics are neither open nor being closed there"


def test_dead_broker_does_nothing_but_have_its_publishes_arrive() -> None:
    cluster = start(owner=1, unloads=3, assigns=1, crashes=1).do("unload(broker=1)")
    cluster.do("append(broker=1)", "unload(broker=2)", "append(broker=2)", "crash(broker=1)")
    for step in ("consume(broker=1)", "open(broker=1)", "close(broker=1)", "look_up(broker=1)", "unload(broker=1)"):
        assert cluster.guard(step) == "the broker is up"
    assert cluster.guard("append(broker=1)") == "the broker has a publish under way"


def test_append_needs_a_living_broker_to_host_the_channel() -> None:
    cluster = start(assigns=1, crashes=2).do("look_up(broker=1)", "assign(broker=1, destination=2)")
    cluster.do("crash(broker=1)", "crash(broker=2)")
    assert cluster.guard("append(broker=1)") == "a broker that runs hosts the channel"
    cluster.do("restart(broker=2)").do("append(broker=1)")
