"""The units of a broker that is gone are given to others; what holds that up is told."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.recovery.gone_brokers import departures, orphans
from oneowner.checkers.recordings.laws.recovery.orphans import LAWS
from oneowner.checkers.recordings.read.observations import NodeWrite, Said
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.times import quantile
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    UNIT,
    about,
    channel,
    logs,
    lookup,
    message,
    printed,
    recorded,
    said,
    scene,
    started,
    write,
)

REASSIGNED, STALLED = LAWS
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
OWNED = message(0, 10, printed("Owned", 1, B1))
LAST_LINE = said(1, 1_000, "handled")
REGISTERED = write(1, 5, "create", f"/loadbalance/brokers/{B1}", "0x7", ephemeral=True)
EXPIRED = write(2, 11_000, "closeSession", session="0x7")


def given(time: int) -> Message:
    return message(1, time, printed("Owned", 2, B2, B1, force=True))


def dead(
    *records: Message, writes: tuple[NodeWrite, ...] = (REGISTERED, EXPIRED), lines: tuple[Said, ...] = ()
) -> Scene:
    """B1 says its last line at 1000 and is asked in vain from 1500 on."""
    return scene(
        channel=channel(OWNED, *records), said=logs(LAST_LINE, *lines), writes=list(writes), start=0, end=100_000,
        lookups=[lookup(1, 1_500, 9_000, B1, None, status=None)], limits=FAST,
    )  # fmt: skip


def test_departure_is_from_the_last_sign_of_life() -> None:
    run = dead(given(12_000))
    [gone] = departures(run, registry_of(run))
    assert (gone.broker, gone.since, gone.certain, gone.unlisted, gone.until) == (B1, 1_000, 1_500, 11_000, None)
    [orphan] = orphans(run, gone)
    assert (orphan.until, orphan.is_reassigned, orphan.lasted(0)) == (12_000, True, 11_000)


def test_units_that_are_given_away_in_time_are_a_note() -> None:
    judged = REASSIGNED.judge(dead(given(12_000)))
    [note] = judged.findings
    assert (note.severity, judged.exercised) == (Severity.NOTE, 1)
    assert "max 11.0 s" in note.why
    assert STALLED.judge(dead(given(12_000))).findings == []


def test_units_that_wait_for_longer_than_a_recovery_are_a_violation() -> None:
    late, _ = REASSIGNED.judge(dead(given(80_000))).findings
    assert (late.severity, late.brokers, late.unit) == (Severity.VIOLATION, (B1,), UNIT)
    [never] = REASSIGNED.judge(dead()).findings
    assert never.severity == Severity.VIOLATION
    assert "given to no other broker" in never.why
    assert never.window is not None
    assert never.window.until is None


def test_broker_that_lives_on_unregistered_is_not_gone() -> None:
    lines = logs(*(said(n, 1_000 * n, "handled") for n in range(100)))
    run = scene(
        channel=channel(OWNED), said=lines, writes=[REGISTERED, EXPIRED], start=0, end=100_000, limits=FAST
    )  # fmt: skip
    [found] = REASSIGNED.judge(run).findings
    assert found.severity == Severity.WARNING
    assert "lived on" in found.why


def test_broker_that_comes_back_keeps_its_units() -> None:
    again = write(3, 15_000, "create", f"/loadbalance/brokers/{B1}", "0x8", ephemeral=True)
    run = dead(writes=(REGISTERED, EXPIRED, again))
    judged = REASSIGNED.judge(run)
    assert (judged.findings, judged.exercised) == ([], 1)


def test_hand_over_of_a_broker_that_is_gone_is_an_orphan_too() -> None:
    moving = message(1, 500, printed("Releasing", 2, B2, B1))
    freed = message(2, 12_000, printed("Owned", 3, B2, B1, force=True))
    judged = REASSIGNED.judge(dead(moving, freed))
    assert judged.exercised == 1


def test_what_held_up_a_recovery_is_told() -> None:
    lines = (
        said(1, 11_100, "role-setting", broker=B2, **{"from": "Follower", "to": "Leader"}),
        said(2, 39_000, "plays-leader", broker=B2),
        said(3, 40_000, "cleanup-started", broker=B2, subject=B1),
    )
    [found] = STALLED.judge(dead(given(40_100), lines=lines)).findings
    assert (found.severity, found.brokers) == (Severity.WARNING, (B1,))
    assert "29.1 s later (39.1 s after its last sign of life)" in found.why
    assert f"Longest: 27.9 s from '{B2} began to take the role' to '{B2} had taken the role'" in found.why


def test_laws_have_no_occasion_while_nobody_is_gone() -> None:
    run = scene(channel=channel(OWNED), said=logs(LAST_LINE), end=100_000)
    assert [law.judge(run).exercised for law in LAWS] == [0, 0]


def test_broker_without_units_leaves_no_orphan() -> None:
    elsewhere = message(0, 10, printed("Owned", 1, B3))
    run = dead()
    run.channel = channel(elsewhere)
    assert [law.judge(run).exercised for law in LAWS] == [0, 0]


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (99, 4), (1, 1), (100, 4)])
def test_quantile_is_one_of_the_values(percent: int, value: int) -> None:
    assert quantile([1, 2, 3, 4], percent) == value


def test_killed_owners_are_replaced_in_eleven_seconds() -> None:
    run = recorded("kill-owner")
    lasted = [
        (orphan.gone.broker[-1], orphan.lasted(0) / 1000)
        for gone in departures(run, registry_of(run))
        for orphan in orphans(run, gone)
    ]
    assert lasted == [("3", about(11.7, 0.3))] * 5 + [("2", about(10.7, 0.3))] * 5
    assert [found.severity for found in REASSIGNED.judge(run).findings] == [Severity.NOTE]
    assert STALLED.judge(run).findings == []


@pytest.mark.parametrize(
    ("name", "units", "later", "after", "role"),
    [("zombie", 7, "19.8 s", "31.0 s", "19.2 s"), ("leader-hang", 5, "33.3 s", "45.1 s", "32.8 s")],
)
def test_hung_leader_holds_up_the_recovery(name: str, units: int, later: str, after: str, role: str) -> None:
    [found] = STALLED.judge(recorded(name)).findings
    assert (found.severity, found.brokers[0][-1]) == (Severity.WARNING, "1")
    assert f"its {units} units were given to others only {later} later ({after} after" in found.why
    assert f"Longest: {role} from" in found.why
    assert "began to take the role" in found.why
    assert not [one for one in REASSIGNED.judge(recorded(name)).findings if one.severity == Severity.VIOLATION]


def test_units_of_a_broker_that_stopped_for_good_are_given_to_nobody() -> None:
    found = [one for one in REASSIGNED.judge(recorded("zk-restart-metadata")).findings if one.severity != Severity.NOTE]
    assert [(one.severity, one.brokers[0][-1]) for one in found] == [(Severity.VIOLATION, "1")]
    assert found[0].window is not None
    assert (found[0].window.possible_since - started("zk-restart-metadata")) / 1000 == about(114, 1)


@pytest.mark.parametrize("name", ["healthy", "healthy-quiet", "transfer", "shedding"])
def test_run_in_order_has_no_occasion(name: str) -> None:
    assert [law.judge(recorded(name)).exercised for law in LAWS] == [0, 0]
