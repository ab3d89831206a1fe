"""The leader's monitor ends hand-overs that take too long, as its release does."""

from typing import Any

import pytest

from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

TRANSFER = {"owner": 1, "transfers": 1, "flight_timer": 1}


def handing_over(**bounds: object) -> Cluster:
    """Broker 1, the leader, reads that it shall release its unit to broker 2."""
    return start(**TRANSFER, **bounds).do("transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")


def test_unit_that_is_not_in_flight_is_left_alone() -> None:
    assert (
        start(**TRANSFER).guard("end_flight(broker=1, destination=2)") == "the unit is in flight by the leader's view"
    )


def test_only_the_leader_ends_a_hand_over() -> None:
    cluster = handing_over().do("consume(broker=2)")
    assert cluster.guard("end_flight(broker=2, destination=2)") == "the broker is the leader"


@pytest.mark.parametrize(
    ("destination", "record"), [(1, "Owned(1) v4 forced"), (2, "Owned(2, from 1) v4 forced")], ids=["back", "on"]
)
def test_hand_over_ends_at_any_broker_and_names_its_source(destination: int, record: str) -> None:
    """channel.9.4: nobody is excluded, for both brokers are registered."""
    cluster = handing_over().do(f"end_flight(broker=1, destination={destination})")
    assert cluster.outbox(1) == [record]


def test_time_out_leaves_a_broker_that_is_gone_to_the_clean_up() -> None:
    cluster = handing_over(expiries=1).do("expire(broker=2)", "notice(observer=1, broker=2)")
    words = "end_flight(broker=1, destination=1)"
    assert cluster.guard(words) == "the leader's registry cache lists the brokers of the hand-over"
    assert cluster.guard("override(broker=1, destination=1)") == ""


def test_leader_need_not_have_read_everything() -> None:
    """``monitorOwnerships`` flushes afterwards: a unit that ended meanwhile is overridden in vain."""
    cluster = handing_over().do("close(broker=1, number=1)", "append(broker=1)")
    assert cluster.guard("end_flight(broker=1, destination=2)") == ""
    cluster.do("end_flight(broker=1, destination=2)", "append(broker=1)")
    assert cluster.entry == "Assigning(2, from 1) v4"


def test_until_23064_a_release_that_timed_out_went_back_to_its_source() -> None:
    old = RELEASES["3.0.5"]
    cluster = handing_over(rules=old)
    assert cluster.guard("end_flight(broker=1, destination=2)") == "the destination is the source of the hand-over"
    assert cluster.do("end_flight(broker=1, destination=1)").outbox(1) == ["Owned(1) v4 forced"]


def test_until_23064_an_assignment_that_timed_out_went_to_another_broker() -> None:
    cluster = handing_over(rules=RELEASES["3.0.5"])
    cluster.do("close(broker=1, number=1)", "append(broker=1)", "consume(broker=1)")
    words = "end_flight(broker=1, destination=2)"
    assert cluster.guard(words) == "the destination is another one than that of the hand-over"
    assert cluster.do("end_flight(broker=1, destination=1)").outbox(1) == ["Owned(1) v5 forced"]


@pytest.mark.parametrize(
    ("release", "guard"),
    [("3.0.5", "the leader's registry cache lists the brokers of every active entry"), ("4.0.6", "")],
)
def test_until_23064_a_hand_over_waited_for_the_clean_up_of_every_other_unit(release: str, guard: str) -> None:
    """Even the source of a unit that is owned long since held all up if it was gone."""
    cluster = start(brokers=3, units=2, **TRANSFER, rules=RELEASES[release])
    cluster.do("transfer(broker=1, unit=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    cluster.state.view[1, 2] = Record(OWNED, 1, 3, version=4)
    assert cluster.guard("end_flight(broker=1, unit=1, destination=1)") == ""
    cluster.state.known[1, 3] = False
    assert cluster.guard("end_flight(broker=1, unit=1, destination=1)") == guard


SPLIT = {"brokers": 3, "units": 3, "owner": 2, "splits": 1, "flight_timer": 1, "pending": 2}


def splitting(**bounds: Any) -> Cluster:
    """Broker 2 splits the parent, and leader 1 has read it."""
    cluster = start(**SPLIT, **bounds).do("split(broker=1)", "append(broker=1)", "consume(broker=1)")
    return cluster.do("consume(broker=2)")


def test_split_that_took_too_long_is_begun_again_by_any_broker() -> None:
    cluster = splitting(split_time_outs=1).do("end_flight(broker=1, unit=1, destination=3)")
    assert cluster.outbox(1) == ["Splitting(from 3) v4 forced"]
    assert cluster.state.split_time_outs_left == 0


def test_split_that_took_too_long_is_begun_again_by_the_broker_that_splits() -> None:
    """Two splits of one parent are under way there, and move the boundaries; the later one deletes the parent."""
    cluster = splitting(split_time_outs=1, window=6).do("end_flight(broker=1, unit=1, destination=2)")
    cluster.do("append(broker=2)", "append(broker=2)", "append(broker=1)", "consume(broker=2)", "consume(broker=2)")
    cluster.do("consume(broker=2)")
    assert cluster.state.splitting[2].length == 2
    for step in ("move_boundaries", "retry_split", "move_boundaries"):
        cluster.do(f"{step}(broker=2, number=1)")
    for _ in range(2):
        cluster.do("delete_parent(broker=2, number=1)")
    assert cluster.outbox(2) == ["Deleted(from 2) v4", "Deleted(from 2) v5"]
    assert cluster.deliver().entry == "nothing"


def test_split_takes_too_long_as_often_as_the_budget_allows() -> None:
    words = "end_flight(broker=1, unit=1, destination=3)"
    assert splitting().guard(words) == "the budget allows another split to take too long"


def test_until_23064_a_split_that_took_too_long_was_begun_again_where_it_was() -> None:
    cluster = splitting(split_time_outs=1, rules=RELEASES["3.0.5"])
    words = "end_flight(broker=1, unit=1, destination=3)"
    assert cluster.guard(words) == "the destination is the broker that splits"
    assert cluster.do("end_flight(broker=1, unit=1, destination=2)").outbox(1) == ["Splitting(from 2) v4 forced"]


@pytest.mark.parametrize(("ends", "guard"), [(True, ""), (False, "the broker is not shutting down")])
def test_leader_that_shuts_down_goes_on_ending_hand_overs(ends: bool, guard: str) -> None:
    """Nothing cancels its monitor before its election is closed; a selection leaves nobody out, itself included."""
    rules = Rules(disabled_ends_flights=ends)
    cluster = start(brokers=2, owner=1, shutdowns=1, flight_timer=1, rules=rules).do("disable(broker=1)")
    cluster.do("drain(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    assert cluster.guard("end_flight(broker=1, destination=1)") == guard
