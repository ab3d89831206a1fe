"""A broker's list is held against the channel: what it never owned, and what it has given away."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.laws.serving.ownership_claims import LAG, LAWS
from oneowner.checkers.recordings.read.observations import Poll
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
    channel,
    logs,
    message,
    poll,
    printed,
    recorded,
    said,
    scene,
    started,
)

[LAW] = LAWS
OWNED = message(0, 10, printed("Owned", 1, B1))
FORCED = message(1, 1_000, printed("Owned", 2, B2, B1, force=True))


def judge(*records: Message, polls: list[Poll], **fields: object) -> LawOutcome:
    return LAW.judge(scene(channel=channel(*records), polls=polls, **fields))


def test_claim_of_what_was_never_owned_is_a_violation() -> None:
    judged = judge(OWNED, FORCED, polls=[poll(1, 10_000, 10_010, B3, UNIT)])
    [found] = judged.findings
    assert (found.severity, found.brokers, found.unit) == (Severity.VIOLATION, (B3,), UNIT)
    assert "never gave it" in found.why
    assert judged.exercised == 1


def test_claim_of_what_was_given_away_is_a_warning() -> None:
    [found] = judge(OWNED, FORCED, polls=[poll(1, 10_000, 10_010, B1, UNIT)]).findings
    assert found.severity == Severity.WARNING
    assert "owned no more" in found.why


def test_claim_that_some_moment_of_the_poll_explains_is_silent() -> None:
    assert judge(OWNED, FORCED, polls=[poll(1, 900, 90_000, B1, UNIT)]).findings == []
    assert judge(OWNED, FORCED, polls=[poll(1, 900 + LAG, 1_000 + LAG, B1, UNIT)]).findings == []


def test_claims_of_both_sides_of_a_hand_over_are_silent() -> None:
    moving = message(1, 1_000, printed("Releasing", 2, B2, B1))
    polls = [poll(1, 50_000, 50_010, B1, UNIT), poll(2, 50_000, 50_010, B2, UNIT)]
    assert judge(OWNED, moving, polls=polls).findings == []
    assert [found.brokers for found in judge(OWNED, moving, polls=[poll(1, 50_000, 50_010, B3, UNIT)]).findings] == [
        (B3,)
    ]


def test_polls_one_after_the_other_are_one_finding_and_a_clean_one_ends_it() -> None:
    polls = [poll(n, 10_000 + n * 1_000, 10_010 + n * 1_000, B1, UNIT) for n in range(9)]
    polls[5] = poll(5, 15_000, 15_010, B1)
    first, second = judge(OWNED, FORCED, polls=polls).findings
    assert first.window is not None
    assert second.window is not None
    assert first.window == (10_000, 14_010, 10_000, 15_000)
    assert second.window == (16_000, 18_010, 15_010, None)


def test_claim_that_waited_for_a_paused_process_is_from_after_the_pause() -> None:
    lines = logs(said(1, 900, "handled"), said(2, 60_000, "handled"))
    [found] = judge(OWNED, FORCED, polls=[poll(1, 950, 60_010, B1, UNIT)], said=lines).findings
    assert found.window is not None
    assert found.window.since == 60_000


def test_lost_session_is_named() -> None:
    lines = logs(
        said(1, 9_000, "session-event", text="Received metadata session event:SessionLost"), said(2, 10_005, "handled")
    )
    [found] = judge(OWNED, FORCED, polls=[poll(1, 10_000, 10_010, B1, UNIT)], said=lines).findings
    assert "lost its ZooKeeper session" in found.why


def test_unit_that_a_late_channel_does_not_know_is_a_doubt() -> None:
    late = message(0, 10, printed("Owned", 7, B1))
    judged = judge(late, polls=[poll(1, 10_000, 10_010, B2, OTHER)])
    assert judged.findings == []
    assert len(judged.doubts) == 1
    [found] = judge(late, polls=[poll(1, 10_000, 10_010, B2, UNIT)]).findings
    assert found.severity == Severity.WARNING, "it may have owned it before the channel begins"


def test_law_has_no_occasion_without_claims() -> None:
    assert judge(OWNED, polls=[poll(1, 10, 20, B1)]).exercised == 0


def test_cut_broker_lists_every_unit_of_the_cluster() -> None:
    judged, start = LAW.judge(recorded("zk-partition-metadata")), started("zk-partition-metadata")
    found = {one.brokers[0][-1]: one for one in judged.findings}
    assert {broker: one.severity for broker, one in found.items()} == dict.fromkeys("12", Severity.VIOLATION)
    for broker, since, until in (("2", 43.4, 79.4), ("1", 120.4, 156.4)):
        window = found[broker].window
        assert window is not None
        assert window.since is not None
        assert window.until is not None
        assert (window.since - start) / 1000 == pytest.approx(since, abs=0.5)
        assert (window.until - start) / 1000 == pytest.approx(until, abs=0.5)
        assert "12 units" in found[broker].why


def test_zombie_lists_what_was_given_away() -> None:
    [found] = LAW.judge(recorded("zombie")).findings
    assert (found.severity, found.brokers[0][-1]) == (Severity.WARNING, "3")
    assert "5 units" in found.why


def test_brokers_list_foreign_units_after_an_outage() -> None:
    found = LAW.judge(recorded("zk-restart-metadata")).findings
    assert sorted((one.brokers[0][-1], one.severity.value) for one in found) == [(b, "violation") for b in "123"]


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-mid-transfer"])
def test_run_in_order_is_silent(name: str) -> None:
    judged = LAW.judge(recorded(name))
    assert (judged.findings, judged.doubts) == ([], [])
    assert judged.exercised > 500
