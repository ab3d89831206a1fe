"""Records that logs print become the channel: each once, in the order of the topic, and none that all readers drop."""

import pytest

from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene import logged_channel as logged_channel_module
from oneowner.checkers.recordings.scene.logged_channel import LoggedChannel, logged_channel
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, logs, printed, said

ASSIGNED = printed("Assigning", 1, B1, timestamp=10)
OWNED = printed("Owned", 2, B1, timestamp=20)
RELEASING = printed("Releasing", 3, B2, B1, timestamp=30)
GIVEN = printed("Assigning", 4, B2, B1, timestamp=40)
TAKEN = printed("Owned", 5, B2, B1, timestamp=50)
LOST = printed("Releasing", 3, source=B1, timestamp=31)
AGAIN = printed("Assigning", 1, B2, timestamp=90)


def request(number: int, time: int, data: Printed | None, unit: str = UNIT, broker: str = B1) -> LogEvent:
    return said(number, time, "handle-request", unit, broker, data=data, handled=number)


def handled(number: int, time: int, cur: Printed, after: Printed | None, broker: str = B1) -> LogEvent:
    return said(number, time, "handled", UNIT, broker, cur=cur, next=after)


def skipped(number: int, time: int, value: Printed, held: Printed, broker: str = B1) -> LogEvent:
    return said(number, time, "skipped", UNIT, broker, value=value, prev=held)


def channel(*lines: LogEvent, storage: Storage = Storage.SYSTEM_TOPIC) -> LoggedChannel:
    """The channel by logs of one process each."""
    return logged_channel((((broker, 0), own) for broker, own in logs(*lines).items()), storage)


def shown(found: LoggedChannel, unit: str = UNIT) -> list[Printed | None]:
    return [step.printed for step in found.channel.timeline if step.key == unit]


def test_record_that_two_brokers_print_is_one() -> None:
    found = channel(request(1, 11, ASSIGNED), request(2, 21, OWNED), request(1, 12, ASSIGNED, broker=B2))
    assert shown(found) == [ASSIGNED, OWNED]
    assert [one.handled_by for one in found.records] == [{(B1, 0), (B2, 0)}, {(B1, 0)}]


def test_record_comes_at_its_version_whatever_the_clock_of_its_maker() -> None:
    late = GIVEN._replace(timestamp=5)
    found = channel(handled(1, 31, RELEASING, late), handled(2, 32, TAKEN, None), handled(1, 9, OWNED, None, broker=B2))
    assert shown(found) == [OWNED, RELEASING, late, TAKEN]


def test_records_of_several_units_come_in_the_order_of_a_log() -> None:
    other = printed("Owned", 1, B2, timestamp=999)
    found = channel(request(1, 11, ASSIGNED), request(2, 12, other, OTHER), request(3, 21, OWNED))
    assert [step.key for step in found.channel.timeline] == [UNIT, OTHER, UNIT]


def test_watches_of_the_metadata_store_order_the_records_of_one_unit_alone() -> None:
    other = printed("Owned", 1, B2, timestamp=5)
    lines = request(1, 11, ASSIGNED), request(2, 12, other, OTHER), request(3, 21, OWNED)
    assert next(step.key for step in channel(*lines, storage=Storage.METADATA_STORE).channel.timeline) == OTHER


def test_record_that_every_reader_skips_is_left_out() -> None:
    found = channel(handled(1, 21, OWNED, None), handled(2, 31, OWNED, LOST), skipped(3, 32, LOST, RELEASING))
    assert shown(found) == [OWNED, RELEASING]


def test_record_that_its_broker_published_counts_where_nothing_shows_the_records_that_it_takes() -> None:
    assert shown(channel(handled(1, 31, RELEASING, GIVEN))) == [RELEASING, GIVEN]
    assert shown(channel(request(1, 30, RELEASING), handled(2, 31, RELEASING, GIVEN))) == [RELEASING]


def test_tombstone_stands_behind_the_record_that_the_same_log_has_before_it() -> None:
    lines = [request(1, 11, ASSIGNED), request(2, 21, OWNED), request(3, 60, None), request(4, 91, AGAIN)]
    found = channel(*lines, request(1, 61, None, broker=B2), request(2, 92, AGAIN, broker=B2))
    assert shown(found) == [ASSIGNED, OWNED, None, AGAIN]
    assert found.handlers([2]) == {(B1, 0), (B2, 0)}


def test_tombstone_without_a_neighbour_has_no_place() -> None:
    assert shown(channel(request(1, 60, None), handled(1, 21, OWNED, None, broker=B2))) == [OWNED]


def test_two_logs_that_contradict_each_other_lose_no_record() -> None:
    found = channel(
        request(1, 11, ASSIGNED), request(2, 21, OWNED), request(1, 11, OWNED, broker=B2),
        request(2, 21, ASSIGNED, broker=B2),
    )  # fmt: skip
    assert len(found.records) == 2


def test_records_after_one_are_known_up_to_the_last_that_its_process_handled() -> None:
    other = printed("Owned", 1, B2, timestamp=50)
    found = channel(request(1, 11, ASSIGNED), handled(1, 21, OWNED, None, broker=B2), request(2, 51, other, OTHER))
    assert [one.place.printed for one in found.records] == [ASSIGNED, OWNED, other]
    assert [found.followed_until(place) for place in range(3)] == [50, 0, 50]


def test_record_that_pulsar_cannot_have_made_is_left_out() -> None:
    forged = (
        printed("Owned", 2**70, B1, timestamp=20),
        printed("Owned", 2, B1, timestamp=2**70),
        printed("Owned", 2, timestamp=20),
    )
    assert shown(channel(*(request(number, 20, one) for number, one in enumerate(forged)))) == []


def test_unit_whose_records_contradict_their_order_is_named() -> None:
    assert channel(handled(1, 21, OWNED, None), handled(1, 31, TAKEN, None, broker=B2)).unsettled == frozenset()
    assert channel(request(1, 11, TAKEN), request(2, 21, GIVEN)).unsettled == {UNIT}
    rival = printed("Owned", 2, B2, timestamp=21)
    assert channel(handled(1, 21, OWNED, None), handled(1, 22, rival, None, broker=B2)).unsettled == {UNIT}


def test_lines_beyond_the_most_are_left_to_a_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logged_channel_module, "MOST_LINES", 1)
    found = channel(request(1, 11, ASSIGNED), request(2, 21, OWNED))
    assert found.are_too_many
    assert not found.records


def test_channel_is_whole_where_debug_mode_shows_all_versions() -> None:
    lines = [request(1, 11, ASSIGNED), request(2, 21, OWNED), request(3, 31, RELEASING)]
    assert channel(*lines).is_whole
    assert not channel(lines[0], lines[2]).is_whole
    assert not channel(*lines[1:]).is_whole
    assert not channel(*lines[:2], handled(3, 31, RELEASING, GIVEN, broker=B2)).is_whole
