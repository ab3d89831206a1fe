"""The leader's role: taken and given up late, and never by a broker that is not registered."""

from __future__ import annotations

from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import start

ROLES = {"owner": 2, "expiries": 2, "beliefs": 1}


def test_former_leader_plays_on_until_it_gives_the_role_up() -> None:
    cluster = start(**ROLES).do("expire(broker=1)", "elect(broker=2)", "play_leader(broker=2)")
    assert list(cluster.state.believes) == [True, True]
    cluster.do("play_follower(broker=1)")
    assert list(cluster.state.believes) == [False, True]


def test_unregistered_broker_wins_and_is_stuck() -> None:
    """run.G2: it can neither take the role nor register."""
    cluster = start(**ROLES).do("expire(broker=1)", "play_follower(broker=1)", "reestablish(broker=1)")
    cluster.do("elect(broker=1)")
    assert cluster.guard("play_leader(broker=1)") == "the broker is registered"
    assert cluster.guard("register(broker=1)") == "the broker does not try to take the leader's role in vain"


def test_unregistered_broker_loses_where_only_registered_ones_may_lead() -> None:
    cluster = start(**ROLES, rules=Rules(unregistered_may_lead=False)).do("expire(broker=1)")
    assert cluster.guard("elect(broker=1)") == "the broker is registered"


def test_roles_that_are_not_modelled_are_the_election() -> None:
    cluster = start(owner=2, expiries=1)
    assert not any(cluster.state.believes)
    assert cluster.do("expire(broker=1)").guard("elect(broker=2)") == ""
