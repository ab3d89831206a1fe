"""The topics of the load manager: load data at who leads, the channel's topic closed at its host."""

from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

REPORTING = {"expiries": 1, "beliefs": 1, "load_topics": 1}
CHANGE = (
    "expire(broker=1)", "reestablish(broker=1)", "register(broker=1)", "elect(broker=2)", "play_leader(broker=2)",
    "play_follower(broker=1)",
)  # fmt: skip
HOSTED = {"owner": 1, "unloads": 1, "beliefs": 1, "channel_host": 1, "channel_losses": 1}


def reports(cluster: Cluster) -> list[int]:
    return list(cluster.state.reports_to)


def test_everybody_reports_to_the_leader_at_first() -> None:
    assert reports(start(**REPORTING)) == [1, 1]


def test_former_leader_disconnects_who_reports_to_it() -> None:
    cluster = start(**REPORTING).do(*CHANGE)
    assert reports(cluster) == [0, 0]
    assert cluster.guard("report(broker=1, destination=1)") == "the destination plays the leader"
    assert reports(cluster.do("report(broker=1, destination=2)", "report(broker=2, destination=2)")) == [2, 2]


def test_former_leader_that_closes_nothing_is_reported_to_for_ever() -> None:
    cluster = start(**REPORTING, rules=Rules(follower_closes_topics=False)).do(*CHANGE)
    assert reports(cluster) == [1, 1]
    assert list(cluster.state.load_open) == [True, True]


def test_nothing_is_published_while_the_channel_is_closed_at_its_host() -> None:
    cluster = start(**HOSTED, rules=Rules(channel_served_again=True)).do("unload(broker=2)", "lose_channel")
    assert cluster.guard("append(broker=2)") == "a broker that runs hosts the channel"
    cluster.do("serve_channel(broker=1)", "append(broker=2)")


def test_channel_is_open_again_where_it_moves() -> None:
    cluster = start(**HOSTED, expiries=1).do("lose_channel", "expire(broker=1)", "elect(broker=2)")
    assert not cluster.do("move_channel(broker=2)").state.channel_closed
