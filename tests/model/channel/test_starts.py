"""A start in two steps, the first start of a broker, and the view of others in between."""

from typing import Any

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

STARTING = "the broker is starting"


def growing(**bounds: Any) -> Cluster:
    """One broker runs, and a second one has yet to start for the first time."""
    return start(**{"newcomers": 1, "slow_starts": 1, **bounds})


def selected_early(**rules: bool) -> Cluster:
    """Broker 2 is assigned the unit before it has read the channel."""
    cluster = growing(assigns=1, rules=Rules(**rules)).do("begin_start(broker=2)", "notice(observer=1, broker=2)")
    cluster.do("look_up(broker=1)", "assign(broker=1, destination=2)", "append(broker=1)")
    return cluster.do("finish_start(broker=2)")


def test_newcomer_is_down_and_unknown_until_it_starts() -> None:
    cluster = growing(owner=1)
    state = cluster.state
    assert (state.run[2], state.node[2], state.leader) == (Run.DOWN, Node.ABSENT, 1)
    assert [state.known[1, 2], state.known[2, 1], state.known[2, 2]] == [False, False, False]
    assert cluster.views == ["Owned(1) v2", "nothing"]
    assert cluster.guard("notice(observer=1, broker=2)") == "the observer's cache differs from the registry"


def test_start_registers_before_it_reads_the_channel() -> None:
    cluster = growing(owner=1).do("begin_start(broker=2)")
    state = cluster.state
    assert (state.run[2], state.node[2], state.known[2, 1], state.known[2, 2]) == (
        Run.STARTING,
        Node.PRESENT,
        True,
        True,
    )
    assert cluster.views == ["Owned(1) v2", "nothing"]
    assert cluster.guard("begin_start(broker=2)") == "the budget allows another start to be seen"
    assert cluster.guard("restart(broker=2)") == "the broker is down"
    assert cluster.guard("consume(broker=2)") == "the broker is up"
    cluster.do("notice(observer=1, broker=2)", "finish_start(broker=2)")
    assert (cluster.state.run[2], cluster.views) == (Run.UP, ["Owned(1) v2", "Owned(1) v2"])
    assert cluster.guard("finish_start(broker=2)") == STARTING


def test_restart_is_both_steps_in_one() -> None:
    two = growing(owner=1).do("begin_start(broker=2)", "finish_start(broker=2)").state
    one = growing(owner=1).do("restart(broker=2)").state
    assert one.slow_starts_left == 1
    two.slow_starts_left = 1
    assert one.codes() == two.codes()


def test_unit_that_is_assigned_to_a_starting_broker_is_found_and_not_answered() -> None:
    """The Assigning is there before the channel is read, so it is no event; bugs.R8 without a restart."""
    cluster = selected_early()
    assert cluster.views[1] == "Assigning(2) v1"
    assert cluster.outbox(2) == []


def test_unit_that_is_assigned_to_a_starting_broker_is_answered_since_25379() -> None:
    assert selected_early(assigning_resolved_at_start=True).outbox(2) == ["Owned(2) v2"]


def test_log_is_forgotten_without_waiting_for_a_broker_that_has_not_read_it() -> None:
    cluster = growing(assigns=1).do("begin_start(broker=2)", "look_up(broker=1)", "assign(broker=1, destination=1)")
    cluster.do("append(broker=1)", "consume(broker=1)")
    assert cluster.log == []
    assert list(cluster.state.cursor) == [0, 0]


def test_broker_that_starts_may_be_elected_and_overrides_nothing_before_it_is_up() -> None:
    cluster = growing(owner=1, expiries=1).do("begin_start(broker=2)", "expire(broker=1)", "elect(broker=2)")
    assert cluster.state.leader == 2
    assert cluster.guard("override(broker=2, unit=1, destination=2)") == "the broker is up"
    cluster.do("finish_start(broker=2)")
    assert (cluster.state.leader, cluster.state.run[2]) == (2, Run.UP)


def test_new_process_of_the_leader_gives_up_the_lead_of_the_old_one_when_it_registers() -> None:
    cluster = start(crashes=2, slow_starts=1).do("crash(broker=1)", "begin_start(broker=1)")
    assert (cluster.state.leader, cluster.state.node[1]) == (NOBODY, Node.LEFTOVER)
    cluster.do("elect(broker=1)", "finish_start(broker=1)")
    assert cluster.state.leader == 1


def test_broker_may_crash_while_it_starts() -> None:
    cluster = growing(crashes=1).do("begin_start(broker=2)", "crash(broker=2)")
    assert (cluster.state.run[2], cluster.state.node[2]) == (Run.DOWN, Node.LEFTOVER)
    assert cluster.guard("finish_start(broker=2)") == STARTING


def test_start_that_fails_after_others_have_seen_it_takes_its_node_and_its_lead_along() -> None:
    """``failStarting`` closes the registry, and the process ends (apache/pulsar#23297)."""
    cluster = start(owner=2, crashes=1, slow_starts=1, failed_starts=1).do("crash(broker=1)", "begin_start(broker=1)")
    cluster.do("elect(broker=1)", "give_up_start(broker=1)")
    assert (cluster.state.run[1], cluster.state.node[1], cluster.state.leader) == (Run.DOWN, Node.ABSENT, NOBODY)
    assert cluster.guard("give_up_start(broker=1)") == "the budget allows another start to fail"
    cluster.do("restart(broker=1)")


def test_broker_that_is_up_does_not_fail_to_start() -> None:
    cluster = start(owner=2, crashes=1, slow_starts=1, failed_starts=1)
    assert cluster.guard("give_up_start(broker=1)") == STARTING
