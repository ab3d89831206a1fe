"""The syncer between the two storages: the records that it copies, its limits, and the damage of its start."""

from dataclasses import replace
from typing import Any

from oneowner.model.channel.record import ASSIGNING, OWNED, Record
from oneowner.model.channel.releases import RELEASES
from tests.model.channel.cluster import Cluster, start


def both(**bounds: Any) -> Cluster:
    """Broker 1 keeps the channel in the topic, broker 2 in the metadata store."""
    return start(**{"owner": 1, "unloads": 2, "synced": 1, **bounds})


def test_record_of_the_topic_reaches_the_brokers_of_the_metadata_store_through_the_syncer() -> None:
    cluster = both().do("unload(broker=1)", "append(broker=1)")
    assert str(cluster.state.nodes[1]) == "Owned(1) v2"
    cluster.do("copy_to_store", "look(broker=2)")
    assert cluster.views == ["Owned(1) v2", "Releasing(from 1) v3"]


def test_record_of_the_held_version_is_no_news_until_4_0_4() -> None:
    """#24186: also of records that the syncer puts."""
    cluster = both(rules=RELEASES["4.0.4"])
    cluster.state.nodes[1] = Record(OWNED, 2, version=2)
    cluster.state.changed[2, 1] = True
    assert cluster.do("look(broker=2)").views[1] == "Owned(1) v2"
    cluster.state.bounds = replace(cluster.state.bounds, rules=RELEASES["4.0.5"])
    cluster.state.changed[2, 1] = True
    assert cluster.do("look(broker=2)").views[1] == "Owned(2) v2"


def test_record_of_the_metadata_store_reaches_the_topic_through_the_syncer() -> None:
    cluster = both().do("unload(broker=2)", "put(broker=2)")
    assert cluster.entry == "Owned(1) v2"
    cluster.do("copy_to_topic", "consume(broker=1)")
    assert cluster.views == ["Releasing(from 1) v3", "Releasing(from 1) v3"]


def test_first_record_stays_until_the_syncer_has_read_it() -> None:
    cluster = both().do("unload(broker=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.log == ["Releasing(from 1) v3"]
    cluster.do("copy_to_store")
    assert (cluster.log, cluster.state.copied) == ([], 0)


def test_rivals_of_one_version_part_the_storages_and_taint_the_unit() -> None:
    cluster = both(owner=0, assigns=2)
    cluster.do("look_up(broker=1)", "assign(broker=1, destination=1)", "append(broker=1)", "consume(broker=1)")
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)")
    assert not cluster.state.tainted[1]
    cluster.do("put(broker=2)", "copy_to_store", "copy_to_topic")
    assert (cluster.entry, str(cluster.state.nodes[1])) == ("Assigning(1) v1", "Assigning(2) v1")
    assert cluster.state.tainted[1]


def test_copies_taint_nothing() -> None:
    cluster = both().do("unload(broker=1)", "append(broker=1)", "copy_to_store", "consume(broker=1)")
    assert not cluster.state.tainted[1]


def test_copy_that_passed_over_a_record_is_accepted_behind_a_gap_by_the_topic_alone() -> None:
    cluster = both()
    cluster.state.nodes[1] = Record(OWNED, 2, version=4)
    cluster.state.noticed[1] = True
    cluster.do("copy_to_topic")
    assert cluster.entry == "Owned(2) v4"
    late = both()
    late.state.nodes[1] = Record(ASSIGNING, 2, version=1)
    late.do("unload(broker=1)", "append(broker=1)", "copy_to_store")
    assert str(late.state.nodes[1]) == "Assigning(2) v1"
