"""A paused process does nothing and loses its session; it goes on with its old state."""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import start

PAUSES = {"owner": 2, "pauses": 1, "unloads": 1}
LEADER = {"owner": 1, "pauses": 1, "channel_host": 1}


def test_broker_that_stands_still_takes_no_step() -> None:
    cluster = start(**PAUSES).do("pause(broker=2)")
    for words in ("unload(broker=2)", "open(broker=2)", "elect(broker=2)", "register(broker=2)", "pause(broker=2)"):
        assert cluster.guard(words) != ""
    assert cluster.guard("unload(broker=2)") == UP
    assert cluster.servers == [2]


def test_session_of_a_broker_that_stands_still_ends_without_a_budget_of_its_own() -> None:
    cluster = start(**PAUSES)
    assert cluster.guard("expire(broker=2)") == "the budget allows another session of a living broker to expire"
    assert cluster.do("pause(broker=2)", "expire(broker=2)").state.known[2, 2]  # it has not heard of it


def test_broker_goes_on_with_the_view_that_it_had() -> None:
    cluster = start(**PAUSES).do("pause(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")
    cluster.do("override(broker=1, destination=1)", "append(broker=1)", "consume(broker=1)", "resume(broker=2)")
    assert cluster.views == ["Owned(1, from 2) v3 forced", "Owned(2) v2"]
    cluster.do("consume(broker=2)", "close(broker=2, number=1)", "reestablish(broker=2)", "register(broker=2)")
    assert cluster.servers == []


def test_what_a_broker_had_published_may_arrive_while_it_stands_still_or_late() -> None:
    cluster = start(**PAUSES).do("unload(broker=2)", "pause(broker=2)")
    assert cluster.guard("append(broker=2)") == ""
    cluster.do("resume(broker=2)", "append(broker=2)")
    assert cluster.entry == "Releasing(from 2) v3"


def test_records_are_kept_for_a_reader_that_stands_still() -> None:
    cluster = start(**PAUSES).do("pause(broker=2)", "unload(broker=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.log == ["Releasing(from 2) v3"]


def test_publishes_wait_for_a_host_that_stands_still_until_the_channel_moves() -> None:
    """run.G3."""
    cluster = start(**LEADER, unloads=1).do("unload(broker=2)", "pause(broker=1)")
    assert cluster.guard("append(broker=2)") == "a broker that runs hosts the channel"
    assert cluster.guard("move_channel(broker=2)") == "the broker was elected"
    cluster.do("expire(broker=1)", "elect(broker=2)", "move_channel(broker=2)", "append(broker=2)")
    assert cluster.entry == "Releasing(from 1) v3"


def test_channel_stays_where_connections_are_never_closed() -> None:
    cluster = start(**LEADER, rules=Rules(keep_alive=False)).do(
        "pause(broker=1)", "expire(broker=1)", "elect(broker=2)"
    )
    assert cluster.guard("move_channel(broker=2)") == "a connection without an answer is closed"
    cluster.do("resume(broker=1)", "move_channel(broker=2)")


def test_role_is_not_taken_before_the_channel_has_moved() -> None:
    cluster = start(**LEADER, beliefs=1).do("pause(broker=1)", "expire(broker=1)", "elect(broker=2)")
    assert cluster.guard("play_leader(broker=2)") == "the internal topics lie at the broker"
    cluster.do("move_channel(broker=2)", "play_leader(broker=2)")
