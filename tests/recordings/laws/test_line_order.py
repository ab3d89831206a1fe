"""Lines in an order that nobody wrote: of threads, of those who asked brokers, and of a broker's own list."""

from oneowner.checkers.recordings.read.observations import LogEvent, Lookup, Poll
from oneowner.checkers.recordings.read.zookeeper import LEADER
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    call,
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

THREADS, LOOKUPS, POLLS, CALLS, GO_ON = (
    "threads-write-in-order", "lookups-are-in-order", "polls-are-in-order", "calls-are-in-order", "polls-go-on",
)  # fmt: skip
OWNED = channel(message(0, 10, printed("Owned", 2, B1)))
EARLY = 100_000


def wrote(*lines: LogEvent) -> Scene:
    return scene(said=logs(*lines))


def lookups_at(*ends: int) -> Scene:
    return scene(lookups=[lookup(number, end - 5, end, B1, B2) for number, end in enumerate(ends)])


def polled(*polls: Poll, **fields: object) -> Scene:
    return scene(polls=polls, **{"channel": OWNED, **fields})


def lists(number: int, *claims: str, leader: str = B1) -> Poll:
    return poll(number, EARLY + 1_000 * number, EARLY + 1_000 * number + 5, B1, *claims, leader=leader)


def elections(*brokers: str) -> list[object]:
    made = [write(n, n, "create", LEADER, f"0x{n}", f'{{"brokerId":"{b}"}}', True) for n, b in enumerate(brokers, 1)]
    return [step for one in made for step in (one, write(one.zxid, one.time, "closeSession", session=one.session))]


AGAIN: Lookup = lookup(1, 5, 10, B1, B2)
MANY = range(0, 200_000, 1_000)

CASES = {
    "threads among themselves may be out of order": case(
        THREADS, wrote(said(1, 9_000, "elected"), said(2, 100, "handled")._replace(thread="other")), occasions=2),
    "thread may be late by little": case(THREADS, wrote(said(1, 900, "elected"), said(2, 100, "handled"))),
    "thread writes an earlier time": case(
        THREADS, wrote(said(1, 70_000, "elected"), said(2, 10_000, "handled")),
        warning(B1, why="thread thread of b1:8080 wrote a line"), doubts=1),
    "what is said once is said twice": case(
        THREADS, wrote(said(1, 70, "registered"), said(2, 70, "registered")), warning(B1, why="says the same twice"),
        doubts=1),
    "appender that was full writes more than one line late, which proves nothing": case(
        THREADS, wrote(said(1, 70_000, "elected"), said(2, 10_000, "handled"), said(3, 70_001, "handled"),
                       said(4, 10_001, "handled")),
        warning(B1), warning(B1)),
    "listener that was registered twice has each event twice, which proves nothing": case(
        THREADS, wrote(session_event(1, 70, "SessionLost"), session_event(2, 70, "SessionLost")),
        warning(B1, why="says the same twice")),
    "lines that may come many times at once": case(
        THREADS, wrote(said(1, 70, "not-served"), said(2, 70, "not-served"))),

    "lookups are written as they end": case(LOOKUPS, lookups_at(10, 20, 15, 900), occasions=4),
    "lookup ends before it begins": case(
        LOOKUPS, scene(lookups=[lookup(1, 500, 10, B1)]), warning(B1, why="ended 0.5 s before it began"), doubts=1),
    "lookup is written twice": case(
        LOOKUPS, scene(lookups=[AGAIN, AGAIN._replace(origin=lookup(2, 0, 0, B1).origin)]),
        warning(B1, why="is written down twice")),
    "one lookup is out of its place": case(
        LOOKUPS, lookups_at(*MANY[:100], 30_000, *MANY[100:]), warning(B1, why="is not where its time belongs")),
    "file without any order has none": case(LOOKUPS, lookups_at(*(end * 7_919 % 200_000 for end in MANY))),
    "poll is written twice": case(
        POLLS, scene(polls=[poll(1, 5, 10, B1), poll(2, 5, 10, B1)]), warning(B1, why="a poll of b1:8080")),
    "polls are written as they end": case(POLLS, scene(polls=[poll(1, 5, 10, B1), poll(2, 5, 11, B1)])),
    "call is written twice": case(
        CALLS, scene(calls=[call(1, 5, 10, "unload"), call(2, 5, 10, "unload")]), warning(B1, why="unload at")),
    "calls are written as they end": case(CALLS, scene(calls=[call(1, 5, 10, "unload"), call(2, 5, 11, "unload")])),

    "broker lists what it owns, and itself":
        case(GO_ON, polled(lists(0, UNIT), lists(1, UNIT)._replace(heartbeats=(B1,)), lists(2)), occasions=3),
    "broker lists the heartbeat of another": case(
        GO_ON, polled(lists(0, UNIT)._replace(heartbeats=(B2,))), warning(B1, B2, why="heartbeat namespace of b2:8080"),
        doubts=1),
    "one poll leaves a unit out": case(
        GO_ON, polled(lists(0, UNIT), lists(1), lists(2, UNIT)), warning(B1, why="lists t/n/", unit=UNIT), doubts=1),
    "unit that a record moves near by may be left out": case(
        GO_ON, polled(lists(0, UNIT), lists(1), lists(2, UNIT),
                      channel=channel(message(0, EARLY - 9_000, printed("Owned", 2, B1))))),
    "view that lags may leave out a unit that came back": case(
        GO_ON, polled(lists(0, UNIT), lists(1), lists(2, UNIT),
                      channel=channel(message(0, 10, printed("Owned", 2, B1)),
                                      message(1, 11, printed("Owned", 3, B2, B1, True)),
                                      message(2, 12, printed("Owned", 4, B1, B2, True))))),
    "view that a lost session clears may leave a unit out": case(
        GO_ON, polled(lists(0, UNIT), lists(1), lists(2, UNIT),
                      said=logs(session_event(1, EARLY + 500, "SessionLost")))),
    "one poll names another leader": case(
        GO_ON, polled(lists(0), lists(1, leader=B2), lists(2), writes=elections(B1, B2)),
        warning(B1, B2, why="names b2:8080 as leader"), doubts=1),
    "leader that was elected in between may be named": case(
        GO_ON, polled(lists(0), lists(1, leader=B2), lists(2), writes=elections(B1, B2, B1))),
}  # fmt: skip


@each(CASES)
def test_lines_come_in_the_order_in_which_they_are_written(case: Case) -> None:
    case.check()


def test_metadata_store_view_may_leave_a_unit_out() -> None:
    given = polled(lists(0, UNIT), lists(1), lists(2, UNIT))
    given.storage = Storage.METADATA_STORE
    assert CASES["one poll leaves a unit out"].law.judge(given).findings == []
