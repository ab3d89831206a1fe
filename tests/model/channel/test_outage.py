"""Outages and session events: the operations that wait for ZooKeeper, and the beginning and end of safe mode."""

from oneowner.model.channel.parts import Metadata, Node
from tests.model.channel.cluster import start

OUTAGE = {"owner": 2, "outages": 1, "expiries": 1, "safe_mode": 1, "closings": 2}


def test_outage_keeps_sessions_registrations_and_elections_waiting() -> None:
    cluster = start(**OUTAGE).do("expire(broker=2)", "lose_session(broker=2)", "reconnect(broker=2)", "stop_zookeeper")
    assert cluster.servers == [2]
    for words in ("expire(broker=1)", "notice(observer=1, broker=2)"):
        assert cluster.guard(words) == "ZooKeeper is up"
    assert cluster.guard("register(broker=2)") != ""


def test_safe_mode_is_unstable_then_jittery_then_over() -> None:
    cluster = start(**OUTAGE)
    seen = []
    steps = "stop_zookeeper; lose_session(broker=1); start_zookeeper; reconnect(broker=1); settle(broker=1)"
    for words in steps.split("; "):
        cluster.do(words)
        seen.append(cluster.state.metadata[1])
    assert seen == [Metadata.STABLE, Metadata.UNSTABLE, Metadata.UNSTABLE, Metadata.JITTERY, Metadata.STABLE]


def test_broker_registers_only_once_it_knows_of_its_new_session() -> None:
    cluster = start(**OUTAGE).do("expire(broker=2)")
    assert cluster.guard("register(broker=2)") != ""
    cluster.do("lose_session(broker=2)")
    assert cluster.guard("register(broker=2)") != ""
    cluster.do("reconnect(broker=2)", "register(broker=2)")
    assert cluster.state.node[2] == Node.PRESENT


def test_session_that_was_given_up_in_an_outage_may_end_after_it_without_budget() -> None:
    cluster = start(**{**OUTAGE, "expiries": 0})
    assert cluster.guard("expire(broker=2)") == "the budget allows another session of a living broker to expire"
    cluster.do("stop_zookeeper", "lose_session(broker=2)", "start_zookeeper", "expire(broker=2)")
    assert not cluster.state.session_ended[2]
    assert cluster.guard("lose_session(broker=2)") == "the broker thinks that it has a session"


def test_broker_without_a_session_after_an_outage_is_unreached_until_it_has_one() -> None:
    cluster = start(**{**OUTAGE, "brokers": 3}).do("expire(broker=2)", "stop_zookeeper", "lose_session(broker=1)")
    assert [cluster.state.unreached[broker] for broker in (1, 2, 3)] == [False, False, False]
    cluster.do("start_zookeeper")
    assert [cluster.state.unreached[broker] for broker in (1, 2, 3)] == [True, True, False]
    cluster.do("lose_session(broker=2)", "reconnect(broker=1)", "reconnect(broker=2)")
    assert [cluster.state.unreached[broker] for broker in (1, 2, 3)] == [False, False, False]
