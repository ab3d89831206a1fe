"""A syncer that starts: its deletions and copies, and the records written before it listens."""

from typing import Any

from oneowner.model.channel.parts import SyncerStart
from oneowner.model.channel.record import ASSIGNING, TOMBSTONE, Record
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

STARTED = ("start_syncer", "copy_existing")
UNLOADED = ("unload(broker=1)", "append(broker=1)")


def starting(**bounds: Any) -> Cluster:
    """Broker 1 keeps the channel in the topic, broker 2 in the metadata store."""
    return start(**{"owner": 1, "unloads": 1, "assigns": 1, "synced": 1, "syncs": 1, **bounds})


def with_gap(**bounds: Any) -> Cluster:
    return starting(syncer_gaps=1, **bounds)


def test_syncer_that_starts_deletes_the_nodes_and_writes_the_topics_over_what_came_meanwhile() -> None:
    cluster = starting().do("start_syncer", "look(broker=2)")
    assert (cluster.state.nodes[1], cluster.views[1]) == (TOMBSTONE, "nothing")
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)", "put(broker=2)")
    assert str(cluster.state.nodes[1]) == "Assigning(2) v1"
    assert cluster.guard("copy_to_topic") == "the syncer copies changes"
    cluster.do("copy_existing")
    assert (str(cluster.state.nodes[1]), cluster.state.noticed[1]) == ("Owned(1) v2", False)


def test_syncer_listens_at_once_where_the_gap_is_not_modelled() -> None:
    cluster = starting().do(*STARTED, *UNLOADED, "copy_to_store")
    assert str(cluster.state.nodes[1]) == "Releasing(from 1) v3"


def test_update_in_the_gap_is_not_copied_and_not_missed() -> None:
    cluster = with_gap().do(*STARTED, *UNLOADED)
    assert cluster.guard("copy_to_store") == "the syncer copies changes"
    cluster.do("listen")
    assert cluster.guard("copy_to_store") == "the log holds a record that the syncer has not read"
    cluster.do("end_syncer_start")
    assert (cluster.entry, str(cluster.state.nodes[1])) == ("Releasing(from 1) v3", "Owned(1) v2")


def test_put_in_the_gap_is_not_copied_either() -> None:
    cluster = with_gap().do(*STARTED, "look(broker=2)", "unload(broker=2)", "put(broker=2)")
    assert cluster.guard("copy_to_topic") == "the syncer copies changes"
    cluster.do("listen")
    assert cluster.guard("copy_to_topic") == "the node has changed since the syncer read it"
    assert (cluster.entry, str(cluster.state.nodes[1])) == ("Owned(1) v2", "Releasing(from 1) v3")


ASSIGNED = ("look_up(broker=1)", "assign(broker=1, destination=1)", "append(broker=1)")


def test_unit_that_is_new_in_the_gap_lets_the_syncer_start_over() -> None:
    cluster = with_gap(owner=0, unloads=0).do(*STARTED, *ASSIGNED, "listen")
    assert cluster.guard("end_syncer_start") == "both storages hold equally many entries"
    assert cluster.guard("reconcile") == "the syncer reconciles storages"
    cluster.do("start_syncer_over")
    assert (cluster.state.cleaned, cluster.state.starting) == (True, SyncerStart.OVER)
    cluster.do("copy_existing", "listen", "end_syncer_start")
    assert str(cluster.state.nodes[1]) == "Assigning(1) v1"


def test_unit_that_is_new_in_the_gap_is_reconciled_since_4_0_12() -> None:
    rules = Rules(syncer_copies_deletions=True)
    cluster = with_gap(owner=0, unloads=0, rules=rules).do(*STARTED, *ASSIGNED, "listen")
    assert cluster.guard("start_syncer_over") == "the syncer does not reconcile storages"
    cluster.do("reconcile", "end_syncer_start")
    assert str(cluster.state.nodes[1]) == "Assigning(1) v1"


def test_sizes_alone_are_compared_unless_the_repair_compares_values() -> None:
    released = with_gap(rules=Rules(syncer_copies_deletions=True)).do(*STARTED, *UNLOADED, "listen")
    assert released.guard("reconcile") == "the storages do not hold equally many entries"
    cluster = with_gap(rules=Rules(syncer_compares_values=True)).do(*STARTED, *UNLOADED, "listen")
    assert cluster.guard("end_syncer_start") == "both storages hold equally many entries"
    cluster.do("reconcile", "end_syncer_start")
    assert str(cluster.state.nodes[1]) == cluster.entry == "Releasing(from 1) v3"


def test_node_of_a_unit_that_the_topic_does_not_hold_is_not_reconciled() -> None:
    cluster = with_gap(owner=0, unloads=0, rules=Rules(syncer_copies_deletions=True)).do(*STARTED, "listen")
    cluster.state.nodes[1] = Record(ASSIGNING, 2, version=1)
    assert cluster.guard("reconcile") == "the topic holds something of the unit"
    assert cluster.state.base[1] == TOMBSTONE
