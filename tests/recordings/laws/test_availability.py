"""The time in which clients could not send, the accused broker, and the time that units were in flight."""

import pytest

from oneowner.checkers.recordings.laws.serving.waits import waits
from oneowner.checkers.recordings.read.observations import Send
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Life, Limits, Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.cases import Case, case, each, note, violation, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    OTHER,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    printed,
    said,
    scene,
    send,
    session_event,
)

AVAILABLE, IN_FLIGHT = "unit-is-available", "in-flight-time"
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
RELEASING = message(1, 20, printed("Releasing", 2, B2, B1))
ASSIGNING = message(2, 50, printed("Assigning", 3, B2, B1))
OWNED_BY_B2 = message(3, 90, printed("Owned", 4, B2, B1))
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
GONE = {"said": logs(said(1, 0, "handled")), "lookups": [lookup(1, 50, 9_000, B1, None, TOPIC, None)]}

Times = tuple[tuple[int, int | None], ...]
"""Times of messages, and of their confirmations."""


def sends(*times: tuple[int, int | None]) -> list[Send]:
    return [send(number, time, acknowledged, TOPIC) for number, (time, acknowledged) in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "spans"),
    [
        (
            ((0, 5), (10, 15), (20, None), (30, None), (40, 60)),
            [(0, 5, True), (10, 15, True), (20, 60, True)],
        ),
        (((0, 5), (90_000, 90_005)), [(0, 5, True), (90_000, 90_005, True)]),
        (((0, 5), (10, None), (90, None)), [(0, 5, True), (10, 90, False)]),
        (((10, None), (90, None)), [(10, 90, False)]),
        ((), []),
    ],
    ids=[
        "wait is from the first send after a confirmation to the next",
        "time in which nobody sends is no wait",
        "sends that are never confirmed are a wait to the last of them",
        "sends of which none is confirmed are one wait",
        "nothing sent is no wait",
    ],
)  # fmt: skip
def test_wait_lasts_from_a_send_to_a_confirmation(times: Times, spans: list[tuple[int, int, bool]]) -> None:
    assert [(wait.since, wait.until, wait.is_over) for wait in waits(TOPIC, sends(*times))] == spans


def sent(times: Times, *records: Message, **fields: object) -> Scene:
    given = {"said": logs(said(1, 0, "handled"), said(2, 190_000, "handled")), "limits": FAST, **fields}
    return scene(channel=channel(*records), sends=sends(*times), start=0, end=200_000, **given)


A_MINUTE = ((0, 5), (10, None), (60_000, None))
TWENTY_SECONDS = ((0, 5), (10, None), (20_000, 20_005))

DEAD = "persistent://t/n/a"  # in UNIT
ELSEWHERE = [send(900 + n, 1_000 * n, 1_000 * n + 5, "persistent://t/m/b") for n in range(200)]
LIVES = [said(n, 1_000 * n, "handled") for n in range(200)]
POLICIES = "persistent://t/n/__change_events"  # in OTHER
GIVEN_BACK = printed("Owned", 4, B1, force=True)
HAND_OVER = (printed("Owned", 1, B1), printed("Releasing", 2, B2, B1), printed("Assigning", 3, B2, B1))
FENCED = said(300, 30_000, "producer-meets-fence", topic=DEAD)
POLICIES_FENCED = said(300, 30_000, "consumer-meets-fence", topic=POLICIES)


STALLED = "check whether ZooKeeper and the bookies were running: no topic of any broker took a message meanwhile"
AT_THE_OWNER = "check which broker owns the bundle and whether it answers; unload it there, or restart that broker"


def in_vain(since: int = 10_000, until: int = 110_000, result: str = "Timeout", every: int = 1_000) -> list[Send]:
    """Sends that nobody confirms; one is confirmed before."""
    tried = [send(n, time, None, DEAD)._replace(result=result) for n, time in enumerate(range(since, until, every), 1)]
    return [send(0, 0, 5, DEAD), *tried]


def dead(
    *records: Message, sends: list[Send] | None = None, others: list[Send] | None = None, **fields: object
) -> Scene:
    """A topic of B1, which lives, is confirmed no more from 10 s on; another namespace's is, once a second."""
    tried = in_vain() if sends is None else sends
    every = sorted([*tried, *(ELSEWHERE if others is None else others)], key=lambda one: one.start)
    given = {"said": logs(*LIVES), "limits": FAST, "start": 0, "end": 200_000, **fields}
    return scene(channel=channel(*(records or (OWNED,))), sends=every, **given)


def handed_back(unit: str = UNIT) -> list[Message]:
    return [message(10 + n, 10 * n, record, unit) for n, record in enumerate((*HAND_OVER, GIVEN_BACK))]


CASES = {
    "accused is nobody but the living owner":
        case(AVAILABLE, dead(), violation(B1, unit=UNIT, why="for 99.0 s of it though its owner lived"), note()),
    "accused is an owner that has another one, after a hand-over":
        case(AVAILABLE, dead(OWNED, message(1, 60_000, printed("Releasing", 2, B2, B1)),
                             message(2, 61_000, printed("Assigning", 3, B2, B1)),
                             message(3, 62_000, printed("Owned", 4, B2, B1)),
                             said=logs(*LIVES, *(line._replace(broker=B2) for line in LIVES))),
             violation(B1, B2, why="for 97.0 s of it"), note()),
    "accused is one who was given it back by force":
        case(AVAILABLE, dead(*handed_back(), said=logs(*LIVES[:31], FENCED, *LIVES[31:])),
             violation(B1, at="0:13", why=f"0:13 gave {UNIT} back by force to {B1}, which refused 1 clients"), note()),
    "accused is one who was given the topic policies of the namespace back":
        case(AVAILABLE, dead(OWNED, *handed_back(OTHER), said=logs(*LIVES[:31], POLICIES_FENCED, *LIVES[31:])),
             violation(at="0:13", why="keeps the topic policies of its namespace fenced"), note()),
    "accused is one who restarted before clients came back":
        case(AVAILABLE, dead(*handed_back(), said=logs(*LIVES), lives={B1: [
                 Life(B1, 0, 0, 5_000, 0, 6, 0), Life(B1, 1, 6_000, 199_000, 6, 200, 6_000),
             ]}), violation(B1, at=None, why="Meanwhile: nothing else seen"), note()),
    "accused is one whose release closes whole, for no given reason":
        case(AVAILABLE, dead(*handed_back(), is_one_phase=True), violation(at=None, why="nothing else seen"), note()),
    "accused is one whose limit is less":
        case(AVAILABLE, dead(sends=in_vain(until=17_000), limits=Limits(unavailable=5_000)), violation(), note()),
    "gap longer than a recovery is a warning of its unit":
        case(AVAILABLE, sent(A_MINUTE, OWNED), warning(B1, unit=UNIT, window=(10, 60_000, 10, END)), note(),
             occasions=2),
    "gap of a unit whose owner lives may last no longer than a hand-over":
        case(AVAILABLE, sent(TWENTY_SECONDS, OWNED), warning(), note()),
    "gap of a unit whose owner is gone may last as long as a recovery":
        case(AVAILABLE, sent(TWENTY_SECONDS, OWNED, **GONE), note()),
    "what went on meanwhile is named":
        case(AVAILABLE, sent(A_MINUTE, OWNED, RELEASING), warning(why="Releasing for 60.0 s"), note()),
    "gap in which nobody at all is confirmed sends nobody to the owner: a bookie may have stalled":
        case(AVAILABLE, dead(others=[]), warning(why="no send of any client was confirmed", repair=STALLED), note()),
    "gap in which others are confirmed sends to the owner":
        case(AVAILABLE, dead(sends=in_vain(until=60_000)), warning(repair=AT_THE_OWNER), note()),
    "short gaps are a note alone":
        case(AVAILABLE, sent(((0, 5), (10, 15), (20, 25)), OWNED), note(why="max 5 ms")),
    "nothing sent is no occasion": case(AVAILABLE, sent(()), occasions=0),
    "times in flight are told by phase":
        case(IN_FLIGHT, scene(channel=channel(OWNED, RELEASING, ASSIGNING, OWNED_BY_B2)),
             note(why=("1 Assigning: p50 40 ms", "1 Releasing: p50 30 ms")), occasions=2),
    "unit that is in flight when a dump ends whose cluster lives on is a doubt":
        case(IN_FLIGHT, scene(channel=channel(OWNED, RELEASING), end=RELEASING.time + 121_000, said={}), occasions=0,
             doubts="is Releasing when the dump ends, and its cluster lives on for 121.0 s"),
    "unit that is in flight when a dump ends may be on its way":
        case(IN_FLIGHT, scene(channel=channel(OWNED, RELEASING), end=RELEASING.time + 119_000, said={}), occasions=0),
    "unit that never moves is no occasion": case(IN_FLIGHT, scene(channel=channel(OWNED)), occasions=0),
}  # fmt: skip


OUTAGE = [session_event(300, 21_000, "SessionLost"), session_event(301, 60_000, "SessionReestablished")]
INNOCENT = {
    "ZooKeeper was out of reach for a part of it":
        dead(said=logs(*LIVES[:21], OUTAGE[0], *LIVES[21:60], OUTAGE[1], *LIVES[60:])),
    "a bookie was away: nobody was confirmed":
        dead(others=[one for one in ELSEWHERE if not 20_000 < one.start < 70_000]),
    "the client had closed itself":
        dead(sends=[*in_vain(until=50_000), *in_vain(50_000, 110_000, "AlreadyClosed")[1:]]),
    "hardly anybody tried": dead(sends=in_vain(every=90_000)),
    "the owner was stopped": dead(said=logs(*LIVES[:60]), lookups=[lookup(1, 70_000, 99_000, B1, None, DEAD, None)]),
    "the owner was stopping": dead(said=logs(*LIVES[:60], said(300, 60_000, "broker-closing"), *LIVES[60:])),
    "the owner stood still": dead(
        said=logs(*LIVES[:40], *LIVES[90:]), lookups=[lookup(1, 41_000, 90_000, B1, None, DEAD, None)]
    ),
    "the topic was deleted": dead(said=logs(*LIVES[:60], said(300, 60_000, "topic-deleted", topic=DEAD), *LIVES[60:])),
    "nobody has the log of the owner": dead(said={}),
    "it was on its way": dead(OWNED, message(1, 30_000, printed("Releasing", 2, B2, B1))),
    "its record came into the channel late": dead(
        message(0, 9_000, printed("Owned", 1, B1)),
        said=logs(said(0, 0, "channel-started"), *LIVES[1:60],
                  said(300, 60_000, "handle-request", UNIT, data=printed("Owned", 1, B1), handled=1), *LIVES[60:]),
    ),
}  # fmt: skip


CASES |= {  # a law that could accuse nobody has had no occasion
    f"unit that clients cannot use only warns if {why}":
        case(AVAILABLE, given, warning(unit=UNIT), note(), occasions=2 if given.said else 0)
    for why, given in INNOCENT.items()
}  # fmt: skip


def test_topic_that_was_made_anew_is_not_deleted() -> None:
    anew = said(300, 15_000, "topic-deleted", topic=DEAD), said(301, 16_000, "topic-created", topic=DEAD)
    given = dead(said=logs(*LIVES[:15], *anew, *LIVES[16:]))
    case(AVAILABLE, given, violation(unit=UNIT), note(), occasions=2).check()


@each(CASES)
def test_time_without_service_is_told(case: Case) -> None:
    case.check()
