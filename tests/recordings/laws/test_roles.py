"""The law of roles."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.recovery.leader_roles import ROLE_IS_TAKEN
from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.scene.registry import BROKERS, LEADER
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, logs, poll, recorded, said, scene, seen_window, started, write

RETRY = "The broker:b1:8080 failed to set the role. Retrying 1 th ..."
WHY = "Failed to lookup broker:Optional[b1:8080] for bundle:pulsar/system/0x0_0x1, the broker has not been registered."


def elected(*lines: Said, until: int, registered: bool = True) -> Scene:
    """B1 is elected at 10 s and begins to play; *lines* follow; its log ends at *until*."""
    writes = [write(1, 1_000, "create", BROKERS + B1, "0x1")] if registered else []
    writes += [write(2, 10_000, "create", LEADER, "0x1", f'{{"brokerId":"{B1}"}}')]
    begin = [said(1, 0, "broker-starting"), said(2, 10_010, "role-setting", to="Leader", **{"from": "Follower"})]
    return scene(said=logs(*begin, *lines, said(99, until, "owner-returned")), writes=writes)


def test_role_taken_in_time_is_well() -> None:
    judged = ROLE_IS_TAKEN.judge(elected(said(3, 12_000, "plays-leader"), until=500_000))
    assert judged.exercised == 1
    assert not judged.findings


def test_role_taken_late_is_a_warning() -> None:
    (one,) = ROLE_IS_TAKEN.judge(elected(said(3, 50_000, "plays-leader"), until=500_000)).findings
    assert (one.severity, one.brokers) == (Severity.WARNING, (B1,))
    assert seen_window(one) == (10_000, 50_000)


def test_role_never_taken_is_a_violation() -> None:
    (one,) = ROLE_IS_TAKEN.judge(elected(until=120_000)).findings
    assert one.severity == Severity.VIOLATION
    assert "to the end of its log" in one.why


def test_log_without_lines_of_roles_need_not_show_an_election() -> None:
    found = elected(
        *[said(10 + n, 11_000 + n, "role-failed", text=RETRY, retry=n + 1) for n in range(3)], until=200_000
    )
    found.said[B1] = [line for line in found.said[B1] if line.event != "role-setting"]
    assert not ROLE_IS_TAKEN.judge(found).findings


def test_role_given_up_in_time_is_well() -> None:
    next_role = said(3, 20_000, "role-setting", to="Follower"), said(4, 20_100, "plays-follower")
    assert not ROLE_IS_TAKEN.judge(elected(*next_role, until=500_000)).findings


def test_retries_without_end_are_counted_with_their_thread_and_reason() -> None:
    retries = [said(10 + n, 11_000 + 1_000 * n, "role-failed", text=RETRY, retry=n + 1) for n in range(100)]
    reasons = [said(200, 11_000, "owner-not-registered", text=WHY), said(201, 12_000, "owner-not-registered", text=WHY)]
    lines = sorted([*retries, *reasons], key=lambda line: line.time)
    (one,) = ROLE_IS_TAKEN.judge(elected(*lines, until=111_000, registered=False)).findings
    assert one.severity == Severity.VIOLATION
    assert "tried again 100 times in 99.0 s on thread thread, without end" in one.why
    assert "2 times meanwhile: Failed to lookup broker" in one.why
    registered_later = elected(*lines, until=111_000)
    registered_later.writes.insert(1, write(3, 5_000, "closeSession", session="0x1"))
    (one,) = ROLE_IS_TAKEN.judge(registered_later).findings
    assert "it is not registered" in one.why


def test_election_of_which_the_elected_says_nothing_is_a_violation() -> None:
    found = elected(until=120_000)
    del found.said[B1][1]
    found.said[B1].insert(1, said(1, 500, "plays-follower"))
    (one,) = ROLE_IS_TAKEN.judge(found).findings
    assert one.severity == Severity.VIOLATION


def test_missing_line_of_a_role_is_made_up_for_by_what_the_thread_does_next() -> None:
    assert not ROLE_IS_TAKEN.judge(elected(said(3, 12_000, "monitor-completed"), until=500_000)).findings


def test_hung_former_leader_is_named() -> None:
    found = elected(said(3, 50_000, "plays-leader"), until=60_000)
    former = [said(1, 0, "plays-leader", broker=B2), said(2, 8_000, "x", broker=B2), said(3, 49_000, "x", broker=B2)]
    hung = scene(said={**found.said, B2: former}, polls=[poll(1, 9_000, 49_010, B2)])
    hung.writes = [
        write(0, 500, "create", LEADER, "0x2", f'{{"brokerId":"{B2}"}}'),
        write(0, 9_990, "closeSession", session="0x2"),
    ]
    hung.writes += found.writes
    (one,) = ROLE_IS_TAKEN.judge(hung).findings
    assert "the former leader b2:8080 hung" in one.why


def test_followers_that_wait_for_the_leader_are_told_with_it() -> None:
    found = elected(said(3, 50_000, "plays-leader"), until=60_000)
    waiting = [said(1, 10_020, "role-setting", broker=B3, to="Follower"), said(2, 50_010, "plays-follower", broker=B3)]
    (one,) = ROLE_IS_TAKEN.judge(scene(said={**found.said, B3: waiting}, writes=found.writes)).findings
    assert one.brokers == (B1, B3)


def test_follower_that_is_late_alone_is_a_warning() -> None:
    waiting = [said(1, 10_000, "role-setting", to="Follower"), said(2, 150_000, "plays-follower")]
    (one,) = ROLE_IS_TAKEN.judge(scene(said=logs(*waiting))).findings
    assert one.severity == Severity.WARNING


def test_missing_line_of_a_beginning_is_made_up_for_by_the_end() -> None:
    found = elected(said(3, 12_000, "plays-leader"), until=500_000)
    del found.said[B1][1]
    judged = ROLE_IS_TAKEN.judge(found)
    assert (judged.exercised, judged.findings) == (1, [])


def test_follower_that_never_says_that_it_follows_is_a_doubt() -> None:
    lines = [said(1, 10_000, "role-setting", to="Follower"), said(2, 500_000, "owner-returned")]
    judged = ROLE_IS_TAKEN.judge(scene(said=logs(*lines)))
    assert (judged.findings, len(judged.doubts)) == ([], 1)


def test_scene_without_roles_does_not_exercise_the_law() -> None:
    judged = ROLE_IS_TAKEN.judge(scene(said=logs(said(1, 0, "owner-returned"))))
    assert (judged.exercised, judged.findings) == (0, [])


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding", "compaction", "metadata-store"])
def test_recording_whose_roles_are_taken_at_once_is_well(name: str) -> None:
    judged = ROLE_IS_TAKEN.judge(recorded(name))
    assert judged.exercised >= 3
    assert (judged.findings, judged.doubts) == ([], [])


STALLED = [
    ("zombie", "warning", "23", 127.4, 19.2),  # run.G3: until the hung leader goes on
    ("leader-hang", "violation", "23", 44.2, 32.8),
    ("zk-restart", "violation", "2", 182.7, 126.9),  # run.G9: its own start needs 115 s
    ("zk-partition-livelock", "violation", "312", 122.4, 106.2),  # run.G2
]


@pytest.mark.parametrize(("name", "severity", "brokers", "since", "lasted"), STALLED)
def test_recording_shows_a_role_that_is_not_taken(
    name: str, severity: str, brokers: str, since: float, lasted: float
) -> None:
    (one,) = ROLE_IS_TAKEN.judge(recorded(name)).findings
    window = seen_window(one)
    assert (str(one.severity), one.brokers[0][-1]) == (severity, brokers[0])
    assert (window[0] - started(name)) / 1000 == pytest.approx(since, abs=0.2)
    assert (window[1] - window[0]) / 1000 == pytest.approx(lasted, abs=0.5)


def test_recorded_livelock_is_told_with_its_count_thread_and_cause() -> None:
    (one,) = ROLE_IS_TAKEN.judge(recorded("zk-partition-livelock")).findings
    assert "tried again 521 times in 106.0 s on thread pulsar-load-manager-1-1, without end" in one.why
    assert "the broker has not been registered; it is not registered, and the check" in one.why


def test_recorded_hang_names_the_hung_leader() -> None:
    (one,) = ROLE_IS_TAKEN.judge(recorded("leader-hang")).findings
    assert "the former leader 127.0.0.1:18081 hung" in one.why
