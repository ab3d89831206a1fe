"""Log lines joined to records: by all that they print, as a multiset, tombstones by their neighbours."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from oneowner.checkers.recordings.laws.views.joined_lines import Joined
from oneowner.checkers.recordings.laws.views.line_record_join import views
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.scene import Life, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene
from tests.recordings.laws.recorded import recorded

ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
OWNED = printed("Owned", 2, B1, timestamp=20)
RELEASING = printed("Releasing", 3, source=B1, timestamp=30)
FREE = printed("Free", 4, source=B1, timestamp=40)
FREED = FREE._replace(timestamp=35)
LATER = ASSIGNING._replace(timestamp=11)
REFUSED = printed("Owned", 2, B2, timestamp=21)
SPLIT = printed("Splitting", 3, source=B1, timestamp=30)._replace(children=("0x0_0x4", "0x4_0x8"))
TURNED = SPLIT._replace(children=("0x4_0x8", "0x0_0x4"))


def ids(lines: Sequence[Joined]) -> list[str | None]:
    return [None if joined.step is None else joined.step.message_id for joined in lines]


def published(*records: Printed | None) -> Channel:
    """A channel of one unit, a record every millisecond."""
    return channel(*(message(n, 10 + n, record) for n, record in enumerate(records)))


def handled(number: int, record: Printed | None, unit: str = UNIT, count: int = 1) -> LogEvent:
    return said(number, 50 + number, "handle-request", unit, data=record, handled=count)


def skipped(number: int, record: Printed, held: Printed) -> LogEvent:
    return said(number, 50 + number, "skipped", UNIT, value=record, prev=held)


FOUND_AGAIN = published(FREED, None, ASSIGNING, FREE, None)
OF_TWO_UNITS = channel(message(0, 10, ASSIGNING), message(1, 11, ASSIGNING, OTHER), message(2, 12, None))
LINES_OF_TWO_UNITS = handled(1, ASSIGNING), handled(2, None), handled(3, ASSIGNING, OTHER, 2)

JOINS: dict[str, tuple[Scene, list[str | None], list[str | None]]] = {
    # what: records and lines, the message ids of the records that lines say to be taken, and to be skipped
    "line joins the record that is equal in all it prints":
        (scene(channel=published(ASSIGNING, LATER, OWNED),
               said=logs(handled(1, ASSIGNING), skipped(2, LATER, ASSIGNING), handled(3, OWNED))),
         ["0:0", "0:2"], ["0:1"]),
    "line of another unit or time joins nothing":
        (scene(channel=published(ASSIGNING),
               said=logs(handled(1, ASSIGNING, OTHER), handled(2, ASSIGNING._replace(timestamp=9), count=2))),
         [None, None], []),
    "re-sent record joins as a multiset, accepted first where it is taken":
        (scene(channel=published(ASSIGNING, ASSIGNING),
               said=logs(handled(1, ASSIGNING), skipped(2, ASSIGNING, ASSIGNING), handled(3, ASSIGNING, count=2),
                         handled(4, ASSIGNING, count=3))),
         ["0:0", "0:1", None], ["0:1"]),
    "tombstone joins behind its neighbours":
        (scene(channel=FOUND_AGAIN, said=logs(handled(1, ASSIGNING), handled(2, FREE, count=2), handled(3, None))),
         ["0:2", "0:3", "0:4"], []),
    "tombstone joins the next one where a line between is missing":
        (scene(channel=FOUND_AGAIN, said=logs(handled(1, ASSIGNING), handled(9, None))), ["0:2", "0:4"], []),
    "neighbours are those of all units in the topic":
        (scene(channel=OF_TWO_UNITS, said=logs(*LINES_OF_TWO_UNITS)), ["0:0", None, "0:1"], []),
    "neighbours are those of the unit in the metadata store":
        (replace(scene(channel=OF_TWO_UNITS, said=logs(*LINES_OF_TWO_UNITS)), storage=Storage.METADATA_STORE),
         ["0:0", "0:2", "0:1"], []),
    "ranges of a split come in no order":
        (scene(channel=published(SPLIT), said=logs(handled(1, TURNED))), ["0:0"], []),
}  # fmt: skip


@pytest.mark.parametrize(("found", "taken", "dropped"), JOINS.values(), ids=JOINS)
def test_line_joins_a_record(found: Scene, taken: list[str | None], dropped: list[str | None]) -> None:
    [view] = views(found)
    assert (ids(view.taken), ids(view.skipped)) == (taken, dropped)


def test_line_knows_whether_its_records_were_all_accepted() -> None:
    [view] = views(JOINS["line joins the record that is equal in all it prints"][0])
    assert view.taken[0].is_only_accepted
    assert not view.skipped[0].is_only_accepted
    [view] = views(JOINS["re-sent record joins as a multiset, accepted first where it is taken"][0])
    assert not view.taken[0].is_only_accepted
    [view] = views(JOINS["line of another unit or time joins nothing"][0])
    assert [joined.steps for joined in view.taken] == [(), ()]


def test_each_process_is_counted_for_itself() -> None:
    found = scene(
        channel=published(ASSIGNING, OWNED, REFUSED),
        said=logs(skipped(1, REFUSED, OWNED), skipped(2, REFUSED, OWNED)),
        lives={B1: [Life(B1, 0, 51, 51, 0, 1, None), Life(B1, 1, 52, 52, 1, 2, None)]},
    )
    assert [ids(view.skipped) for view in views(found)] == [["0:2"], ["0:2"]]


def test_view_stops_being_asked_when_its_broker_cleans_up_after_itself() -> None:
    other = said(1, 10, "cleanup-started", subject=B2)
    found = scene(said=logs(said(0, 5, "channel-started"), other, said(2, 20, "cleanup-started", subject=B1)))
    [view] = views(found)
    assert view.started is not None
    assert (view.started.time, view.until) == (5, 20)


@pytest.mark.parametrize(
    "name", [pytest.param("kill-mid-transfer", marks=pytest.mark.slow), "metadata-store", "delete-decommission"]
)
def test_recorded_lines_that_print_a_record_all_join_one(name: str) -> None:
    for view in views(recorded(name)):
        lines = (*view.taken, *view.skipped, *view.held)
        assert lines
        assert [joined for joined in lines if not joined.steps] == []
        assert [joined for joined in view.requests if joined.step is None] == []


@pytest.mark.parametrize("name", [pytest.param("kill-mid-transfer", marks=pytest.mark.slow), "delete-decommission"])
def test_recorded_requests_of_a_topic_come_in_its_order(name: str) -> None:
    found = recorded(name)
    for view in views(found):
        taken = [joined.step.place for joined in view.requests if joined.step is not None]
        assert taken == sorted(taken)
