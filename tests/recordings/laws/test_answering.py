"""The owner answers for its unit, and lookups are answered by somebody."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.laws.serving.owner_answers import LAWS
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Limits
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    recorded,
    said,
    scene,
    started,
)

OWNER, ANSWERED = LAWS
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
LIVES = logs(*(said(n, 2_000 * n, "handled") for n in range(60)))
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)


def refused(number: int, start: int, end: int, broker: str = B1) -> Lookup:
    return lookup(number, start, end, broker, None, TOPIC, 500, "Failed to get owner")


def owner(*lookups: Lookup, records: tuple[Message, ...] = (OWNED,), **fields: object) -> LawOutcome:
    fields = {"said": LIVES, "limits": FAST, "start": 0, "end": 100_000, **fields}
    return OWNER.judge(scene(channel=channel(*records), lookups=list(lookups), **fields))


def test_owner_that_refuses_for_longer_than_the_wait_is_a_violation() -> None:
    [found] = owner(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000)).findings
    assert (found.severity, found.unit, found.brokers, found.message_id) == (Severity.VIOLATION, UNIT, (B1,), "0:0")
    assert found.window is not None
    assert found.window == (1_000, 13_000, 10, None)
    assert "2 times status 500" in found.why


def test_owner_that_names_another_broker_does_not_answer_for_its_unit() -> None:
    asked = [lookup(1, 1_000, 1_010, B1, B2, TOPIC), lookup(2, 15_000, 15_010, B1, B2, TOPIC)]
    [found] = owner(*asked).findings
    assert f"2 times named {B2}" in found.why


def test_right_answer_in_between_ends_the_time() -> None:
    asked = [refused(1, 1_000, 2_000), lookup(2, 8_000, 8_010, B1, B1, TOPIC), refused(3, 12_000, 13_000)]
    judged = owner(*asked)
    assert (judged.findings, judged.exercised) == ([], 1)


def test_failures_at_other_brokers_are_not_the_owners() -> None:
    judged = owner(refused(1, 1_000, 2_000, B2), refused(2, 30_000, 31_000, B2))
    assert (judged.findings, judged.exercised) == ([], 0)


def test_failures_before_it_owned_the_unit_do_not_count() -> None:
    late = message(0, 60_000, printed("Owned", 1, B1))
    judged = owner(refused(1, 1_000, 2_000), refused(2, 30_000, 61_000), records=(late,))
    assert judged.findings == []


def test_list_without_the_unit_adds_to_what_lookups_show() -> None:
    polls = [poll(n, 3_000 * n, 3_000 * n + 10, B1) for n in range(1, 9)]
    [found] = owner(refused(1, 1_000, 2_000), polls=polls).findings
    assert "8 times not in its own list" in found.why
    judged = owner(lookup(1, 12_000, 12_010, B1, B1, TOPIC), polls=polls, limits=Limits(in_flight_wait=20_000))
    assert judged.findings == [], "a claim proves nothing, and the owner answered"


def test_broker_that_is_silent_is_no_matter_of_this_law() -> None:
    silent = logs(said(1, 0, "handled"), said(2, 90_000, "handled"))
    assert owner(refused(1, 40_000, 89_999)._replace(status=None), said=silent).findings == []


def test_view_of_the_owner_is_told() -> None:
    lines = logs(
        *LIVES[B1],
        said(70, 12_500, "active-owner-failed", UNIT, state="Assigning", owner=B1),
        said(71, 119_000, "handled"),
    )
    [found] = owner(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), said=lines).findings
    assert "its own view says Assigning" in found.why


def answered(*lookups: Lookup, **fields: object) -> LawOutcome:
    return ANSWERED.judge(scene(lookups=list(lookups), limits=FAST, start=0, end=100_000, **fields))


def test_lookups_that_nobody_answers_are_a_warning_or_a_violation_of_all() -> None:
    some = [
        refused(1, 1_000, 2_000),
        refused(2, 22_000, 23_000, B2),
        lookup(3, 5_000, 5_010, B1, B1, "persistent://t/n/b"),
    ]
    [found] = answered(*some).findings
    assert (found.severity, found.brokers) == (Severity.WARNING, (B1, B2))
    assert "1 of 2 units" in found.why
    [found] = answered(refused(1, 1_000, 2_000), refused(2, 60_000, 61_000)).findings
    assert found.severity == Severity.VIOLATION


def test_lookup_that_somebody_answers_is_answered() -> None:
    judged = answered(refused(1, 1_000, 2_000), lookup(2, 9_000, 9_010, B2, B1, TOPIC), refused(3, 22_000, 23_000))
    assert (judged.findings, judged.exercised) == ([], 1)
    assert answered().exercised == 0


def test_owner_whose_view_stopped_is_found_in_the_rolling_restart() -> None:
    run, start = recorded("rolling-restart"), started("rolling-restart")
    [found] = OWNER.judge(run).findings
    assert (found.severity, found.brokers[0][-1]) == (Severity.VIOLATION, "2")
    assert "2 units" in found.why
    assert "not in its own list" in found.why
    assert found.window is not None
    assert found.window.since is not None
    assert (found.window.since - start) / 1000 == pytest.approx(94.48, abs=0.1)
    assert found.window.possible_until is None


def test_no_lookup_is_answered_after_the_outage_with_the_metadata_store() -> None:
    run = recorded("zk-restart-metadata")
    assert sorted(found.brokers[0][-1] for found in OWNER.judge(run).findings) == ["2", "3"]
    [found] = ANSWERED.judge(run).findings
    assert found.severity == Severity.VIOLATION
    assert "all of 12 units" in found.why


def test_livelock_shows_in_lookups_alone() -> None:
    run, start = recorded("zk-partition-livelock"), started("zk-partition-livelock")
    [found] = ANSWERED.judge(run).findings
    assert found.severity == Severity.WARNING
    assert found.window is not None
    assert found.window.since is not None
    assert (found.window.since - start) / 1000 == pytest.approx(157.4, abs=0.5)
    assert found.window.possible_until is None


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "kill-owner", "zombie"])
def test_run_in_order_is_silent(name: str) -> None:
    for law in LAWS:
        judged = law.judge(recorded(name))
        assert (judged.findings, judged.doubts) == ([], [])
        assert judged.exercised > 0
