"""A broker that closes connections to others by force, while all live, does not reach them."""

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.connections import Unconnected, unconnected
from oneowner.checkers.recordings.scene.explanations import why_forced
from oneowner.checkers.recordings.scene.happening import HappeningKind
from tests.recordings.laws.crafted import B1, B2, B3, channel, logs, lookup, message, printed, said, scene

OUT = "Forcing connection [id: 0x29, L:/10.0.0.2:57254 - R:broker-1/10.0.0.1:6650] to close after keep-alive timeout"
IN = "Forcing connection [id: 0x29, L:/10.0.0.2:6650 - R:/10.0.0.9:57254] to close after keep-alive timeout"
LIVES = [said(n, 1_000 * n, "monitor-started", broker=broker) for n in range(300) for broker in (B1, B2, B3)]


def forced(time: int, text: str = OUT) -> LogEvent:
    return said(time // 1_000, time, "connection-forced-closed", None, B2, text)


def found(*lines: LogEvent, without: str = "", **fields: object) -> list[tuple[str, int, int]]:
    lives = [line for line in LIVES if line.broker != without or not 100_000 < line.time < 200_000]
    log = logs(*sorted([*lives, *lines], key=lambda line: line.time))
    some: list[Unconnected] = [*unconnected(scene(said=log, end=300_000, **fields))]
    return [one[:3] for one in some]


def test_connection_that_a_broker_opened_and_closes_by_force_shows_that_it_reached_nobody() -> None:
    assert found(forced(200_500)) == [(B2, 140_500, 200_500)]
    assert found(forced(200_500), forced(260_500)) == [(B2, 140_500, 260_500)]


def test_connection_that_a_client_opened_shows_nothing() -> None:
    assert found(forced(200_500, IN)) == []


def test_connection_to_a_broker_that_stood_still_shows_nothing() -> None:
    silent = lookup(1, 110_000, 200_000, B1, status=None)
    assert found(forced(190_500), without=B1, lookups=[silent]) == []


def test_connection_to_a_broker_whose_log_is_silent_shows_nothing() -> None:
    assert found(forced(190_500), without=B1) == []


def test_record_that_is_forced_while_a_party_reached_no_other_has_that_cause() -> None:
    owned = message(0, 100, printed("Owned", 1, B2))
    given = message(1, 190_000, printed("Owned", 2, B3, B2, force=True))
    lives = sorted([*LIVES, forced(200_500)], key=lambda line: line.time)
    run = scene(said=logs(*lives), channel=channel(owned, given), writes=[], end=300_000)
    (cause,) = why_forced(run, run.channel.timeline[1])
    assert (cause.kind, cause.subject, cause.since) == (HappeningKind.UNCONNECTED, B2, 140_500)
    stranger = message(1, 190_000, printed("Owned", 2, B3, B1, force=True))
    other = scene(said=logs(*lives), channel=channel(message(0, 100, printed("Owned", 1, B1)), stranger), end=300_000)
    assert why_forced(other, other.channel.timeline[1]) == ()
