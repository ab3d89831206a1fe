"""An operator's answer: the record that ends a wait, and the waits that go on."""

import pytest

from oneowner.model.channel.parts import Older, Progress
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

FOLLOWING = Rules(wait_follows_its_record=True)


def raced(rules: Rules = Rules()) -> Cluster:  # noqa: B008  # a frozen value
    """Broker 1 is asked for an unload and for a split, and publishes the unload first."""
    cluster = start(units=3, owner=1, splits=1, unloads=1, pending=2, operators=1, rules=rules)
    cluster.do("unload(broker=1, unit=1)", "append(broker=1)", "split(broker=1)", "append(broker=1)")
    return cluster.do("consume(broker=1)", "consume(broker=1)")


def test_wait_begins_when_the_topic_has_the_record() -> None:
    cluster = start(owner=1, unloads=1, operators=1).do("unload(broker=1)")
    assert cluster.state.unloading[1, 1].progress == Progress.SENT
    assert cluster.do("append(broker=1)").state.unloading[1, 1].progress == Progress.WAITING


def test_unload_that_is_carried_out_is_told_done() -> None:
    cluster = start(owner=1, unloads=1, operators=1).do("unload(broker=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.state.unloading[1, 1].carried
    cluster.do("close(broker=1, number=1)", "append(broker=1)", "consume(broker=1)")
    assert cluster.state.unloading[1, 1].progress == Progress.NONE


def moved(destination: int) -> Cluster:
    """Broker 1 has given the unit away as it was asked to; its answer awaits a server."""
    cluster = start(owner=1, unloads=1, transfers=1, assigns=1, operators=1, rules=Rules(unload_awaits_server=True))
    cluster.do(f"transfer(broker=1, destination={destination})" if destination else "unload(broker=1)")
    return cluster.deliver().do("close(broker=1, number=1)").deliver()


def test_transfer_is_told_done_by_its_server_where_that_is_proposed() -> None:
    cluster = moved(destination=2)
    assert cluster.state.unloading[1, 1].progress == Progress.WAITING
    assert cluster.do("open(broker=2)").state.unloading[1, 1].progress == Progress.NONE


def test_unload_waits_for_the_next_owner_to_serve_where_that_is_proposed() -> None:
    cluster = moved(destination=0).do("look_up(broker=2)", "assign(broker=2, destination=2)").deliver()
    assert cluster.views[0] == "Owned(2) v6"
    assert cluster.state.unloading[1, 1].progress == Progress.WAITING
    assert cluster.do("open(broker=2)").state.unloading[1, 1].progress == Progress.NONE


def test_split_that_is_refused_is_told_to_nobody() -> None:
    """run.G5."""
    order = raced().state.dividing[1, 1]
    assert (order.progress, order.carried) == (Progress.WAITING, False)


def test_split_that_is_refused_is_told_where_a_wait_follows_its_record() -> None:
    assert raced(FOLLOWING).state.dividing[1, 1].progress == Progress.REFUSED


@pytest.mark.parametrize(("rules", "progress"), [(Rules(), Progress.NONE), (FOLLOWING, Progress.REFUSED)])
def test_transfer_that_is_refused_is_told_done_when_another_ends(rules: Rules, progress: Progress) -> None:
    """run.G6, recordings: transfer 0:661 to 0:664."""
    cluster = start(brokers=3, owner=1, transfers=2, operators=1, rules=rules)
    cluster.do("transfer(broker=1, destination=2)", "transfer(broker=2, destination=3)")
    cluster.do("append(broker=1)", "append(broker=2)", "consume(broker=1)", "consume(broker=2)", "consume(broker=2)")
    cluster.do("consume(broker=3)", "close(broker=1, number=1)", "append(broker=1)", "consume(broker=2)")
    cluster.do("append(broker=2)", "consume(broker=2)")
    assert cluster.views[1] == "Owned(2, from 1) v5"
    assert cluster.state.unloading[2, 1].progress == progress


def handed_over(rules: Rules = Rules(), *, times_out: bool = False) -> Cluster:  # noqa: B008  # a frozen value
    """Broker 1 has read the end of a transfer to broker 2 that it was asked for; maybe its wait was over before."""
    cluster = start(owner=1, transfers=2, operators=1, late_callbacks=1, rules=rules)
    cluster.do("transfer(broker=1, destination=2)", "append(broker=1)")
    if times_out:
        cluster.do("give_up_waiting(broker=1)")
    return cluster.deliver().do("close(broker=1, number=1)").deliver()


def test_command_that_is_asked_again_early_is_told_done_by_the_older_wait() -> None:
    """apache/pulsar#26363."""
    cluster = handed_over()
    assert (cluster.state.unloading[1, 1].progress, cluster.state.older[1, 1]) == (Progress.NONE, Older.DONE)
    cluster.do("transfer(broker=1, destination=1)", "append(broker=1)")
    assert cluster.state.unloading[1, 1].progress == Progress.NONE


def test_command_that_is_asked_again_waits_once_the_older_wait_is_off_the_list() -> None:
    again = ["transfer(broker=1, destination=1)", "append(broker=1)"]
    off = handed_over().do("end_old_wait(broker=1)", *again)
    repaired = handed_over(Rules(wait_removed_first=True)).do(*again)
    assert [one.state.unloading[1, 1].progress for one in (off, repaired)] == [Progress.WAITING, Progress.WAITING]


def test_command_that_joins_a_wait_whose_time_is_over_is_told_so() -> None:
    cluster = start(owner=1, transfers=1, unloads=1, operators=1, late_callbacks=1)
    cluster.do("transfer(broker=1, destination=2)", "append(broker=1)", "give_up_waiting(broker=1)")
    cluster.do("unload(broker=1)", "append(broker=1)")
    assert cluster.state.unloading[1, 1].progress == Progress.TIMED_OUT


def test_time_out_of_an_older_wait_drops_the_newer_one() -> None:
    """apache/pulsar#26363."""
    cluster = handed_over(times_out=True)
    assert cluster.state.older[1, 1] == Older.TAKEN_OFF
    cluster.do("transfer(broker=1, destination=1)", "append(broker=1)", "end_old_wait(broker=1)")
    assert cluster.state.unloading[1, 1].progress == Progress.DROPPED
    cluster.deliver()
    assert cluster.entry == "Owned(1, from 2) v8"
    order = cluster.state.unloading[1, 1]
    assert (order.progress, order.carried) == (Progress.DROPPED, True)


def test_time_out_of_an_older_wait_takes_itself_off_alone_once_repaired() -> None:
    cluster = handed_over(Rules(wait_removed_first=True), times_out=True)
    assert cluster.state.older[1, 1] == Older.NONE
    assert cluster.guard("end_old_wait(broker=1)") == "something is left of an older wait"
