"""Two brokers that serve one unit are found, each window with its cause; redirects and hand-overs are not."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.laws.serving.dual_serving import LAWS
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
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
    started,
)

[LAW] = LAWS
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
FORCED = message(1, 1_000, printed("Owned", 2, B2, B1, force=True))
JUMPED = [message(1, 900, None), message(2, 1_000, printed("Owned", 1, B2))]


def answer(number: int, start: int, end: int, broker: str) -> Lookup:
    return lookup(number, start, end, broker, broker, TOPIC)


def judge(*records: Message, lookups: list[Lookup], **fields: object) -> LawOutcome:
    return LAW.judge(scene(channel=channel(*records), lookups=lookups, end=90_000, **fields))


def test_answer_after_a_forced_record_is_a_warning_with_its_window_and_cause() -> None:
    judged = judge(OWNED, FORCED, lookups=[answer(1, 1_100, 1_500, B2), answer(2, 1_200, 1_250, B1)])
    [found] = judged.findings
    assert (found.severity, found.unit, found.brokers) == (Severity.WARNING, UNIT, (B1, B2))
    assert found.window is not None
    assert found.window[:3] == (1_200, 1_250, 1_000)
    assert "forced record" in found.why
    assert found.message_id == "0:1"
    assert judged.exercised == 2


def test_answer_without_a_cause_is_a_violation() -> None:
    moved = [
        message(1, 900, printed("Releasing", 2, B2, B1)),
        message(2, 950, printed("Assigning", 3, B2, B1)),
        message(3, 1_000, printed("Owned", 4, B2, B1)),
    ]
    judged = judge(OWNED, *moved, lookups=[answer(1, 1_100, 1_500, B2), answer(2, 1_200, 1_250, B1)])
    assert [found.severity for found in judged.findings] == [Severity.VIOLATION]
    assert "no cause" in judged.findings[0].why


def test_unit_whose_beginning_is_not_known_is_a_doubt() -> None:
    late = message(0, 1_000, printed("Owned", 7, B2))
    judged = judge(late, lookups=[answer(1, 1_100, 1_500, B2), answer(2, 1_200, 1_250, B1)])
    assert [found.severity for found in judged.findings] == [Severity.WARNING]
    assert len(judged.doubts) == 1


def test_window_longer_than_the_limit_is_a_violation_whatever_the_cause() -> None:
    asked = [answer(1, 1_100, 30_000, B2), answer(2, 1_200, 1_250, B1), answer(3, 20_000, 20_010, B1)]
    judged = judge(OWNED, FORCED, lookups=asked)
    assert [found.severity for found in judged.findings] == [Severity.VIOLATION]
    assert (
        judge(OWNED, FORCED, lookups=asked, limits=Limits(dual_serving=60_000)).findings[0].severity == Severity.WARNING
    )


def test_window_that_is_only_possible_is_a_doubt() -> None:
    judged = judge(OWNED, FORCED, lookups=[answer(1, 40_000, 40_010, B1)])
    [found] = judged.findings
    assert found.severity == Severity.WARNING
    assert found.window is not None
    assert found.window.since is None
    [doubt] = judged.doubts
    assert "for up to 89.0 s, longer than 10.0 s" in doubt


def test_window_ends_when_the_loser_names_the_new_owner() -> None:
    asked = [answer(1, 1_200, 1_250, B1), lookup(2, 2_000, 2_010, B1, B2, TOPIC)]
    [found] = judge(OWNED, FORCED, lookups=asked).findings
    assert found.window is not None
    assert found.window.possible_until == 2_010
    assert judge(OWNED, FORCED, lookups=asked).doubts == []


def test_answer_that_began_before_the_record_is_no_finding() -> None:
    judged = judge(OWNED, FORCED, lookups=[answer(1, 990, 1_200, B1), answer(2, 1_100, 1_150, B2)])
    assert (judged.findings, judged.exercised) == ([], 2)


def test_redirects_are_no_serving() -> None:
    asked = [
        lookup(1, 1_100, 1_150, B1, B2, TOPIC),
        lookup(2, 1_100, 1_150, B3, B1, TOPIC),
        answer(3, 1_100, 1_150, B2),
    ]
    assert judge(OWNED, FORCED, lookups=asked).findings == []


def test_clock_skew_excuses_what_it_can_explain() -> None:
    asked = [answer(1, 1_100, 1_500, B2), answer(2, 1_200, 1_250, B1)]
    assert judge(OWNED, FORCED, lookups=asked, limits=Limits(clock_skew=300)).findings == []


def test_many_answers_of_one_unit_are_one_finding() -> None:
    asked = [answer(n, 1_100 + 10 * n, 1_105 + 10 * n, (B1, B2)[n % 2]) for n in range(50)]
    [found] = judge(OWNED, FORCED, lookups=asked).findings
    assert found.window is not None
    assert found.window[:2] == (1_120, 1_585)
    assert len(found.evidence) <= 12


def test_topic_loaded_at_two_brokers_is_found() -> None:
    lines = logs(
        said(1, 20, "topic-created", topic=TOPIC),
        said(2, 1_700, "topic-unloading", topic=TOPIC),
        said(3, 1_710, "bundle-unloaded", UNIT, topics=1, ms=9.0),
        said(1, 1_300, "topic-created", broker=B2, topic=TOPIC),
        said(2, 5_000, "handled", broker=B2),
    )
    [found] = judge(OWNED, FORCED, lookups=[], said=lines).findings
    assert found.window is not None
    assert (found.severity, found.window[:2], found.brokers) == (Severity.WARNING, (1_300, 1_700), (B1, B2))
    assert "had its topics loaded" in found.why


def test_topics_loaded_twice_in_a_unit_that_the_channel_does_not_know_are_a_doubt() -> None:
    lines = logs(
        said(1, 20, "topic-created", topic=TOPIC),
        said(2, 9_000, "handled"),
        said(1, 1_300, "topic-created", broker=B2, topic=TOPIC),
        said(2, 5_000, "handled", broker=B2),
    )
    judged = judge(lookups=[], said=lines, boundaries={"t/n": (0, 0x80000000, 0xFFFFFFFF)})
    assert [found.severity for found in judged.findings] == [Severity.WARNING]
    assert len(judged.doubts) == 1


def test_topic_that_is_closed_before_the_next_opens_it_is_in_order() -> None:
    lines = logs(
        said(1, 20, "topic-created", topic=TOPIC),
        said(2, 900, "bundle-unloaded", UNIT, topics=1, ms=9.0),
        said(1, 1_300, "topic-created", broker=B2, topic=TOPIC),
    )
    judged = judge(OWNED, FORCED, lookups=[], said=lines)
    assert (judged.findings, judged.exercised) == ([], 2)


def test_law_has_no_occasion_without_answers_and_logs() -> None:
    assert judge(OWNED, FORCED, lookups=[]).exercised == 0


def windows(run: Scene, name: str) -> list[tuple[str, str, float, float, float]]:
    start, found = started(name), []
    for one in LAW.judge(run).findings:
        assert one.window is not None
        since, until, possible = ((time - start) / 1000 for time in one.window[:3] if time is not None)
        found.append((one.severity.value, one.brokers[0][-1], since, until, possible))
    return found


def test_zombie_answers_for_five_units_that_were_given_away_19_seconds_before() -> None:
    found = windows(recorded("zombie"), "zombie")
    assert [(severity, broker) for severity, broker, *_ in found] == [("warning", "3")] * 5
    for _, _, since, until, possible in found:
        assert since == about(65.209, 0.02)
        assert until == about(65.23, 0.03)
        assert possible == about(45.72, 0.05)
    assert any("19.6 s" in doubt for doubt in LAW.judge(recorded("zombie")).doubts)


def test_hung_leader_answers_for_five_units_that_were_given_away_65_seconds_before() -> None:
    found = windows(recorded("leader-hang"), "leader-hang")
    assert [(severity, broker) for severity, broker, *_ in found] == [("warning", "1")] * 5
    for _, _, since, until, possible in found:
        assert since == about(142.38, 0.05)
        assert 142.5 < until < 143.1
        assert possible == about(77.48, 0.01)


def test_broker_cut_from_zookeeper_cannot_close_its_topics_in_time() -> None:
    judged = LAW.judge(recorded("zk-partition"))
    assert {found.severity for found in judged.findings} == {Severity.WARNING}
    assert all("whole time-out of 20.0 s" in found.why for found in judged.findings)
    assert len(judged.doubts) == 2, "one for each broker that was cut"


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "kill-owner", "metadata-store"])
def test_run_in_order_is_silent(name: str) -> None:
    judged = LAW.judge(recorded(name))
    assert (judged.findings, judged.doubts) == ([], [])
    assert judged.exercised > 500
