"""A split, step by step: publishers, refusals, and the remains after a crash."""

from typing import Any

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Ring
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import Cluster, start

BEGUN = ("split(broker=1)", "append(broker=1)", "consume(broker=1)")
MOVED = (*BEGUN, "append(broker=1)", "append(broker=1)", "move_boundaries(broker=1)")


def pair(**bounds: Any) -> Cluster:
    """Two brokers, the first of which owns a parent that may be split once."""
    return start(**{"owner": 1, "units": 3, "pending": 2, "splits": 1, **bounds})


def entries(cluster: Cluster) -> list[str]:
    return [str(entry(cluster.state, unit)) for unit in (1, 2, 3)]


def test_splitting_broker_publishes_both_children_at_once() -> None:
    cluster = pair().do(*BEGUN)
    assert cluster.outbox(1) == ["Owned(1) v1", "Owned(1) v1"]


def test_split_ends_with_two_owned_children_and_no_parent() -> None:
    cluster = pair().do(*MOVED, "delete_parent(broker=1)").deliver()
    assert entries(cluster) == ["nothing", "Owned(1) v1", "Owned(1) v1"]
    assert cluster.state.ring == Ring(True, 0)
    assert list(cluster.state.tainted) == [False, False, False]


def test_topic_stays_open_through_the_split_and_goes_over_to_its_child() -> None:
    cluster = pair().do(*MOVED)
    assert cluster.state.serving[1, 1]
    cluster.do("delete_parent(broker=1)")
    assert [cluster.state.serving[1, unit] for unit in (1, 2, 3)] == [False, True, False]


def test_boundaries_wait_for_the_children() -> None:
    assert pair().do(*BEGUN).guard("move_boundaries(broker=1)") == "the children are in the channel"


def test_parent_is_deleted_after_the_boundaries_are_moved() -> None:
    assert pair().do(*BEGUN).guard("delete_parent(broker=1)") == "the boundaries are moved"


READY = (*BEGUN, "append(broker=1)", "append(broker=1)")
STALE = (*READY, "split_elsewhere(broker=2)")
"""Broker 1 has given itself the children when the boundaries change."""


def test_split_that_finds_the_boundaries_stale_too_often_leaves_parent_and_children() -> None:
    """``splitServiceUnitOnceAndRetry``: seven tries."""
    cluster = pair(other_splits=1, failed_splits=1).do(*STALE, "give_up_split(broker=1)").deliver()
    assert entries(cluster) == ["Splitting(from 1) v3", "Owned(1) v1", "Owned(1) v1"]
    assert cluster.state.splitting[1].length == 0
    assert cluster.guard("move_boundaries(broker=1)") == "the broker splits the parent"


def test_split_that_has_read_the_current_boundaries_is_not_given_up() -> None:
    cluster = pair(other_splits=1, failed_splits=1).do(*READY)
    assert cluster.guard("give_up_split(broker=1)") == "the boundaries that the split has read are stale"
    assert cluster.guard("retry_split(broker=1)") == "the boundaries that the split has read are stale"


def test_split_that_tries_on_is_not_given_up() -> None:
    rules = Rules(split_tries_on=True)
    cluster = pair(other_splits=1, failed_splits=1, rules=rules).do(*STALE)
    assert cluster.guard("give_up_split(broker=1)") == "a split does not try for ever"


def test_split_whose_boundaries_were_stale_publishes_the_children_anew_that_its_view_lacks() -> None:
    """The log of a broker shows such a retry (``traces/real/stop-mid-split-4.2.4``)."""
    cluster = pair(other_splits=1, window=6).do(*STALE, "reload_boundaries(broker=1)")
    assert cluster.guard("move_boundaries(broker=1)") == "the split has read the current boundaries"
    cluster.do("consume(broker=1)", "retry_split(broker=1)")
    assert cluster.outbox(1) == ["Owned(1) v1"]
    assert cluster.guard("move_boundaries(broker=1)") == "the children are in the channel"
    cluster.do("append(broker=1)", "move_boundaries(broker=1)")
    assert cluster.state.ring == Ring(True, 1)
    assert cluster.deliver().do("delete_parent(broker=1)").deliver().state.splitting[1].length == 0


def test_split_that_knows_its_children_reads_the_boundaries_anew() -> None:
    cluster = pair(other_splits=1).do(*STALE, "consume(broker=1)", "consume(broker=1)")
    assert cluster.guard("retry_split(broker=1)") == "another try changes something"
    cluster.do("reload_boundaries(broker=1)", "retry_split(broker=1)", "move_boundaries(broker=1)")
    assert cluster.outbox(1) == []


def test_split_that_waits_reads_the_boundaries_when_its_last_child_has_arrived() -> None:
    cluster = pair(other_splits=1).do(*BEGUN, "append(broker=1)", "split_elsewhere(broker=1)", "append(broker=1)")
    cluster.do("move_boundaries(broker=1)")
    assert cluster.state.ring == Ring(True, 1)


def test_broker_with_old_boundaries_knows_the_parent_only() -> None:
    cluster = pair(unloads=1).do(*MOVED).deliver()
    assert cluster.guard("unload(broker=2, unit=2)") == "the unit is a bundle by the broker's boundaries"
    cluster.do("reload_boundaries(broker=2)", "unload(broker=2, unit=2)")


def test_unload_of_the_child_that_holds_the_topic_closes_it() -> None:
    cluster = pair(unloads=1).do(*MOVED, "delete_parent(broker=1)").deliver()
    cluster.do("unload(broker=1, unit=2)").deliver().do("close(broker=1)").deliver()
    assert entries(cluster) == ["nothing", "Free(from 1) v3", "Owned(1) v1"]
    assert not any(cluster.state.serving)


def test_unload_of_the_bare_child_closes_nothing() -> None:
    cluster = pair(unloads=1).do(*MOVED, "delete_parent(broker=1)").deliver()
    cluster.do("unload(broker=1, unit=3)").deliver()
    assert entries(cluster) == ["nothing", "Owned(1) v1", "Free(from 1) v3"]
    assert cluster.state.serving[1, 2]


def test_split_that_is_taken_over_skips_the_children_that_are_there() -> None:
    cluster = pair(owner=2, crashes=1).do("split(broker=2)").deliver()
    cluster.do("crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")
    cluster.do("override(broker=1, unit=1, destination=1)").deliver()
    assert entries(cluster) == ["Splitting(from 1) v4 forced", "Owned(2) v1", "Owned(2) v1"]
    assert cluster.outbox(1) == []
    cluster.do("move_boundaries(broker=1)", "delete_parent(broker=1)")
    assert cluster.outbox(1) == ["Deleted(from 1) v5"]
    assert list(cluster.state.tainted) == [True, True, True]


def test_broker_that_restarts_does_not_go_on_with_its_split() -> None:
    cluster = pair(owner=2, crashes=1).do("split(broker=2)").deliver()
    cluster.do("crash(broker=2)", "restart(broker=2)")
    assert cluster.state.splitting[2].length == 0
    assert cluster.guard("move_boundaries(broker=2)") == "the broker splits the parent"


def test_second_split_of_a_parent_is_refused_and_splits_nothing() -> None:
    cluster = pair(splits=2).do("split(broker=1)", "split(broker=2)", "append(broker=1)", "append(broker=2)")
    cluster.do("consume(broker=1)", "consume(broker=1)")
    assert entries(cluster)[0] == "Splitting(from 1) v3"
    assert cluster.state.splitting[1].length == 1


READ = ("consume(broker=1)", "consume(broker=1)")
NESTED = (*MOVED, *READ, "split_child(broker=1)", "append(broker=1)", "consume(broker=1)")


def nested(**bounds: int) -> Cluster:
    """Two brokers, with the parent cut and its entry still there; the first one has read that it splits unit 2."""
    words = [step.replace("move_boundaries(broker=1)", "move_boundaries(broker=1, number=1)") for step in NESTED]
    return pair(units=5, pending=3, window=9, nested_splits=1, **bounds).do(*words)


def all_entries(cluster: Cluster) -> list[str]:
    return [str(entry(cluster.state, unit)) for unit in (1, 2, 3, 4, 5)]


def test_child_is_split_while_its_parent_is_splitting() -> None:
    cluster = nested()
    assert all_entries(cluster)[:2] == ["Splitting(from 1) v3", "Splitting(from 1) v2"]
    assert [job.unit for job in cluster.state.splitting[1]] == [1, 2]
    assert cluster.outbox(1) == ["Owned(1) v1", "Owned(1) v1"]
    assert cluster.guard("move_boundaries(broker=1, number=2)") == "the children are in the channel"


def test_both_splits_end_and_the_topic_goes_over_to_the_first_grandchild() -> None:
    cluster = nested().deliver().do("move_boundaries(broker=1, number=2)", "delete_parent(broker=1, number=1)")
    assert cluster.state.ring == Ring(True, 0, True)
    cluster.do("delete_parent(broker=1, number=1)").deliver()
    assert all_entries(cluster) == ["nothing", "nothing", "Owned(1) v1", "Owned(1) v1", "Owned(1) v1"]
    assert [cluster.state.serving[1, unit] for unit in (1, 2, 3, 4, 5)] == [False, False, False, True, False]
    assert not any(cluster.state.tainted)


def test_child_whose_split_ends_first_leaves_the_topic_under_the_parent() -> None:
    cluster = nested().deliver().do("move_boundaries(broker=1, number=2)", "delete_parent(broker=1, number=2)")
    assert cluster.state.serving[1, 1]
    cluster.do("delete_parent(broker=1, number=1)")
    assert cluster.state.serving[1, 4]


def test_child_is_split_only_by_who_knows_that_its_parent_is_cut() -> None:
    cluster = pair(units=5, pending=3, nested_splits=1)
    assert cluster.guard("split_child(broker=1)") == "the broker's boundaries have the unit"


def test_children_are_accepted_in_the_metadata_store() -> None:
    """Models.H7 claims that they are refused there; rule R2 takes a first version (channel.R2, and the recordings)."""
    cluster = start(owner=1, units=3, pending=2, splits=1, storage=Storage.METADATA_STORE)
    cluster.do("split(broker=1)", "append(broker=1)", "append(broker=1)", "append(broker=1)")
    assert entries(cluster) == ["Splitting(from 1) v3", "Owned(1) v1", "Owned(1) v1"]
