"""Messages that a producer sent twice."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.views.resent_messages import sent_once
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, channel, logs, message, printed, recorded, said, scene, started

ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
OWNED = printed("Owned", 2, B1, timestamp=20)


def test_sent_once_holds_where_every_number_comes_once() -> None:
    judged = sent_once(scene(channel=channel(message(0, 10, ASSIGNING, sequence=0), message(1, 20, OWNED, sequence=1))))
    assert (judged.exercised, judged.findings, judged.doubts) == (2, [], [])


def test_sent_once_has_no_occasion_without_numbers() -> None:
    assert sent_once(scene(channel=channel(message(0, 10, ASSIGNING)))).exercised == 0


def test_second_copy_that_is_refused_is_a_note_with_the_producers_line() -> None:
    line = said(
        1, 15, "producer-re-sends", topic="persistent://pulsar/system/loadbalancer-service-unit-state", producer="p",
        messages=1,
    )  # fmt: skip
    judged = sent_once(
        scene(
            channel=channel(message(0, 10, ASSIGNING, sequence=0), message(1, 10, ASSIGNING, sequence=0)),
            said=logs(line),
        )
    )
    [found] = judged.findings
    assert (found.severity, found.message_id, found.brokers) == (Severity.NOTE, "0:1", (B1,))
    assert [cite.message_id for cite in found.evidence] == ["0:0", "0:1", None]


def test_second_copy_that_is_accepted_after_a_tombstone_is_a_warning() -> None:
    messages = [
        message(0, 10, ASSIGNING, sequence=0),
        message(1, 11, None, producer="q", sequence=7),
        message(2, 10, ASSIGNING, sequence=0),
    ]
    [found] = sent_once(scene(channel=channel(*messages))).findings
    assert found.severity == Severity.WARNING
    assert "was accepted too" in found.why


@pytest.mark.parametrize(("between", "severity"), [(ASSIGNING, Severity.WARNING), (None, Severity.NOTE)])
def test_second_tombstone_is_a_warning_if_it_removes_an_entry(between: Printed | None, severity: Severity) -> None:
    messages = [
        message(0, 10, None, sequence=0),
        message(1, 11, between, producer="q"),
        message(2, 10, None, sequence=0),
    ]
    [found] = sent_once(scene(channel=channel(*messages))).findings
    assert found.severity == severity


def test_number_that_comes_with_two_records_is_a_warning() -> None:
    other = printed("Assigning", 1, B2, timestamp=11)
    [found] = sent_once(
        scene(channel=channel(message(0, 10, ASSIGNING, sequence=0), message(1, 11, other, sequence=0)))
    ).findings
    assert found.severity == Severity.WARNING
    assert "no client does that" in found.why


def test_messages_that_are_sent_again_together_are_one_finding() -> None:
    records = [ASSIGNING, OWNED, ASSIGNING, OWNED]
    messages = [message(n, 10 + n, record, sequence=n % 2) for n, record in enumerate(records)]
    [found] = sent_once(scene(channel=channel(*messages))).findings
    assert "and 1 more after it" in found.why


def test_message_that_the_dump_repeats_is_a_doubt() -> None:
    twice = [message(0, 10, ASSIGNING, sequence=0)] * 2
    judged = sent_once(scene(channel=channel(*twice)))
    assert (len(judged.findings), len(judged.doubts)) == (0, 1)


def test_recorded_record_was_sent_twice_where_the_connection_was_closed() -> None:  # run.G8
    [found] = sent_once(recorded("kill-mid-transfer")).findings
    assert found.severity == Severity.NOTE
    assert [cite.message_id for cite in found.evidence] == ["0:618", "0:622", None]
    assert "Re-Sending 1 messages" in found.evidence[-1].text
    assert found.time is not None
    assert 0 < found.time - started("kill-mid-transfer") < 200_000


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "split", "rolling-restart"])
def test_recorded_messages_were_sent_once_elsewhere(name: str) -> None:
    judged = sent_once(recorded(name))
    assert judged.exercised > 20
    assert (judged.findings, judged.doubts) == ([], [])
