"""Tombstones: the deleting process, its time, and the effect of a late one."""

import pytest

from oneowner.model.channel.channel import tombstone_of
from oneowner.model.channel.explanation import why
from oneowner.model.channel.record import FREE, NOTHING, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.channel.tombstones import is_read_by_all
from tests.model.channel.cluster import Cluster, start

LAST = "tombstone(broker=1)"
TO_FREE = ("unload(broker=1)", "append(broker=1)", "consume(broker=1)", "close(broker=1)", "append(broker=1)")


def freed(**bounds: object) -> Cluster:
    """Broker 1 has unloaded the unit, and has read that it is free; broker 2 has read nothing."""
    return start(**{"owner": 1, "unloads": 1, "assigns": 2, "tombstones": 1, "window": 5, **bounds}).do(
        *TO_FREE, "consume(broker=1)"
    )


def test_leader_deletes_a_free_entry() -> None:
    cluster = freed().do(LAST)
    assert cluster.outbox(1) == ["nothing"]
    cluster.do("append(broker=1)").deliver()
    assert (cluster.entry, cluster.views) == ("nothing", ["nothing", "nothing"])
    assert not cluster.state.tainted[1]


def test_old_monitor_deletes_what_is_owned_and_leaves_hand_overs_and_missing_owners_alone() -> None:
    """The classes of 3.1.2 override a hand-over that grows old, before they look at its age for a tombstone."""
    cluster = start(owner=2, tombstones=1, rules=RELEASES["3.1.2"])
    assert cluster.guard("tombstone(broker=1)") == ""
    cluster.state.known[1, 2] = False
    assert "lists the broker of an active entry" in cluster.guard("tombstone(broker=1)")
    cluster.state.view[1, 1] = Record(RELEASING, 0, 1, version=3)
    assert cluster.guard("tombstone(broker=1)") == "the entry is not in flight by the leader's view"


def test_unit_begins_anew_at_version_1() -> None:
    cluster = freed().do(LAST, "append(broker=1)").deliver()
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)")
    assert cluster.outbox(2) == ["Assigning(2) v1"]


def test_tombstone_needs_the_leader_an_entry_and_a_budget() -> None:
    assert freed().guard("tombstone(broker=2)") == "the broker is the leader"
    assert start(tombstones=1).guard(LAST) == "the leader's view holds an entry of the unit"
    assert start(owner=1, tombstones=1).guard(LAST) == "the entry is not active by the leader's view"
    again = freed().do(LAST, "append(broker=1)")
    assert again.guard(LAST) == "the budget allows another tombstone of the monitor"


@pytest.mark.parametrize("storage", Storage)
def test_late_tombstone_deletes_whatever_it_finds_and_nobody_closes_topics(storage: Storage) -> None:
    """models.H3: handleInitEvent notifies no former owner."""
    cluster = start(owner=1, unloads=1, tombstones=1, assigns=1, storage=storage).do("unload(broker=1)")
    cluster.deliver().do("close(broker=1)").deliver().do(LAST)
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)", "append(broker=2)")
    if storage == Storage.SYSTEM_TOPIC:
        cluster.do("consume(broker=2)")
    cluster.do("append(broker=2)")
    if storage == Storage.SYSTEM_TOPIC:
        cluster.do("consume(broker=2)")
    cluster.do("open(broker=2)", "append(broker=1)").deliver()
    assert (cluster.entry, cluster.servers, cluster.closing(2)) == ("nothing", [2], [])
    assert cluster.state.tainted[1]


def test_deletion_of_a_node_that_is_not_there_notifies_nobody() -> None:
    cluster = start(owner=1, unloads=1, tombstones=2, pending=2, storage=Storage.METADATA_STORE)
    cluster.do("unload(broker=1)", "append(broker=1)", "close(broker=1)", "append(broker=1)", LAST, LAST)
    cluster.do("append(broker=1)", "notify(broker=2)", "append(broker=1)")
    assert not any(cluster.state.changed)


def test_tombstone_sent_again_deletes_the_next_owner() -> None:
    """models.H3, run.G8: the first one is acknowledged by nobody, and was right."""
    cluster = freed(resends=1).do(LAST, "append_unacknowledged(broker=1)", "consume(broker=1)")
    cluster.do("consume(broker=2)", "consume(broker=2)", "consume(broker=2)", "look_up(broker=2)")
    cluster.do("assign(broker=2, destination=2)", "append(broker=2)", "consume(broker=2)", "append(broker=2)")
    assert (cluster.entry, cluster.state.tainted[1]) == ("Owned(2) v2", False)
    cluster.do("append(broker=1)")
    assert (cluster.entry, cluster.state.tainted[1]) == ("nothing", True)


def test_delay_above_every_lag_lets_only_what_all_have_read_be_deleted() -> None:
    cluster = freed(rules=Rules(lag_below_tombstone_delay=True))
    assert cluster.guard(LAST) == "every living broker has read the entry"
    cluster.do("consume(broker=2)")
    assert not is_read_by_all(cluster.state, 1, 1)
    assert cluster.do("consume(broker=2)").guard(LAST) == ""


def test_delay_above_every_lag_does_not_keep_a_lagging_leader_from_deleting_a_new_owner() -> None:
    cluster = freed(rules=Rules(lag_below_tombstone_delay=True)).do("consume(broker=2)", "consume(broker=2)")
    cluster.do("look_up(broker=2)", "assign(broker=2, destination=2)", "append(broker=2)", "consume(broker=2)")
    cluster.do("append(broker=2)", LAST, "append(broker=1)")
    assert cluster.entry == "nothing"


def test_tombstone_says_nothing_of_what_it_deletes_unless_it_compares() -> None:
    held = Record(FREE, 0, 1, version=4)
    assert tombstone_of(start().state, held) == TOMBSTONE
    named = tombstone_of(start(rules=Rules(tombstone_compares=True)).state, held)
    assert named == Record(NOTHING, version=4)
    assert refusal(held, named) is None
    refused = refusal(Record(OWNED, 2, version=6), named)
    assert refused is not None
    assert refused.rule == "version"
    assert why(refused).endswith("the tombstone is of version 4, and the held one is 6")


def test_topic_without_the_gap_rule_refuses_a_gap() -> None:
    held, ahead = Record(OWNED, 1, version=2), Record(OWNED, 2, version=4)
    assert refusal(held, ahead) is None
    refused = refusal(held, ahead, rules=Rules(gap_rule=False))
    assert refused is not None
    assert refused.rule == "gap"


# ---- forced Free ----


def unplaced(**bounds: int) -> Cluster:
    """Broker 2 lost its session, lives and serves; leader 1 finds no broker for its unit, and frees it by force."""
    cluster = start(**{"owner": 2, "expiries": 1, "unplaced": 1, "assigns": 2, "closings": 2, **bounds})
    return cluster.do("expire(broker=2)", "notice(observer=1, broker=2)", "free_orphan(broker=1)", "append(broker=1)")


def test_override_that_finds_no_broker_frees_the_unit_by_force() -> None:
    cluster = unplaced()
    assert (cluster.entry, cluster.state.tainted[1]) == ("Free(from 2) v3 forced", True)


def test_former_owner_closes_the_topics_of_a_forced_free_and_deletes_the_entry_at_once() -> None:
    cluster = unplaced().do("consume(broker=2)")
    assert (cluster.closing(2), cluster.outbox(2)) == (["Free(from 2) v3 forced"], [])
    cluster.do("close(broker=2, number=1)")
    assert (cluster.writers, cluster.outbox(2)) == ([], ["nothing"])  # P11


def test_former_owner_that_serves_nothing_deletes_the_entry_of_a_forced_free_at_once() -> None:
    cluster = unplaced()
    cluster.state.serving[2, 1] = False
    assert cluster.do("consume(broker=2)").outbox(2) == ["nothing"]


def test_forced_free_concerns_nobody_but_its_source() -> None:
    assert unplaced().do("consume(broker=1)").outbox(1) == []


def test_forced_free_needs_an_orphan_and_a_budget() -> None:
    healthy = start(owner=2, expiries=1, unplaced=1)
    assert healthy.guard("free_orphan(broker=1)") == "the entry names a broker that is gone for the leader"
    assert unplaced().guard("free_orphan(broker=1)") == "the budget allows another override to find no broker"
