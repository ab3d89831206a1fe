"""Lookups that are followed to their answer: at once, after waiting, by selecting, or by time-out."""

from typing import Any

import pytest

from oneowner.model.channel.parts import Outcome, Request, Stage
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, OWNED, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.requests import carries_out, redirect
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import Cluster, start

OPEN = "open_lookup(broker=2)"


def before_request(record: Record, **bounds: Any) -> Cluster:
    """Return a cluster whose broker 2 holds *record* and is about to be asked."""
    cluster = start(**{"brokers": 3, "lookups": 2, "closings": 2, **bounds})
    cluster.state.view[2, 1] = record
    return cluster


def outcome(cluster: Cluster) -> tuple[Request, Outcome, int]:
    """Return the state of the lookup at broker 2, and the result of the last one."""
    reply = cluster.state.reply[2, 1]
    return cluster.state.request[2, 1], reply.outcome, reply.owner


def test_lookups_of_a_unit_at_a_broker_are_one() -> None:
    cluster = before_request(TOMBSTONE).do(OPEN)
    assert cluster.guard(OPEN) == "no lookup of the unit is open at the broker"
    assert cluster.guard("open_lookup(broker=1)") == ""


def test_lookup_selects_publishes_and_is_answered_when_the_unit_is_owned() -> None:
    cluster = before_request(TOMBSTONE).do(OPEN, "select(broker=2, destination=3)")
    assert cluster.outbox(2) == ["Assigning(3) v1"]
    assert outcome(cluster)[0] == Request.PUBLISHED
    assert outcome(cluster.deliver()) == (Request.NONE, Outcome.OWNER, 3)


def test_lookup_that_selected_is_answered_with_an_owner_known_by_then_and_publishes_all_the_same() -> None:
    cluster = before_request(TOMBSTONE).do(OPEN)
    cluster.state.view[2, 1] = Record(OWNED, 1, version=2)
    cluster.do("select(broker=2, destination=3)")
    assert outcome(cluster) == (Request.NONE, Outcome.OWNER, 1)
    assert cluster.outbox(2) == ["Assigning(3) v3"]


def test_lookup_that_waited_selects_when_the_unit_is_free() -> None:
    """The first future ends with nobody; only then a broker is selected. The second one ends with nobody for good."""
    cluster = before_request(Record(RELEASING, 2, 1, version=3)).do(OPEN)
    cluster.state.view[2, 1] = Record(FREE, 0, 1, version=4)
    assert outcome(cluster.do("time_out(broker=2)"))[0] == Request.SELECTING
    cluster.do("select(broker=2, destination=3)", "time_out(broker=2)")
    assert outcome(cluster) == (Request.NONE, Outcome.EMPTY, 0)


def test_lookup_times_out_while_the_unit_is_in_flight() -> None:
    cluster = before_request(Record(ASSIGNING, 2, version=1)).do(OPEN, "time_out(broker=2)")
    assert outcome(cluster) == (Request.NONE, Outcome.FAILED, 0)
    assert cluster.guard("time_out(broker=2)") == "a lookup of the unit waits"


def test_ghosts_of_a_lookup_end_with_it() -> None:
    cluster = before_request(Record(ASSIGNING, 2, version=1)).do(OPEN)
    state = cluster.state
    assert [state.named[2, other] for other in (1, 2, 3)] == [False, True, False]
    assert all(state.registered_then[2, other] for other in (1, 2, 3))
    state = cluster.do("time_out(broker=2)").state
    assert not any([*state.named, *state.registered_then])


def test_lookups_are_budgeted() -> None:
    cluster = before_request(TOMBSTONE, lookups=1).do(OPEN)
    assert cluster.guard("open_lookup(broker=1)") == "the budget allows another lookup"


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("unregistered", [True, False])
@pytest.mark.parametrize("storage", list(Storage))
@pytest.mark.parametrize(
    "record",
    [
        Record(OWNED, 1, version=2),
        Record(OWNED, 2, version=2),
        Record(SPLITTING, 0, 1, version=3),
        Record(ASSIGNING, 1, version=1),
        Record(ASSIGNING, 2, 1, version=4),
        Record(RELEASING, 0, 1, version=3),
        Record(DELETED, 0, 1, version=4),
        TOMBSTONE,
    ],
    ids=str,
)
def test_redirect_says_what_a_lookup_is_answered_at_once(
    record: Record, storage: Storage, unregistered: bool, listed: bool
) -> None:
    cluster = before_request(record, storage=storage, shutdowns=1)
    cluster.state.known[2, 1] = listed
    cluster.state.unregistered[2] = unregistered
    answer = redirect(cluster.state, 2, 1)
    _, found, owner = outcome(cluster.do(OPEN))
    assert answer == (owner if found == Outcome.OWNER else 0)


def losing(rules: Rules) -> Cluster:
    """Broker 2 selects a broker while the unit comes to be owned by broker 1; it has read of that."""
    cluster = start(lookups=2, rules=rules)
    cluster.do("open_lookup(broker=2)", "open_lookup(broker=1)", "select(broker=1, destination=1)").deliver()
    return cluster.do("select(broker=2, destination=2)")


def test_selection_that_ends_too_late_is_answered_at_once_since_22064() -> None:
    assert losing(Rules()).state.reply[2, 1].owner == 1
    assert losing(Rules(selection_looks_again=False)).state.request[2, 1] == Request.PUBLISHED


@pytest.mark.parametrize("informs", [False, True])
def test_refused_record_ends_the_wait_since_20677(informs: bool) -> None:
    cluster = losing(Rules(selection_looks_again=False, skipped_informs=informs)).deliver()
    assert cluster.entry == "Owned(1) v2"
    assert cluster.state.request[2, 1] == (Request.NONE if informs else Request.PUBLISHED)
    assert cluster.state.reply[2, 1].owner == (1 if informs else 0)


def test_record_that_comes_before_a_lookup_is_known_to_wait_ends_nothing() -> None:
    """apache/pulsar#22064."""
    cluster = start(lookups=2, rules=Rules(waits_in_one_step=False))
    cluster.do("open_lookup(broker=1)", "select(broker=1, destination=2)", "append(broker=1)", "consume(broker=2)")
    cluster.do("open_lookup(broker=2)").deliver()
    assert cluster.state.request[2, 1] == Request.DECIDED
    assert cluster.do("begin_wait(broker=2)").state.request[2, 1] == Request.WAITING
    assert cluster.guard("begin_wait(broker=2)") == "a lookup of the unit has decided to wait"


def test_owner_whom_the_cache_has_not_read_is_taken_for_gone_once() -> None:
    """apache/pulsar#22899."""
    cluster = start(lookups=2, owner=1, rules=Rules(registry_read_waits=False)).do("open_lookup(broker=2)")
    assert cluster.state.request[2, 1] == Request.WAITING
    cluster.do("time_out(broker=2)", "open_lookup(broker=2)")
    assert cluster.state.reply[2, 1].owner == 1


def test_broker_that_selects_reads_what_the_registry_says_of_all() -> None:
    cluster = start(lookups=1, rules=Rules(registry_read_waits=False)).do("open_lookup(broker=2)")
    assert cluster.state.cold[2, 1]
    assert not cluster.do("select(broker=2, destination=1)").state.cold[2, 1]


@pytest.mark.parametrize("one_oracle", [False, True])
def test_admin_call_ends_at_the_owner_if_it_asks_the_channel(one_oracle: bool) -> None:
    """apache/pulsar#20528."""
    state = start(lookups=1, owner=1, rules=Rules(one_oracle=one_oracle)).state
    assert [redirect(state, broker, 1) for broker in (1, 2)] == [1, 1]
    assert [carries_out(state, broker, 1) for broker in (1, 2)] == [one_oracle, False]


def unloaded(rules: Rules = Rules()) -> Cluster:  # noqa: B008  # a frozen value
    """Broker 2 has a lookup that waits, learns from Free that nobody owns the unit, and is asked again at once."""
    cluster = start(owner=1, unloads=1, lookups=2, late_callbacks=1, versions=12, rules=rules)
    cluster.state.request[2, 1] = Request.PUBLISHED
    cluster.do(
        "unload(broker=1)", "append(broker=1)", "consume(broker=1)", "close(broker=1, number=1)", "append(broker=1)"
    )
    cluster.do("consume(broker=2)", "consume(broker=2)", OPEN, "select(broker=2, destination=2)", "end_wait(broker=2)")
    return cluster.do("consume(broker=1)").deliver()


def test_end_of_an_older_wait_takes_a_newer_lookup_off_the_list() -> None:
    """channel.D6, apache/pulsar#26146."""
    cluster = unloaded()
    assert cluster.views[1] == "Owned(2) v6"
    assert outcome(cluster)[0] == Request.PUBLISHED
    assert outcome(cluster.do("time_out(broker=2)")) == (Request.NONE, Outcome.OWNER, 2)


def test_end_of_an_older_wait_takes_itself_off_alone_once_repaired() -> None:
    assert outcome(unloaded(Rules(request_removes_itself=True))) == (Request.NONE, Outcome.OWNER, 2)


def test_nothing_is_taken_off_the_list_where_no_wait_was_completed() -> None:
    cluster = start(owner=1, lookups=1, late_callbacks=1)
    assert cluster.guard("end_wait(broker=1)") == "a wait for the unit was completed at the broker"


@pytest.mark.parametrize(
    ("asks", "known", "found"),
    [
        (True, True, (Request.NONE, Outcome.FAILED, 0)),
        (False, True, (Request.NONE, Outcome.OWNER, 1)),
        (False, False, (Request.NONE, Outcome.FAILED, 0)),
    ],
)
def test_unregistered_broker_that_shuts_down_answers_by_its_view_in_the_metadata_store(
    asks: bool, known: bool, found: tuple[Request, Outcome, int]
) -> None:
    """apache/pulsar#24770."""
    rules = Rules(disabled_asks_registry=asks)
    cluster = before_request(Record(OWNED, 1, version=2), shutdowns=1, storage=Storage.METADATA_STORE, rules=rules)
    cluster.state.stage[2], cluster.state.unregistered[2] = Stage.UNREGISTERED, True
    cluster.state.known[2, 1] = known
    assert redirect(cluster.state, 2, 1) == (1 if found[1] == Outcome.OWNER else 0)
    assert outcome(cluster.do(OPEN)) == found


def test_broker_that_shuts_down_waits_for_itself_alone() -> None:
    cluster = before_request(Record(ASSIGNING, 2, version=1), shutdowns=1, rules=Rules(disabled_asks_registry=False))
    cluster.state.stage[2] = Stage.DRAINING
    assert redirect(cluster.state, 2, 1) == 0
    assert outcome(cluster.do(OPEN)) == (Request.WAITING, Outcome.NONE, 0)
