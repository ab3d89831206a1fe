"""Laws of bad times."""

from __future__ import annotations

from typing import Any

import pytest

from oneowner.checkers.recordings.laws.recovery.safe_mode import RECOVERY_IS_STABLE, REDIRECTS_END, STAYS_UP
from oneowner.checkers.recordings.read.observations import Said
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, call, logs, lookup, recorded, said, scene, started

LAWS = (RECOVERY_IS_STABLE, STAYS_UP, REDIRECTS_END)


def session(number: int, time: int, event: str) -> Said:
    return said(number, time, "session-event")._replace(values={"event": event, "at": time})


def test_skipped_recovery_is_one_note() -> None:
    lines = [said(number, number * 15_000, "monitor-skipped-unstable", state="Unstable") for number in (1, 2, 3)]
    (one,) = RECOVERY_IS_STABLE.judge(scene(said=logs(*lines))).findings
    assert one.severity == Severity.NOTE
    assert "skipped recovery 3 times" in one.why


def test_recovery_skipped_for_long_is_a_warning() -> None:
    lines = [said(number, number * 60_000, "monitor-skipped-unstable", state="Unstable") for number in (1, 2, 3)]
    (one,) = RECOVERY_IS_STABLE.judge(scene(said=logs(*lines))).findings
    assert one.severity == Severity.WARNING
    assert "#25132" in one.upstream


def test_old_job_that_acts_while_the_session_is_lost_is_a_note() -> None:
    lines = [session(1, 100, "SessionLost"), said(2, 200, "cleanup-started", subject=B2)]
    (one,) = RECOVERY_IS_STABLE.judge(scene(said=logs(*lines))).findings
    assert one.severity == Severity.NOTE


def test_job_after_the_session_is_back_is_well() -> None:
    lines = [session(1, 100, "SessionLost"), session(2, 150, "SessionReestablished")]
    lines += [said(3, 200, "cleanup-started", subject=B2)]
    judged = RECOVERY_IS_STABLE.judge(scene(said=logs(*lines)))
    assert judged.exercised == 1
    assert not judged.findings


def test_clean_up_in_a_jittery_state_is_a_note() -> None:
    lines = [said(1, 200, "cleanup-handled", subject=B2, state="Jittery", at=100)]
    assert len(RECOVERY_IS_STABLE.judge(scene(said=logs(*lines))).findings) == 1


def test_broker_that_exits_is_a_warning() -> None:
    lines = [said(1, 100, "view-shut-down"), said(2, 110, "broker-shut-down")]
    (one,) = STAYS_UP.judge(scene(said=logs(*lines))).findings
    assert (one.severity, one.brokers) == (Severity.WARNING, (B1,))
    assert "could not be filled again" in one.why


def test_broker_that_is_told_to_stop_is_well() -> None:
    judged = STAYS_UP.judge(scene(said=logs(said(1, 100, "broker-closing"), said(2, 200, "broker-closed"))))
    assert judged.exercised == 1
    assert not judged.findings


def test_call_in_a_circle_is_a_note() -> None:
    found = scene(calls=[call(1, 100, 300, "unload", UNIT, 500, asked=B1, hops=(B2, B1, B3))])
    (one,) = REDIRECTS_END.judge(found).findings
    assert (one.severity, one.brokers) == (Severity.NOTE, (B1, B2, B3))


def test_call_that_comes_back_to_the_new_owner_is_well() -> None:
    judged = REDIRECTS_END.judge(scene(calls=[call(1, 100, 300, "unload", asked=B1, hops=(B2, B1))]))
    assert judged.exercised == 1
    assert not judged.findings


def test_lookups_redirected_to_each_other_are_a_note() -> None:
    one, other = lookup(1, 100, 200, B1), lookup(2, 150, 250, B2)
    sent = [one._replace(status=307, redirect=B2), other._replace(status=307, redirect=B1)]
    assert len(REDIRECTS_END.judge(scene(lookups=sent)).findings) == 1


@pytest.mark.parametrize("law", LAWS)
def test_law_without_occasion_is_not_exercised(law: Any) -> None:
    judged = law.judge(scene())
    assert (judged.exercised, judged.findings) == (0, [])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["healthy", "transfer", "shedding", "kill-mid-transfer", "delete-decommission"])
def test_recording_in_good_times_is_well(name: str, law: Any) -> None:
    judged = law.judge(recorded(name))
    assert judged.exercised
    assert (judged.findings, judged.doubts) == ([], [])


SKIPPED = [
    ("leader-hang", 142.6),
    ("zk-partition-metadata", 131.1),
    ("zk-restart", 86.5),
    ("zk-restart-metadata", 88.2),
]


@pytest.mark.parametrize(("name", "time"), SKIPPED)
def test_recording_shows_skipped_recovery(name: str, time: float) -> None:
    (one,) = RECOVERY_IS_STABLE.judge(recorded(name)).findings
    assert (one.severity, one.brokers) == (Severity.NOTE, ("127.0.0.1:18081",))
    assert ((one.time or 0) - started(name)) / 1000 == pytest.approx(time, abs=0.1)


def test_recorded_outage_shows_the_broker_that_exits() -> None:
    (one,) = STAYS_UP.judge(recorded("zk-restart-metadata")).findings  # run.G11
    assert (one.severity, one.brokers) == (Severity.WARNING, ("127.0.0.1:18081",))
    assert ((one.time or 0) - started("zk-restart-metadata")) / 1000 == pytest.approx(114.1, abs=0.1)
