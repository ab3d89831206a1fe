"""Views that stop for good, by missing records and by a broker's words about owners."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.laws.views.line_record_join import views
from oneowner.checkers.recordings.laws.views.view_snapshots import Sighting, sightings
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, one_life, printed, said, scene

LAW = "view-stops"
RECORDS = (
    printed("Assigning", 1, B1, timestamp=1),
    printed("Owned", 2, B1, timestamp=2),
    printed("Releasing", 3, B2, B1, timestamp=3),
    printed("Assigning", 4, B2, B1, timestamp=4),
    printed("Owned", 5, B2, B1, timestamp=5),
)
"""Published every second from 1 s on; the last at 5 s."""


def published(*records: Printed) -> Channel:
    return channel(*(message(number, 1_000 * (number + 1), record) for number, record in enumerate(records)))


CHANNEL = published(*RECORDS)


def gave_up(time: int, owner: str, unit: str = UNIT, broker: str = B1) -> LogEvent:
    words = f"{broker} failed to wait for owner for serviceUnit:{unit}; Trying to return the current owner:{owner}"
    value = owner.removeprefix("Optional[").removesuffix("]") if "[" in owner else None
    return said(time // 100, time, "owner-wait-timed-out", unit, broker, words, owner=value)


def snapshot(time: int, *entries: Printed) -> LogEvent:
    shown = tuple((UNIT, entry) for entry in entries)
    return said(time // 100, time, "ownership-entry-set", text="### OwnershipEntrySet start ###", entries=shown)


def silent(*lines: LogEvent, until: int = 60_000, told: Channel = CHANNEL) -> Scene:
    """A log without debug lines that goes on to *until*."""
    log = logs(said(0, 500, "channel-started"), *lines, said(9_999, until, "registered"))
    return scene(channel=told, said=log, lives=one_life(log, is_debug=False))


def shown(found: Scene) -> list[Sighting]:
    """The report of the only view of a scene on the records that it has taken."""
    [view] = views(found)
    return sightings(found, view)


@pytest.mark.parametrize(
    ("line", "taken", "missed", "behind"),
    [
        (gave_up(20_000, f"Optional[{B2}]"), 4, None, 0),
        (gave_up(20_000, f"Optional[{B1}]"), 1, "0:2", 17_000),
        (gave_up(20_000, "null"), 0, "0:4", 15_000),
        (gave_up(20_000, "Optional.empty"), -1, "0:0", 19_000),
        (snapshot(20_000, RECORDS[4]), 4, None, 0),
        (snapshot(20_000, RECORDS[1]), 1, "0:2", 17_000),
        (snapshot(20_000, RECORDS[2]), 2, "0:3", 16_000),
    ],
)
def test_line_tells_how_far_the_view_has_read(line: LogEvent, taken: int, missed: str | None, behind: int) -> None:
    [sighting] = shown(silent(line))
    assert (sighting.taken, sighting.behind) == (taken, behind)
    assert (sighting.missed and sighting.missed.message_id) == missed
    if line.event == "ownership-entry-set":
        assert str(RECORDS[taken].record) in sighting.words


@pytest.mark.parametrize(("time", "is_stale"), [(9_000, False), (10_001, True)])
def test_owner_of_a_moment_ago_is_not_stale(time: int, is_stale: bool) -> None:
    [sighting] = shown(silent(gave_up(time, "null")))
    assert (sighting.missed is not None) == is_stale


@pytest.mark.parametrize(
    "found",
    [
        silent(gave_up(20_000, "null", OTHER)),
        silent(gave_up(20_000, "Optional[b9:1]")),
        replace(silent(gave_up(20_000, "Optional.empty")), storage=Storage.METADATA_STORE),
    ],
    ids=["of another unit", "that the channel never had", "that is empty in the metadata store"],
)
def test_owner_proves_nothing(found: Scene) -> None:
    assert shown(found) == []


def verbose(handled: int, until: int, broker: str = B1, last: str = "owner-returned") -> list[LogEvent]:
    """The log of a view that takes the first *handled* records, and logs a line every 25 s, the last at *until*."""
    states = [record.record.state for record in RECORDS]
    lines = [
        said(
            number + 1, 1_010 + 1_000 * number, "handle-request", UNIT, broker,
            data=record, handled=states[: number + 1].count(states[number]),
        )
        for number, record in enumerate(RECORDS[:handled])
    ]  # fmt: skip
    later = [said(time // 1_000, time, last, broker=broker) for time in (*range(25_000, until, 25_000), until)]
    return [said(0, 500, "channel-started", broker=broker), *lines, *later]


def debugged(*logs_of_views: list[LogEvent]) -> Scene:
    return scene(channel=CHANNEL, said=logs(*(line for log in logs_of_views for line in log)))


def restarted(time: int) -> Scene:
    """A view that has stopped; its process has no line after *time*, and the next one starts 10 s later."""
    first, second = verbose(3, time), [said(200, time + 10_000, "channel-started", broker=B1)]
    lives = [
        Life(B1, 0, 500, time, 0, len(first), 500),
        Life(B1, 1, time + 10_000, time + 10_000, len(first), len(first) + 1, None),
    ]
    return scene(channel=CHANNEL, said={B1: [*first, *second]}, lives={B1: lives})


NEVER_HAD = printed("Owned", 77, B2, timestamp=9)
REFUSED = printed("Owned", 3, B2, timestamp=9)

LATE = [said(50 + n, 70_000, "handle-request", UNIT, B2, data=RECORDS[n], handled=2) for n in (3, 4)]

CASES = {
    # without debug lines
    "view whose snapshots do not change has stopped":
        case(LAW, silent(snapshot(20_000, RECORDS[1]), snapshot(80_000, RECORDS[1]), until=90_000), violation(B1)),
    "view that is stale for longer than lookups wait has stopped":
        case(LAW, silent(gave_up(36_000, "null")),
             violation(B1, at="0:4", since=5_000, until=36_000,
                       why="it still had t/n/0x00000000_0x80000000 in flight")),
    "view that is stale for less is a doubt": case(LAW, silent(gave_up(30_000, "null")), occasions=1, doubts=1),
    "view that names the last owner later has not stopped":
        case(LAW, silent(gave_up(36_000, "null"), gave_up(50_000, f"Optional[{B2}]"))),
    "view that handles the last record later has not stopped":
        case(LAW, silent(gave_up(36_000, "null"), said(500, 50_000, "handled", UNIT, cur=RECORDS[4], next=None))),
    "view that says nothing is no occasion": case(LAW, silent(), occasions=0),
    "snapshot of what the channel never had is not in the dump":
        case("handled-is-in-dump", silent(snapshot(20_000, NEVER_HAD)), warning(), doubts=1),
    "snapshot of what the channel refused is a refused record that is held":
        case("refused-is-not-handled",
             silent(snapshot(20_000, REFUSED), told=published(*RECORDS, REFUSED)), violation()),
    # with debug lines
    "view that takes everything has not stopped": case(LAW, debugged(verbose(5, 90_000)), occasions=1),
    "view that misses records while its broker lives on has stopped":
        case(LAW, debugged(verbose(3, 90_000), verbose(5, 90_000, B2)),
             violation(B1, at="0:3", why="none of 2 accepted records, for 86.0 s at least", possible_until=END)),
    "view that stopped ends with its process, which a later one shows":
        case(LAW, restarted(60_000), violation(B1, at="0:3", until=60_000, possible_until=60_000)),
    "record that was late in the topic counts from when another view handled it":
        case(LAW, debugged(verbose(3, 90_000), [*verbose(3, 0, B2)[:-1], *LATE, *verbose(3, 90_000, B2)[-1:]]),
             occasions=2),
    "view at the end of a log has not stopped":
        case(LAW, debugged(verbose(3, 33_000), verbose(5, 90_000, B2)), occasions=2),
    "view of a process that had just gone on when its log ends may catch up":
        case(LAW, debugged([*verbose(3, 0)[:-1], *verbose(0, 88_000)[-1:], *verbose(0, 90_000)[-1:]],
                           verbose(5, 90_000, B2)),
             doubts=f"{B1} had just gone on, behind 0:3, when its log ends"),
    "view whose debug mode may have been switched off is a doubt":
        case(LAW, debugged(verbose(3, 90_000, last="registered")),
             doubts=f"{B1} shows nothing from 0:3 on, nor that debug mode was on"),
    "view that takes what the channel has not goes on":
        case(LAW, debugged([*verbose(3, 90_000)[:-1], said(50, 20_000, "handle-request", UNIT,
                            data=printed("Owned", 9, B2, timestamp=19_999), handled=2), verbose(3, 90_000)[-1]]),
             doubts=f"{B1} took records after 0:3 that the channel has not"),
    "record that nobody takes shortly before the end is a doubt":
        case(LAW, debugged(verbose(4, 15_000), verbose(4, 15_000, B2)), doubts=2),
    "record that nobody takes is one finding":
        case(LAW, debugged(verbose(4, 90_000), verbose(4, 90_000, B2)),
             violation(B1, B2, at="0:4", why="no broker took")),
}  # fmt: skip


@each(CASES)
def test_view_is_judged_by_what_it_shows(case: Case) -> None:
    case.check()
