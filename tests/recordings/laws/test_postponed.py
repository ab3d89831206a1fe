"""Recovery that the leader puts off, as its session is not to be trusted, is the cause of what waits for it."""

from typing import Any

from oneowner.checkers.recordings.laws.recovery.postponed import postponements
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.scene import Limits
from tests.recordings.laws.cases import case, note, warning
from tests.recordings.laws.crafted import B1, B2, B3, logs, said, scene, session_event

LIMITS = Limits(session=10_000, monitor=30_000)
LIVES = [said(9, time, "broker-ready", broker=B1, settings={}) for time in (0, 400_000)]


def skip(time: int, broker: str = B1) -> LogEvent:
    return said(1, time, "monitor-skipped-unstable", broker=broker, state="Jittery", at=0)


def scheduled(time: int, seconds: int, subject: str = B3) -> LogEvent:
    return said(2, time, "cleanup-scheduled", broker=B1, subject=subject, seconds=seconds, jobs=1)


def run(*lines: LogEvent) -> Any:
    return scene(said=logs(*sorted([*LIVES, *lines], key=lambda line: line.time)), limits=LIMITS, end=400_000)


def test_monitor_that_is_skipped_again_and_again_puts_recovery_off() -> None:
    (one,) = postponements(run(skip(50_000), skip(80_000), skip(110_000)))
    assert (one.brokers, one.since, one.until) == ((B1,), 50_000, 110_000)
    assert one.words == (
        f"the leader {B1} put recovery off for 60.0 s, as its session with the metadata store was lost or new"
    )


def test_delay_of_a_session_timeout_and_a_monitor_run_is_none() -> None:
    assert postponements(run(skip(50_000), skip(90_000))) == []
    assert postponements(run(scheduled(50_000, 0), scheduled(60_000, 40))) == []


def test_clean_up_that_is_scheduled_for_later_names_the_broker_that_is_gone() -> None:
    (one,) = postponements(run(scheduled(50_000, 180)))
    assert (one.since, one.until) == (50_000, 230_000)
    assert one.words.startswith(f"the leader {B1} put recovery after {B3} off for 180.0 s, as its session")


def test_loss_of_the_leaders_session_lies_behind_it() -> None:
    lost = session_event(3, 45_000, "SessionLost", B1), session_event(4, 46_000, "SessionReestablished", B1)
    (one,) = postponements(run(*lost, scheduled(50_000, 180)))
    assert [(cause.kind, cause.subject) for cause in one.behind] == [("lost session", B1)]


def test_report_of_skipped_recovery_has_that_cause() -> None:
    (one,) = postponements(run(skip(50_000), skip(110_000)))
    case("recovery-is-stable", run(skip(50_000), skip(110_000)), warning(B1, causes=(one.cause,))).check()
    brief = scene(said=logs(*LIVES, skip(50_000, B2)), limits=LIMITS, end=400_000)
    case("recovery-is-stable", brief, note(B2, causes=())).check()
