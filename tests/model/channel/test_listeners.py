"""What listens to an ownership runs on the thread that reads the channel."""

from __future__ import annotations

import pytest

from oneowner.model.channel.listeners import READS
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

WAITING = Rules(handler_waits=True)


def owning_the_second(rules: Rules) -> Cluster:
    cluster = start(units=2, owner=1, transfers=2, rules=rules, closings=2, window=6)
    cluster.do("transfer(broker=1, unit=2, destination=2)", "append(broker=1)", "consume(broker=1)")
    cluster.do("transfer(broker=1, unit=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    cluster.do("close(broker=1, number=1)", "append(broker=1)")
    cluster.do("consume(broker=2)", "consume(broker=2)", "consume(broker=2)", "append(broker=2)", "consume(broker=2)")
    return cluster.do("close(broker=1, number=1)", "append(broker=1)")


def test_view_goes_on_where_no_handler_waits() -> None:
    cluster = owning_the_second(Rules())
    assert not any(cluster.state.held_up)
    cluster.do("consume(broker=2)")


def test_handler_that_waits_for_its_own_view_stops_it() -> None:
    """run.G12."""
    cluster = owning_the_second(WAITING)
    assert list(cluster.state.held_up) == [False, True]
    assert cluster.guard("consume(broker=2)") == READS
    assert cluster.views == ["Releasing(2, from 1) v3", "Releasing(2, from 1) v3"]


def test_handler_of_a_unit_does_not_wait_where_the_policies_are_not_on_their_way() -> None:
    cluster = start(units=2, owner=1, transfers=1, rules=WAITING)
    cluster.do("transfer(broker=1, unit=2, destination=2)", "append(broker=1)", "consume(broker=1)")
    cluster.do("close(broker=1, number=1)").deliver()
    assert not any(cluster.state.held_up)


LISTENED = {"brokers": 2, "owner": 2, "crashes": 1, "listeners": 1}


@pytest.mark.parametrize(("release", "told"), [("3.3.1", False), ("3.3.2", True), ("4.0.6", True)])
def test_who_listens_is_told_of_what_a_broker_owns_at_its_start_since_3_3_2(release: str, told: bool) -> None:
    """apache/pulsar#23152."""
    cluster = start(**LISTENED, rules=RELEASES[release]).do("crash(broker=2)")
    assert not any(cluster.state.loaded)
    assert cluster.do("restart(broker=2)").state.loaded[2, 1] == told


def test_who_listens_is_told_of_an_owned_and_of_the_end_of_a_close() -> None:
    cluster = start(owner=1, transfers=1, listeners=1).do("transfer(broker=1, destination=2)").deliver()
    assert list(cluster.state.loaded) == [True, False]
    cluster.do("close(broker=1, number=1)")
    assert list(cluster.state.loaded) == [False, False]
    assert list(cluster.deliver().state.loaded) == [False, True]
