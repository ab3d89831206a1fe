"""Views that stop for good, by missing records and by what a broker says of owners."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.known_bugs import looks_like
from oneowner.checkers.recordings.laws.views.line_record_join import Places, views
from oneowner.checkers.recordings.laws.views.record_handling import handled_is_in_dump, refused_is_not_handled
from oneowner.checkers.recordings.laws.views.stopped_views import view_stops
from oneowner.checkers.recordings.laws.views.view_snapshots import Sighting, sightings
from oneowner.checkers.recordings.read.observations import Printed, Said
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    OTHER,
    UNIT,
    channel,
    logs,
    message,
    one_life,
    printed,
    recorded,
    said,
    scene,
    started,
)

RECORDS = (
    printed("Assigning", 1, B1, timestamp=1),
    printed("Owned", 2, B1, timestamp=2),
    printed("Releasing", 3, B2, B1, timestamp=3),
    printed("Assigning", 4, B2, B1, timestamp=4),
    printed("Owned", 5, B2, B1, timestamp=5),
)
"""Published every second from 1 s on; the last at 5 s."""
CHANNEL = channel(*(message(number, 1_000 * (number + 1), record) for number, record in enumerate(RECORDS)))


def gave_up(time: int, owner: str, unit: str = UNIT, broker: str = B1) -> Said:
    words = f"{broker} failed to wait for owner for serviceUnit:{unit}; Trying to return the current owner:{owner}"
    value = owner.removeprefix("Optional[").removesuffix("]") if "[" in owner else None
    return said(time // 100, time, "owner-wait-timed-out", unit, broker, words, owner=value)


def quiet(*lines: Said, until: int = 60_000, broker: str = B1) -> Scene:
    """A log without debug lines that goes on to *until*."""
    log = [said(0, 500, "channel-started", broker=broker), *lines, said(9_999, until, "registered", broker=broker)]
    found = scene(channel=CHANNEL, said=logs(*log))
    found.lives = one_life(found.said, is_debug=False)
    return found


def only(found: Scene) -> Sighting:
    places = Places(found)
    [view] = views(found)
    [sighting] = sightings(found, view, places)
    return sighting


def snapshot(time: int, *entries: Printed) -> Said:
    shown = tuple((UNIT, entry) for entry in entries)
    return said(time // 100, time, "ownership-entry-set", text="### OwnershipEntrySet start ###", entries=shown)


# ---- what one line proves ----


@pytest.mark.parametrize(
    ("owner", "taken", "missed", "behind"),
    [
        (f"Optional[{B2}]", 4, None, 0),
        (f"Optional[{B1}]", 1, "0:2", 17_000),
        ("null", 0, "0:4", 15_000),
        ("Optional.empty", -1, "0:0", 19_000),
    ],
)
def test_printed_owner_tells_how_far_the_view_has_read(owner: str, taken: int, missed: str | None, behind: int) -> None:
    sighting = only(quiet(gave_up(20_000, owner)))
    assert (sighting.taken, sighting.behind) == (taken, behind)
    assert (sighting.missed and sighting.missed.message.message_id) == missed


@pytest.mark.parametrize(("number", "missed", "behind"), [(4, None, 0), (1, "0:2", 17_000), (2, "0:3", 16_000)])
def test_entry_of_a_snapshot_tells_how_far_the_view_has_read(number: int, missed: str | None, behind: int) -> None:
    sighting = only(quiet(snapshot(20_000, RECORDS[number])))
    assert (sighting.taken, sighting.behind) == (number, behind)
    assert (sighting.missed and sighting.missed.message.message_id) == missed
    assert str(RECORDS[number].record) in sighting.words


def test_view_whose_snapshots_do_not_change_has_stopped() -> None:
    stale = quiet(*(snapshot(time, RECORDS[1]) for time in (20_000, 80_000)), until=90_000)
    (one,) = view_stops(stale).findings
    assert (one.severity, one.brokers) == (Severity.VIOLATION, (B1,))


def test_snapshot_of_what_the_channel_refused_or_never_had_is_found() -> None:
    strange = quiet(snapshot(20_000, printed("Owned", 77, B2, timestamp=9)))
    assert handled_is_in_dump(strange).findings
    refused = printed("Owned", 3, B2, timestamp=9)
    found = quiet(snapshot(20_000, refused))
    found.channel = channel(*(message(n, 1_000 * (n + 1), one) for n, one in enumerate((*RECORDS, refused))))
    assert [one.severity for one in refused_is_not_handled(found).findings] == [Severity.VIOLATION]


def test_owner_of_a_moment_ago_is_not_stale() -> None:
    assert not only(quiet(gave_up(9_000, "null"))).is_stale
    assert only(quiet(gave_up(10_001, "null"))).is_stale


@pytest.mark.parametrize("line", [gave_up(20_000, "null", OTHER), gave_up(20_000, "Optional[b9:1]")])
def test_owner_that_the_channel_never_had_proves_nothing(line: Said) -> None:
    found = quiet(line)
    places = Places(found)
    assert sightings(found, views(found)[0], places) == []


def test_empty_view_of_the_metadata_store_proves_nothing() -> None:
    found = quiet(gave_up(20_000, "Optional.empty"))
    found.storage = Storage.METADATA_STORE
    places = Places(found)
    assert sightings(found, views(found)[0], places) == []


# ---- view-stops without debug lines ----


def test_view_that_is_stale_for_longer_than_lookups_wait_has_stopped() -> None:
    judged = view_stops(quiet(gave_up(36_000, "null")))
    [found] = judged.findings
    assert (found.severity, found.brokers, found.message_id) == (Severity.VIOLATION, (B1,), "0:4")
    assert "it still had t/n/0x00000000_0x80000000 in flight" in found.why
    assert found.window is not None
    assert (found.window.since, found.window.until) == (5_000, 36_000)


def test_view_that_is_stale_for_less_is_a_doubt() -> None:
    judged = view_stops(quiet(gave_up(30_000, "null")))
    assert (judged.exercised, judged.findings, len(judged.doubts)) == (1, [], 1)


@pytest.mark.parametrize(
    "proof",
    [
        gave_up(50_000, f"Optional[{B2}]"),
        said(500, 50_000, "handled", UNIT, cur=RECORDS[4], next=None),
    ],
    ids=["owner", "handled"],
)
def test_view_that_catches_up_has_not_stopped(proof: Said) -> None:
    judged = view_stops(quiet(gave_up(36_000, "null"), proof))
    assert (judged.findings, judged.doubts) == ([], [])


def test_view_that_says_nothing_gives_no_occasion() -> None:
    assert view_stops(quiet()).exercised == 0


# ---- view-stops with debug lines ----


def verbose(handled: int, until: int, broker: str = B1) -> list[Said]:
    """The log of a view that takes the first *handled* records."""
    states = [record.record.state for record in RECORDS]
    lines = [
        said(
            number + 1, 1_010 + 1_000 * number, "handle-request", UNIT, broker,
            data=record, handled=states[: number + 1].count(states[number]),
        )
        for number, record in enumerate(RECORDS[:handled])
    ]  # fmt: skip
    return [said(0, 500, "channel-started", broker=broker), *lines, said(99, until, "owner-returned", broker=broker)]


def test_view_that_takes_everything_has_not_stopped() -> None:
    judged = view_stops(scene(channel=CHANNEL, said=logs(*verbose(5, 90_000))))
    assert (judged.exercised, judged.findings, judged.doubts) == (1, [], [])


def test_view_that_misses_records_while_its_broker_lives_on_has_stopped() -> None:
    lines = logs(*verbose(3, 90_000), *verbose(5, 90_000, B2))
    [found] = view_stops(scene(channel=CHANNEL, said=lines)).findings
    assert (found.brokers, found.message_id) == ((B1,), "0:3")
    assert "none of 2 accepted records, for 86.0 s at least" in found.why


def test_view_at_the_end_of_a_log_has_not_stopped() -> None:
    lines = logs(*verbose(3, 33_000), *verbose(5, 90_000, B2))
    judged = view_stops(scene(channel=CHANNEL, said=lines))
    assert (judged.exercised, judged.findings, judged.doubts) == (2, [], [])


def test_view_whose_debug_mode_may_have_been_switched_off_is_a_doubt() -> None:
    *lines, last = verbose(3, 90_000)
    judged = view_stops(scene(channel=CHANNEL, said=logs(*lines, last._replace(event="registered"))))
    assert judged.findings == []
    assert judged.doubts == [f"{B1} shows nothing from 0:3 on, nor that debug mode was on"]


def test_record_that_nobody_takes_is_one_finding() -> None:
    lines = logs(*verbose(4, 90_000), *verbose(4, 90_000, B2))
    [found] = view_stops(scene(channel=CHANNEL, said=lines)).findings
    assert (found.brokers, found.message_id) == ((B1, B2), "0:4")
    assert "no broker took" in found.why


# ---- recordings ----


def test_recorded_view_stops_for_good_after_a_leader_was_stopped() -> None:  # run.G12
    judged = view_stops(recorded("rolling-restart"))
    [found] = judged.findings
    assert (found.severity, found.brokers) == (Severity.VIOLATION, ("127.0.0.1:18082",))
    assert (found.message_id, found.upstream) == ("37:21", looks_like("handler_waits"))
    assert found.window is not None
    assert found.window.since is not None
    assert found.window.until is not None
    assert (found.window.since - started("rolling-restart")) / 1000 == pytest.approx(94.4, abs=0.2)
    assert found.window.until - found.window.since > 30_000
    assert "proved to have taken is 37:18" in found.why


OTHERS = (
    "healthy", "healthy-quiet", "transfer", "shedding", "split", "kill-owner", "kill-mid-transfer", "compaction",
    "delete-decommission", "metadata-store", "zombie", "leader-hang", "zk-partition", "zk-partition-metadata",
    "zk-restart-metadata",
)  # fmt: skip


def test_recorded_snapshot_at_the_end_of_a_log_shows_a_view_that_is_behind() -> None:
    """Five records had been sent 7.6 s before; nothing tells when the topic had them."""
    judged = view_stops(recorded("zk-restart"))
    assert judged.findings == []
    assert judged.doubts == ["127.0.0.1:18083 is behind 130:0:-1:0 when its log ends"]


@pytest.mark.parametrize("name", OTHERS)
def test_recorded_views_go_on_elsewhere(name: str) -> None:
    judged = view_stops(recorded(name))
    assert (judged.findings, judged.doubts) == ([], [])
