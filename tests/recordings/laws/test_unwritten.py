"""A time in which no client's send is confirmed at any broker is one event, whose root is no broker."""

from typing import Any

from oneowner.checkers.recordings.laws.serving.unwritten import unwritten
from oneowner.checkers.recordings.read.observations import LogEvent, Send
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.crafted import (
    B1,
    B2,
    channel,
    logs,
    message,
    printed,
    said,
    scene,
    send,
    session_event,
)

NAMES = ("a", "b", "c", "d")
"""Topics of t/n; two of them lie in each half of its range."""
UNITS = ("t/n/0x00000000_0x80000000", "t/n/0x80000000_0xffffffff")


def clients(since: int, until: int, *topics: str, last: int = 300_000) -> list[Send]:
    """Sends every second to each topic; those of *topics*, or of all, from *since* to *until* are not confirmed."""
    found: list[Send] = []
    for time in range(1_000, last, 1_000):
        for name in NAMES:
            is_stuck = since <= time < until and (name in topics or not topics)
            acknowledged = None if is_stuck and until == END else until + 50 if is_stuck else time + 5
            found.append(send(len(found), time, acknowledged, f"persistent://t/n/{name}"))
    return found


def lives(broker: str, until: int = 300_000) -> list[LogEvent]:
    return [said(n, time, "monitor-started", broker=broker) for n, time in enumerate(range(0, until, 1_000))]


def run(sends: list[Send], *more: LogEvent, owners: tuple[str, str] = (B1, B2), **fields: Any) -> Any:
    records = [
        message(n, 100, printed("Owned", 1, owner), unit)
        for n, (unit, owner) in enumerate(zip(UNITS, owners, strict=True))
    ]
    lines = sorted([*lives(B1), *lives(B2), *more], key=lambda line: line.time)
    given = {"channel": channel(*records), "said": logs(*lines), "start": 0, "end": 300_000, **fields}
    return scene(sends=sends, **given)


def test_no_confirmation_at_several_brokers_that_are_up_is_an_event_of_none_of_them() -> None:
    (one,) = unwritten(run(clients(50_000, 135_000)))
    assert (one.cause.kind, one.brokers, one.since, one.until) == (HappeningKind.UNWRITTEN, (), 50_000, 135_005)
    assert one.words == "no send of any client was confirmed for 85.0 s, at whichever broker"
    assert one.repair.endswith("no broker needs a restart for it")
    (lasting,) = unwritten(run(clients(50_000, END)))
    assert lasting.until == END


def test_confirmation_of_one_topic_shows_that_messages_are_stored() -> None:
    assert [*unwritten(run(clients(50_000, 135_000, "a", "b", "c")))] == []


def test_topics_of_one_broker_may_stand_for_it_alone() -> None:
    assert [*unwritten(run(clients(50_000, 135_000), owners=(B1, B1)))] == []


def test_owners_that_are_gone_explain_it_themselves() -> None:
    sends = clients(50_000, 135_000)
    gone = scene(
        sends=sends, channel=run(sends).channel, said=logs(*lives(B1), *lives(B2, 50_000)), start=0, end=300_000
    )
    assert [*unwritten(gone)] == []


def test_clients_that_begin_late_or_stop_early_are_no_event() -> None:
    assert [*unwritten(run(clients(END, END, last=150_000)))] == []
    late = [one for one in clients(END, END) if one.start > 120_000]
    assert [*unwritten(run(late))] == []


def test_time_of_an_outage_of_the_metadata_store_has_that_behind_it() -> None:
    lost = [session_event(900, 70_000, "SessionLost", broker) for broker in (B1, B2)]
    back = [session_event(901, 140_000, "SessionReestablished", broker) for broker in (B1, B2)]
    (one,) = unwritten(run(clients(50_000, 135_000), *lost, *back))
    assert [cause.kind for cause in one.behind] == [HappeningKind.OUTAGE]


def test_where_no_owner_is_known_two_topics_are_enough() -> None:
    (one,) = unwritten(run(clients(50_000, 135_000), channel=channel()))
    assert one.since == 50_000
