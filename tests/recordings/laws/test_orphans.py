"""The units of a broker that is gone are given to others; delays are reported."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from oneowner.checkers.recordings.laws.recovery.gone_brokers import departures, orphans
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.scene.logged_channel import LoggedChannel
from oneowner.checkers.recordings.scene.logged_records import LoggedRecord, Place
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import quantile
from tests.recordings.laws.cases import Case, case, each, note, violation, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
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
from tests.recordings.laws.recorded import about, recorded

REASSIGNED, STALLED = "orphans-are-reassigned", "recovery-stalled"
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
OWNED = message(0, 10, printed("Owned", 1, B1))
OWNED_BY_B3 = message(0, 10, printed("Owned", 1, B3))
LAST_LINE = said(1, 1_000, "handled")
REGISTERED = write(1, 5, "create", f"/loadbalance/brokers/{B1}", "0x7", ephemeral=True)
EXPIRED = write(2, 11_000, "closeSession", session="0x7")
REGISTERED_AGAIN = write(3, 15_000, "create", f"/loadbalance/brokers/{B1}", "0x8", ephemeral=True)


def reassignment(time: int) -> Message:
    return message(1, time, printed("Owned", 2, B2, B1, force=True))


def dead(
    *records: Message, writes: tuple[NodeWrite, ...] = (), lines: tuple[LogEvent, ...] = (), owned: Message = OWNED
) -> Scene:
    """B1 logs its last line at 1000 and is asked in vain from 1500 on; its session ends at 11 s."""
    return scene(
        channel=channel(owned, *records), said=logs(LAST_LINE, *lines), writes=[REGISTERED, EXPIRED, *writes], start=0,
        end=100_000, lookups=[lookup(1, 1_500, 9_000, B1, None, status=None)], limits=FAST,
    )  # fmt: skip


LIVES_ON = scene(
    channel=channel(OWNED), said=logs(*(said(n, 1_000 * n, "handled") for n in range(100))),
    writes=[REGISTERED, EXPIRED], start=0, end=100_000, limits=FAST,
)  # fmt: skip
OFF = replace(
    dead(lines=(said(1, 1_000, "handled", broker=B2),)),
    lookups=[lookup(n, 1_500, 9_000, broker, None, status=None) for n, broker in enumerate((B1, B2))],
    writes=[REGISTERED, write(2, 6, "create", f"/loadbalance/brokers/{B2}", "0x8", ephemeral=True)],
)
"""ZooKeeper is off as well, so no session ends."""
NOBODY_GONE = scene(channel=channel(OWNED), said=logs(LAST_LINE), end=100_000)
HANDED_OVER = (
    message(1, 500, printed("Releasing", 2, B2, B1)),
    message(2, 12_000, printed("Owned", 3, B2, B1, force=True)),
)
SLOW_LEADER = (
    said(1, 11_100, "role-setting", broker=B2, **{"from": "Follower", "to": "Leader"}),
    said(2, 39_000, "plays-leader", broker=B2),
    said(3, 40_000, "cleanup-started", broker=B2, subject=B1),
)


def put_off(seconds: int, subject: str = B1) -> Scene:
    """The units are given away at 80 s; B2 logged at 11.1 s that it cleans up so many seconds later."""
    scheduled = said(1, 11_100, "cleanup-scheduled", broker=B2, subject=subject, seconds=seconds)
    return dead(reassignment(80_000), lines=(scheduled, said(2, 90_000, "x", broker=B2)))


def led_by(broker: str, heard: Sequence[str] = (B2, B3)) -> Scene:
    """The units are given away at 80 s; the session of B2 is new from 5 s on; *heard* have logs."""
    leader = write(
        3, 100, "create", "/loadbalance/extension/leader", "0x9", f'{{"brokerId":"{broker}"}}', ephemeral=True
    )
    lines = [said(number, time, "x", broker=one) for one in heard for number, time in ((0, 100), (2, 90_000))]
    new = session_event(1, 5_000, "SessionReestablished", B2)
    return dead(reassignment(80_000), writes=(leader,), lines=(new, *lines))


STILL_OWNED = message(1, 90_000, printed("Owned", 1, B3), OTHER)


def as_logged(run: Scene) -> Scene:
    """The same records, as the log of one process prints them."""
    records = []
    for step in run.channel.timeline:
        assert step.printed is not None, "none of them is a tombstone"
        place = Place(step.key, step.printed._replace(timestamp=step.time))
        records.append(LoggedRecord(place, said(1, step.time, "handle-request"), {(B2, 0)}))
    return replace(run, logged=LoggedChannel(run.channel, (), records))


NAMED_LATER = [lookup(9, 20_000, 20_001, asked, "b4:8080", "persistent://t/n/a") for asked in (B2, B3)]
OLDER_DUMP = replace(dead(), lookups=[*dead().lookups, *NAMED_LATER], brokers=(B1, B2, B3, "b4:8080"))

CASES = {
    # orphans-are-reassigned
    "units that are given away in time are a note":
        case(REASSIGNED, dead(reassignment(12_000)), note(why="max 11.0 s"), occasions=1),
    "units that wait for longer than a recovery are a violation":
        case(REASSIGNED, dead(reassignment(80_000)), violation(B1, unit=UNIT), note()),
    "units that are given to nobody are a violation":
        case(REASSIGNED, dead(), violation(why="given to no other broker", until=END)),
    "units of a broker that is gone after the end of a dump that is older are a doubt":
        case(REASSIGNED, OLDER_DUMP, occasions=1, doubts="1 units of brokers that are gone wait when the dump ends"),
    "units whose clean-up the leader put off may wait so much longer": case(REASSIGNED, put_off(180), note()),
    "units that wait for longer than the clean-up was put off are a violation":
        case(REASSIGNED, put_off(20), violation(B1, why=("longer than 65.0 s", "b2:8080 put the clean-up off by 20 s")),
             note()),
    "units of one broker wait no longer for the clean-up of another":
        case(REASSIGNED, put_off(180, B3), violation(B1, why="longer than 45.0 s", why_not="put the clean-up off"),
             note()),
    "units may wait for as long as the session of the leader is new": case(REASSIGNED, led_by(B2), note()),
    "units wait no longer for the session of another broker than the leader":
        case(REASSIGNED, led_by(B3), violation(B1, why="longer than 45.0 s"), note()),
    "units that a leader without a log did not give away are a doubt: it may have put that off":
        case(REASSIGNED, led_by(B3, [B2]), warning(B1), note(), doubts="only the log of b3:8080, which is not here,"),
    "units that nobody gave away are a doubt where nothing but the log of a broker without one shows who led":
        case(REASSIGNED, replace(led_by(B2, [B2]), present=frozenset(Source) - {Source.ZOOKEEPER}),
             warning(B1), note(), doubts="only the log of b3:8080"),
    "units of a cluster that is switched off all at once have nobody to go to":
        case(REASSIGNED, OFF, warning(B1), occasions=1),
    "broker that lives on unregistered is not gone": case(REASSIGNED, LIVES_ON, warning(why="lived on")),
    "broker whose process comes back in time, but not its registration, is a warning":
        case(REASSIGNED, dead(lines=tuple(said(n, 1_000 * n, "handled") for n in range(30, 100))),
             warning(B1, why="was gone, and 1 of its units")),
    "broker that comes back keeps its units": case(REASSIGNED, dead(writes=(REGISTERED_AGAIN,)), occasions=1),
    "hand-over of a broker that is gone is an orphan too": case(REASSIGNED, dead(*HANDED_OVER), note(), occasions=1),
    "cluster from which nobody is gone is no occasion": case(REASSIGNED, NOBODY_GONE, occasions=0),
    "broker without units leaves no orphan": case(REASSIGNED, dead(owned=OWNED_BY_B3), occasions=0),
    "units whose later records may be missing are no occasion where logs alone show any":
        case(REASSIGNED, as_logged(dead()), occasions=0),
    "units that a process in debug mode saw given to nobody are a violation where logs alone show records":
        case(REASSIGNED, as_logged(dead(STILL_OWNED)), violation(B1, unit=UNIT)),
    # recovery-stalled
    "units that are given away in time were not held up": case(STALLED, dead(reassignment(12_000))),
    "what held up a recovery is told":
        case(STALLED, dead(reassignment(40_100), lines=SLOW_LEADER),
             warning(B1, why=(
                 "29.1 s later (39.1 s after its last sign of life)",
                 f"Longest: 27.9 s from '{B2} began to take the role' to '{B2} had taken the role'",
             ))),
    "cluster from which nobody is gone is not held up": case(STALLED, NOBODY_GONE, occasions=0),
    "broker without units holds up nothing": case(STALLED, dead(owned=OWNED_BY_B3), occasions=0),
}  # fmt: skip


@each(CASES)
def test_orphans_are_judged_by_who_is_given_them(case: Case) -> None:
    case.check()


def test_departure_is_from_the_last_sign_of_life() -> None:
    run = dead(reassignment(12_000))
    [gone] = departures(run, registry_of(run))
    assert (gone.broker, gone.since, gone.certain, gone.unlisted, gone.until) == (B1, 1_000, 1_500, 11_000, END)
    [orphan] = orphans(run, gone)
    assert (orphan.until, orphan.is_reassigned, orphan.lasted(0)) == (12_000, True, 11_000)


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (99, 4), (1, 1), (100, 4)])
def test_quantile_is_one_of_the_values(percent: int, value: int) -> None:
    assert quantile([1, 2, 3, 4], percent) == value


def test_recorded_owners_that_were_killed_are_replaced_in_eleven_seconds() -> None:
    run = recorded("kill-owner")
    lasted = [
        (orphan.gone.broker[-1], orphan.lasted(0) / 1000)
        for gone in departures(run, registry_of(run))
        for orphan in orphans(run, gone)
    ]
    assert lasted == [("3", about(11.7, 0.3))] * 5 + [("2", about(10.7, 0.3))] * 5
