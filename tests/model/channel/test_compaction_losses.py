"""A compaction's result is lost: its ledger, its position in the cursor, or a reader's position in it."""

from typing import Any

from oneowner.model.channel.parts import Phase
from oneowner.model.channel.rules import Rules
from tests.model.channel.cluster import Cluster, start

UNLOADED = ("unload(broker=1)", "append(broker=1)")
WRITTEN = ("start_compaction(broker=1)", "write_ledger(broker=1)")
COMPACTED = (*WRITTEN, "show_ledger(broker=1)", "save_cursor(broker=1)")
ENDED = ("consume(broker=1)", "close(broker=1, number=1)", "append(broker=1)")
"""The unload of broker 1 ends: another record is in the log."""
KEPT = "the ledger that readers are given is there"


def compacting(**bounds: Any) -> Cluster:
    return start(**{"owner": 1, "unloads": 1, "compactions": 2, "trims": 1, "closings": 2, "window": 3, **bounds})


# ---- a ledger that fails to close (#26665) ----


def test_ledger_that_fails_to_close_is_lost_to_readers_a_compaction_and_a_broker_that_starts() -> None:
    cluster = compacting(failed_closes=1, crashes=1, owner=2).do(*UNLOADED, *WRITTEN, "show_ledger(broker=1)")
    cluster.do("fail_to_close(broker=1)")
    assert (cluster.state.phase, cluster.state.saved_horizon, cluster.state.lost_ledger) == (Phase.IDLE, 1, True)
    assert cluster.guard("jump(broker=2)") == KEPT
    assert cluster.guard("consume(broker=2)") == "the broker's next record can be read"
    other = Cluster(cluster.state).do("crash(broker=2)")
    assert other.guard("restart(broker=2)") == KEPT


def test_lost_ledger_is_lost_to_the_next_host_and_its_compactions() -> None:
    cluster = compacting(failed_closes=1, expiries=1).do(*UNLOADED, "consume(broker=2)", "consume(broker=1)", *WRITTEN)
    cluster.do("show_ledger(broker=1)", "fail_to_close(broker=1)", "close(broker=1, number=1)", "append(broker=1)")
    assert cluster.guard("consume(broker=2)") == ""
    cluster.do("expire(broker=1)", "elect(broker=2)")
    assert cluster.guard("start_compaction(broker=2)") == KEPT


def test_ledger_that_is_closed_before_it_is_shown_fails_to_close_in_vain() -> None:
    cluster = compacting(failed_closes=1, rules=Rules(ledger_closed_first=True)).do(*UNLOADED, *WRITTEN)
    cluster.do("fail_to_close(broker=1)")
    assert (cluster.state.phase, cluster.state.horizon, cluster.state.lost_ledger) == (Phase.IDLE, 0, False)
    assert cluster.guard("consume(broker=2)") == ""


# ---- a cursor without properties (#26512, #25862) ----


def test_host_that_cannot_read_the_cursor_gives_readers_what_is_left_of_the_log() -> None:
    cluster = compacting(lost_cursors=1, expiries=1).do(*UNLOADED, *COMPACTED, "trim()")
    assert cluster.guard("lose_cursor()") == "nobody hosts the channel's topic"
    cluster.do("expire(broker=1)", "lose_cursor()", "elect(broker=2)")
    assert (cluster.state.horizon, str(cluster.state.ledger[1])) == (0, "nothing")
    cluster.do("skip(broker=2)")
    assert (cluster.state.cursor[2], cluster.views[1]) == (1, "Owned(1) v2")


def test_compaction_after_a_lost_cursor_keeps_nothing_of_what_was_trimmed() -> None:
    cluster = compacting(lost_cursors=1, expiries=1).do(*UNLOADED, *COMPACTED, "trim()")
    cluster.do("expire(broker=1)", "lose_cursor()", "elect(broker=2)", "start_compaction(broker=2)")
    assert str(cluster.state.result[1]) == "nothing"


def test_cursor_that_keeps_its_properties_is_not_lost() -> None:
    cluster = compacting(lost_cursors=1, expiries=1, rules=Rules(cursor_keeps_properties=True))
    cluster.do(*UNLOADED, *COMPACTED, "expire(broker=1)")
    assert cluster.guard("lose_cursor()") == "a cursor that cannot be read loses its properties"


def test_late_reset_of_the_cursor_forgets_what_is_saved_until_the_next_is() -> None:
    cluster = compacting(stale_resets=1).do(*UNLOADED, *COMPACTED, *ENDED, WRITTEN[0], "reset_cursor_late(broker=1)")
    assert (cluster.state.saved_horizon, cluster.state.horizon) == (0, 1)
    cluster.do(WRITTEN[1], "show_ledger(broker=1)", "save_cursor(broker=1)")
    assert (cluster.state.saved_horizon, str(cluster.state.saved_ledger[1])) == (2, "Free(from 1) v4")


def test_first_compaction_has_no_old_properties_and_a_reset_may_keep_the_new_ones() -> None:
    cluster = compacting(stale_resets=1).do(*UNLOADED, WRITTEN[0])
    assert cluster.guard("reset_cursor_late(broker=1)") == "a compaction was saved"
    cluster = compacting(stale_resets=1, rules=Rules(reset_keeps_properties=True))
    cluster.do(*UNLOADED, *COMPACTED, *ENDED, WRITTEN[0])
    assert cluster.guard("reset_cursor_late(broker=1)") == "a reset saves the properties of the moment"


# ---- an acknowledgement of what is trimmed (#25998) ----

TWO_ASSIGNED = (
    "look_up(broker=1, unit=2)",
    "assign(broker=1, unit=2, destination=1)",
    "append(broker=1)",
    "look_up(broker=1, unit=1)",
    "assign(broker=1, unit=1, destination=1)",
    "append(broker=1)",
)


def acknowledging(**bounds: Any) -> Cluster:
    sizes = {"owner": 0, "units": 2, "unloads": 0, "assigns": 2, "early_acks": 1, "compactions": 1}
    return compacting(**{**sizes, **bounds}).do(*TWO_ASSIGNED, *COMPACTED)


def test_reader_that_acknowledges_what_is_trimmed_skips_what_was_kept_behind_it() -> None:
    """Unit 2 was written first, and so is read first."""
    cluster = acknowledging()
    assert cluster.guard("skip_kept(broker=2, unit=2)") == "the broker's next record is trimmed"
    cluster.do("trim()")
    assert cluster.guard("skip_kept(broker=2, unit=1)") == "something is kept behind it"
    cluster.do("skip_kept(broker=2, unit=2)")
    views = [str(cluster.state.view[2, unit]) for unit in (1, 2)]
    assert (cluster.state.cursor[2], views) == (2, ["nothing", "Assigning(1) v1"])


def test_acknowledgement_that_moves_no_cursor_skips_nothing() -> None:
    cluster = acknowledging(rules=Rules(ack_stays_in_ledger=True)).do("trim()")
    assert cluster.guard("skip_kept(broker=2, unit=2)") == "an acknowledgement of what is trimmed moves a cursor"
