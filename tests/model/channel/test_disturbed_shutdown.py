"""Graceful shutdown amid crashes, lost sessions, outages, pauses and changes of role; the last broker of a cluster."""

from typing import Any

import pytest

from oneowner.model.channel.parts import Metadata, Node, Run, Stage
from oneowner.model.channel.record import ASSIGNING, NOBODY, OWNED, Record
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import Cluster, start

ALONE = "the broker's registry cache lists no other one that may take the unit"
DRAIN = "drain(broker=1, destination=2)"
GIVEN_UP = "the broker has not given up its registration and its election to shut down"
NO_SESSION = "the broker has a session, for all it and ZooKeeper know"
UP = "the broker is up"


def stopping(**bounds: Any) -> Cluster:
    """Return a cluster of which broker 1 leads, owns the unit, and has been asked to shut down."""
    return start(**{"owner": 1, "shutdowns": 1, **bounds}).do("disable(broker=1)")


def deserted(**bounds: Any) -> Cluster:
    """Return the same, of whose other broker the registration is gone."""
    cluster = stopping(**{"crashes": 1, **bounds}).do("crash(broker=2)", "expire(broker=2)")
    return cluster.do("notice(observer=1, broker=2)")


# ---- a process dies ----


def test_broker_that_dies_amid_its_shutdown_leaves_its_nodes_to_its_session() -> None:
    cluster = stopping(crashes=1).do(DRAIN, "crash(broker=1)")
    assert (cluster.state.stage[1], cluster.state.drained[1, 1]) == (Stage.RUNNING, False)
    assert (cluster.state.node[1], cluster.state.leader) == (Node.LEFTOVER, 1)
    assert cluster.outbox(1) == ["Releasing(2, from 1) v3 forced"]
    cluster.do("append(broker=1)", "consume(broker=2)", "expire(broker=1)", "notice(observer=2, broker=1)")
    cluster.do("elect(broker=2)", "override(broker=2, destination=2)").deliver()
    assert cluster.entry == "Owned(2, from 1) v4 forced"


def test_broker_that_dies_after_it_has_unregistered_leaves_nothing() -> None:
    cluster = stopping(crashes=1).do(DRAIN).deliver().do("close(broker=1)").deliver().do("unregister(broker=1)")
    cluster.do("crash(broker=1)")
    assert (cluster.state.node[1], cluster.state.leader, cluster.state.run[1]) == (Node.ABSENT, NOBODY, Run.DOWN)
    assert cluster.guard("expire(broker=1)") == "a session of the broker holds a node"


def test_orphan_is_given_to_a_broker_that_shuts_down_and_has_passed_the_unit() -> None:
    """It is registered still; it unregisters as the owner, and the next clean-up is of its own units."""
    cluster = start(brokers=3, owner=3, crashes=1, shutdowns=1).do("disable(broker=2)", "pass_over(broker=2)")
    cluster.do("crash(broker=3)", "expire(broker=3)", "notice(observer=1, broker=3)")
    cluster.do("override(broker=1, destination=2)").deliver().do("unregister(broker=2)", "stop(broker=2)")
    assert cluster.entry == "Owned(2, from 3) v3 forced"
    cluster.do("notice(observer=1, broker=2)", "override(broker=1, destination=1)").deliver()
    assert cluster.entry == "Owned(1, from 2) v4 forced"


def test_broker_unregisters_before_its_records_are_there_if_its_flushes_were_too_short() -> None:
    cluster = stopping(crashes=1).do(DRAIN)
    assert cluster.guard("unregister(broker=1)") == "its publishes are in the channel"
    cluster.do("append(broker=1)")
    assert cluster.guard("unregister(broker=1)") == "it has read its own forced records"
    cluster = stopping(crashes=1, short_flushes=1).do(DRAIN, "unregister(broker=1)")
    assert (cluster.state.short_flushes_left, cluster.entry) == (0, "Owned(1) v2")
    cluster.do("append(broker=1)")
    assert cluster.entry == "Releasing(2, from 1) v3 forced"


def test_flush_that_was_long_enough_is_not_counted() -> None:
    cluster = stopping(short_flushes=1).do(DRAIN).deliver().do("close(broker=1)").deliver().do("unregister(broker=1)")
    assert cluster.state.short_flushes_left == 1


# ---- nobody is left ----


def test_broker_that_finds_nobody_frees_its_units_and_deletes_their_entries() -> None:
    cluster = deserted()
    assert cluster.guard(DRAIN) == "another broker is in its registry cache"
    cluster.do("free_own(broker=1)").deliver()
    assert cluster.entry == "Free(from 1) v3 forced"
    cluster.do("close(broker=1)").deliver()
    assert (cluster.entry, cluster.servers) == ("nothing", [])
    cluster.do("unregister(broker=1)", "stop(broker=1)")


def test_broker_frees_nothing_while_it_lists_another_one_unless_the_policies_refuse_it() -> None:
    assert stopping(crashes=1).guard("free_own(broker=1)") == ALONE
    cluster = stopping(unplaced=1).do("free_own(broker=1)")
    assert (cluster.outbox(1), cluster.state.unplaced_left) == (["Free(from 1) v3 forced"], 0)


def test_broker_leaves_a_unit_as_it_is_where_no_free_can_be_built() -> None:
    """Until 3.0.2 and 3.1.2 an override that selects nobody ends; until #23349 Free has to name a broker."""
    cluster = deserted(rules=Rules(frees_unplaced=False)).do("free_own(broker=1)", "unregister(broker=1)")
    assert cluster.entry == "Owned(1) v2"
    cluster = deserted(rules=Rules(free_names_nobody=False))
    cluster.state.base[1] = cluster.state.view[1, 1] = Record(ASSIGNING, 1, version=5)
    assert cluster.do("free_own(broker=1)").outbox(1) == []


def test_broker_that_tries_again_frees_what_it_still_owns() -> None:
    """apache/pulsar#26520."""
    cluster = deserted(rules=Rules(shutdown_retries=True)).do("free_own(broker=1)")
    cluster.state.outbox[1] = cluster.state.outbox[1].without(1)
    assert "owns no unit" in cluster.guard("unregister(broker=1)")
    assert cluster.do("free_own(broker=1)").outbox(1) == ["Free(from 1) v3 forced"]


def test_last_broker_shuts_down_where_that_is_modelled() -> None:
    together = start(owner=1, shutdowns=2, last_stops=1).do("disable(broker=1)", "disable(broker=2)")
    together.do("pass_over(broker=2)", "unregister(broker=2)", "stop(broker=2)", "notice(observer=1, broker=2)")
    together.do("free_own(broker=1)").deliver().do("close(broker=1)").deliver().do("unregister(broker=1)")
    assert together.entry == "nothing"


def test_last_broker_unloads_nothing_after_it_has_unregistered() -> None:
    """It closes its load manager, and with it the channel (``disableBroker``)."""
    cluster = deserted(rules=Rules(frees_unplaced=False)).do("free_own(broker=1)", "unregister(broker=1)")
    assert cluster.guard("unload_leftover(broker=1)") == "it has not unloaded the unit yet"


# ---- a session ends ----


def test_broker_without_a_session_neither_gives_away_nor_unregisters_but_registers_again() -> None:
    cluster = stopping(expiries=1).do("expire(broker=1)", "elect(broker=2)")
    assert cluster.guard(DRAIN) == cluster.guard("unregister(broker=1)") == NO_SESSION
    cluster.do("reestablish(broker=1)", "register(broker=1)", DRAIN)
    assert (cluster.state.node[1], cluster.outbox(1)) == (Node.PRESENT, ["Releasing(2, from 1) v3 forced"])


def test_broker_ends_without_having_unregistered_if_its_session_is_lost() -> None:
    assert stopping(expiries=1).guard("stop_registered(broker=1)") != ""
    cluster = stopping(expiries=1).do("expire(broker=1)", "stop_registered(broker=1)")
    assert (cluster.state.run[1], cluster.state.node[1]) == (Run.DOWN, Node.ABSENT)
    cluster = stopping(outages=1, safe_mode=1).do("stop_zookeeper()")
    assert cluster.guard("unregister(broker=1)") == NO_SESSION
    cluster.do("stop_registered(broker=1)")
    assert (cluster.state.node[1], cluster.state.leader) == (Node.LEFTOVER, 1)
    cluster.do("start_zookeeper()", "expire(broker=1)")
    assert (cluster.state.node[1], cluster.state.leader) == (Node.ABSENT, NOBODY)


@pytest.mark.parametrize("registers_with_session", [True, False])
def test_broker_that_has_unregistered_neither_registers_again_nor_is_elected(registers_with_session: bool) -> None:
    rules = Rules(registers_with_session=registers_with_session)
    cluster = stopping(outages=1, safe_mode=1, rules=rules).do(DRAIN).deliver().do("close(broker=1)").deliver()
    cluster.do("unregister(broker=1)", "stop_zookeeper()", "lose_session(broker=1)", "start_zookeeper()")
    cluster.do("reconnect(broker=1)")
    assert cluster.state.node[1] == Node.ABSENT
    cluster.state.node[1] = Node.PRESENT
    assert cluster.guard("elect(broker=1)") == GIVEN_UP


def test_leader_that_shuts_down_schedules_no_clean_up_and_ends_those_that_it_had() -> None:
    """``channelDisabled``: no clean-up is scheduled, and health checks pass unasked."""
    cluster = stopping(brokers=3, owner=3, crashes=1, safe_mode=1).do("crash(broker=3)", "expire(broker=3)")
    cluster.do("notice(observer=1, broker=3)")
    assert not cluster.state.cleaning[1, 3]
    assert cluster.guard("monitor(broker=1, gone=3)") == "the broker is not shutting down"
    cluster.state.cleaning[1, 3] = True
    assert not cluster.do("end_clean_up(broker=1, gone=3)").state.cleaning[1, 3]


def test_view_that_a_lost_session_has_emptied_is_passed_over() -> None:
    cluster = stopping(storage=Storage.METADATA_STORE, expiries=1, safe_mode=1).do("expire(broker=1)")
    cluster.do("lose_session(broker=1)", "reconnect(broker=1)", "elect(broker=2)", "pass_over(broker=1)")
    cluster.do("unregister(broker=1)")
    assert (cluster.entry, cluster.state.metadata[1]) == ("Owned(1) v2", Metadata.JITTERY)


# ---- a process stands still; roles ----


def test_broker_that_stands_still_goes_on_with_its_shutdown_afterwards() -> None:
    cluster = stopping(pauses=1).do("pause(broker=1)")
    steps = (DRAIN, "unregister(broker=1)", "hurry(broker=1)", "stop(broker=1)")
    hurried = start(owner=1, shutdowns=1, pauses=1, late_handlers=1).do("disable(broker=1)", "pause(broker=1)")
    assert {hurried.guard(one) for one in steps} == {UP}
    cluster.do("resume(broker=1)", DRAIN)


def test_broker_that_shuts_down_may_win_the_election_and_never_plays_the_leader() -> None:
    cluster = start(owner=1, shutdowns=1, expiries=1, beliefs=1).do("disable(broker=2)", "expire(broker=1)")
    cluster.do("elect(broker=2)")
    assert "does not shut down" in cluster.guard("play_leader(broker=2)")


def test_role_ends_with_the_registration_and_with_the_process() -> None:
    cluster = stopping(beliefs=1, last_stops=1)
    assert "does not shut down" in cluster.guard("play_follower(broker=1)")
    cluster.do(DRAIN).deliver().do("close(broker=1)").deliver().do("unregister(broker=1)")
    assert not cluster.state.believes[1]
    lost = stopping(beliefs=1, expiries=1).do("expire(broker=1)", "stop_registered(broker=1)")
    assert not lost.state.believes[1]


def test_owned_unit_is_given_up_by_the_entry_that_names_its_owner() -> None:
    cluster = deserted()
    cluster.state.base[1] = cluster.state.view[1, 1] = Record(OWNED, 2, version=5)
    assert cluster.guard("free_own(broker=1)") == "the entry names the broker"
