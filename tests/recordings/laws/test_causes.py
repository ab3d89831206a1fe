"""Absences of a broker, and what explains that it serves what is not its own."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.serving.causes import CauseKind, causes_of
from oneowner.checkers.recordings.scene.absences import absences, awake
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Life, Limits
from oneowner.checkers.times import lasting
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    about,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    recorded,
    said,
    scene,
    started,
    write,
)

REGISTRY = f"/loadbalance/brokers/{B1}"


def test_silence_counts_only_if_somebody_asked() -> None:
    lines = logs(said(1, 0, "handled"), said(2, 60_000, "handled"))
    assert absences(scene(said=lines), B1) == []
    [away] = absences(scene(said=lines, polls=[poll(1, 1_000, 60_001, B1)]), B1)
    assert (away.since, away.until, away.is_pause, away.asked) == (0, 60_000, True, 1_000)


def test_answer_is_a_sign_of_life_as_good_as_a_line() -> None:
    lines = logs(said(1, 0, "handled"), said(2, 6_000, "handled"))
    asked = [
        lookup(1, 1_000, 2_000, B1, B1),
        lookup(2, 3_000, 4_000, B1, B2),
        lookup(3, 5_000, 5_001, B1, None, status=500),
    ]
    assert absences(scene(said=lines, lookups=asked), B1) == []


def test_refused_request_is_no_sign_of_life() -> None:
    lines = logs(said(1, 0, "handled"), said(2, 6_000, "handled"))
    [away] = absences(scene(said=lines, lookups=[lookup(1, 1_000, 2_000, B1, None, status=None)]), B1)
    assert (away.since, away.until) == (0, 6_000)


def test_new_process_makes_a_death_of_a_silence() -> None:
    lines = logs(said(1, 0, "handled"), said(2, 60_000, "broker-starting"))
    lives = {B1: [Life(B1, 0, 0, 0, 0, 1, 0), Life(B1, 1, 60_000, 60_000, 1, 2, 60_000)]}
    [away] = absences(scene(said=lines, lives=lives), B1)
    assert (away.since, away.until, away.is_pause) == (0, 60_000, False)


def test_log_that_ends_is_a_death_if_the_broker_is_asked_in_vain_or_its_session_ends() -> None:
    lines = logs(said(1, 0, "handled"))
    vain = [lookup(1, 1_000, 9_000, B1, None, status=None)]
    session = [write(1, 0, "create", REGISTRY, "0x7", ephemeral=True), write(2, 9_000, "closeSession", session="0x7")]
    assert absences(scene(said=lines), B1) == []
    for run in (scene(said=lines, lookups=vain), scene(said=lines, writes=session)):
        [away] = absences(run, B1)
        assert (away.since, away.until, away.is_pause) == (0, None, False)


def test_answer_begins_when_a_pause_ends() -> None:
    run = scene(said=logs(said(1, 0, "handled"), said(2, 60_000, "handled")), polls=[poll(1, 1_000, 60_001, B1)])
    away = absences(run, B1)
    assert awake(1_000, 60_001, away) == 60_000
    assert awake(60_002, 60_005, away) == 60_002


OWNED = message(0, 10, printed("Owned", 1, B1))


@pytest.mark.parametrize(
    ("records", "kind"),
    [
        ([message(1, 50, printed("Owned", 2, B2, B1, force=True))], CauseKind.FORCED),
        ([message(1, 50, None)], CauseKind.TOMBSTONE),
        ([message(1, 50, printed("Owned", 5, B2, B1))], CauseKind.GAP),
        ([message(1, 40, None), message(2, 50, printed("Owned", 3, B2, timestamp=30))], CauseKind.LATE),
    ],
)
def test_taint_of_the_channel_is_a_cause(records: list[Message], kind: CauseKind) -> None:
    run = scene(channel=channel(OWNED, *records))
    assert kind in [cause.kind for cause in causes_of(run, UNIT, B1, 45 if kind == CauseKind.LATE else 20, 60)]
    assert causes_of(run, UNIT, B1, 60, 70) == []


def test_taint_of_a_parent_is_a_cause_for_its_child() -> None:
    parent = message(0, 50, printed("Owned", 1, B1, force=True), "t/n/0x00000000_0xffffffff")
    run = scene(channel=channel(parent, message(1, 60, printed("Owned", 1, B1))))
    assert [cause.kind for cause in causes_of(run, UNIT, B1, 40, 70)] == [CauseKind.FORCED]


def test_session_that_ended_is_a_cause_by_zookeeper_or_by_the_log() -> None:
    writes = [write(1, 0, "create", REGISTRY, "0x7", ephemeral=True), write(2, 50, "closeSession", session="0x7")]
    lost = logs(said(1, 50, "session-event", text="Received metadata session event:SessionLost at timestamp:50"))
    for run in (scene(channel=channel(OWNED), writes=writes), scene(channel=channel(OWNED), said=lost)):
        assert CauseKind.SESSION in [cause.kind for cause in causes_of(run, UNIT, B1, 40, 70)]


def test_close_that_took_the_whole_time_out_is_a_cause() -> None:
    for ms, expected in ((20_001.0, [CauseKind.CLOSE]), (19.0, [])):
        lines = logs(said(1, 20_050, "bundle-unloaded", UNIT, topics=0, ms=ms))
        run = scene(channel=channel(OWNED), said=lines, limits=Limits(unload=20_000))
        assert [cause.kind for cause in causes_of(run, UNIT, B1, 40, 70)] == expected


@pytest.mark.parametrize(("time", "text"), [(0, "0 ms"), (999, "999 ms"), (1_000, "1.0 s"), (19_486, "19.5 s")])
def test_duration_is_told_as_an_operator_says_it(time: int, text: str) -> None:
    assert lasting(time) == text


def test_pauses_and_deaths_of_recordings_are_found_without_being_told() -> None:
    def away(name: str, number: int) -> list[tuple[float, float | None, bool]]:
        run, start = recorded(name), started(name)
        return [
            ((one.since - start) / 1000, None if one.until is None else (one.until - start) / 1000, one.is_pause)
            for one in absences(run, f"127.0.0.1:1808{number}")
        ]

    first, *_ = away("zombie", 3)
    assert first == (about(35.2, 0.3), about(65.2, 0.1), True)
    assert away("leader-hang", 1) == [(about(32.4, 0.2), about(142.4, 0.2), True)]
    assert [is_pause for _, _, is_pause in away("kill-owner", 3)] == [False]
    assert all(away("healthy", number) == [] for number in (1, 2, 3))


def test_quiet_log_is_no_absence_while_the_session_lives() -> None:
    writes = [
        write(1, 0, "create", REGISTRY, "0x7", ephemeral=True),
        write(2, 900_000, "closeSession", session="0x7"),
    ]
    [away] = absences(scene(said=logs(said(1, 0, "handled")), writes=writes), B1)
    assert (away.since, away.until, away.asked) == (867_000, None, 900_000)  # the session time-out, and 3 s
