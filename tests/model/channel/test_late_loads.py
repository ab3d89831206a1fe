"""A topic that loads while its unit is being closed: the close that ends takes it off the list of topics."""

import pytest

from oneowner.model.channel.releases import RELEASES
from tests.model.channel.cluster import Cluster, start

HERE, THERE = "transfer(broker=1, destination=2)", "transfer(broker=2, destination=1)"


def back(release: str = "4.0.6") -> Cluster:
    """Return a cluster in which the unit is back at broker 1, which still disconnects the clients of before."""
    rules = RELEASES[release]
    cluster = start(
        owner=1, transfers=3, multi_phase=1, late_loads=1, closings=2, pending=2, window=4, versions=12, rules=rules
    )
    cluster.do(HERE).deliver().do("close(broker=1, number=1)").deliver().do(THERE).deliver()
    assert cluster.closing(1) == ["Owned(2, from 1) v5"]
    return cluster


def test_topic_loads_before_the_close_of_its_unit_ends_only_at_the_owner() -> None:
    cluster = back()
    assert cluster.guard("open_late(broker=2, unit=1)") == "a close that disconnects the unit's clients is under way"
    cluster.do("open_late(broker=1, unit=1)")
    assert cluster.servers == [1]
    assert cluster.guard("open_late(broker=1, unit=1)").startswith("the budget")


def test_broker_that_has_given_the_unit_up_opens_none_late() -> None:
    cluster = start(owner=1, transfers=1, multi_phase=1, late_loads=1, closings=2)
    cluster.do(HERE).deliver().do("close(broker=1, number=1)").deliver()
    assert cluster.guard("open_late(broker=1, unit=1)") == "the broker's view says that it owns the unit"


@pytest.mark.parametrize(
    ("release", "drops"),
    [("4.0.12", True), ("4.0.13", False), ("4.2.3", True), ("4.2.4", False), ("5.0.0", False)],
)
def test_end_of_the_close_drops_what_loaded_meanwhile_until_26145(release: str, drops: bool) -> None:
    cluster = back(release).do("open_late(broker=1, unit=1)", "close(broker=1, number=1)")
    assert cluster.state.dropped[1, 1] == drops


def test_topic_that_is_dropped_stays_open_when_the_unit_moves_on_and_two_brokers_serve_it() -> None:
    cluster = back().do("open_late(broker=1, unit=1)", "close(broker=1, number=1)", HERE).deliver()
    cluster.do("open(broker=2)")
    assert cluster.servers == [1, 2]


def test_topic_that_is_spared_is_closed_when_the_unit_moves_on() -> None:
    cluster = back("4.2.4").do("open_late(broker=1, unit=1)", "close(broker=1, number=1)", HERE).deliver()
    assert cluster.servers == []
    assert cluster.closing(1) == ["Releasing(2, from 1) v9"]
