"""The law of clocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.laws.answers.clocks import CLOCK_SKEW
from oneowner.checkers.recordings.scene.registry import BROKERS
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, UNIT, channel, logs, message, printed, recorded, said, scene, write

RECORD = printed("Owned", 1, B1, timestamp=5)


def handled_at(time: int, **fields: object) -> Scene:
    """A record is published at 10 s and handled at *time*."""
    lines = logs(said(1, time, "handle-request", UNIT, data=RECORD))
    return scene(channel=channel(message(0, 10_000, RECORD)), said=lines, **fields)


def test_record_handled_after_it_is_published_is_well() -> None:
    judged = CLOCK_SKEW.judge(handled_at(10_003))
    assert judged.exercised == 1
    assert not judged.findings


def test_record_handled_before_it_is_published_proves_a_skew() -> None:
    (one,) = CLOCK_SKEW.judge(handled_at(9_500)).findings
    assert (one.severity, one.brokers) == (Severity.NOTE, (B1,))
    assert "at least 500 ms behind" in one.why


def test_wide_skew_is_a_warning() -> None:
    (one,) = CLOCK_SKEW.judge(handled_at(7_000)).findings
    assert one.severity == Severity.WARNING
    assert "--clock-skew 3000ms" in one.repair


def test_wide_skew_that_is_known_is_a_note() -> None:
    found = handled_at(7_000)
    found.limits = type(found.limits)(clock_skew=3_000)
    assert [one.severity for one in CLOCK_SKEW.judge(found).findings] == [Severity.NOTE]


@pytest.mark.parametrize(
    ("began", "ended", "way"), [(900, 950, "behind"), (3_000, 3_050, "ahead of"), (999, 1_010, None)]
)
def test_registration_bounds_the_clock_on_both_sides(began: int, ended: int, way: str | None) -> None:
    lines = logs(said(1, began, "registering"), said(2, ended, "registered"))
    found = CLOCK_SKEW.judge(scene(said=lines, writes=[write(1, 1_000, "create", BROKERS + B1)])).findings
    assert [f" {way} " in one.why for one in found] == ([] if way is None else [True])


def test_override_said_after_it_is_published_proves_a_skew() -> None:
    override = printed("Owned", 2, B1, force=True, timestamp=9)
    lines = logs(said(1, 13_000, "override", UNIT, inactive="b2:8080", orphan=RECORD, override=override))
    found = scene(channel=channel(message(0, 9_000, RECORD), message(1, 10_000, override)), said=lines)
    assert ["ahead of" in one.why for one in CLOCK_SKEW.judge(found).findings] == [True]


def test_law_without_occasion_is_not_exercised() -> None:
    judged = CLOCK_SKEW.judge(scene())
    assert (judged.exercised, judged.findings) == (0, [])


ALL = ["healthy", "healthy-quiet", "transfer", "shedding", "zombie", "metadata-store", "rolling-restart", "compaction"]


@pytest.mark.parametrize("name", ALL)
def test_recording_on_one_machine_has_one_clock(name: str) -> None:
    judged = CLOCK_SKEW.judge(recorded(name))
    assert judged.exercised > 10
    assert (judged.findings, judged.doubts) == ([], [])


@pytest.mark.parametrize("name", ["healthy", "metadata-store", "zombie"])
@pytest.mark.parametrize("shift", [3_000, -3_000])
def test_shifted_log_of_a_recording_is_found(name: str, shift: int) -> None:
    whole = recorded(name)
    broker = whole.brokers[0]
    lines = [line._replace(time=line.time + shift) for line in whole.said[broker]]
    lives = [life._replace(start=life.start + shift, end=life.end + shift) for life in whole.lives[broker]]
    shifted = replace(whole, said={**whole.said, broker: lines}, lives={**whole.lives, broker: lives})
    found = CLOCK_SKEW.judge(shifted).findings
    assert found
    assert {(one.severity, one.brokers) for one in found} == {(Severity.WARNING, (broker,))}
