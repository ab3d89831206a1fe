"""Laws of clean-ups."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.recordings.laws.recovery.cleanups import CLEANUP_HITS_THE_DEAD, CLEANUP_IS_CALLED_OFF
from oneowner.checkers.recordings.laws.recovery.ended_registrations import RECOVERY_RUNS
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.scene.registry import BROKERS
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    message,
    printed,
    recorded,
    said,
    scene,
    seen_window,
    started,
    write,
)

LAWS = (RECOVERY_RUNS, CLEANUP_HITS_THE_DEAD, CLEANUP_IS_CALLED_OFF)


def dead_broker(*lines: Said, until: int = 300_000, **fields: Any) -> Scene:
    """B2 owns the unit and dies at 45 s, its session ends at 50 s; *lines* are of B1, which lives to *until*."""
    own = [said(1, 0, "broker-starting"), *lines, said(99, until, "owner-returned")]
    other = [said(1, 0, "broker-starting", broker=B2), said(2, 45_000, "x", broker=B2)]
    writes = [
        write(1, 900, "create", BROKERS + B1, "0x1"),
        write(2, 1_000, "create", BROKERS + B2, "0x2"),
        write(3, 50_000, "closeSession", session="0x2"),
    ]
    owned = channel(message(0, 2_000, printed("Owned", 1, B2)))
    return scene(**{"said": logs(*own, *other), "writes": writes, "channel": owned, **fields})


def handled(number: int, time: int, subject: str = B2) -> Said:
    return said(number, time, "cleanup-handled", subject=subject, state="Stable", at=0)


def one_of(law: Any, found: Scene) -> Finding:
    (one,) = law.judge(found).findings
    assert isinstance(one, Finding)
    return one


def test_deletion_that_nobody_handles_is_a_warning() -> None:
    lines = said(2, 50_010, "deletion-failed", error="There is no channel owner now.")
    one = one_of(RECOVERY_RUNS, dead_broker(lines))
    assert (one.severity, one.brokers) == (Severity.WARNING, (B2,))
    assert seen_window(one) == (50_000, 300_000)
    assert "b1:8080 heard of it and did nothing: 1 bundles that named it waited" in one.why


def test_deletion_that_the_next_monitor_run_finds_is_a_note() -> None:
    one = one_of(RECOVERY_RUNS, dead_broker(handled(2, 90_000)))
    assert one.severity == Severity.NOTE
    assert seen_window(one) == (50_000, 90_000)


def test_deletion_handled_at_once_is_well() -> None:
    judged = RECOVERY_RUNS.judge(dead_broker(handled(2, 50_020)))
    assert judged.exercised == 1
    assert not judged.findings


def test_deletion_of_a_broker_that_owned_nothing_needs_no_handling() -> None:
    empty = channel(message(0, 2_000, printed("Owned", 1, B1)))
    assert not RECOVERY_RUNS.judge(dead_broker(channel=empty)).findings


def test_broker_that_registers_again_at_once_needs_no_handling() -> None:
    found = dead_broker()
    found.writes.append(write(4, 50_020, "create", BROKERS + B2, "0x3"))
    judged = RECOVERY_RUNS.judge(found)
    assert (judged.exercised, judged.findings) == (0, [])


def cleanup(subject: str, speaker: str = B1, at: int = 51_000) -> list[Said]:
    orphan, override = printed("Owned", 1, B2), printed("Owned", 2, B1, B2, force=True)
    return [
        said(2, at, "cleanup-started", broker=speaker, subject=subject),
        said(3, at + 10, "override", UNIT, broker=speaker, inactive=subject, orphan=orphan, override=override),
        said(4, at + 20, "cleanup-completed", broker=speaker, subject=subject, orphans=1),
    ]


def test_cleanup_of_a_dead_broker_is_well() -> None:
    judged = CLEANUP_HITS_THE_DEAD.judge(dead_broker(*cleanup(B2)))
    assert judged.exercised == 1
    assert not judged.findings


def test_cleanup_of_a_live_broker_is_a_note() -> None:
    found = dead_broker(*cleanup(B2))
    found.said[B2].append(said(3, 60_000, "x", broker=B2))
    found.lives[B2] = [found.lives[B2][0]._replace(end=60_000, last=3)]
    one = one_of(CLEANUP_HITS_THE_DEAD, found)
    assert (one.severity, one.brokers) == (Severity.NOTE, (B1, B2))
    assert "gave 1 bundles of b2:8080 away" in one.why
    assert "it said something again 9.0 s later" in one.why


def test_cleanup_by_a_departing_broker_is_a_note() -> None:
    one = one_of(CLEANUP_HITS_THE_DEAD, scene(said=logs(*cleanup(B1), said(9, 60_000, "broker-closed"))))
    assert one.severity == Severity.NOTE
    assert "was stopping" in one.why


def test_cleanup_of_a_broker_that_stops_is_well() -> None:
    found = dead_broker(*cleanup(B2))
    found.said[B2][1:] = [said(2, 44_000, "broker-closing", broker=B2), said(3, 60_000, "x", broker=B2)]
    found.lives[B2] = [found.lives[B2][0]._replace(end=60_000, last=3)]
    assert not CLEANUP_HITS_THE_DEAD.judge(found).findings


def test_cleanup_of_a_healthy_broker_is_called_off_with_a_note() -> None:
    found = dead_broker(
        said(2, 50_030, "cleanup-scheduled", subject=B2), said(3, 50_300, "cleanup-skipped-healthy", subject=B2)
    )
    found.writes.append(write(4, 50_020, "create", BROKERS + B2, "0x3"))
    one = one_of(CLEANUP_IS_CALLED_OFF, found)
    assert (one.severity, one.brokers) == (Severity.NOTE, (B1, B2))
    assert [cited.time for cited in one.evidence] == [50_000, 50_020, 50_300]


def test_cleanup_that_is_not_called_off_is_well() -> None:
    judged = CLEANUP_IS_CALLED_OFF.judge(dead_broker(said(2, 50_030, "cleanup-scheduled", subject=B2)))
    assert judged.exercised == 1
    assert not judged.findings


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "split"])
def test_recording_without_clean_up_exercises_nothing(name: str, law: Any) -> None:
    judged = law.judge(recorded(name))
    assert (judged.exercised, judged.findings, judged.doubts) == (0, [], [])


@pytest.mark.parametrize("name", ["kill-owner", "kill-mid-transfer", "metadata-store", "zk-partition"])
def test_recording_whose_deletions_are_handled_at_once_is_well(name: str) -> None:
    judged = RECOVERY_RUNS.judge(recorded(name))
    assert judged.exercised >= 1
    assert (judged.findings, judged.doubts) == ([], [])


LOST = [
    ("zombie", "note", "1", 127.4, 146.9),
    ("leader-hang", "warning", "1", 44.2, 77.0),
    ("zk-partition-livelock", "warning", "1", 122.4, 228.6),
    ("zk-restart", "warning", "123", 114.0, 309.6),
    ("zk-restart-metadata", "warning", "123", 121.1, 161.8),
]


@pytest.mark.parametrize(("name", "severity", "brokers", "since", "until"), LOST)
def test_recording_shows_deletions_that_nobody_handles(
    name: str, severity: str, brokers: str, since: float, until: float
) -> None:
    one = one_of(RECOVERY_RUNS, recorded(name))
    begin, end = seen_window(one)
    assert (str(one.severity), "".join(broker[-1] for broker in one.brokers)) == (severity, brokers)
    assert ((begin - started(name)) / 1000, (end - started(name)) / 1000) == pytest.approx((since, until), abs=1.0)


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("zombie", [45.7, 147.2]),
        ("leader-hang", [77.5]),
        ("zk-partition", [45.9, 122.1]),
        ("zk-partition-metadata", [42.9, 121.3]),
        ("delete-decommission", [49.0, 86.2]),
        ("rolling-restart", [39.0, 66.0, 94.3]),
        ("kill-owner", []),
        ("kill-mid-transfer", []),
    ],
)
def test_recording_shows_what_was_taken_from_the_living(name: str, times: list[float]) -> None:
    found = CLEANUP_HITS_THE_DEAD.judge(recorded(name)).findings
    assert {one.severity for one in found} <= {Severity.NOTE}
    assert [((one.time or 0) - started(name)) / 1000 for one in found] == pytest.approx(times, abs=0.1)


def test_recorded_quick_restarts_call_two_clean_ups_off() -> None:
    found = CLEANUP_IS_CALLED_OFF.judge(recorded("compaction")).findings  # run.G10; the third had no leader to hear it
    assert [one.severity for one in found] == [Severity.NOTE] * 2
    assert [((one.time or 0) - started("compaction")) / 1000 for one in found] == pytest.approx([59.7, 83.7], abs=0.1)
