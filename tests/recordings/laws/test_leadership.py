"""Laws of the election."""

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADER
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, note, violation, warning
from tests.recordings.laws.crafted import B1, B2, B3, EVERYTHING, logs, lookup, poll, said, scene, session_event, write

LEADS, REGISTERED, ONE_BELIEVES = "somebody-leads", "leader-is-registered", "one-believes-to-lead"
ONE_NODE = "one-leader-node"


def elected(number: int, time: int, broker: str, session: str) -> NodeWrite:
    return write(number, time, "create", LEADER, session, f'{{"brokerId":"{broker}"}}')


def two_brokers(*writes: NodeWrite, until: int = 100_000, connection: tuple[tuple[int, str], ...] = ()) -> Scene:
    """Two processes, both registered at 1 s; the first is elected, and its session ends at 50 s."""
    lines = [
        line
        for broker in (B1, B2)
        for line in (
            said(1, 0, "broker-starting", broker=broker),
            said(2, 1_000, "registered", broker=broker),
            *(session_event(number, *what, broker) for number, what in enumerate(connection, 3)),
            said(9, until, "owner-returned", broker=broker),
        )
    ]
    begin = [
        write(1, 1_000, "create", BROKERS + B1, "0x1"),
        write(2, 1_000, "create", BROKERS + B2, "0x2"),
        elected(3, 1_020, B1, "0x1"),
        write(4, 50_000, "closeSession", session="0x1"),
    ]
    return scene(said=logs(*lines), writes=sorted([*begin, *writes], key=lambda one: one.time))


def stopping(broker: str) -> tuple[LogEvent, LogEvent]:
    return said(1, 0, "broker-starting", broker=broker), said(9, 200_000, "owner-returned", broker=broker)


STOPPING = scene(said=logs(*stopping(B1), *stopping(B2)), writes=[
    write(1, 1_000, "create", BROKERS + B1, "0x1"), write(2, 1_000, "create", BROKERS + B2, "0x2"),
    elected(3, 1_020, B1, "0x1"), write(4, 49_000, "delete", BROKERS + B2, "0x2"),
    write(5, 50_000, "delete", BROKERS + B1, "0x1"), write(6, 50_001, "delete", LEADER, "0x1"),
])  # fmt: skip
OUTAGE = (20_000, "ConnectionLost"), (90_000, "Reconnected")
B2_ELECTED = elected(5, 50_010, B2, "0x2")
B2_ELECTED_UNREGISTERED = write(5, 40_000, "closeSession", session="0x2"), elected(6, 50_010, B2, "0x3")
B1_LED_UNTIL_900 = said(1, 100, "plays-leader"), said(2, 900, "role-setting", to="Follower")
B1_LED_UNTIL_500 = said(1, 100, "plays-leader"), said(2, 500, "role-setting", to="Follower")
B2_LEADS_FROM_600 = said(1, 600, "plays-leader", broker=B2), said(2, 2_000, "x", broker=B2)

UNTIL_300 = two_brokers(*B2_ELECTED_UNREGISTERED, until=300_000)
LOGGED = scene(
    said=logs(*UNTIL_300.said[B1], *sorted(
        [*UNTIL_300.said[B2], said(3, 60_000, "registered", broker=B2)], key=lambda line: line.time
    )),
    writes=UNTIL_300.writes,
)  # fmt: skip
"""B2 registers when the history has been taken."""
BEGUN_BEFORE = logs(said(1, 0, "x", broker=B2), said(2, 300_000, "x", broker=B2))
ELECTED_LATE = logs(*BEGUN_BEFORE[B2], said(3, 300_010, "elected", broker=B2), said(4, 600_000, "x", broker=B2))

COPIED_FIRST = logs(
    said(1, 0, "elected"), said(2, 1_000, "x"), said(1, 0, "x", broker=B2), said(2, 400_000, "handled", broker=B2)
)  # fmt: skip
LOGS = EVERYTHING - {Source.ZOOKEEPER}

CASES = {
    # somebody-leads
    "nobody leading is a violation":
        case(LEADS, two_brokers(),
             violation(window=(50_000, 100_000), why="nobody led for 50.0 s", why_not="ZooKeeper was out of reach")),
    "outage of ZooKeeper is named where two brokers tell of it":
        case(LEADS, two_brokers(connection=OUTAGE),
             violation(
                 why=(
                     "ZooKeeper was out of reach: 2 of 2 brokers with logs lost it from 1970-01-01T00:00:20.000Z on",
                     "had it back at 1970-01-01T00:01:30.000Z",
                 ),
                 shows="ConnectionLost",
             )),
    "leader may outlive an outage amid which the logs end":
        case(LEADS, scene(said=logs(*(line for broker in (B1, B2) for line in (
                 said(1, 0, "broker-starting", broker=broker), said(2, 1_000, "elected", broker=broker),
                 session_event(3, 50_000, "SessionLost", broker), said(4, 200_000, "owner-returned", broker=broker),
             ))), present=LOGS, brokers=(B1, B2)),
             doubts="the logs end amid an outage of the metadata store"),
    "leader whose log ends before the others may lead on":
        case(LEADS, scene(said=COPIED_FIRST, present=LOGS, brokers=(B1, B2)),
             doubts=f"nothing tells whether {B1} led on"),
    "broker whose log is missing may lead":
        case(LEADS, scene(said=COPIED_FIRST, present=LOGS, brokers=(B1, B2, B3),
                          lookups=[lookup(1, 5_000, 9_000, B1, None, status=None)]),
             doubts=f"whether {B3} led after 1970-01-01T00:00:01.000Z is unknown: its log is missing"),
    "leader whose log ends and that is asked in vain leads no more":
        case(LEADS, scene(said=COPIED_FIRST, present=LOGS, brokers=(B1, B2),
                          lookups=[lookup(1, 5_000, 9_000, B1, None, status=None)]),
             violation(window=(1_000, 400_000))),
    "leader whose log ends and that is asked in vain too late may have led on until then":
        case(LEADS, scene(said=COPIED_FIRST, present=LOGS, brokers=(B1, B2),
                          lookups=[lookup(1, 399_000, 399_500, B1, None, status=None)]),
             doubts=f"nothing tells whether {B1} led on"),
    "election that logs may leave out, as their level changed, is a doubt":
        case(LEADS, scene(said=COPIED_FIRST | logs(said(1, 0, "x", broker=B2), said(2, 400_000, "x", broker=B2)),
                          present=LOGS, brokers=(B1, B2), lookups=[lookup(1, 5_000, 9_000, B1, None, status=None)]),
             doubts="no log has level INFO any more"),
    "election that takes no longer than a session is well":
        case(LEADS, two_brokers(elected(5, 70_000, B2, "0x2")), occasions=2),
    "brokers that give up their registrations are stopping": case(LEADS, STOPPING, occasions=1),
    "quick election is well": case(LEADS, two_brokers(B2_ELECTED), occasions=2),
    "nobody leads a cluster that is stopped": case(LEADS, two_brokers(until=60_000)),
    # leader-is-registered
    "unregistered leader is a warning":
        case(REGISTERED, two_brokers(*B2_ELECTED_UNREGISTERED), warning(B2, window=(50_010, 100_000))),
    "leader that stays unregistered is a violation":
        case(REGISTERED, two_brokers(*B2_ELECTED_UNREGISTERED, until=300_000), violation()),
    "leader of a history and a log that begin late may have been registered before":
        case(REGISTERED, scene(said=BEGUN_BEFORE, writes=[elected(500, 50_010, B2, "0x2")]), occasions=1,
             doubts=f"whether {B2}, which was elected, is registered is unknown"),
    "leader of a rotated log may have been registered before":
        case(REGISTERED, scene(said=ELECTED_LATE, present=LOGS), occasions=1,
             doubts=f"whether {B2}, which was elected, is"),
    "leader that never registers is a violation":
        case(REGISTERED, scene(said=BEGUN_BEFORE, writes=[elected(1, 50_010, B2, "0x2")]), violation(B2)),
    "leader that registers within a session is well":
        case(REGISTERED, two_brokers(*B2_ELECTED_UNREGISTERED, write(7, 70_000, "create", BROKERS + B2, "0x3")),
             occasions=2),
    "leader that logs its registration after the end of the history is well":
        case(REGISTERED, LOGGED, occasions=2),
    "registered leader is well": case(REGISTERED, two_brokers(B2_ELECTED), occasions=2),
    # one-believes-to-lead
    "two believers are a note":
        case(ONE_BELIEVES,
             scene(said=logs(*B1_LED_UNTIL_900, *B2_LEADS_FROM_600), polls=[poll(1, 700, 710, B1, leader=B1)]),
             note(window=(600, 900), why="1 polls")),
    "two leaders after each other are well":
        case(ONE_BELIEVES, scene(said=logs(*B1_LED_UNTIL_500, *B2_LEADS_FROM_600)), occasions=2),
    # one-leader-node
    "leader node made twice is a doubt":
        case(ONE_NODE, two_brokers(elected(5, 60_000, B2, "0x2"), elected(6, 70_000, B1, "0x9")), doubts=1),
    # empty scenes
    **{f"empty scene is no occasion of {law}": case(law, scene(), occasions=0)
       for law in (LEADS, REGISTERED, ONE_BELIEVES, ONE_NODE)},
}  # fmt: skip


@each(CASES)
def test_election_is_judged_by_nodes_and_by_what_brokers_believe(case: Case) -> None:
    case.check()
