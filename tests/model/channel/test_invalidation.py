"""A lost session in the metadata store: the view is emptied, topics are closed, nodes are read anew (#24478)."""

import pytest

from oneowner.model.channel.record import ASSIGNING, TOMBSTONE, Record
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import Cluster, start

STORE = {"storage": Storage.METADATA_STORE, "owner": 2, "unloads": 2, "expiries": 1, "safe_mode": 1, "closings": 2}
CUT = ("expire(broker=2)", "lose_session(broker=2)")


def store(rules: Rules | None = None, **bounds: int) -> Cluster:
    return start(**STORE, **bounds, rules=rules or Rules())


def test_broker_that_loses_its_session_forgets_its_view_and_closes_what_it_serves() -> None:
    cluster = store().do(*CUT)
    assert (cluster.views, cluster.closing(2)) == (["Owned(2) v2", "nothing"], ["nothing"])
    cluster.do("close(broker=2, number=1)")
    assert (cluster.servers, cluster.outbox(2), cluster.entry) == ([], [], "Owned(2) v2")


def test_broker_that_loses_its_session_lists_what_it_never_owned() -> None:
    """run.G4: ownedNamespaces of the cut broker lists every bundle of the view."""
    cluster = store().do("expire(broker=1)", "lose_session(broker=1)")
    assert cluster.state.listed[1, 1]
    cluster.do("reconnect(broker=1)", "fill(broker=1)")
    assert not cluster.state.listed[1, 1]


def test_broker_without_session_is_told_of_nothing_and_writes_nothing() -> None:
    cluster = store().do("unload(broker=2)", *CUT, "unload(broker=1)", "append(broker=1)")
    assert not cluster.state.changed[2, 1]
    guard = "the broker has a session, for all it and ZooKeeper know"
    assert cluster.guard("append(broker=2)") == guard
    cluster.do("fail(broker=2)")
    assert cluster.outbox(2) == []


def test_watch_ends_with_the_session_whether_or_not_the_broker_knows() -> None:
    cluster = store().do("expire(broker=2)", "unload(broker=1)", "append(broker=1)")
    assert (cluster.views[1], cluster.state.changed[2, 1]) == ("Owned(2) v2", False)


def test_what_is_read_in_the_new_session_is_not_handled() -> None:
    """handleExisting: a release written meanwhile is never answered (but for the in-flight time-out)."""
    cluster = store().do(*CUT, "unload(broker=1)", "append(broker=1)", "reconnect(broker=2)", "fill(broker=2)")
    assert (cluster.views[1], cluster.outbox(2)) == ("Releasing(from 2) v3", [])


@pytest.mark.parametrize(("release", "sent"), [("4.0.6", []), ("5.0.1", ["Owned(2) v4"])])
def test_assigning_that_is_read_in_the_new_session_is_answered_on_master(release: str, sent: list[str]) -> None:
    cluster = store(RELEASES[release]).do(*CUT, "reconnect(broker=2)")
    cluster.state.base[1] = Record(ASSIGNING, 2, version=3)
    cluster.do("fill(broker=2)")
    assert cluster.outbox(2) == sent


def test_record_written_before_the_node_is_read_again_may_be_taken_for_an_old_one() -> None:
    """Its notification comes too late: the view holds it already."""
    cluster = store().do(*CUT, "reconnect(broker=2)", "unload(broker=1)", "append(broker=1)")
    assert cluster.state.changed[2, 1]
    cluster.do("fill(broker=2)", "notify(broker=2)")
    assert cluster.outbox(2) == []


def test_unit_that_was_deleted_meanwhile_stays_listed() -> None:
    cluster = store().do(*CUT, "reconnect(broker=2)")
    cluster.state.base[1] = TOMBSTONE
    cluster.do("fill(broker=2)")
    assert cluster.state.listed[2, 1]


def test_view_outlived_its_session_until_4_0_5() -> None:
    cluster = store(RELEASES["4.0.5"]).do("unload(broker=1)", "append(broker=1)", *CUT, "reconnect(broker=2)")
    assert cluster.views[1] == "Owned(2) v2"
    assert cluster.guard("notify(broker=2)") == "a notification for the unit waits"
    assert cluster.guard("fill(broker=2)") == "the broker has yet to read the node in its new session"


def test_leader_does_not_wait_for_notifications_before_it_overrides() -> None:
    """ServiceUnitStateMetadataStoreTableViewImpl.flush is empty."""
    cluster = start(storage=Storage.METADATA_STORE, owner=2, unloads=1, crashes=1)
    cluster.do("unload(broker=2)", "append(broker=2)", "crash(broker=2)", "expire(broker=2)")
    cluster.do("notice(observer=1, broker=2)", "override(broker=1, destination=1)")
    assert cluster.outbox(1) == ["Owned(1, from 2) v3 forced"]
    assert cluster.entry == "Releasing(from 2) v3"
