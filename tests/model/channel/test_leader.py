"""The leader's role: taken and given up late, and never by a broker that is not registered."""

from oneowner.model.channel.parts import Node
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.session import HAS_SESSION
from tests.model.channel.cluster import start

ROLES = {"owner": 2, "expiries": 2, "beliefs": 1}


def test_former_leader_plays_on_until_it_gives_the_role_up_in_a_new_session() -> None:
    cluster = start(**ROLES).do("expire(broker=1)", "elect(broker=2)", "play_leader(broker=2)")
    assert list(cluster.state.believes) == [True, True]
    assert cluster.guard("play_follower(broker=1)") == HAS_SESSION
    cluster.do("reestablish(broker=1)", "play_follower(broker=1)")
    assert list(cluster.state.believes) == [False, True]


def test_unregistered_broker_wins_and_is_stuck() -> None:
    """run.G2: it can neither take the role nor register."""
    cluster = start(**ROLES).do("expire(broker=2)", "reestablish(broker=2)", "expire(broker=1)", "elect(broker=2)")
    assert cluster.guard("play_leader(broker=2)") == "the broker is registered"
    assert cluster.guard("register(broker=2)") == "the broker does not try to change its role in vain"


def test_former_leader_is_stuck_with_an_unregistered_one() -> None:
    """Recording zk-partition-livelock, 0:12:33: the former leader cannot find the topics of load data."""
    cluster = start(**ROLES).do("expire(broker=2)", "reestablish(broker=2)", "expire(broker=1)", "elect(broker=2)")
    cluster.do("reestablish(broker=1)")
    assert cluster.guard("play_follower(broker=1)") == "the elected broker is registered"
    assert cluster.guard("register(broker=1)") == "the broker does not try to change its role in vain"


BETWEEN = ("expire(broker=1)", "expire(broker=2)", "reestablish(broker=1)", "register(broker=1)")
OVERRIDE = "override(broker=1, destination=1)"


def test_former_leader_overrides_nothing_while_nobody_leads() -> None:
    """``doCleanup``: ``Found the channel owner is empty``; until 3.0.5, 3.1.3, 3.2.3 and 3.3.0 it asked nothing."""
    assert start(**ROLES).do(*BETWEEN).guard(OVERRIDE) == "the channel has an owner, whoever that is"
    assert start(**ROLES).do(*BETWEEN, "elect(broker=1)").guard(OVERRIDE) == ""
    assert start(**ROLES, rules=Rules(clean_up_needs_leader=False)).do(*BETWEEN).guard(OVERRIDE) == ""


def test_broker_without_a_session_is_refused_for_that() -> None:
    """It reads itself as the leader still (``LeaderElectionImpl``), so that it would pass the leader's own guards."""
    assert start(**ROLES).do("expire(broker=1)").guard(OVERRIDE) == HAS_SESSION


def test_former_leader_that_waits_for_the_elected_one_overrides_nothing() -> None:
    """A clean-up runs on the thread on which ``playFollower`` waits, ``PulsarService.getLoadManagerExecutor``."""
    waits = (*BETWEEN, "reestablish(broker=2)", "elect(broker=2)")
    assert start(**ROLES).do(*waits).guard(OVERRIDE) == "the broker does not try to change its role in vain"
    assert start(**ROLES, rules=Rules(follower_opens_topics=False)).do(*waits).guard(OVERRIDE) == ""


def test_former_leader_that_opens_no_topics_follows_an_unregistered_one() -> None:
    """3.0.2, 3.1.2: ``playFollower`` closes a table view alone, and looks for nothing at the elected one."""
    cluster = start(**ROLES, rules=Rules(follower_opens_topics=False)).do("expire(broker=2)", "reestablish(broker=2)")
    cluster.do("expire(broker=1)", "elect(broker=2)", "reestablish(broker=1)", "play_follower(broker=1)")
    assert list(cluster.state.believes) == [False, False]
    assert cluster.guard("register(broker=1)") == ""


def test_session_of_a_leader_that_is_not_registered_ends() -> None:
    cluster = start(**ROLES).do("expire(broker=1)", "reestablish(broker=1)", "elect(broker=1)", "expire(broker=1)")
    state = cluster.state
    assert (state.leader, state.session_ended[1], state.node[1], state.expiries_left) == (0, True, Node.ABSENT, 0)
    assert cluster.guard("expire(broker=1)") == "a session of the broker holds a node"
    cluster.do("reestablish(broker=1)", "elect(broker=1)")
    assert cluster.guard("expire(broker=1)") == "the budget allows another session of a living broker to expire"


def test_nobody_gives_the_role_up_while_nobody_leads() -> None:
    """4.0.6, driven: no listener is asked to follow, and the monitor fails."""
    cluster = start(**ROLES).do("expire(broker=1)", "reestablish(broker=1)")
    assert cluster.guard("play_follower(broker=1)") == "another broker was elected"
    cluster.do("elect(broker=1)")
    assert list(cluster.state.believes) == [True, False]


def test_unregistered_broker_loses_where_only_registered_ones_may_lead() -> None:
    cluster = start(**ROLES, rules=Rules(unregistered_may_lead=False)).do("expire(broker=1)")
    assert cluster.guard("elect(broker=1)") == "the broker is registered"


def test_roles_that_are_not_modelled_are_the_election() -> None:
    cluster = start(owner=2, expiries=1)
    assert not any(cluster.state.believes)
    assert cluster.do("expire(broker=1)").guard("elect(broker=2)") == ""
