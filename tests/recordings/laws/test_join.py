"""Log lines joined to records: by all that they print, as a multiset, tombstones by their neighbours."""

from __future__ import annotations

import dataclasses

from oneowner.checkers.recordings.laws.views.line_record_join import Joined, Places, View, views
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene
from tests.recordings.laws.recorded import recorded

ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
OWNED = printed("Owned", 2, B1, timestamp=20)
RELEASING = printed("Releasing", 3, source=B1, timestamp=30)
FREE = printed("Free", 4, source=B1, timestamp=40)


def only_view(found: Scene) -> View:
    [view] = views(found)
    return view


def ids(lines: list[Joined]) -> list[str | None]:
    return [joined.step and joined.step.message.message_id for joined in lines]


def test_line_joins_the_record_that_is_equal_in_all_it_prints() -> None:
    later = ASSIGNING._replace(timestamp=11)
    found = scene(
        channel=channel(message(0, 10, ASSIGNING), message(1, 11, later), message(2, 20, OWNED)),
        said=logs(
            said(1, 12, "handle-request", UNIT, data=ASSIGNING, handled=1),
            said(2, 13, "skipped", UNIT, value=later, prev=ASSIGNING),
            said(3, 21, "handle-request", UNIT, data=OWNED, handled=1),
        ),
    )
    view = only_view(found)
    assert ids(view.taken) == ["0:0", "0:2"]
    assert ids(view.skipped) == ["0:1"]
    assert view.taken[0].is_only_accepted
    assert view.skipped[0].is_only_refused


def test_line_of_another_unit_or_time_joins_nothing() -> None:
    found = scene(
        channel=channel(message(0, 10, ASSIGNING)),
        said=logs(
            said(1, 12, "handle-request", OTHER, data=ASSIGNING, handled=1),
            said(2, 13, "handle-request", UNIT, data=ASSIGNING._replace(timestamp=9), handled=2),
        ),
    )
    assert [joined.steps for joined in only_view(found).taken] == [(), ()]


def test_re_sent_record_joins_as_a_multiset_accepted_first_where_it_is_taken() -> None:
    found = scene(
        channel=channel(message(0, 10, ASSIGNING), message(1, 10, ASSIGNING)),
        said=logs(
            said(1, 12, "handle-request", UNIT, data=ASSIGNING, handled=1),
            said(2, 13, "skipped", UNIT, value=ASSIGNING, prev=ASSIGNING),
            said(3, 14, "handle-request", UNIT, data=ASSIGNING, handled=2),
            said(4, 15, "handle-request", UNIT, data=ASSIGNING, handled=3),
        ),
    )
    view = only_view(found)
    assert ids(view.taken) == ["0:0", "0:1", None]
    assert ids(view.skipped) == ["0:1"]
    assert not view.taken[0].is_only_accepted


def test_each_process_is_counted_for_itself() -> None:
    refused = printed("Owned", 2, B2, timestamp=21)
    lines = [said(n, 30 + n, "skipped", UNIT, value=refused, prev=OWNED) for n in (1, 2)]
    found = scene(
        channel=channel(message(0, 10, ASSIGNING), message(1, 20, OWNED), message(2, 21, refused)), said=logs(*lines)
    )
    found.lives = {B1: [Life(B1, 0, 31, 31, 0, 1, None), Life(B1, 1, 32, 32, 1, 2, None)]}
    assert [ids(view.skipped) for view in views(found)] == [["0:2"], ["0:2"]]


def test_tombstone_joins_between_its_neighbours() -> None:
    records = [FREE._replace(timestamp=35), None, ASSIGNING, FREE, None]
    lines = [said(n, 50 + n, "handle-request", UNIT, data=r, handled=n) for n, r in enumerate(records[2:], 1)]
    found = scene(channel=channel(*(message(n, 40 + n, record) for n, record in enumerate(records))), said=logs(*lines))
    view = only_view(found)
    assert ids(view.taken) == ["0:2", "0:3", "0:4"]

    second = said(9, 60, "handle-request", UNIT, data=None, handled=9)
    found = scene(
        channel=found.channel, said=logs(said(1, 51, "handle-request", UNIT, data=ASSIGNING, handled=1), second)
    )
    assert ids(only_view(found).taken) == ["0:2", "0:4"]


def test_neighbours_are_those_of_the_unit_in_the_metadata_store() -> None:
    messages = [message(0, 10, ASSIGNING), message(1, 11, ASSIGNING, OTHER), message(2, 12, None)]
    lines = [
        said(1, 20, "handle-request", UNIT, data=ASSIGNING, handled=1),
        said(2, 21, "handle-request", UNIT, data=None, handled=1),
        said(3, 22, "handle-request", OTHER, data=ASSIGNING, handled=2),
    ]
    found = scene(channel=channel(*messages), said=logs(*lines))
    assert ids(only_view(found).taken) == ["0:0", None, "0:1"]  # the topic has one order for all units
    nodes = dataclasses.replace(found, storage=Storage.METADATA_STORE)
    assert ids(only_view(nodes).taken) == ["0:0", "0:2", "0:1"]


def test_ranges_of_a_split_come_in_no_order() -> None:
    split = printed("Splitting", 3, source=B1, timestamp=30)._replace(children=("0x0_0x4", "0x4_0x8"))
    turned = split._replace(children=("0x4_0x8", "0x0_0x4"))
    found = scene(
        channel=channel(message(0, 30, split)),
        said=logs(said(1, 31, "handle-request", UNIT, data=turned, handled=1)),
    )
    assert ids(only_view(found).taken) == ["0:0"]


def test_view_stops_being_asked_when_its_broker_cleans_up_after_itself() -> None:
    other = said(1, 10, "cleanup-started", subject=B2)
    found = scene(said=logs(said(0, 5, "channel-started"), other, said(2, 20, "cleanup-started", subject=B1)))
    view = only_view(found)
    assert view.started is not None
    assert (view.started.time, view.until) == (5, 20)


def test_recorded_lines_that_print_a_record_all_join_one() -> None:
    for name in ("kill-mid-transfer", "metadata-store", "delete-decommission"):
        found = recorded(name)
        for view in views(found):
            lines = (*view.taken, *view.skipped, *view.held)
            assert lines
            assert [joined for joined in lines if not joined.steps] == []
            assert [joined for joined in view.requests if joined.step is None] == []


def test_recorded_requests_of_a_topic_come_in_its_order() -> None:
    found = recorded("kill-mid-transfer")
    places = Places(found)
    for view in views(found):
        taken = [places.index(joined.step) for joined in view.requests if joined.step is not None]
        assert taken == sorted(taken)
