"""A close of topics that times out: the hand-over goes on, and the topics end later."""

from tests.model.channel.cluster import Cluster, start


def timed_out() -> Cluster:
    cluster = start(owner=1, transfers=1, slow_closes=1)
    cluster.do("transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    return cluster.do("time_out_close(broker=1, number=1)")


def test_close_that_times_out_is_followed_up_as_if_it_had_ended() -> None:
    cluster = timed_out()
    assert cluster.outbox(1) == ["Assigning(2, from 1) v4"]
    assert cluster.closing(1) == []
    assert cluster.state.tainted[1]


def test_ledgers_are_open_until_they_are_closed_although_nobody_is_served() -> None:
    cluster = timed_out()
    assert (cluster.servers, cluster.writers) == ([], [1])
    cluster.deliver().do("open(broker=2)")
    assert (cluster.servers, cluster.writers) == ([2], [1, 2])
    assert cluster.do("end_close(broker=1)").writers == [2]


def test_close_that_ends_in_time_leaves_nothing_behind() -> None:
    cluster = start(owner=1, transfers=1, slow_closes=1)
    cluster.do(
        "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "close(broker=1, number=1)"
    )
    assert cluster.guard("end_close(broker=1)") == "topics of the unit linger at the broker"
