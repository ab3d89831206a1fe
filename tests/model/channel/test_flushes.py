"""A flush of the leader that ends before its view shows all of the channel, and the override that follows."""

from typing import Any

from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

GONE = ("expire(broker=2)", "notice(observer=1, broker=2)")
OVERRIDE = "override(broker=1, destination=1)"


def behind(records: int, **bounds: Any) -> Cluster:
    """Broker 2, which owns the unit, is gone for the leader, which has up to two records of the channel to read."""
    cluster = start(**{"owner": 2, "unloads": 1, "expiries": 1, "closings": 2, **bounds})
    cluster.do("unload(broker=2)", "append(broker=2)", "consume(broker=2)", "close(broker=2, number=1)")
    return cluster.do(*["append(broker=2)"][: records - 1], *GONE)


def test_leader_whose_flush_ends_one_record_early_overrides_what_is_no_more() -> None:
    cluster = behind(1, early_flushes=1)
    assert cluster.guard(OVERRIDE) == "the leader has consumed the whole channel"
    cluster.do("flush_early(broker=1)", OVERRIDE)
    assert cluster.outbox(1) == ["Owned(1, from 2) v3 forced"]


def test_flush_is_over_with_the_override() -> None:
    cluster = behind(1, early_flushes=2, pending=2).do("flush_early(broker=1)")
    assert cluster.guard("flush_early(broker=1)") == "its flush is under way"
    cluster.do(OVERRIDE)
    assert not cluster.state.flushed[1]
    assert cluster.guard(OVERRIDE) == "the leader has consumed the whole channel"


def test_refresh_ends_one_record_early_at_most_and_a_flush_that_fails_any_number() -> None:
    cluster = behind(2, early_flushes=1, failed_flushes=1)
    words = "the leader has read the last record, and not applied it"
    assert cluster.guard("flush_early(broker=1)") == words
    cluster.do("fail_to_flush(broker=1)", OVERRIDE)


def test_leader_that_has_read_everything_or_cleans_up_after_nobody_flushes_in_time() -> None:
    cluster = behind(1, early_flushes=1)
    cluster.do("consume(broker=1)")
    assert cluster.guard("flush_early(broker=1)") == "the leader has records of the channel to consume"
    idle = start(owner=2, unloads=1, expiries=1, early_flushes=1).do("unload(broker=1)", "append(broker=1)")
    assert idle.guard("flush_early(broker=1)") == "an entry is orphaned"


def test_repaired_flush_applies_the_last_record_and_a_clean_up_waits_for_its_flush() -> None:
    rules = Rules(flush_applies_last=True, clean_up_needs_flush=True)
    cluster = behind(1, early_flushes=1, failed_flushes=1, rules=rules)
    assert cluster.guard("flush_early(broker=1)") == "a refresh may end before the last record is applied"
    assert cluster.guard("fail_to_flush(broker=1)") == "a clean-up goes on when its flush has failed"
