"""The compaction of the channel's topic, phase by phase, and a reader that is carried over records."""

from typing import Any

import pytest

from oneowner.model.channel.parts import Phase
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

UNLOADED = ("unload(broker=1)", "append(broker=1)")
KEPT = ("start_compaction(broker=1)", "write_ledger(broker=1)", "show_ledger(broker=1)")
GIVEN_AWAY = (
    "expire(broker=2)",
    "notice(observer=1, broker=2)",
    "override(broker=1, destination=1)",
    "append(broker=1)",
)


def compacting(**bounds: Any) -> Cluster:
    return start(**{"owner": 2, "unloads": 1, "compactions": 2, "closings": 2, "window": 4, **bounds})


def test_log_keeps_its_beginning_while_compaction_is_modelled() -> None:
    cluster = compacting().do(*UNLOADED, "consume(broker=1)", "consume(broker=2)")
    assert cluster.state.log.length == 1
    assert not any(name.startswith("ledger") for name, _ in start(owner=2).state.cells())


def test_compaction_shows_a_whole_ledger_and_its_horizon_in_one_step() -> None:
    cluster = compacting().do(*UNLOADED, *KEPT[:2])
    assert (cluster.state.phase, cluster.state.horizon) == (Phase.WRITTEN, 0)
    cluster.do(KEPT[2])
    assert (cluster.state.horizon, str(cluster.state.ledger[1])) == (1, "Releasing(from 2) v3")


def test_first_compaction_is_over_once_its_cursor_is_saved_and_a_later_one_deletes_the_ledger_before() -> None:
    cluster = compacting().do(*UNLOADED, *KEPT, "save_cursor(broker=1)")
    assert (cluster.state.phase, cluster.state.saved_horizon) == (Phase.IDLE, 1)
    cluster.do("consume(broker=2)", "close(broker=2, number=1)", "append(broker=2)", *KEPT, "save_cursor(broker=1)")
    assert cluster.state.phase == Phase.SAVED
    cluster.do("delete_ledger(broker=1)")
    assert (cluster.state.phase, cluster.state.leaked) == (Phase.IDLE, 0)


@pytest.mark.parametrize(("phases", "leaked"), [(1, 0), (2, 1), (3, 1)])
def test_host_that_dies_leaves_behind_a_ledger_that_it_has_written(phases: int, leaked: int) -> None:
    cluster = compacting(crashes=1).do(*UNLOADED, *KEPT[:phases], "crash(broker=1)")
    assert (cluster.state.leaked, cluster.state.horizon, cluster.state.phase) == (leaked, 0, Phase.IDLE)


def test_new_host_starts_from_what_was_saved_and_leaks_nothing_while_the_old_one_lives() -> None:
    cluster = compacting(expiries=1).do(*UNLOADED, *KEPT, "expire(broker=1)", "elect(broker=2)")
    assert (cluster.state.horizon, cluster.state.phase, cluster.state.leaked) == (0, Phase.IDLE, 0)


def test_compaction_needs_a_living_host_and_something_new() -> None:
    cluster = compacting(expiries=1)
    assert cluster.guard(KEPT[0]) == "a record is after the horizon"
    cluster.do(*UNLOADED)
    assert cluster.guard("start_compaction(broker=2)") == "the broker lives and hosts the channel's topic"
    cluster.do("expire(broker=1)")
    assert cluster.guard(KEPT[0]) == "the broker lives and hosts the channel's topic"
    assert cluster.guard("jump(broker=2)") == "a living broker hosts the channel's topic"


def test_lagging_broker_is_carried_over_the_record_that_takes_its_unit() -> None:
    cluster = compacting(expiries=1).do(*GIVEN_AWAY, "consume(broker=1)", *UNLOADED, *KEPT, "jump(broker=2)")
    assert (str(cluster.state.view[2, 1]), cluster.servers) == ("Releasing(from 1) v4", [2])
    assert cluster.state.closing[2].length == 0
    assert cluster.guard("jump(broker=2)") == "the broker lags behind the horizon"


def test_lagging_broker_that_reads_the_records_themselves_stops() -> None:
    """A record sent to it before the compaction waits in its receiver queue."""
    cluster = compacting(expiries=1).do(*GIVEN_AWAY, "consume(broker=1)", *UNLOADED, *KEPT, "consume(broker=2)")
    cluster.do("close(broker=2, number=1)")
    assert cluster.writers == []


def test_kept_record_is_handled_like_any_other() -> None:
    cluster = compacting().do(*UNLOADED, *KEPT, "jump(broker=2)")
    assert cluster.state.closing[2].length == 1


FREED = (
    *UNLOADED,
    "consume(broker=1)",
    "consume(broker=2)",
    "close(broker=2, number=1)",
    "append(broker=2)",
    "consume(broker=1)",
)
DELETED = ("tombstone(broker=1)", "append(broker=1)")


def test_lagging_broker_is_carried_over_a_tombstone_and_keeps_the_dead_entry() -> None:
    cluster = compacting(tombstones=1).do(*FREED, "consume(broker=2)", *DELETED, *KEPT, "jump(broker=2)")
    assert str(cluster.state.view[2, 1]) == "Free(from 2) v4"
    assert cluster.state.missed[2, 1]


def test_broker_that_reads_the_tombstone_itself_misses_nothing() -> None:
    cluster = compacting(tombstones=1).do(*FREED, "consume(broker=2)", *DELETED, *KEPT, "consume(broker=2)")
    assert str(cluster.state.view[2, 1]) == "nothing"
    assert not cluster.state.missed[2, 1]


def test_broker_for_which_nothing_is_kept_may_read_the_original_log() -> None:
    """Proposed in #26190; if something is kept behind it, it is carried over all the same."""
    rules = Rules(original_at_cursor=True)
    cluster = compacting(rules=rules, tombstones=1).do(*FREED, "consume(broker=2)", *DELETED, *KEPT)
    assert cluster.guard("jump(broker=2)") == "something is kept from the broker's cursor on"


def test_compaction_that_fails_leaves_a_record_for_the_next_one_unless_each_has_a_batch() -> None:
    for rules, written in ((Rules(), "Free(from 2) v4"), (Rules(batch_per_attempt=True), "nothing")):
        cluster = compacting(rules=rules, tombstones=1, failed_writes=1)
        cluster.do(*FREED, KEPT[0], "fail_to_write(broker=1)", *DELETED, *KEPT[:2])
        assert str(cluster.state.result[1]) == written


def test_batch_dies_with_its_host() -> None:
    cluster = compacting(crashes=1, failed_writes=1).do(*UNLOADED, KEPT[0], "fail_to_write(broker=1)")
    assert str(cluster.state.stale[1]) == "Releasing(from 2) v3"
    assert str(cluster.do("crash(broker=1)").state.stale[1]) == "nothing"


def test_log_is_trimmed_behind_what_is_saved_and_nobody_below_the_horizon_skips_it() -> None:
    cluster = compacting(trims=1).do(*UNLOADED, *KEPT)
    assert cluster.guard("trim()") == "the log holds records behind the saved horizon"
    cluster.do("save_cursor(broker=1)", "trim()")
    assert cluster.state.trimmed == 1
    assert cluster.guard("skip(broker=2)") == "the broker is not given what was kept"
    cluster.do("jump(broker=2)")
    assert cluster.guard("skip(broker=2)") == "the broker's next record is trimmed"


def test_host_that_saves_first_shows_readers_the_ledger_when_the_compaction_is_over() -> None:
    rules = Rules(horizon_before_cursor=False)
    cluster = compacting(rules=rules, trims=1).do(*UNLOADED, *KEPT[:2])
    assert cluster.guard(KEPT[2]) == "readers are shown a ledger before it is saved"
    cluster.do("save_cursor(broker=1)", "trim()")
    assert cluster.guard("skip(broker=2)") == ""
    cluster.do("delete_ledger(broker=1)")
    assert (cluster.state.horizon, cluster.state.phase) == (1, Phase.IDLE)
    assert cluster.guard("skip(broker=2)") == "the broker is not given what was kept"


def test_horizon_is_lost_with_a_host_that_dies_while_it_compacts_where_the_log_is_trimmed() -> None:
    for rules, saved in ((Rules(), 0), (Rules(seek_keeps_horizon=True), 1)):
        cluster = compacting(rules=rules, owner=1, crashes=1, trims=1).do(*UNLOADED, *KEPT, "save_cursor(broker=1)")
        cluster.do("consume(broker=1)", "close(broker=1, number=1)", "append(broker=1)", KEPT[0], "crash(broker=1)")
        assert cluster.state.saved_horizon == saved
