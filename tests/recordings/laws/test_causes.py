"""Absences of a broker, and explanations of its serving a unit of another."""

import pytest

from oneowner.checkers.recordings.laws.serving.causes import CauseKind, causes_of
from oneowner.checkers.recordings.scene.absences import absences, awake
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Life, Limits, Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import lasting
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    said,
    scene,
    session_event,
    write,
)
from tests.recordings.laws.recorded import about, recorded, started

REGISTERED = write(1, 0, "create", f"/loadbalance/brokers/{B1}", "0x7", ephemeral=True)


def session_ends(time: int) -> dict[str, object]:
    return {"writes": [REGISTERED, write(2, time, "closeSession", session="0x7")]}


LAST_LINE = logs(said(1, 0, "handled"))
A_MINUTE = logs(said(1, 0, "handled"), said(2, 60_000, "handled"))
SIX_SECONDS = logs(said(1, 0, "handled"), said(2, 6_000, "handled"))
STARTED_AGAIN = logs(said(1, 0, "handled"), said(2, 60_000, "broker-starting"))
TWO_LIVES = {B1: [Life(B1, 0, 0, 0, 0, 1, 0), Life(B1, 1, 60_000, 60_000, 1, 2, 60_000)]}
POLLED = poll(1, 1_000, 60_001, B1)
ANSWERS = [
    lookup(1, 1_000, 2_000, B1, B1), lookup(2, 3_000, 4_000, B1, B2), lookup(3, 5_000, 5_001, B1, None, status=500),
]  # fmt: skip
REFUSED = lookup(1, 1_000, 2_000, B1, None, status=None)
IN_VAIN = lookup(1, 1_000, 9_000, B1, None, status=None)

ABSENCES: dict[str, tuple[Scene, list[tuple[int, int, bool, int]]]] = {
    # since, until, whether it is a pause, when it was first asked in vain
    "silence of which nobody asked is none": (scene(said=A_MINUTE), []),
    "silence counts if somebody asked": (scene(said=A_MINUTE, polls=[POLLED]), [(0, 60_000, True, 1_000)]),
    "broker that answers at once after a silence was not asked in it":
        (scene(lookups=[lookup(n, time, time + 20, B1, B1) for n, time in ((1, 0), (2, 10_000), (3, 20_000))]), []),
    "answer is a sign of life as good as a line": (scene(said=SIX_SECONDS, lookups=ANSWERS), []),
    "refused request is no sign of life": (scene(said=SIX_SECONDS, lookups=[REFUSED]), [(0, 6_000, True, 1_000)]),
    "new process makes a death of a silence":
        (scene(said=STARTED_AGAIN, lives=TWO_LIVES), [(0, 60_000, False, 60_000)]),
    "log that ends is no death": (scene(said=LAST_LINE), []),
    "log that ends is a death if the broker is asked in vain":
        (scene(said=LAST_LINE, lookups=[IN_VAIN]), [(0, END, False, 1_000)]),
    "log that ends is a death if its session ends":
        (scene(said=LAST_LINE, **session_ends(9_000)), [(0, END, False, 9_000)]),
    "quiet log is no absence while the session lives":  # the session time-out, and 3 s
        (scene(said=LAST_LINE, **session_ends(900_000)), [(867_000, END, False, 900_000)]),
}  # fmt: skip


@pytest.mark.parametrize(("run", "expected"), ABSENCES.values(), ids=ABSENCES)
def test_absence_is_told_by_signs_of_life(run: Scene, expected: list[tuple[int, int | None, bool, int | None]]) -> None:
    assert [(away.since, away.until, away.is_pause, away.asked) for away in absences(run, B1)] == expected


def test_answer_begins_when_a_pause_ends() -> None:
    away = absences(scene(said=A_MINUTE, polls=[POLLED]), B1)
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


FORCED_PARENT = message(0, 50, printed("Owned", 1, B1, force=True), "t/n/0x00000000_0xffffffff")


def closed_in(ms: float) -> Scene:
    """A close of topics that took so long; it may take 20 s."""
    lines = logs(said(1, 20_050, "bundle-unloaded", UNIT, topics=0, ms=ms))
    return scene(channel=channel(OWNED), said=lines, limits=Limits(unload=20_000))


CAUSES: dict[str, tuple[Scene, list[CauseKind]]] = {
    "taint of a parent is a cause for its child":
        (scene(channel=channel(FORCED_PARENT, message(1, 60, printed("Owned", 1, B1)))), [CauseKind.FORCED]),
    "session that ended by ZooKeeper is a cause":
        (scene(channel=channel(OWNED), **session_ends(50)), [CauseKind.SESSION]),
    "session that ended by the log is a cause":
        (scene(channel=channel(OWNED), said=logs(session_event(1, 50, "SessionLost"))), [CauseKind.SESSION]),
    "close that took the whole time-out is a cause": (closed_in(20_001.0), [CauseKind.CLOSE]),
    "close in time is no cause": (closed_in(19.0), []),
}  # fmt: skip


@pytest.mark.parametrize(("run", "kinds"), CAUSES.values(), ids=CAUSES)
def test_cause_is_what_happened_meanwhile(run: Scene, kinds: list[CauseKind]) -> None:
    assert [cause.kind for cause in causes_of(run, UNIT, B1, 40, 70)] == kinds


@pytest.mark.parametrize(("time", "text"), [(0, "0 ms"), (999, "999 ms"), (1_000, "1.0 s"), (19_486, "19.5 s")])
def test_duration_is_told_as_an_operator_says_it(time: int, text: str) -> None:
    assert lasting(time) == text


def test_pauses_and_deaths_of_recordings_are_found_without_being_told() -> None:
    def away(name: str, number: int) -> list[tuple[float, float | None, bool]]:
        run, start = recorded(name), started(name)
        return [
            ((one.since - start) / 1000, None if one.until == END else (one.until - start) / 1000, one.is_pause)
            for one in absences(run, f"127.0.0.1:1808{number}")
        ]

    first, *_ = away("zombie", 3)
    assert first == (about(35.2, 0.3), about(65.2, 0.1), True)
    assert away("leader-hang", 1) == [(about(32.4, 0.2), about(142.4, 0.2), True)]
    assert [is_pause for _, _, is_pause in away("kill-owner", 3)] == [False]
    assert all(away("healthy", number) == [] for number in (1, 2, 3))
