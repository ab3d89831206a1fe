"""Elections that go wrong, and who leads as read from a cache; a round of shedding that outlasts the lead."""

from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import start

ROLES = {"owner": 2, "expiries": 2, "beliefs": 1}


def test_elected_broker_that_has_not_heard_of_it_does_not_take_the_role() -> None:
    cluster = start(**ROLES, rules=Rules(hears_of_election=False))
    cluster.do("expire(broker=1)", "elect_unheard(broker=2)")
    assert cluster.state.leader == 2
    assert cluster.guard("play_leader(broker=2)") == "the broker has heard that it was elected"
    cluster.do("expire(broker=2)", "reestablish(broker=2)", "register(broker=2)", "elect(broker=2)")
    cluster.do("play_leader(broker=2)")


def test_two_brokers_depose_each_other_without_end() -> None:
    cluster = start(**ROLES, rules=Rules(foreign_leader_kept=False)).do("expire(broker=2)")
    assert cluster.guard("depose(broker=2)").startswith("the broker has a session")
    cluster.do("reestablish(broker=2)")
    for _ in range(3):
        cluster.do("depose(broker=2)")
        assert cluster.state.leader == 2
        assert cluster.guard("depose(broker=2)") == "the broker runs for the lead"
        cluster.do("depose(broker=1)")
        assert cluster.state.leader == 1


def test_former_leader_overrides_until_its_cache_says_who_leads() -> None:
    cluster = start(owner=2, expiries=2, leader_caches=1)
    cluster.do("expire(broker=2)", "notice(observer=1, broker=2)", "expire(broker=1)")
    assert cluster.guard("override(broker=1, destination=1)") == ""
    cluster.do("reestablish(broker=1)")
    assert cluster.guard("override(broker=1, destination=1)") == "the broker is the leader"


def test_leader_that_reads_its_election_overrides_no_more_once_its_session_has_ended() -> None:
    cluster = start(owner=2, expiries=2, leader_caches=1, rules=Rules(leader_read_from_cache=False))
    cluster.do("expire(broker=2)", "notice(observer=1, broker=2)", "expire(broker=1)")
    assert cluster.guard("override(broker=1, destination=1)") == "the broker is the leader"


def test_round_of_shedding_goes_on_after_its_broker_has_lost_the_lead() -> None:
    cluster = start(owner=2, expiries=1, sheddings=1).do("begin_shedding(broker=1)", "expire(broker=1)")
    cluster.do("elect(broker=2)", "shed(broker=1, destination=1)")
    assert str(cluster.state.outbox[1][1].record) == "Releasing(1, from 2) v3"
    assert not cluster.state.shedding[1]


def test_round_of_shedding_that_asks_again_moves_nothing() -> None:
    cluster = start(owner=2, expiries=1, sheddings=1, rules=Rules(shedding_asks_again=True))
    cluster.do("begin_shedding(broker=1)", "expire(broker=1)")
    assert cluster.guard("shed(broker=1, destination=1)") == "the broker is the leader"
    assert cluster.do("end_shedding(broker=1)").guard("begin_shedding(broker=1)").startswith("the budget")


def test_only_a_leader_begins_a_round_of_shedding() -> None:
    assert start(owner=2, expiries=1, sheddings=1).guard("begin_shedding(broker=2)") == "the broker is the leader"
