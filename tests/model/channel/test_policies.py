"""Topic policies lie in a topic of their namespace: to open another one waits until its broker has read them."""

from typing import Any

from tests.model.channel.cluster import Cluster, start

READ = "the broker has read the policies of the namespace"


def moved(unit: int, **bounds: Any) -> Cluster:
    """Return a cluster in which *unit* of two has gone from broker 1, which owned both, to broker 2."""
    cluster = start(units=2, owner=1, policies=1, transfers=1, **bounds)
    return cluster.do(f"transfer(broker=1, unit={unit}, destination=2)").deliver().do("close(broker=1)").deliver()


def test_new_owner_opens_no_topic_before_it_has_read_the_policies() -> None:
    cluster = moved(2)
    assert cluster.guard("open(broker=2, unit=2)") == READ
    cluster.do("read_policies(broker=2, other=1)", "open(broker=2, unit=2)")
    assert cluster.state.serving[2, 2]


def test_topic_of_the_policies_waits_for_none() -> None:
    cluster = moved(1).do("open(broker=2, unit=1)")
    assert not cluster.state.initialized[2]


def test_reader_opens_the_topic_of_the_policies_at_its_owner() -> None:
    cluster = moved(1).do("read_policies(broker=2, other=2)")
    assert cluster.state.serving[2, 1]
    assert cluster.guard("read_policies(broker=2, other=2)").endswith("yet to read the policies of the namespace")


def test_policies_are_read_nowhere_while_their_owner_keeps_them_fenced() -> None:
    cluster = start(units=2, owner=1, policies=1, transfers=2, multi_phase=1, flight_timer=1, closings=2, pending=3).do(
        "transfer(broker=1, unit=2, destination=2)", "transfer(broker=1, unit=1, destination=2)"
    )
    cluster.do("append(broker=1)", "consume(broker=1)", "close(broker=1, number=1)").deliver()
    cluster.do("end_flight(broker=1, unit=1, destination=1)").deliver().do("close(broker=1, number=1)")
    assert cluster.guard("read_policies(broker=2, other=1)") == "no topic of the unit is closed with its clients kept"
    assert cluster.guard("open(broker=2, unit=2)") == READ


def test_broker_without_units_forgets_the_policies_and_reads_none() -> None:
    cluster = start(owner=1, policies=1, transfers=1).do("transfer(broker=1, destination=2)").deliver()
    assert not cluster.state.initialized[1]
    assert cluster.guard("read_policies(broker=1, other=1)") == "the broker owns a unit of the namespace"


def test_broker_that_keeps_a_unit_keeps_the_policies() -> None:
    assert moved(2).state.initialized[1]


def test_without_the_bound_every_broker_knows_them() -> None:
    cluster = start(units=2, owner=1, transfers=1).do("transfer(broker=1, unit=2, destination=2)").deliver()
    assert cluster.do("close(broker=1)").deliver().guard("open(broker=2, unit=2)") == ""
