"""The metadata store: compare-and-set on one node per unit, and notifications that coalesce (PIP-378)."""

from oneowner.model.channel.record import ASSIGNING, OWNED, Record
from oneowner.model.channel.rules import Storage
from tests.model.channel.cluster import Cluster, start


def store(**bounds: int) -> Cluster:
    return start(storage=Storage.METADATA_STORE, **bounds)


def test_write_takes_the_writers_own_notification_at_once_and_tells_the_others() -> None:
    """channel.4: put writes, then immediately applies to its own view."""
    cluster = store(brokers=3, owner=1, unloads=1).do("unload(broker=2)", "append(broker=2)")
    assert cluster.views == ["Owned(1) v2", "Releasing(from 1) v3", "Owned(1) v2"]
    assert list(cluster.state.changed) == [True, False, True]


def test_write_is_compare_and_set_and_a_refused_one_reports_success() -> None:
    cluster = store(owner=1, brokers=3, transfers=2).do("transfer(broker=2, destination=2)")
    cluster.do("transfer(broker=3, destination=3)", "append(broker=2)", "append(broker=3)")
    assert cluster.entry == "Releasing(2, from 1) v3"
    assert cluster.outbox(3) == []


def test_refused_write_changes_nothing_else() -> None:
    """
    A conflict is swallowed before the writer's view is touched: a waiting notification goes on waiting.

    channel.4 (own view: after the write), model/README.md ("nothing else happens"). To take it all the
    same would hide every behaviour of a loser whose view is still the old one.
    """
    cluster = store(owner=1, brokers=3, transfers=2).do("transfer(broker=2, destination=2)")
    cluster.do("transfer(broker=3, destination=3)", "append(broker=2)", "append(broker=3)")
    assert cluster.views[2] == "Owned(1) v2"
    assert cluster.state.changed[3, 1]


def test_notifications_coalesce_and_values_in_between_are_missed() -> None:
    """channel.D12: broker 3 is notified three times and reads once."""
    cluster = store(owner=1, brokers=3, transfers=1).do("transfer(broker=2, destination=2)", "append(broker=2)")
    cluster.do("notify(broker=1)", "close(broker=1)", "append(broker=1)")
    cluster.do("notify(broker=2)", "append(broker=2)")
    assert cluster.views[2] == "Owned(1) v2"
    cluster.do("notify(broker=3)")
    assert cluster.views == ["Assigning(2, from 1) v4", "Owned(2, from 1) v5", "Owned(2, from 1) v5"]
    assert cluster.guard("notify(broker=3)") == "a notification for the unit waits"


def test_notification_of_what_the_view_already_holds_is_not_handled_again() -> None:
    cluster = store(owner=1)
    cluster.state.base[1] = assigning = Record(ASSIGNING, 1, version=3)
    cluster.state.view[1, 1] = assigning
    cluster.state.changed[1, 1] = True
    cluster.do("notify(broker=1)")
    assert cluster.outbox(1) == []


def test_first_record_must_have_version_one_and_gaps_are_refused() -> None:
    cluster = store(assigns=1, owner=0).do("look_up(broker=1)", "assign(broker=1, destination=1)")
    state = cluster.state
    state.outbox[1] = state.outbox[1].without(1).plus(state.outbox[1][1]._replace(record=Record(OWNED, 1, version=2)))
    cluster.do("append(broker=1)")
    assert (cluster.entry, cluster.outbox(1)) == ("nothing", [])


def test_unacknowledged_write_reaches_the_node_and_the_second_is_refused() -> None:
    cluster = store(owner=1, unloads=1, resends=1).do("unload(broker=2)", "append_unacknowledged(broker=2)")
    assert (cluster.entry, cluster.outbox(2)) == ("Releasing(from 1) v3", ["Releasing(from 1) v3"])
    cluster.do("append(broker=2)")
    assert (cluster.entry, cluster.outbox(2)) == ("Releasing(from 1) v3", [])


def test_open_needs_a_registration_in_the_metadata_store_alone() -> None:
    """#24478, in 4.0.6; on the system topic a broker that takes itself for unregistered trusts its view."""
    active = "a lookup at the broker takes it for an active owner"
    for storage, guard in ((Storage.METADATA_STORE, active), (Storage.SYSTEM_TOPIC, "")):
        cluster = start(storage=storage, owner=1, crashes=1)
        cluster.state.serving[1, 1] = False
        cluster.state.unregistered[1] = True
        assert cluster.guard("open(broker=1)") == guard
