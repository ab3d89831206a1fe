"""Processes of a broker are distinguished in its log."""

from itertools import pairwise

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.read.broker_logs import read_log
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.broker_processes import lives_of, log_ends_amid_process
from oneowner.checkers.recordings.scene.scene import Life, Limits
from tests.recordings.laws.crafted import B1, logs, lookup, said, scene

REAL = TOP / "traces" / "real"


def log_event(event: str, time: int) -> LogEvent:
    return LogEvent(Origin(0, 0, time), time, "b1:8080", event, "main", None, {}, event)


def real(name: str, number: int) -> list[Life]:
    return lives_of(read_log([(0, str(REAL / name / f"broker-{number}.log.gz"))]).said)


def test_start_line_begins_a_life() -> None:
    lines = [log_event(event, time) for time, event in enumerate(["broker-starting", "handle-request"] * 2, 1)]
    first, second = lives_of(lines)
    assert (first.number, first.start, first.end, first.first, first.last) == (0, 1, 2, 0, 2)
    assert (second.number, second.start, second.end, second.first, second.last) == (1, 3, 4, 2, 4)


def test_log_that_begins_amid_a_life_has_one_all_the_same() -> None:
    lives = lives_of([log_event("handle-request", 1), log_event("broker-starting", 2)])
    assert [(life.first, life.last) for life in lives] == [(0, 1), (1, 2)]


def test_second_tableview_begins_a_life_where_the_start_line_is_lost() -> None:
    created = "channel-tableview-created"
    events = ["broker-starting", created, "channel-started", created, "channel-started", "broker-starting", created]
    lives = lives_of([log_event(event, time) for time, event in enumerate(events)])
    assert [(life.first, life.last) for life in lives] == [(0, 3), (3, 5), (5, 7)]


def test_no_lines_are_no_life() -> None:
    assert lives_of([]) == []


def test_life_spans_its_times_though_threads_write_out_of_order() -> None:
    (life,) = lives_of([log_event("handled", 5), log_event("handled", 3), log_event("handled", 4)])
    assert (life.start, life.end) == (3, 5)


@pytest.mark.parametrize("event", ["handle-request", "loaded-data", "monitor-started"])
def test_debug_is_proved_by_lines_that_only_it_prints(event: str) -> None:
    first, second = lives_of(
        [log_event("broker-starting", 1), log_event("handled", 2), log_event("broker-starting", 3), log_event(event, 4)]
    )
    assert (first.is_debug, second.is_debug) == (False, True)


def test_debug_that_is_switched_on_is_proved_from_then_on() -> None:
    (life,) = lives_of([log_event("broker-starting", 1), log_event("handled", 2), log_event("handle-request", 7)])
    assert life.debug_since == 7


@pytest.mark.parametrize(
    ("name", "number", "lives", "is_debug"),
    [
        ("healthy", 1, 1, True),
        ("healthy-quiet", 1, 1, False),
        ("rolling-restart", 2, 2, False),
        ("kill-owner", 2, 2, True),
        ("compaction", 2, 4, True),
        ("zombie", 3, 1, True),
    ],
)
def test_recorded_lives_are_those_that_were_started(name: str, number: int, lives: int, is_debug: bool) -> None:
    found = real(name, number)
    assert len(found) == lives
    assert all(life.is_debug == is_debug for life in found)
    assert all(before.end < after.start for before, after in pairwise(found))


@pytest.mark.parametrize(
    ("last", "answered", "status", "ends"),
    [
        ("handled", 60_000, 200, 30_000),
        ("handled", 55_000, 200, None),  # the log was silent as long before
        ("handled", 60_000, None, None),  # nobody answers
        ("broker-closing", 60_000, 200, None),  # another process answers
    ],
)
def test_log_ends_amid_a_process_that_answers_for_longer_than_it_was_ever_silent(
    last: str, answered: int, status: int | None, ends: int | None
) -> None:
    lines = logs(said(1, 0, "handled"), said(2, 5_000, "handled"), said(3, 30_000, last))
    asked = [lookup(1, answered - 10, answered, B1, B1, status=status)]
    assert log_ends_amid_process(scene(said=lines, lookups=asked, limits=Limits(session=10_000)), B1) == ends
