"""How long clients could not send, and how long units were in flight."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.laws.serving.availability import LAWS, waits
from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Limits
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    about,
    channel,
    logs,
    lookup,
    message,
    printed,
    recorded,
    said,
    scene,
    send,
    started,
)

AVAILABLE, IN_FLIGHT = LAWS
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)


def sends(*times: tuple[int, int | None]) -> list[Send]:
    return [send(number, time, acknowledged, TOPIC) for number, (time, acknowledged) in enumerate(times)]


def spans(*times: tuple[int, int | None]) -> list[tuple[int, int, bool]]:
    return [(wait.since, wait.until, wait.is_over) for wait in waits(TOPIC, sends(*times))]


def test_wait_is_from_the_first_send_after_a_confirmation_to_the_next() -> None:
    assert spans((0, 5), (10, 15), (20, None), (30, None), (40, 60)) == [(0, 5, True), (10, 15, True), (20, 60, True)]


def test_time_in_which_nobody_sends_is_no_wait() -> None:
    assert spans((0, 5), (90_000, 90_005)) == [(0, 5, True), (90_000, 90_005, True)]


def test_sends_that_are_never_confirmed_are_a_wait_to_the_last_of_them() -> None:
    assert spans((0, 5), (10, None), (90, None)) == [(0, 5, True), (10, 90, False)]
    assert spans((10, None), (90, None)) == [(10, 90, False)]
    assert spans() == []


def judge(ones: list[Send], *records: Message, **fields: object) -> LawOutcome:
    return AVAILABLE.judge(scene(channel=channel(*records), sends=ones, limits=FAST, start=0, end=200_000, **fields))


def test_gap_longer_than_a_recovery_is_a_warning_of_its_unit() -> None:
    judged = judge(sends((0, 5), (10, None), (60_000, None)), OWNED)
    found, note = judged.findings
    assert (found.severity, found.unit, found.brokers) == (Severity.WARNING, UNIT, (B1,))
    assert (note.severity, judged.exercised) == (Severity.NOTE, 2)
    assert found.window is not None
    assert found.window == (10, 60_000, 10, None)


def test_gap_of_a_unit_whose_owner_lives_may_last_no_longer_than_a_hand_over() -> None:
    ones = sends((0, 5), (10, None), (20_000, 20_005))
    assert [found.severity for found in judge(ones, OWNED).findings] == [Severity.WARNING, Severity.NOTE]
    gone = {"said": logs(said(1, 0, "handled")), "lookups": [lookup(1, 50, 9_000, B1, None, TOPIC, None)]}
    assert [found.severity for found in judge(ones, OWNED, **gone).findings] == [Severity.NOTE]


def test_what_went_on_meanwhile_is_named() -> None:
    moving = message(1, 20, printed("Releasing", 2, B2, B1))
    found, _ = judge(sends((0, 5), (10, None), (60_000, None)), OWNED, moving).findings
    assert "Releasing for 60.0 s" in found.why


def test_short_gaps_are_a_note_alone() -> None:
    [note] = judge(sends((0, 5), (10, 15), (20, 25)), OWNED).findings
    assert "max 5 ms" in note.why
    assert judge([]).exercised == 0


def test_times_in_flight_are_told_by_phase() -> None:
    records = [
        OWNED,
        message(1, 20, printed("Releasing", 2, B2, B1)),
        message(2, 50, printed("Assigning", 3, B2, B1)),
        message(3, 90, printed("Owned", 4, B2, B1)),
    ]
    judged = IN_FLIGHT.judge(scene(channel=channel(*records)))
    [note] = judged.findings
    assert (judged.exercised, note.severity) == (2, Severity.NOTE)
    assert "1 Assigning: p50 40 ms" in note.why
    assert "1 Releasing: p50 30 ms" in note.why
    assert IN_FLIGHT.judge(scene(channel=channel(OWNED))).exercised == 0


def worst(name: str) -> list[tuple[float, float, bool]]:
    start, found = started(name), []
    for one in AVAILABLE.judge(recorded(name)).findings:
        if one.severity == Severity.WARNING:
            assert one.window is not None
            assert one.window.since is not None
            assert one.window.until is not None
            since, until = ((time - start) / 1000 for time in (one.window.since, one.window.until))
            found.append((since, until - since, one.window.possible_until is None))
    return found


def test_outage_leaves_three_topics_without_a_confirmed_send() -> None:
    ended = sorted(lasted for _, lasted, to_the_end in worst("zk-restart") if to_the_end)
    assert ended == [about(213, 1), about(220, 1), about(236, 1)]


def test_nothing_is_confirmed_after_the_outage_with_the_metadata_store() -> None:
    found = worst("zk-restart-metadata")
    assert all(to_the_end for _, _, to_the_end in found)
    began = sorted(since for since, _, _ in found)
    assert began[0] == about(42.1, 0.1), "one unit had been Assigning ever since"
    assert all(79 < since < 89 for since in began[1:])
    assert len(began) == 12


def test_seven_topics_are_lost_in_the_rolling_restart() -> None:
    assert worst("rolling-restart") == [(about(94.4, 0.5), about(39.6, 0.5), True)] * 7


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-owner"])
def test_run_in_order_has_notes_alone(name: str) -> None:
    for law in LAWS:
        judged = law.judge(recorded(name))
        assert [found.severity for found in judged.findings] == [Severity.NOTE]
        assert judged.exercised > 0
