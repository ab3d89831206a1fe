"""Crash, restart, session expiry, the registry and its caches, and the election of a leader."""

from typing import Any

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

UP = "the broker is up"


def lists_broker(cluster: Cluster, observer: int, broker: int) -> bool:
    return cluster.state.known[observer, broker]


def faulty(**bounds: Any) -> Cluster:
    return start(**{"crashes": 2, "expiries": 1, "closings": 2, **bounds})


def test_crash_forgets_everything_but_what_is_under_way() -> None:
    cluster = faulty(owner=1, unloads=1, transfers=1).do("transfer(broker=1, destination=2)", "append(broker=1)")
    cluster.do("consume(broker=1)", "consume(broker=2)", "crash(broker=1)")
    state = cluster.state
    assert (state.run[1], state.node[1], state.leader) == (Run.DOWN, Node.LEFTOVER, 1)
    assert (cluster.views[0], cluster.servers, cluster.closing(1)) == ("nothing", [], [])
    assert not any(state.known[1, other] for other in (1, 2))
    assert state.known[2, 1]
    assert cluster.entry == "Releasing(2, from 1) v3"
    assert cluster.guard("crash(broker=1)") == "the broker is up, or starts"


def test_crash_forgets_how_far_the_broker_has_read() -> None:
    cluster = faulty(owner=1, unloads=1).do("unload(broker=1)", "append(broker=1)", "consume(broker=2)")
    assert list(cluster.state.cursor) == [0, 1]
    cluster.do("crash(broker=2)")
    assert list(cluster.state.cursor) == [0, 0]
    cluster.do("restart(broker=2)")
    assert list(cluster.state.cursor) == [0, 1]


def test_crash_forgets_the_lookups_that_waited() -> None:
    cluster = faulty(assigns=2).do("look_up(broker=1)", "crash(broker=1)", "restart(broker=1)")
    assert cluster.guard("assign(broker=1, destination=1)") == "a lookup of the unit waits at the broker"


def test_restart_reads_the_channel_to_its_end_and_handles_nothing() -> None:
    """#25379 is not in 4.0.6: an Assigning found at the start is ignored; neither is a Releasing resumed (D4)."""
    cluster = faulty(assigns=1).do("look_up(broker=2)", "assign(broker=2, destination=1)", "crash(broker=1)")
    cluster.do("append(broker=2)", "restart(broker=1)")
    assert cluster.views == ["Assigning(1) v1", "nothing"]
    assert cluster.outbox(1) == []
    assert cluster.guard("consume(broker=1)") != ""
    cluster.do("consume(broker=2)")
    assert cluster.log == []


def test_restart_of_an_owner_may_serve_again_by_its_old_record() -> None:
    cluster = faulty(owner=2).do("crash(broker=2)", "restart(broker=2)", "open(broker=2)")
    assert cluster.servers == [2]
    assert cluster.guard("restart(broker=2)") == "the broker is down"


def test_restart_finds_the_node_of_its_old_session_which_still_expires() -> None:
    """run.G10: a node left over belongs to the old session, and its expiry takes it from the living broker."""
    cluster = faulty(expiries=0).do("crash(broker=2)", "restart(broker=2)")
    assert cluster.state.node[2] == Node.LEFTOVER
    cluster.do("expire(broker=2)")
    assert (cluster.state.node[2], cluster.state.known[2, 2], cluster.state.known[1, 2]) == (Node.ABSENT, False, True)
    cluster.do("register(broker=2)")
    assert (cluster.state.node[2], cluster.state.known[2, 2]) == (Node.PRESENT, True)
    assert cluster.guard("register(broker=2)") == "the broker's registry node is gone"
    assert cluster.guard("expire(broker=2)") == "the budget allows another session of a living broker to expire"


def test_restart_after_the_expiry_registers_in_a_new_session() -> None:
    cluster = faulty(expiries=0).do("crash(broker=2)", "expire(broker=2)")
    assert cluster.guard("register(broker=2)") == UP
    assert cluster.guard("expire(broker=2)") == "a session of the broker holds a node"
    cluster.do("restart(broker=2)")
    assert cluster.state.node[2] == Node.PRESENT
    assert [cluster.state.known[2, other] for other in (1, 2)] == [True, True]


def test_restart_fills_its_cache_from_the_registry() -> None:
    cluster = faulty(crashes=2).do("crash(broker=1)", "crash(broker=2)", "expire(broker=1)", "restart(broker=2)")
    assert [cluster.state.known[2, other] for other in (1, 2)] == [False, True]


def test_session_of_a_living_broker_expires_within_the_budget_and_it_goes_on_serving() -> None:
    cluster = faulty(owner=2).do("expire(broker=2)")
    state = cluster.state
    assert (state.node[2], state.known[2, 2], state.known[1, 2]) == (Node.ABSENT, True, True)
    assert (cluster.servers, state.run[2], state.leader) == ([2], Run.UP, 1)
    assert cluster.guard("expire(broker=1)") == "the budget allows another session of a living broker to expire"


def test_broker_whose_session_has_ended_takes_itself_for_registered_until_it_has_a_new_one() -> None:
    """No watch notifies it: its caches stay as they were, and are emptied when the session is re-established."""
    cluster = faulty(owner=1, expiries=2).do("expire(broker=2)", "expire(broker=1)")
    assert cluster.guard("notice(observer=2, broker=2)") == "the broker is another one"
    assert cluster.guard("notice(observer=2, broker=1)") == "the observer has not lost its session unawares"
    assert cluster.guard("register(broker=2)") == "the broker has a session, for all it and ZooKeeper know"
    assert [lists_broker(cluster, 2, other) for other in (1, 2)] == [True, True]
    cluster.do("reestablish(broker=2)")
    assert [lists_broker(cluster, 2, other) for other in (1, 2)] == [False, False]
    assert not cluster.state.unregistered[2]
    assert cluster.guard("reestablish(broker=2)") == "the session of the broker has ended"
    cluster.do("register(broker=2)")
    assert [lists_broker(cluster, 2, other) for other in (1, 2)] == [False, True]


def test_broker_without_session_opens_nothing_and_one_without_registration_neither() -> None:
    cluster = faulty(owner=2)
    cluster.state.serving[2, 1] = False
    assert cluster.do("expire(broker=2)").guard("open(broker=2)").startswith("the broker has a session")
    inactive = "a lookup at the broker takes it for an active owner"
    assert cluster.do("reestablish(broker=2)").guard("open(broker=2)") == inactive
    cluster.do("register(broker=2)", "open(broker=2)")


def test_broker_that_is_told_of_its_deleted_node_trusts_its_view() -> None:
    """run.G10: the node of its older process is deleted, and ``isRegistered`` is false until it registers again."""
    cluster = faulty(owner=2).do("crash(broker=2)", "restart(broker=2)", "expire(broker=2)")
    assert cluster.state.unregistered[2]
    cluster.do("open(broker=2)", "register(broker=2)")
    assert not cluster.state.unregistered[2]


def test_session_is_reestablished_and_the_broker_registers_at_once_since_it_listens_to_that() -> None:
    """apache/pulsar#24932."""
    cluster = faulty(rules=Rules(registers_with_session=True)).do("expire(broker=2)", "reestablish(broker=2)")
    assert (cluster.state.node[2], lists_broker(cluster, 2, 2)) == (Node.PRESENT, True)


def test_session_of_a_dead_broker_expires_whatever_the_budget() -> None:
    cluster = faulty(expiries=0).do("crash(broker=1)", "expire(broker=1)")
    assert (cluster.state.node[1], cluster.state.leader) == (Node.ABSENT, 0)


def test_observer_learns_later_that_a_broker_came_or_went() -> None:
    cluster = faulty()
    unchanged = "the observer's cache differs from the registry"
    assert cluster.guard("notice(observer=1, broker=2)") == unchanged
    cluster.do("expire(broker=2)", "notice(observer=1, broker=2)")
    assert not lists_broker(cluster, 1, 2)
    assert cluster.guard("notice(observer=1, broker=2)") == unchanged
    cluster.do("reestablish(broker=2)", "register(broker=2)", "notice(observer=1, broker=2)")
    assert lists_broker(cluster, 1, 2)
    cluster.do("crash(broker=1)")
    assert cluster.guard("notice(observer=1, broker=2)") == "the observer is up"


def test_leader_stays_leader_until_its_session_expires() -> None:
    cluster = faulty().do("crash(broker=1)")
    assert cluster.guard("elect(broker=2)") == "there is no leader"
    cluster.do("expire(broker=1)", "elect(broker=2)")
    assert cluster.state.leader == 2


def test_living_leader_loses_its_leadership_with_its_session() -> None:
    cluster = faulty().do("expire(broker=1)")
    assert cluster.state.leader == 0
    assert cluster.guard("elect(broker=1)") == "the broker is registered"
    cluster.do("reestablish(broker=1)", "register(broker=1)", "elect(broker=1)")
    assert cluster.state.leader == 1


def test_leader_that_restarts_deletes_its_old_leader_node() -> None:
    cluster = faulty().do("crash(broker=1)", "restart(broker=1)")
    assert cluster.state.leader == 0
    cluster.do("elect(broker=2)")


def test_expiry_of_an_older_process_leaves_the_new_leadership_alone() -> None:
    cluster = faulty().do("crash(broker=1)", "restart(broker=1)", "elect(broker=1)", "expire(broker=1)")
    assert (cluster.state.leader, cluster.state.node[1]) == (1, Node.ABSENT)


def test_leadership_of_a_dead_process_ends_with_its_session() -> None:
    """
    The leader's node is ephemeral (channel.10; models.S36): it goes with its session, never stays.

    The expiry of the older process takes the registry node; when the leading process then dies before it has
    registered again, its own session must still end, or nobody can ever be elected.
    """
    cluster = faulty().do("crash(broker=1)", "restart(broker=1)", "elect(broker=1)", "expire(broker=1)")
    cluster.do("crash(broker=1)")
    if cluster.guard("expire(broker=1)") == "":
        cluster.do("expire(broker=1)")
    assert cluster.guard("elect(broker=2)") == ""


def test_dead_or_unregistered_broker_is_not_elected() -> None:
    cluster = faulty().do("expire(broker=1)", "crash(broker=2)")
    assert cluster.guard("elect(broker=2)") == "the broker is up, or starts"
    assert cluster.guard("elect(broker=1)") == "the broker is registered"


def test_lose_takes_a_publish_of_a_dead_broker_only() -> None:
    cluster = faulty(owner=1, unloads=2, pending=2).do("unload(broker=2)")
    assert cluster.guard("lose(broker=2)") == "the broker is down"
    cluster.do("crash(broker=2)", "lose(broker=2)")
    assert cluster.guard("lose(broker=2)") == "a publish of the broker is under way"


def test_crashes_are_budgeted() -> None:
    cluster = faulty(crashes=1).do("crash(broker=1)")
    assert cluster.guard("crash(broker=2)") == "the budget allows another crash"


def fails_to_start(fails_fast: bool) -> Cluster:
    """Broker 1, the leader, crashes, and its next process does not get its load manager to start."""
    cluster = start(owner=2, crashes=1, failed_starts=1, rules=Rules(start_fails_fast=fails_fast))
    return cluster.do("crash(broker=1)", "fail_start(broker=1)")


def test_start_that_fails_ends_the_process_and_deletes_what_the_old_one_left_over() -> None:
    """apache/pulsar#23297."""
    state = fails_to_start(True).state
    assert (state.run[1], state.node[1], state.leader) == (Run.DOWN, Node.ABSENT, NOBODY)
    assert fails_to_start(True).guard("fail_start(broker=1)") == "the budget allows another start to fail"
    fails_to_start(True).do("restart(broker=1)")


def test_broker_whose_start_failed_lived_on_and_was_never_registered() -> None:
    """apache/pulsar#23297."""
    cluster = fails_to_start(False)
    assert (cluster.state.run[1], cluster.state.node[1]) == (Run.UP, Node.ABSENT)
    assert cluster.views[0] == "Owned(2) v2"
    assert cluster.guard("register(broker=1)") == "the broker's registry is not closed"
