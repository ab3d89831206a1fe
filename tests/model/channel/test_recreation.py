"""A namespace is deleted and created anew: remaining records of the channel for bundles of the same names."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

SPLIT = ("split(broker=1)", "append(broker=1)", "consume(broker=1)")
RECREATED = {"units": 3, "owner": 1, "splits": 2, "recreations": 1, "assigns": 2, "pending": 2}


def split_once(cluster: Cluster) -> Cluster:
    """Split the parent, as often as nothing else is under way."""
    cluster.do(*SPLIT).deliver().do("move_boundaries(broker=1)", "delete_parent(broker=1)").deliver()
    return cluster.do("reload_boundaries(broker=2)")


def entries(cluster: Cluster) -> list[str]:
    """Return the channel's entries of the parent and its children."""
    return [str(entry(cluster.state, unit)) for unit in (1, 2, 3)]


def test_namespace_is_deleted_only_after_its_split_and_created_only_after_its_unloads() -> None:
    cluster = start(**RECREATED)
    assert "its parent is cut" in cluster.guard("delete_namespace(broker=2)")
    split_once(cluster)
    assert "is deleted" in cluster.guard("create_namespace(broker=2)")
    cluster.do("delete_namespace(broker=2)")
    assert cluster.servers == []
    assert "unloads" in cluster.guard("create_namespace(broker=2)")
    assert "boundaries" in cluster.deliver().guard("look_up(broker=2, unit=2)")
    cluster.do("create_namespace(broker=2)", "look_up(broker=2, unit=1)")


def test_bundles_of_a_deleted_namespace_stay_free_and_the_split_one_is_forgotten() -> None:
    """#22743 makes the unload forced, not the Free that follows on it (``handleReleaseEvent``)."""
    cluster = split_once(start(**RECREATED)).do("delete_namespace(broker=1)").deliver()
    assert entries(cluster) == ["nothing", "Free(from 1) v3", "Free(from 1) v3"]


def test_split_bundle_of_a_namespace_that_is_created_anew_stays_deleted_without_its_tombstone() -> None:
    """bugs.R9: no lookup and no split of it until the leader deletes the entry."""
    cluster = split_once(start(**RECREATED, rules=Rules(tombstone_at_once=False)))
    cluster.do("delete_namespace(broker=1)").deliver().do("create_namespace(broker=1)")
    assert entries(cluster)[0] == "Deleted(from 1) v4"
    assert "no owner" in cluster.guard("look_up(broker=1, unit=1)")


def test_second_split_after_a_recreation_leaves_its_children_to_nobody_and_two_brokers_serve_one() -> None:
    """
    Not reported: a child that is Free since the namespace was deleted is skipped as "already owned" (bugs.H13).

    The splitter goes on serving topics of a bundle that nobody owns, and no record ever makes it close them.
    """
    cluster = split_once(start(**RECREATED)).do("delete_namespace(broker=1)").deliver()
    cluster.do("create_namespace(broker=1)", "reload_boundaries(broker=2)", "look_up(broker=1, unit=1)")
    cluster.do("assign(broker=1, unit=1, destination=1)").deliver().do("open(broker=1, unit=1)")
    split_once(cluster)
    assert entries(cluster) == ["nothing", "Free(from 1) v3", "Free(from 1) v3"]
    assert cluster.state.serving[1, 2]
    cluster.do("look_up(broker=2, unit=2)", "assign(broker=2, unit=2, destination=2)").deliver()
    cluster.do("open(broker=2, unit=2)")
    assert [cluster.state.serving[broker, 2] for broker in (1, 2)] == [True, True]
    assert not cluster.state.tainted[2]
