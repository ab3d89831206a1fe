"""Views that take less than there is: holes and lag."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.recordings.laws.views.missed_records import accepted_is_handled, view_lag
from oneowner.checkers.recordings.read.observations import Printed, Said
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    OTHER,
    UNIT,
    channel,
    logs,
    message,
    one_life,
    printed,
    recorded,
    said,
    scene,
    started,
)

START = 1_000
RECORDS = (
    printed("Assigning", 1, B1, timestamp=1),
    printed("Owned", 2, B1, timestamp=2),
    printed("Releasing", 3, source=B1, timestamp=3),
    printed("Free", 4, source=B1, timestamp=4),
    printed("Assigning", 5, B1, timestamp=5),
    printed("Owned", 6, B1, timestamp=6),
)
"""Published every 100 ms from START on."""


def taking(*handled: Printed | None, counts: dict[int, int] | None = None, **fields: Any) -> Scene:
    """A view that handles each 10 ms late; *counts*: the counter where it is not one more than the last of a state."""
    lines: list[Said] = [said(0, START, "channel-started")]
    numbers: dict[str, int] = {}
    for number, record in enumerate(handled):
        if record is not None:
            state = record.record.state.value
            numbers[state] = (counts or {}).get(number, numbers.get(state, 0) + 1)
            time = START + 100 * number + 10
            lines.append(said(number + 1, time, "handle-request", UNIT, data=record, handled=numbers[state]))
    lines.append(said(99, START + 2_000, "registered"))
    messages = [message(number, START + 100 * number, record) for number, record in enumerate(RECORDS)]
    return scene(**{"channel": channel(*messages), "said": logs(*lines), **fields})


def without(number: int) -> tuple[Printed | None, ...]:
    return (*RECORDS[:number], None, *RECORDS[number + 1 :])


def test_view_that_takes_everything_is_as_it_must_be() -> None:
    judged = accepted_is_handled(taking(*RECORDS))
    assert (judged.exercised, judged.findings, judged.doubts) == (6, [], [])


def test_event_that_the_counter_does_not_know_of_was_lost() -> None:
    judged = accepted_is_handled(taking(*without(0)))  # the next Assigning is counted as the first
    [found] = judged.findings
    assert (found.severity, found.message_id, found.brokers) == (Severity.VIOLATION, "0:0", (B1,))
    assert judged.doubts == []


def test_event_that_the_counter_knows_of_is_a_missing_line() -> None:
    judged = accepted_is_handled(taking(*without(0), counts={4: 2}))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_event_that_no_counter_follows_is_a_doubt() -> None:
    judged = accepted_is_handled(taking(*without(3)))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_records_at_the_end_of_a_log_may_still_come() -> None:
    judged = accepted_is_handled(taking(*RECORDS[:4]))
    assert (judged.exercised, judged.findings, judged.doubts) == (6, [], [])


def test_existing_records_are_loaded_and_not_handled() -> None:
    late = taking(*(None, None, *RECORDS[2:]), counts={4: 1})
    late.said[B1][0] = said(0, START + 150, "channel-started")
    late.lives = one_life(late.said)
    judged = accepted_is_handled(late)
    assert (judged.exercised, judged.findings, judged.doubts) == (4, [], [])


def test_loaded_entry_tells_that_the_view_started_later_than_a_clock_says() -> None:
    behind = taking(*(None, None, *RECORDS[2:]), counts={4: 1})
    behind.said[B1].insert(1, said(1, START, "loaded-data", UNIT, data=RECORDS[1]))
    behind.lives = one_life(behind.said)
    judged = accepted_is_handled(behind)
    assert (judged.exercised, judged.findings, judged.doubts) == (4, [], [])


def test_broker_that_stops_is_asked_for_nothing_more() -> None:
    stopping = taking(*RECORDS[:3])
    stopping.said[B1].insert(4, said(50, START + 250, "broker-closing"))
    stopping.lives = one_life(stopping.said)
    assert accepted_is_handled(stopping).exercised == 3


def test_view_that_was_late_may_have_been_carried_past_compacted_records() -> None:
    late = taking(*without(0))
    late.said[B1] = [late.said[B1][0], *(line._replace(time=line.time + 6_000) for line in late.said[B1][1:])]
    late.lives = one_life(late.said)
    judged = accepted_is_handled(late)
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_records_from_before_debug_was_switched_on_need_not_show() -> None:
    late = taking(*without(0)[:1], None, *RECORDS[2:], counts={2: 1})
    late.lives = {B1: [late.lives[B1][0]._replace(debug_since=START + 150)]}
    judged = accepted_is_handled(late)
    assert (judged.exercised, judged.findings, judged.doubts) == (4, [], [])


@pytest.mark.parametrize("what", ["no debug", "no start", "metadata store"])
def test_holes_have_no_occasion_where_not_every_record_must_show(what: str) -> None:
    found = taking(*RECORDS)
    if what == "no debug":
        found.lives = one_life(found.said, is_debug=False)
    elif what == "no start":
        found.said[B1][0] = said(0, START, "registered")
    else:
        found.storage = Storage.METADATA_STORE
    assert accepted_is_handled(found).exercised == 0


# ---- view-lag ----


def lagging(first: int, second: int) -> Scene:
    lines = [
        said(1, 1_000 + first, "handle-request", UNIT, B1, data=RECORDS[0], handled=1),
        said(1, 1_000 + second, "handle-request", UNIT, B2, data=RECORDS[0], handled=1),
    ]
    return scene(channel=channel(message(0, 1_000, RECORDS[0])), said=logs(*lines))


def test_views_that_keep_up_do_not_lag() -> None:
    judged = view_lag(lagging(10, 4_000))
    assert (judged.exercised, judged.findings) == (2, [])


def test_view_that_is_later_than_another_by_more_than_5_s_lags() -> None:
    [found] = view_lag(lagging(10, 6_010)).findings
    assert (found.severity, found.brokers) == (Severity.NOTE, (B2,))
    assert found.window is not None
    assert (found.window.since, found.window.until) == (1_010, 7_010)


def test_record_that_comes_late_to_all_is_no_views_lag() -> None:
    assert view_lag(lagging(60_000, 60_010)).findings == []


def test_only_log_is_measured_by_publish_times() -> None:
    line = said(1, 7_000, "handle-request", UNIT, data=RECORDS[0], handled=1)
    found = scene(channel=channel(message(0, 1_000, RECORDS[0])), said=logs(line))
    assert "6.0 s" in view_lag(found).findings[0].why


def test_lag_within_the_uncertainty_of_clocks_is_none() -> None:
    found = lagging(10, 6_010)
    assert view_lag(scene(channel=found.channel, said=found.said, limits=skewed(2_000))).findings == []


def skewed(by: int) -> Any:
    return scene().limits.__class__(clock_skew=by)


def test_lag_has_no_occasion_without_requests() -> None:
    assert view_lag(scene(channel=channel(message(0, 1, RECORDS[0], OTHER)))).exercised == 0


# ---- recordings ----

DEBUG = (
    "healthy", "transfer", "shedding", "split", "kill-owner", "kill-mid-transfer", "compaction",
    "delete-decommission", "zombie", "leader-hang", "zk-partition", "zk-restart",
)  # fmt: skip


@pytest.mark.parametrize("name", DEBUG)
def test_recorded_views_have_no_hole(name: str) -> None:
    judged = accepted_is_handled(recorded(name))
    assert judged.exercised > 70
    assert (judged.findings, judged.doubts) == ([], [])


@pytest.mark.parametrize(
    ("name", "broker", "seconds", "until"),
    [("zombie", "127.0.0.1:18083", 19.6, 65.2), ("leader-hang", "127.0.0.1:18081", 65.5, 142.9)],
)
def test_recorded_process_that_stood_still_lags(name: str, broker: str, seconds: float, until: float) -> None:
    [found] = view_lag(recorded(name)).findings  # run.G1, run.G3
    assert found.brokers == (broker,)
    assert found.window is not None
    assert found.window.until is not None
    assert found.window.since is not None
    assert (found.window.until - found.window.since) / 1000 == pytest.approx(seconds, abs=0.5)
    assert (found.window.until - started(name)) / 1000 == pytest.approx(until, abs=0.5)


@pytest.mark.parametrize("name", ["healthy", "transfer", "shedding", "split", "metadata-store"])
def test_recorded_views_that_nobody_stopped_keep_up(name: str) -> None:
    judged = view_lag(recorded(name))
    assert judged.exercised > 70
    assert judged.findings == []
