"""What views did with records: taken, skipped, printed, counted."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.views.record_handling import (
    LAWS,
    accepted_is_not_skipped,
    counters_count,
    handled_is_in_dump,
    refused_is_not_handled,
)
from oneowner.checkers.recordings.read.observations import Printed, Said
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, channel, logs, message, printed, recorded, said, scene

ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
RIVAL = printed("Assigning", 1, B2, timestamp=11)
OWNED = printed("Owned", 2, B1, timestamp=20)
MESSAGES = (message(0, 10, ASSIGNING), message(1, 11, RIVAL), message(2, 20, OWNED))
WHOLE = (
    "healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-owner", "kill-mid-transfer", "compaction",
    "delete-decommission", "metadata-store", "zombie", "leader-hang", "zk-partition", "zk-partition-metadata",
    "zk-restart", "zk-restart-metadata", "rolling-restart",
)  # fmt: skip


def request(line: int, record: Printed | None, broker: str = B1, handled: int = 1, time: int = 0) -> Said:
    return said(line, time or 20 + line, "handle-request", UNIT, broker, data=record, handled=handled)


def skip(line: int, record: Printed, held: Printed | None, broker: str = B1, event: str = "skipped") -> Said:
    return said(line, 20 + line, event, UNIT, broker, value=record, prev=held)


# ---- refused-is-not-handled ----


def test_refused_record_that_is_skipped_everywhere_is_as_it_must_be() -> None:
    lines = [request(1, ASSIGNING), skip(2, RIVAL, ASSIGNING), request(3, OWNED)]
    judged = refused_is_not_handled(scene(channel=channel(*MESSAGES), said=logs(*lines)))
    assert (judged.exercised, judged.findings, judged.doubts) == (2, [], [])


def test_refused_record_that_two_brokers_handled_is_one_violation() -> None:
    lines = [request(1, RIVAL), request(2, RIVAL, B2), request(3, OWNED, B2)]
    [found] = refused_is_not_handled(scene(channel=channel(*MESSAGES), said=logs(*lines))).findings
    assert (found.severity, found.brokers, found.message_id) == (Severity.VIOLATION, (B1, B2), "0:1")
    assert (found.guard, found.held, found.proposed) == ("version", ASSIGNING.record, RIVAL.record)
    assert [cite.origin.piece for cite in found.evidence] == [0, 1, 2]


@pytest.mark.parametrize(
    ("event", "name"), [("handled", "cur"), ("loaded-data", "data"), ("override", "orphan"), ("still-owned", "data")]
)
def test_refused_record_that_a_view_holds_is_a_violation(event: str, name: str) -> None:
    line = said(1, 30, event, UNIT)._replace(values={name: RIVAL})
    assert refused_is_not_handled(scene(channel=channel(*MESSAGES), said=logs(line))).findings


def test_record_that_is_handled_more_often_than_accepted_is_a_doubt() -> None:
    again = message(3, 10, ASSIGNING)
    lines = [request(1, ASSIGNING), request(2, ASSIGNING, handled=2)]
    judged = refused_is_not_handled(scene(channel=channel(*MESSAGES, again), said=logs(*lines)))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_views_have_no_occasion_without_lines() -> None:
    empty = scene(channel=channel(*MESSAGES))
    assert [law.judge(empty).exercised for law in LAWS] == [0, 0, 0, 0]


# ---- accepted-is-not-skipped ----


def test_accepted_record_that_is_skipped_is_a_violation() -> None:
    [found] = accepted_is_not_skipped(scene(channel=channel(*MESSAGES), said=logs(skip(1, OWNED, ASSIGNING)))).findings
    assert (found.severity, found.message_id) == (Severity.VIOLATION, "0:2")
    assert f"the view held {ASSIGNING.record}" in found.why


def test_accepted_record_that_is_skipped_from_nothing_is_a_violation() -> None:
    judged = accepted_is_not_skipped(scene(channel=channel(*MESSAGES), said=logs(skip(1, ASSIGNING, None))))
    assert len(judged.findings) == 1


def test_accepted_record_that_is_read_once_more_is_skipped() -> None:
    lines = [skip(1, ASSIGNING, OWNED), skip(2, OWNED, OWNED), skip(3, RIVAL, ASSIGNING)]
    judged = accepted_is_not_skipped(scene(channel=channel(*MESSAGES), said=logs(*lines)))
    assert (judged.exercised, judged.findings, judged.doubts) == (3, [], [])


def test_skip_for_an_entry_that_the_dump_has_not_is_a_doubt() -> None:
    unknown = printed("Owned", 9, B3, timestamp=5)
    judged = accepted_is_not_skipped(scene(channel=channel(*MESSAGES), said=logs(skip(1, OWNED, unknown))))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_metadata_store_skips_only_what_it_holds() -> None:
    rival = printed("Assigning", 1, B1, timestamp=12)
    nodes = (message(0, 10, ASSIGNING), message(1, 11, None), message(2, 12, rival))
    same, stale = skip(1, ASSIGNING, ASSIGNING, event="node-skipped"), skip(2, rival, ASSIGNING, event="node-skipped")
    judged = accepted_is_not_skipped(scene(channel=channel(*nodes), said=logs(same, stale)))
    assert judged.exercised == 2
    [found] = judged.findings
    assert (found.message_id, found.upstream) == ("0:2", "looks like #24186, fixed in 4.0.5")


# ---- handled-is-in-dump ----


@pytest.mark.parametrize(
    "absent",
    [request(1, RIVAL._replace(timestamp=5)), request(1, None), skip(1, RIVAL._replace(timestamp=5), ASSIGNING)],
    ids=["handled", "tombstone", "skipped"],
)
def test_record_that_is_not_in_the_dump_is_a_warning_and_a_doubt(absent: Said) -> None:
    lines = [absent, *(request(n, OWNED, handled=n) for n in (2,))]
    judged = handled_is_in_dump(scene(channel=channel(*MESSAGES), said=logs(*lines)))
    assert judged.exercised == 2
    [found] = judged.findings
    assert (found.severity, found.unit, len(judged.doubts)) == (Severity.WARNING, UNIT, 1)


def test_dump_of_another_cluster_is_one_warning_for_each_broker() -> None:
    lines = [request(n, OWNED._replace(timestamp=n), broker, handled=n) for n in range(1, 9) for broker in (B1, B2)]
    judged = handled_is_in_dump(scene(channel=channel(*MESSAGES), said=logs(*lines)))
    assert [len(found.evidence) for found in judged.findings] == [6, 6]


# ---- counters-count ----


def test_counters_without_gap_are_one_for_each_state() -> None:
    lines = [request(1, ASSIGNING), request(2, OWNED), request(3, None), request(4, OWNED, handled=2)]
    judged = counters_count(scene(said=logs(*lines)))
    assert (judged.exercised, judged.findings, judged.doubts) == (3, [], [])


def test_counter_that_jumps_tells_how_many_lines_are_missing() -> None:
    lines = [request(1, OWNED), request(2, OWNED, handled=4), request(3, ASSIGNING, handled=2)]
    judged = counters_count(scene(said=logs(*lines)))
    [found] = judged.findings
    assert (found.severity, found.guard, len(judged.doubts)) == (Severity.WARNING, "log-has-gaps", 1)
    assert "3 handle requests" in found.why
    assert "Assigning 1; Owned 2-3" in found.why


def test_counter_that_repeats_is_a_doubt() -> None:
    judged = counters_count(scene(said=logs(request(1, OWNED), request(2, OWNED))))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


# ---- recordings ----


@pytest.mark.parametrize("name", WHOLE)
def test_recorded_views_follow_the_fold(name: str) -> None:  # recordings/README.md, section 2
    found = recorded(name)
    judged = [law.judge(found) for law in LAWS if not found.lacks(law.needs)]
    assert [(one.findings, one.doubts) for one in judged] == [([], [])] * len(judged)
    assert judged[0].exercised > 60


@pytest.mark.parametrize(("name", "skipped"), [("transfer", 93), ("split", 45), ("healthy-quiet", 15)])
def test_recorded_refused_records_are_skipped_by_every_view(name: str, skipped: int) -> None:
    assert accepted_is_not_skipped(recorded(name)).exercised == skipped


def test_recorded_log_without_a_line_has_a_gap() -> None:
    found = recorded("healthy")
    broker = found.brokers[1]
    lines = found.said[broker]
    place = [number for number, line in enumerate(lines) if line.event == "handle-request"][10]
    cut = scene(said={broker: [*lines[:place], *lines[place + 1 :]]}, channel=found.channel)
    assert len(counters_count(cut).findings) == 1


def test_storage_decides_nothing_about_what_is_refused_in_a_history() -> None:
    nodes: tuple[Message, ...] = (message(0, 10, ASSIGNING), message(1, 20, OWNED))
    found = scene(channel=channel(*nodes, storage=Storage.METADATA_STORE), said=logs(request(1, OWNED)))
    found.storage = Storage.METADATA_STORE
    assert refused_is_not_handled(found).findings == []
