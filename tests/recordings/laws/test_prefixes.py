"""Laws of lookups against prefixes of the channel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.answers.lookups import LAWS, LOOKUP_FOLLOWS_THE_LOG, LOOKUPS_ARE_MONOTONE
from oneowner.checkers.recordings.laws.answers.views_by_prefix import StagesByTopic
from oneowner.checkers.recordings.laws.views.line_record_join import Places
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from oneowner.model.pulsar.boundaries import includes, topic_hash
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    printed,
    recorded,
    said,
    scene,
)

TOPIC = next(name for name in map("persistent://t/n/t{}".format, range(99)) if topic_hash(name) < 0x80000000)
CHANNEL = (
    message(0, 1_000, printed("Assigning", 1, B1, timestamp=1)),
    message(1, 1_100, printed("Owned", 2, B1, timestamp=2)),
    message(2, 5_000, printed("Releasing", 3, B2, B1, timestamp=3)),
    message(3, 5_100, printed("Assigning", 4, B2, B1, timestamp=4)),
    message(4, 5_200, printed("Owned", 5, B2, B1, timestamp=5)),
)


def asked(*lookups: Lookup, **fields: Any) -> Scene:
    lives = logs(
        *(said(1, 0, "channel-started", broker=broker) for broker in (B1, B2, B3)),
        *(said(2, 99_000, "owner-returned", broker=broker) for broker in (B1, B2, B3)),
    )
    return scene(**{"channel": channel(*CHANNEL), "lookups": list(lookups), "said": lives, **fields})


def at(number: int, start: int, answer: str, broker: str = B3, end: int | None = None) -> Lookup:
    return lookup(number, start, start + 10 if end is None else end, broker, answer, TOPIC)


def test_stages_name_destinations_and_the_source_of_a_split() -> None:
    whole = channel(*CHANNEL, message(5, 6_000, printed("Splitting", 6, "", B2)), message(6, 7_000, None))
    found = scene(channel=whole)
    stages = StagesByTopic(found, Places(found)).stages(TOPIC)
    assert stages is not None
    assert [sorted(stage.names) for stage in stages.stages] == [[], [B1], [B1], [B2], [B2], [B2], [B2], []]


def test_answer_of_a_laggard_is_well() -> None:
    judged = LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 3_000, B1), at(2, 20_000, B1), at(3, 21_000, B2)))
    assert judged.exercised == 3
    assert not judged.findings


def test_answer_before_its_record_is_a_violation() -> None:
    (one,) = LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 3_000, B2))).findings
    assert (one.severity, one.unit, one.brokers) == (Severity.VIOLATION, UNIT, (B3, B2))
    assert "no record published by then names it" in one.why
    assert one.repair == "the channel allows b1:8080"


def test_answer_that_no_record_ever_names_is_a_violation() -> None:
    assert len(LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 9_000, B3), at(2, 9_500, B3))).findings) == 1


def test_answer_after_the_end_of_the_dump_is_a_doubt() -> None:
    found = asked(at(1, 9_000, B3))
    found.lives = {broker: [life._replace(debug_since=None) for life in lives] for broker, lives in found.lives.items()}
    judged = LOOKUP_FOLLOWS_THE_LOG.judge(found)
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_answer_that_waits_for_its_record_is_well() -> None:
    assert not LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 900, B1, end=1_150))).findings


def test_answer_within_the_uncertainty_of_clocks_is_well() -> None:
    found = asked(at(1, 4_000, B2))
    found.limits = type(found.limits)(clock_skew=2_000)
    assert not LOOKUP_FOLLOWS_THE_LOG.judge(found).findings


def test_answer_older_than_what_was_handled_long_before_is_a_violation() -> None:
    record = printed("Owned", 5, B2, B1, timestamp=5)
    lines = logs(
        said(1, 0, "channel-started", broker=B3),
        said(2, 5_300, "handle-request", UNIT, broker=B3, data=record),
        said(3, 99_000, "owner-returned", broker=B3),
    )
    (one,) = LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 40_000, B1), said=lines)).findings
    assert "it had consumed more" in one.why
    assert not LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 30_000, B1), said=lines)).findings  # it may have waited since


def test_process_that_starts_reads_all_that_is_there() -> None:
    lines = logs(
        said(1, 10_000, "broker-starting", broker=B3),
        said(2, 12_000, "channel-started", broker=B3),
        said(3, 99_000, "owner-returned", broker=B3),
    )
    assert len(LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 50_000, B1), said=lines)).findings) == 1


def test_answer_of_a_dump_that_begins_later_is_unknown_and_well() -> None:
    late = channel(message(0, 5_200, printed("Owned", 5, B2, B1)))
    assert not LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 1_000, B1), channel=late)).findings


def test_answer_about_a_namespace_that_the_channel_lacks_is_a_doubt() -> None:
    judged = LOOKUP_FOLLOWS_THE_LOG.judge(asked(lookup(1, 100, 200, B1, B2, "persistent://t/other/t0")))
    assert (judged.exercised, len(judged.doubts)) == (0, 1)


def test_answer_about_a_split_topic_may_follow_parent_or_child() -> None:
    low = next(half for half in ("t/n/0x00000000_0x40000000", "t/n/0x40000000_0x80000000") if _holds(half))
    whole = channel(*CHANNEL, message(5, 8_000, printed("Owned", 1, B3), low))
    assert not LOOKUP_FOLLOWS_THE_LOG.judge(asked(at(1, 9_000, B3), at(2, 9_000, B2), channel=whole)).findings


def _holds(unit: str) -> bool:
    return includes(channel(message(0, 0, None, unit)).units[unit].range, topic_hash(TOPIC))


def test_answers_that_go_back_are_a_violation_with_three_lines() -> None:
    (one,) = LOOKUPS_ARE_MONOTONE.judge(asked(at(1, 6_000, B2), at(2, 7_000, B1), at(3, 8_000, B1))).findings
    assert (one.severity, one.unit, one.brokers) == (Severity.VIOLATION, UNIT, (B3, B2, B1))
    assert [cited.message_id for cited in one.evidence] == [None, "0:2", None, None]
    assert "(2 times" in one.why


def test_answers_that_overlap_may_come_in_any_order() -> None:
    judged = LOOKUPS_ARE_MONOTONE.judge(asked(at(1, 6_000, B2, end=7_005), at(2, 7_000, B1)))
    assert not judged.findings


def test_answers_of_two_brokers_need_not_agree() -> None:
    assert not LOOKUPS_ARE_MONOTONE.judge(asked(at(1, 6_000, B2, B1), at(2, 7_000, B1, B3))).findings


def test_answers_that_go_on_are_well() -> None:
    judged = LOOKUPS_ARE_MONOTONE.judge(asked(at(1, 2_000, B1), at(2, 6_000, B1), at(3, 7_000, B2)))
    assert judged.exercised == 2
    assert not judged.findings


@pytest.mark.parametrize("law", LAWS)
def test_law_without_occasion_is_not_exercised(law: Any) -> None:
    judged = law.judge(scene(channel=channel(message(0, 0, printed("Owned", 1, B1), OTHER))))
    assert (judged.exercised, judged.findings) == (0, [])


ALL = [
    "healthy", "healthy-quiet", "transfer", "split", "kill-owner", "kill-mid-transfer", "zombie", "zk-partition",
    "zk-partition-metadata", "metadata-store", "zk-restart", "zk-restart-metadata", "compaction", "delete-decommission",
    "rolling-restart", "shedding", "leader-hang",
]  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ALL)
def test_every_recorded_answer_follows_a_prefix(name: str, law: Any) -> None:
    judged = law.judge(recorded(name))
    assert judged.exercised > 1_000
    assert (judged.findings, judged.doubts) == ([], [])


@pytest.mark.parametrize("name", ["healthy", "zombie"])
def test_forged_answer_in_a_recording_is_found(name: str) -> None:
    whole = recorded(name)
    number = len(whole.lookups) // 2
    forged = whole.lookups[number]
    other = next(broker for broker in whole.brokers if broker not in (forged.answer, forged.redirect))
    lookups = [*whole.lookups[:number], forged._replace(answer=other), *whole.lookups[number + 1 :]]
    found = [one for law in LAWS for one in law.judge(replace(whole, lookups=lookups)).findings]
    assert found
    assert {one.severity for one in found} == {Severity.VIOLATION}
    assert all(other in one.brokers for one in found)
