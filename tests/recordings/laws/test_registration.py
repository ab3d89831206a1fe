"""Laws of the registry."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.recordings.laws.recovery.registration import LIVE_BROKER_IS_REGISTERED, SOMEBODY_IS_REGISTERED
from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.read.observations import NodeWrite, Said
from oneowner.checkers.recordings.scene.registry import BROKERS
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, logs, lookup, recorded, said, scene, seen_window, started, write

LAWS = (LIVE_BROKER_IS_REGISTERED, SOMEBODY_IS_REGISTERED)


def two_brokers(*, until: int = 200_000, **fields: Any) -> Scene:
    """Two processes that live to *until*, both registered at 1 s; the session of the first ends at 50 s."""
    lines = [said(1, 0, "broker-starting"), said(2, 1_010, "registered"), said(9, until, "owner-returned")]
    others = [line._replace(broker=B2, origin=line.origin._replace(piece=2)) for line in lines]
    writes = [
        write(1, 1_000, "create", BROKERS + B1, "0x1"),
        write(2, 1_000, "create", BROKERS + B2, "0x2"),
        write(3, 50_000, "closeSession", session="0x1"),
    ]
    return scene(said=logs(*lines, *others), writes=writes, **fields)


def session(number: int, time: int, event: str) -> Said:
    return said(number, time, "session-event")._replace(values={"event": event, "at": time})


def again(number: int, time: int) -> NodeWrite:
    return write(number, time, "create", BROKERS + B1, "0x3")


def severities(judged: LawOutcome) -> list[Severity]:
    return [one.severity for one in judged.findings]


def test_live_broker_that_stays_unregistered_is_a_violation() -> None:
    judged = LIVE_BROKER_IS_REGISTERED.judge(two_brokers(until=300_000))
    assert severities(judged) == [Severity.VIOLATION]
    assert "was not registered for 250.0 s" in judged.findings[0].why
    assert judged.findings[0].brokers == (B1,)


def test_live_broker_that_is_registered_again_late_is_a_warning() -> None:
    found = two_brokers(until=300_000)
    found.writes.append(again(4, 131_000))
    judged = LIVE_BROKER_IS_REGISTERED.judge(found)
    assert severities(judged) == [Severity.WARNING]
    assert judged.findings[0].window is not None
    assert judged.findings[0].window[:2] == (50_000, 131_000)


def test_time_counts_for_a_violation_from_when_the_session_is_back() -> None:
    found = two_brokers(until=300_000)
    found.writes.append(again(4, 290_000))
    found.said[B1][2:2] = [session(3, 55_000, "SessionLost"), session(4, 200_000, "SessionReestablished")]
    found.lives[B1] = [found.lives[B1][0]._replace(last=5)]
    judged = LIVE_BROKER_IS_REGISTERED.judge(found)
    assert severities(judged) == [Severity.WARNING]
    assert "its session was back" in judged.findings[0].why
    assert "#24907" in judged.findings[0].upstream


def test_broker_that_registers_again_within_a_session_is_well() -> None:
    found = two_brokers()
    found.writes.append(again(4, 50_020))
    judged = LIVE_BROKER_IS_REGISTERED.judge(found)
    assert judged.exercised
    assert not judged.findings


def test_broker_that_died_is_not_missed() -> None:
    found = two_brokers()
    found.lives[B1] = [found.lives[B1][0]._replace(end=45_000)]
    assert not LIVE_BROKER_IS_REGISTERED.judge(found).findings


def test_broker_that_still_answers_lives_beyond_its_log() -> None:
    found = two_brokers()
    found.lives[B1] = [found.lives[B1][0]._replace(end=45_000)]
    found.lookups.append(lookup(1, 99_000, 99_010, B1, answer=B2))
    assert severities(LIVE_BROKER_IS_REGISTERED.judge(found)) == [Severity.WARNING]


def test_broker_that_unregisters_by_itself_leaves() -> None:
    found = two_brokers(until=100_000)
    found.writes[2] = write(3, 50_000, "delete", BROKERS + B1, "0x1")
    assert not LIVE_BROKER_IS_REGISTERED.judge(found).findings


def test_broker_that_never_registers_is_a_violation() -> None:
    lines = logs(said(1, 0, "broker-starting"), said(2, 200_000, "owner-returned"))
    judged = LIVE_BROKER_IS_REGISTERED.judge(scene(said=lines, writes=[]))
    assert severities(judged) == [Severity.VIOLATION]


def test_history_with_a_hole_is_a_doubt_and_no_violation() -> None:
    found = two_brokers(until=300_000)
    found.said[B1].insert(2, said(3, 51_000, "registered"))
    found.lives[B1] = [found.lives[B1][0]._replace(last=4)]
    found.writes[2] = write(3, 20_000, "closeSession", session="0x1")
    found.limits = type(found.limits)(session=10_000)
    judged = LIVE_BROKER_IS_REGISTERED.judge(found)
    assert severities(judged) == [Severity.WARNING]  # from 20 s to 51 s
    assert judged.doubts


def test_nobody_registered_is_a_violation() -> None:
    found = two_brokers()
    found.writes.append(write(4, 60_000, "closeSession", session="0x2"))
    judged = SOMEBODY_IS_REGISTERED.judge(found)
    assert severities(judged) == [Severity.VIOLATION]
    assert judged.findings[0].brokers == (B1, B2)
    assert judged.findings[0].window is not None
    assert judged.findings[0].window[:2] == (60_000, 200_000)


def test_one_of_two_registered_is_somebody() -> None:
    judged = SOMEBODY_IS_REGISTERED.judge(two_brokers())
    assert judged.exercised
    assert not judged.findings


def test_stopped_cluster_misses_nobody() -> None:
    found = two_brokers(until=55_000)
    found.writes.append(write(4, 54_000, "closeSession", session="0x2"))
    assert not SOMEBODY_IS_REGISTERED.judge(found).findings


@pytest.mark.parametrize("law", LAWS)
def test_law_without_occasion_is_not_exercised(law: Any) -> None:
    judged = law.judge(scene())
    assert (judged.exercised, judged.findings) == (0, [])


@pytest.mark.parametrize(
    "name", ["healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-owner", "compaction"]
)
@pytest.mark.parametrize("law", LAWS)
def test_recording_with_all_registered_is_well(name: str, law: Any) -> None:
    judged = law.judge(recorded(name))
    assert judged.exercised >= 3
    assert (judged.findings, judged.doubts) == ([], [])


UNLISTED = {
    "zombie": [("warning", 1, 127.4, 74.8), ("warning", 3, 45.4, 101.2)],  # run.G2: 81 s of it with its session back
    "leader-hang": [("warning", 1, 44.2, 138.1)],
    "zk-partition": [("warning", 1, 121.6, 76.0), ("warning", 2, 45.6, 91.9)],
    "zk-partition-metadata": [("warning", 1, 120.6, 74.0), ("warning", 2, 42.6, 92.4)],
    "zk-partition-livelock": [("warning", 1, 122.4, 106.2), ("violation", 3, 44.4, 184.2)],
    "zk-restart": [("violation", 1, 114.0, 197.6), ("violation", 3, 114.0, 203.6), ("warning", 2, 114.0, 19.6)],
    "zk-restart-metadata": [("warning", 2, 121.1, 40.4), ("warning", 3, 121.1, 40.7)],
}


@pytest.mark.parametrize("name", UNLISTED)
def test_recording_shows_who_was_not_registered(name: str) -> None:
    found = LIVE_BROKER_IS_REGISTERED.judge(recorded(name)).findings
    expected = [(severity, (f"127.0.0.1:1808{number}",)) for severity, number, _, _ in UNLISTED[name]]
    assert [(str(one.severity), one.brokers) for one in found] == expected
    for one, (_, _, since, lasted) in zip(found, UNLISTED[name], strict=True):
        window = seen_window(one)
        assert (window[0] - started(name)) / 1000 == pytest.approx(since, abs=0.5)
        assert (window[1] - window[0]) / 1000 == pytest.approx(lasted, abs=10)


NOBODY = [("zk-restart", 114.0, 68.7), ("zk-restart-metadata", 121.1, 41.7)]


@pytest.mark.parametrize(("name", "since", "lasted"), NOBODY)
def test_recording_shows_that_nobody_was_registered(name: str, since: float, lasted: float) -> None:
    (one,) = SOMEBODY_IS_REGISTERED.judge(recorded(name)).findings
    assert one.severity == Severity.VIOLATION
    window = seen_window(one)
    assert (window[0] - started(name)) / 1000 == pytest.approx(since, abs=0.5)
    assert (window[1] - window[0]) / 1000 == pytest.approx(lasted, abs=1)
