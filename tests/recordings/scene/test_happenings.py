"""Events of processes and sessions, and those that explain a lost node or a forced record."""

from typing import Any

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.scene.explanations import why_away, why_forced, why_gone
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.moments import moments
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    channel,
    logs,
    lookup,
    message,
    printed,
    said,
    scene,
    session_event,
    write,
)

BROKER = "/loadbalance/brokers/"
LEADER = "/loadbalance/extension/leader"
END = 200_000


def registered(*ends: tuple[str, int]) -> list[NodeWrite]:
    """Every broker registers at 10; the sessions of some end."""
    sessions = {B1: "0x1", B2: "0x2", B3: "0x3"}
    made = [
        write(number, 10, "create", BROKER + broker, session, ephemeral=True)
        for number, (broker, session) in enumerate(sessions.items())
    ]
    return made + [write(10 + n, time, "closeSession", "", sessions[broker]) for n, (broker, time) in enumerate(ends)]


def lines(*more: LogEvent) -> dict[str, list[LogEvent]]:
    """Logs of three brokers that live from 0 to the end."""
    whole = [said(9, time, "monitor-started", broker=broker) for broker in (B1, B2, B3) for time in (0, END)]
    return logs(*sorted([*whole, *more], key=lambda line: line.time))


def kinds(found: Scene) -> list[tuple[str, str]]:
    return sorted((cause.kind, cause.subject) for cause in happenings_of(found).found)


def test_session_that_ends_alone_is_lost_while_its_process_lives() -> None:
    found = scene(said=lines(), writes=registered((B2, 60_000)), end=END)
    assert kinds(found) == [(HappeningKind.CUT, B2)]


def test_broker_that_closes_what_it_could_not_start_failed_to_start() -> None:
    """It is to be started again as long as no later process of it is seen."""
    failed = said(7, 70_000, "broker-not-started", broker=B2, error="no such class")
    found = scene(said=lines(failed, said(8, 70_100, "broker-closing", broker=B2)), end=END)
    (stop,) = happenings_of(found).stops[B2]
    assert stop.words == f"{B2} failed to start: no such class"
    assert stop.repair == f"remove what keeps {B2} from starting, and start it again"
    (stop,) = happenings_of(scene(said=lines(said(8, 70_100, "broker-closing", broker=B2)), end=END)).stops[B2]
    assert (stop.words, stop.repair) == (f"{B2} was stopped", "")


def test_sessions_of_several_brokers_that_end_within_a_time_out_are_an_outage() -> None:
    lost = [session_event(1, 50_000, "SessionLost", B1), session_event(1, 50_400, "SessionLost", B2)]
    found = scene(said=lines(*lost), writes=registered((B1, 70_000), (B2, 70_000)), end=END)
    assert kinds(found) == [(HappeningKind.OUTAGE, "")]
    (cause,) = happenings_of(found).found
    assert cause.since == 50_000 - 25_000  # a client says so after 5/6 of its time-out
    assert why_gone(found, B1, 80_000) == why_gone(found, B2, 80_000) == cause
    assert why_gone(found, B3, 80_000) is None


def test_silence_of_a_broker_without_a_log_is_a_pause_or_a_new_start() -> None:
    def explanation(**fields: Any) -> str:
        asked = [lookup(n, time, time + 10, B1, status=status) for n, time, status in
                 ((1, 50_000, 200), (2, 55_000, None), (3, 60_000, 200))]  # fmt: skip
        (happening,) = happenings_of(scene(lookups=asked, end=END, **fields)).found.values()
        return happening.words

    assert explanation(said=logs(said(9, 49_000, "x"), said(9, 50_010, "x"), said(9, 60_010, "x"))).endswith(
        "and then went on"
    )
    unknown = f"{B1} was silent for 10.0 s: it stood still or was restarted, and its log does not show which"
    assert explanation() == explanation(said=logs(said(9, 49_000, "x"), said(9, 49_500, "x"))) == unknown


def test_brokers_that_stood_still_while_zookeeper_ended_their_sessions_are_no_outage() -> None:
    def found(ended: int) -> list[tuple[str, str]]:
        spoken = [said(2, time, "handled", broker=broker) for broker in (B1, B2) for time in (30_000, 80_000)]
        lost = [session_event(3, 80_100, "SessionLost", broker) for broker in (B1, B2)]
        asked = [lookup(n, 40_000, 80_000, broker, status=None) for n, broker in enumerate((B1, B2))]
        log = lines(*spoken, *lost)
        return kinds(scene(said=log, lookups=asked, writes=registered((B1, ended), (B2, ended)), end=END))

    assert found(60_000) == [(HappeningKind.PAUSED, B1), (HappeningKind.PAUSED, B2)]
    assert (HappeningKind.OUTAGE, "") in found(80_200)  # by then they had said so themselves


def test_session_whose_loss_a_broker_logs_when_it_goes_on_ended_in_its_pause() -> None:
    silent = said(2, 60_000, "zk-not-heard", ms=50_000)
    log = logs(said(1, 0, "registered"), silent, session_event(3, 60_100, "SessionLost"))
    assert kinds(scene(said=log, brokers=(B1,), present=frozenset({Source.LOGS}))) == [("silent process", B1)]
    log = logs(said(1, 0, "registered"), session_event(3, 60_100, "SessionLost"))
    assert kinds(scene(said=log, brokers=(B1,), present=frozenset({Source.LOGS}))) == [("lost session", B1)]


def test_session_that_a_broker_gives_up_is_lost_although_zookeeper_does_not_end_it() -> None:
    events = [session_event(1, 50_000, "SessionLost", B2), session_event(2, 61_000, "SessionReestablished", B2)]
    found = scene(said=lines(*events), writes=registered(), end=END)
    cause = Cause(HappeningKind.CUT, B2, 25_000)
    assert [*happenings_of(found).found] == [cause]
    assert why_away(found, B2, 55_000, 60_000) == (cause,)
    assert why_away(found, B2, 62_000, 70_000) == why_away(found, B1, 55_000, 60_000) == ()
    closing = said(1, 49_000, "broker-closing", broker=B2)
    assert kinds(scene(said=lines(closing, *events), writes=registered(), end=END)) == [(HappeningKind.STOPPED, B2)]


def test_lost_session_has_the_cause_that_the_log_before_it_shows() -> None:
    def words(*log: LogEvent, **fields: Any) -> str:
        found = scene(said=logs(*log), writes=registered((B1, 80_000)), end=END, **fields)
        (happening,) = happenings_of(found).found.values()
        return happening.words

    spoken = [said(1, 10_000 * n, "handled") for n in range(1, 13)]
    others = [said(1, 10_000 * n, "handled", broker=broker) for broker in (B2, B3) for n in range(1, 20)]
    lived = f"{B1} lost its session with ZooKeeper while its process lived"
    assert words(*spoken, *others) == lived
    assert words(*spoken) == f"{lived}; whether others lost theirs, only their logs show"
    assert words(spoken[0], *spoken[8:]).endswith("its log was silent for 70.0 s before, as if it stood still")
    assert words(*spoken[6:]).endswith("and its log, which begins then, does not show which")
    assert words().endswith("it died, stood still or was cut off, and no log of it shows which")
    asked = [lookup(1, 70_000, 70_010, B1)]
    assert words(*spoken[6:], *others, lookups=asked) == lived


def test_losses_far_apart_are_no_outage() -> None:
    lost = [session_event(1, 50_000, "SessionLost", B1), session_event(1, 150_000, "SessionLost", B2)]
    found = scene(said=lines(*lost), writes=registered((B1, 55_000), (B2, 155_000)), end=END)
    assert kinds(found) == [(HappeningKind.CUT, B1), (HappeningKind.CUT, B2)]


def test_losses_before_anybody_is_back_are_the_same_outage_and_later_ones_another() -> None:
    def outages(back: int) -> int:
        lost = [session_event(1, time, "SessionLost", broker) for time in (40_000, 90_000) for broker in (B1, B2)]
        found = scene(said=lines(*lost, session_event(2, back, "SessionReestablished", B1)), end=END)
        return sum(cause.kind == HappeningKind.OUTAGE for cause in happenings_of(found).found)

    assert (outages(95_000), outages(60_000)) == (1, 2)


def silent(**fields: Any) -> Scene:
    """B2 logs nothing and answers nothing from 20,000 to 80,000, though it is asked; its session ends meanwhile."""
    log = logs(*(said(1, time, "monitor-started", broker=B2) for time in (0, 20_000, 80_000, END)))
    asked = [lookup(1, 30_000, 80_000, B2, B2)]
    return scene(said=log, lookups=asked, writes=registered((B2, 50_000)), end=END, **fields)


def test_session_that_ends_in_a_silence_ended_for_it() -> None:
    found = silent()
    cause = Cause(HappeningKind.PAUSED, B2, 20_000)
    assert list(happenings_of(found).found) == [cause]
    assert why_gone(found, B2, 60_000) == cause
    assert why_away(found, B2, 40_000, 45_000) == (cause,)
    assert why_away(found, B2, 90_000, 95_000) == ()


def test_broker_that_closes_was_stopped_and_did_not_die() -> None:
    log = logs(said(1, 0, "monitor-started", broker=B2), said(2, 50_000, "broker-closing", broker=B2))
    found = scene(
        said=log, writes=registered((B2, 51_000)), lookups=[lookup(1, 70_000, 75_000, B2, status=None)], end=END
    )
    assert kinds(found) == [(HappeningKind.STOPPED, B2)]


def test_forced_record_is_explained_by_a_party_that_was_gone_and_by_nobody_else() -> None:
    owned = message(0, 100, printed("Owned", 1, B2))
    forced = message(1, 60_000, printed("Owned", 2, B3, B2, force=True))
    plain = message(1, 60_000, printed("Releasing", 2, B3, B2))
    found, same = silent(channel=channel(owned, forced)), silent(channel=channel(owned, plain))
    assert why_forced(found, found.channel.timeline[1]) == (Cause(HappeningKind.PAUSED, B2, 20_000),)
    assert why_forced(same, same.channel.timeline[1]) == ()
    elsewhere = silent(
        channel=channel(
            message(0, 100, printed("Owned", 1, B1)), message(1, 60_000, printed("Owned", 2, B3, B1, force=True))
        )
    )
    assert why_forced(elsewhere, elsewhere.channel.timeline[1]) == ()


def test_broker_that_is_elected_after_its_registration_ended_is_an_unregistered_leader() -> None:
    def found(*more: NodeWrite) -> list[str]:
        data = f'{{"brokerId": "{B2}"}}'
        elected = write(20, 90_000, "create", LEADER, "0x9", data, ephemeral=True)
        writes = sorted([*registered((B2, 60_000)), elected, *more], key=lambda one: one.time)
        return [kind for kind, _ in kinds(scene(said=lines(), writes=writes, end=END))]

    again = write(19, 80_000, "create", BROKER + B2, "0x9", ephemeral=True)
    assert found() == [HappeningKind.CUT, HappeningKind.UNREGISTERED]
    assert found(again) == [HappeningKind.CUT]


def test_moments_tell_in_order_who_fell_silent_lost_its_session_and_was_overridden() -> None:
    owned, forced = (
        message(0, 100, printed("Owned", 1, B2)),
        message(1, 60_000, printed("Owned", 2, B3, B2, force=True)),
    )
    events = [(one.time, one.words) for one in moments(silent(channel=channel(owned, forced)))]
    assert events == [
        (20_000, f"{B2} fell silent"),
        (50_000, f"{B2} lost its registration: its session ended"),
        (60_000, f"a bundle was overridden by force, for {B2}"),
        (80_000, f"{B2} went on"),
    ]
