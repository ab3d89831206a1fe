"""A transfer in two phases: the source closes and keeps its clients, and disconnects them at Owned (PIP-307)."""

from typing import Any

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.system import initial_states
from tests.model.channel.cluster import Cluster


def started(**bounds: Any) -> Cluster:
    return Cluster(initial_states(Bounds(**{"owner": 1, "multi_phase": 1, "transfers": 1, **bounds}))[0])


def closed(**bounds: Any) -> Cluster:
    """Return a cluster in which broker 1 has closed a unit that goes to broker 2."""
    return started(**bounds).do(
        "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "close(broker=1)"
    )


def test_first_close_of_a_transfer_keeps_the_clients() -> None:
    cluster = closed()
    assert not cluster.state.serving[1, 1]
    assert cluster.state.kept[1, 1]
    assert cluster.outbox(1) == ["Assigning(2, from 1) v4"]


def test_second_close_disconnects_them_at_owned() -> None:
    cluster = closed().deliver()
    assert cluster.closing(1) == ["Owned(2, from 1) v5"]
    cluster.do("close(broker=1)")
    assert not cluster.state.kept[1, 1]


def test_plain_unload_disconnects_at_once() -> None:
    cluster = started(unloads=1).do("unload(broker=1)", "append(broker=1)", "consume(broker=1)", "close(broker=1)")
    assert not cluster.state.kept[1, 1]


def test_topic_whose_clients_are_kept_is_not_opened_anew() -> None:
    cluster = started(brokers=3, crashes=1).do(
        "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "close(broker=1, number=1)",
        "append(broker=1)", "consume(broker=1)", "crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)",
        "override(broker=1, destination=1)", "append(broker=1)", "consume(broker=1)",
    )  # fmt: skip
    assert cluster.entry == "Owned(1) v5 forced"
    assert cluster.guard("open(broker=1)") == "no topic of the unit is closed with its clients kept"


GIVEN_BACK = (
    "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "consume(broker=2)",
    "end_flight(broker=1, destination=1)", "append(broker=1)", "consume(broker=1)",
)  # fmt: skip


def test_unit_that_is_given_back_while_it_is_being_closed_stays_fenced() -> None:
    cluster = started(flight_timer=1, closings=2).do(*GIVEN_BACK)
    assert cluster.closing(1) == ["Releasing(2, from 1) v3"]
    cluster.do("close(broker=1, number=1)")
    assert cluster.guard("open(broker=1)") == "no topic of the unit is closed with its clients kept"


def test_repair_closes_a_unit_that_is_given_back_whole_and_its_owner_opens_it_anew() -> None:
    cluster = started(flight_timer=1, closings=2, rules=Rules(returned_unit_is_closed=True)).do(*GIVEN_BACK)
    assert cluster.closing(1) == ["Releasing(2, from 1) v3", "nothing"]
    cluster.do("close(broker=1, number=2)", "close(broker=1, number=1)", "open(broker=1)")
    assert cluster.servers == [1]


def test_crash_ends_what_was_kept() -> None:
    assert not closed(crashes=1).do("crash(broker=1)").state.kept[1, 1]


def test_close_that_is_overtaken_by_the_second_one_keeps_nobody() -> None:
    cluster = started(brokers=3, crashes=1, closings=2).do(
        "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "crash(broker=2)",
        "expire(broker=2)", "notice(observer=1, broker=2)", "override(broker=1, destination=3)", "append(broker=1)",
        "consume(broker=1)",
    )  # fmt: skip
    assert cluster.closing(1) == ["Releasing(2, from 1) v3", "Owned(3, from 1) v4 forced"]
    cluster.do("close(broker=1, number=2)", "close(broker=1, number=1)")
    assert not cluster.state.kept[1, 1]


@pytest.mark.parametrize(("release", "keeps"), [("3.1.3", False), ("3.2.0", True), ("4.0.6", True), ("5.0.1", True)])
def test_clients_are_kept_since_3_2_0(release: str, keeps: bool) -> None:
    assert closed(rules=RELEASES[release]).state.kept[1, 1] == keeps


def test_without_the_bound_nobody_looks_at_connections() -> None:
    assert not closed(multi_phase=0).state.kept[1, 1]


def test_broker_without_second_close_keeps_them() -> None:
    cluster = closed(rules=Rules(second_close=False)).deliver()
    assert cluster.closing(1) == []
    assert cluster.state.kept[1, 1]
