"""Laws of the registry."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, B3, EVERYTHING, logs, lookup, said, scene, session_event, write

REGISTERED, SOMEBODY = "live-broker-is-registered", "somebody-is-registered"
EXPIRES = write(3, 50_000, "closeSession", session="0x1")


def two_brokers(
    *writes: NodeWrite, until: int = 200_000, leaves: NodeWrite = EXPIRES, more: Sequence[LogEvent] = (),
    dies: int | None = None, **fields: Any,
) -> Scene:  # fmt: skip
    """
    Two processes that live to *until*, both registered at 1 s; the session of the first ends at 50 s.

    The log of the first has *more* lines, or is taken to end when it *dies*.
    """
    lines = [
        said(1, 0, "broker-starting"),
        said(2, 1_010, "registered"),
        said(9, until, "owner-returned"),
    ]
    others = [line._replace(broker=B2, origin=line.origin._replace(piece=2)) for line in lines]
    begin = [
        write(1, 1_000, "create", BROKERS + B1, "0x1"), write(2, 1_000, "create", BROKERS + B2, "0x2"), leaves
    ]  # fmt: skip
    found = scene(said=logs(*lines[:2], *more, lines[2], *others), writes=[*begin, *writes], **fields)
    if dies is not None:
        found.lives[B1] = [found.lives[B1][0]._replace(end=dies)]
    return found


def again(time: int) -> NodeWrite:
    return write(4, time, "create", BROKERS + B1, "0x3")


def the_other_expires(time: int) -> NodeWrite:
    return write(4, time, "closeSession", session="0x2")


LATE_SESSION = session_event(3, 55_000, "SessionLost"), session_event(4, 200_000, "SessionReestablished")
WATCH = said(3, 52_000, "watch-not-recreated", code="SESSIONEXPIRED")
NEVER_REGISTERS = logs(said(1, 0, "broker-starting"), said(2, 200_000, "owner-returned"))

ROTATED = logs(said(1, 0, "x"), said(2, 300_000, "x"))
LATE_LOGS = logs(
    *(said(n, time, "owner-returned", broker=broker) for broker in (B1, B2) for n, time in ((1, 0), (2, 400_000)))
)
"""Both processes began before their logs."""
RESTARTED = (
    write(501, 100_000, "create", BROKERS + B2, "0x2"), write(502, 200_000, "closeSession", session="0x2"),
    write(503, 300_000, "create", BROKERS + B2, "0x3"),
)  # fmt: skip
"""A part of a history: the state before its first transaction is unknown."""


def lost_for_good(broker: str, time: int = 50_000) -> tuple[LogEvent, ...]:
    """The log of a broker that registers, loses its session, and lives on without it."""
    return (
        said(1, 0, "broker-starting", broker=broker),
        said(2, 1_000, "registered", broker=broker),
        session_event(3, time, "SessionLost", broker),
        said(4, 200_000, "owner-returned", broker=broker),
    )


def without_history(*lines: LogEvent) -> Scene:
    return scene(said=logs(*lines), present=EVERYTHING - {Source.ZOOKEEPER})


CASES = {
    # live-broker-is-registered
    "live broker that stays unregistered is a violation":
        case(REGISTERED, two_brokers(until=300_000), violation(B1, why="was not registered for 250.0 s")),
    "live broker whose last line may be of a clock that is ahead is a warning":
        case(REGISTERED, two_brokers(until=300_000, limits=Limits(clock_skew=200_000)), warning(B1)),
    "live broker that is registered again late is a warning":
        case(REGISTERED, two_brokers(again(131_000), until=300_000), warning(window=(50_000, 131_000))),
    "time counts for a violation from when the session is back":
        case(REGISTERED, two_brokers(again(290_000), until=300_000, more=LATE_SESSION),
             warning(why="its session was back", symptom=Symptom.SESSION_BACK)),
    "broker that could not set its watch in the new session lost it":
        case(REGISTERED, two_brokers(again(290_000), until=300_000, more=(WATCH,)),
             violation(B1, symptom=Symptom.LOST_WATCH)),
    "broker that could set its watch later did not lose it":
        case(REGISTERED, two_brokers(again(290_000), until=300_000, more=(WATCH, *LATE_SESSION)),
             warning(symptom=Symptom.SESSION_BACK)),
    "broker that registers again within a session is well": case(REGISTERED, two_brokers(again(50_020))),
    "broker that died is not missed": case(REGISTERED, two_brokers(dies=45_000)),
    "broker that still answers lives beyond its log":
        case(REGISTERED, two_brokers(dies=45_000, lookups=[lookup(1, 99_000, 99_010, B1, answer=B2)]), warning()),
    "broker that unregisters by itself leaves":
        case(REGISTERED, two_brokers(leaves=write(3, 50_000, "delete", BROKERS + B1, "0x1"), until=100_000)),
    "broker that never registers is a violation":
        case(REGISTERED, scene(said=NEVER_REGISTERS, writes=[]), violation(), occasions=1),
    "broker that has just started may register yet":
        case(REGISTERED, scene(said=logs(said(1, 0, "broker-starting"), said(2, 99_000, "x")), writes=[]), occasions=0),
    "broker that logs its registration after the end of the history is registered":
        case(REGISTERED, two_brokers(until=300_000, more=[said(3, 60_000, "registered")])),
    "broker without a sign of life between its registration and the end of a log without a start may be two processes":
        case(REGISTERED, scene(said=ROTATED, writes=[write(1, 1_000, "create", BROKERS + B1, "0x1"), EXPIRES])),
    "broker whose log does not show its start may have registered before":
        case(REGISTERED, scene(said=ROTATED, writes=[]), occasions=0),
    "broker whose clock is not that of the history may have been registered":
        case(REGISTERED, scene(said=NEVER_REGISTERS, limits=Limits(clock_skew=400_000), writes=[
                 write(1, 500_000, "create", BROKERS + B1, "0x1"), write(2, 600_000, "closeSession", session="0x1")
             ])),
    "history with a hole is a doubt and no violation":  # it is seen registered from 51 s on
        case(REGISTERED,
             two_brokers(leaves=write(3, 20_000, "closeSession", session="0x1"), until=300_000,
                         more=[said(3, 51_000, "registered")], limits=Limits(session=10_000)),
             warning(), doubts=1),
    "empty scene is no occasion": case(REGISTERED, scene(), occasions=0),
    # somebody-is-registered
    "nobody registered is a violation":
        case(SOMEBODY, two_brokers(the_other_expires(60_000)), violation(B1, B2, window=(60_000, 200_000))),
    "broker that may have been registered before the history and its log is somebody":
        case(SOMEBODY, scene(said=LATE_LOGS, writes=RESTARTED), doubts=f"whether {B1} was registered"),
    "broker whose log is missing may be registered where no history shows it":
        case(SOMEBODY, without_history(*lost_for_good(B1), *lost_for_good(B2, 90_000)),
             doubts=f"whether {B3} was registered"),
    "brokers that give up their registrations are stopping":
        case(SOMEBODY, two_brokers(write(4, 60_000, "delete", BROKERS + B2, "0x2"),
                                   leaves=write(3, 50_000, "delete", BROKERS + B1, "0x1"))),
    "registrations may outlive an outage amid which the logs end":
        case(SOMEBODY, replace(without_history(*lost_for_good(B1), *lost_for_good(B2)), brokers=(B1, B2)),
             doubts="the logs end amid an outage of the metadata store"),
    "one of two registered is somebody": case(SOMEBODY, two_brokers()),
    "stopped cluster misses nobody": case(SOMEBODY, two_brokers(the_other_expires(54_000), until=55_000)),
    "empty scene misses nobody": case(SOMEBODY, scene(), occasions=0),
}  # fmt: skip


@each(CASES)
def test_registration_is_judged_by_nodes_while_a_broker_lives(case: Case) -> None:
    case.check()
