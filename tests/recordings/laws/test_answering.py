"""The owner answers for its unit, and lookups are answered by somebody."""

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import Lookup
from oneowner.checkers.recordings.read.zookeeper import BROKERS
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    OTHER,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    moved_on,
    poll,
    printed,
    said,
    scene,
    send,
    session_event,
    write,
)

OWNER, ANSWERED, LONE = "owner-answers", "lookups-are-answered", "others-answer-too"
TOPIC, OTHER_TOPIC = "persistent://t/n/a", "persistent://t/n/b"
BOOKIES = "see whether the bookies of the channel's topic took writes meanwhile, before you restart a broker"
OWNED = message(0, 10, printed("Owned", 1, B1))
LIVES = logs(*(said(n, 2_000 * n, "handled") for n in range(60)))
SILENT = logs(said(1, 0, "handled"), said(2, 90_000, "handled"))
ASSIGNING_IN_ITS_VIEW = logs(
    *LIVES[B1],
    said(70, 12_500, "active-owner-failed", UNIT, state="Assigning", owner=B1),
    said(71, 119_000, "handled"),
)
STALLED = logs(
    said(90, 0, "channel-started"), *LIVES[B1][:6],
    said(91, 11_500, "handle-request", UNIT, data=printed("Owned", 1, B1), handled=1), *LIVES[B1][6:],
)  # fmt: skip
BOOKIES_WRITE = [send(1, 500, 600)]
"""A send of somebody is confirmed after the unit is given to B1: the channel's record is there as well."""
OF_B2 = logs(said(1, 0, "elected", broker=B2))
FAST = Limits(session=10_000, in_flight_wait=10_000, monitor=15_000)
CUT = Cause(HappeningKind.CUT, B1, 500)
POLLED_WITHOUT = [poll(n, 3_000 * n, 3_000 * n + 10, B1) for n in range(1, 9)]
WITHOUT_STORE = logs(
    *sorted([*LIVES[B1], session_event(70, 9_000, "SessionLost"), session_event(71, 15_000, "SessionReestablished")],
            key=lambda line: line.time),
    session_event(1, 9_000, "SessionLost", B2), session_event(2, 15_000, "SessionReestablished", B2),
)  # fmt: skip
"""No broker has a session from 0.7 s to 15 s, by clients that give up after 5/6 of a time-out of 10 s."""
OUTAGE = Cause(HappeningKind.OUTAGE, "", 667)


def polls(*lookups: Lookup, **fields: object) -> Scene:
    """B1 owns the unit from 10 ms on and logs a line every other second; lookups may last 10 s."""
    given = {
        "channel": channel(OWNED),
        "said": LIVES,
        "limits": FAST,
        "start": 0,
        "end": 100_000,
        "sends": BOOKIES_WRITE,
        **fields,
    }
    return scene(lookups=list(lookups), **given)


def refused(number: int, start: int, end: int, broker: str = B1, topic: str = TOPIC) -> Lookup:
    return lookup(number, start, end, broker, None, topic, 500, "Failed to get owner")


def unregistered(*lookups: Lookup, again: int | None = None) -> Scene:
    """The session of B1 ends at 500 ms, with which it was registered; *again*: when it is once more."""
    back = [] if again is None else [write(3, again, "create", BROKERS + B1, "0x3")]
    gone = write(1, 1, "create", BROKERS + B1, "0x1"), write(2, 500, "closeSession", session="0x1")
    return polls(*lookups, writes=[*gone, *back])


def answer(number: int, start: int, named: str, broker: str = B1, topic: str = TOPIC) -> Lookup:
    return lookup(number, start, start + 10, broker, named, topic)


REFUSALS_OF_B2 = refused(1, 1_000, 2_000, B2), refused(2, 22_000, 23_000, B2)

CASES = {
    "owner that refuses for longer than the wait is a violation":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000)),
             violation(B1, unit=UNIT, at="0:0", window=(1_000, 13_000, 10, END), why="2 times status 500")),
    "owner that names another broker does not answer for its unit":
        case(OWNER, polls(answer(1, 1_000, B2), answer(2, 15_000, B2)), violation(why=f"2 times named {B2}")),
    "owner without a log that refuses is a doubt":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), said=OF_B2),
             doubts="b1:8080 has not answered for t/n/0x00000000_0x80000000 that it owns for 12.0 s, and has no log"),
    "owner without a log that does not answer at all is none":
        case(OWNER, polls(*(refused(n, 1_000 * n, 12_000 * n)._replace(status=None) for n in (1, 2)), said=OF_B2)),
    "owner that answers nobody at all may be out of reach of who asked":
        case(OWNER, polls(*(refused(n, 1_000 * n, 12_000 * n)._replace(status=None) for n in (1, 2))),
             doubts=f"{B1} writes its log and has answered nobody for 23.0 s"),
    "owner that answers others does not answer for its unit":
        case(OWNER, polls(*(refused(n, 1_000 * n, 12_000 * n)._replace(status=None) for n in (1, 2)),
                          polls=[poll(1, 3_000, 3_010, B1, UNIT)]), violation(B1)),
    "namespace that is not of this cluster is the caller's fault":
        case(OWNER, polls(*(refused(n, 1_000 * n, 12_000 * n)._replace(status=412) for n in (1, 2))), occasions=0),
    "owner that is named by no broker's id may be itself":
        case(OWNER, polls(answer(1, 1_000, "b1:8443"), answer(2, 15_000, "b1:8443")), occasions=0),
    "owner by a dump that is older is not accused, and not cleared":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), *moved_on(900, TOPIC),
                          brokers=(B1, B2, "b4:8080")), occasions=0, doubts="4 lookups come after the end of the dump"),
    "right answer in between ends the time":
        case(OWNER, polls(refused(1, 1_000, 2_000), answer(2, 8_000, B1), refused(3, 12_000, 13_000)), occasions=1),
    "failures at other brokers are not the owner's":
        case(OWNER, polls(refused(1, 1_000, 2_000, B2), refused(2, 30_000, 31_000, B2)), occasions=0),
    "failures before it owned the unit do not count":
        case(OWNER, polls(
                 refused(1, 1_000, 2_000), refused(2, 30_000, 61_000),
                 channel=channel(message(0, 60_000, printed("Owned", 1, B1))),
             )),
    "record counts from its first sighting, not from its publish time: a bookie stalled":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), said=STALLED), occasions=1),
    "record that no view in debug mode handled counts from its publish time":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), said=logs(STALLED[B1][0], *LIVES[B1])),
             violation(at="0:0")),
    "record that nothing shows to have come into the channel accuses nobody: a bookie may have stalled":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), sends=[]),
             warning(B1, why="while a bookie stalls", repair=BOOKIES), doubts=1),
    "send that was confirmed too late to be waited for shows nothing":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), sends=[send(1, 500, 12_900)]),
             warning(B1), doubts=1),
    "record that another broker speaks of was there":
        case(OWNER, polls(answer(3, 900, B1, B2), refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), sends=[]),
             violation(B1)),
    "finding stands at the unit that it names, for as long as that one lasted":
        case(OWNER, polls(
                 refused(1, 1_000, 2_000), refused(2, 12_000, 13_000),
                 refused(3, 3_000, 4_000, topic=OTHER_TOPIC), refused(4, 30_000, 31_000, topic=OTHER_TOPIC),
                 channel=channel(OWNED, message(1, 2_500, printed("Owned", 1, B1), OTHER)),
                 sends=[*BOOKIES_WRITE, send(2, 2_600, 2_700)],
             ),
             violation(B1, unit=OTHER, at="0:1", window=(3_000, 31_000, 2_500, END), why="owns 2 units")),
    "list without the unit adds to what lookups show": case(
        OWNER, polls(refused(1, 1_000, 2_000), polls=POLLED_WITHOUT), violation(why="8 times not in its own list")
    ),
    "claim proves nothing where the owner answered":
        case(OWNER, polls(answer(1, 12_000, B1), polls=POLLED_WITHOUT, limits=Limits(in_flight_wait=20_000))),
    "broker that is silent is no matter of this law":
        case(OWNER, polls(refused(1, 40_000, 89_999)._replace(status=None), said=SILENT), occasions=1),
    "owner that stood still in between refuses for no time that counts":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 5_000, 39_000)._replace(status=None),
                          refused(3, 41_000, 42_000), said=logs(*LIVES[B1][:3], *LIVES[B1][20:])), occasions=1),
    "view of the owner is told":
        case(OWNER, polls(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), said=ASSIGNING_IN_ITS_VIEW),
             violation(why="its own view says Assigning")),
    "owner whose registration has ended is answered to nobody":
        case(OWNER, unregistered(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000)), violation(B1, causes=(CUT,))),
    "lookup that has waited for the registration may wait on":
        case(OWNER, unregistered(refused(1, 1_000, 2_000), refused(2, 4_000, 12_500), again=2_500),
             violation(B1, causes=(CUT,))),
    "owner that answers no lookup that began while no broker had a session is not accused":
        case(OWNER, polls(refused(1, 5_000, 55_000), said=WITHOUT_STORE), warning(B1, causes=(OUTAGE,))),
    "owner that refuses for longer than that is not excused by its registration":
        case(OWNER, unregistered(refused(1, 1_000, 2_000), refused(2, 12_000, 12_501), again=2_500),
             violation(B1, causes=())),
    "owner that was registered again is not excused by it":
        case(OWNER, unregistered(refused(1, 1_000, 2_000), refused(2, 12_000, 13_000), again=999),
             violation(B1, causes=())),
    "owner that names another broker is not excused by it":
        case(OWNER, unregistered(answer(1, 1_000, B2), answer(2, 15_000, B2)), violation(B1, causes=())),
    "lookups of some units that nobody answers are a warning":
        case(ANSWERED, polls(
                 refused(1, 1_000, 2_000), refused(2, 22_000, 23_000, B2),
                 answer(3, 5_000, B1, topic="persistent://t/n/b"),
             ),
             warning(B1, B2, why="1 of 2 units")),
    "lookups of some units are a warning for however long nobody answers them":
        case(ANSWERED, polls(refused(1, 1_000, 2_000), refused(2, 60_000, 61_000),
                             answer(3, 5_000, B1, topic=OTHER_TOPIC)), warning(why="1 of 2 units")),
    "lookups of all units that nobody answers within the time of a recovery are a warning":
        case(ANSWERED, polls(refused(1, 1_000, 2_000), refused(2, 30_000, 31_000)), warning(why="1 of 1 units")),
    "lookups of a topic that there is not are the caller's fault":
        case(ANSWERED, polls(*(refused(n, 1_000, 60_000 * n)._replace(status=404) for n in (1, 2))), occasions=0),
    "lookups of all units that nobody answers are a violation":
        case(ANSWERED, polls(refused(1, 1_000, 2_000), refused(2, 60_000, 61_000)), violation()),
    "brokers that answer nobody at all may be out of reach of who asked":
        case(ANSWERED,
             polls(refused(1, 1_000, 2_000)._replace(status=None), refused(2, 60_000, 61_000)._replace(status=None)),
             warning(), doubts="no broker answered anybody for 60.0 s"),
    "lookup that hangs as it began while no broker had a session is a consequence of the outage":
        case(ANSWERED, polls(refused(1, 5_000, 55_000), said=WITHOUT_STORE), warning(causes=(OUTAGE,))),
    "lookup that began before the outage hangs for another reason":
        case(ANSWERED, polls(refused(1, -5_000, 55_000), start=-5_000, said=WITHOUT_STORE), violation()),
    "lookup that still hangs when all should have recovered is no consequence of the outage":
        case(ANSWERED, polls(refused(1, 5_000, 60_001), said=WITHOUT_STORE), violation()),
    "lookups of after the outage are none of its consequences":
        case(ANSWERED, polls(refused(1, 5_000, 6_000), refused(2, 54_000, 55_000), said=WITHOUT_STORE), violation()),
    "lookup that somebody answers is answered": case(
        ANSWERED, polls(refused(1, 1_000, 2_000), answer(2, 9_000, B1, B2), refused(3, 22_000, 23_000)), occasions=1
    ),
    "broker that refuses a unit while others answer it is warned of":
        case(LONE, polls(*REFUSALS_OF_B2, answer(3, 5_000, B1), answer(4, 15_000, B1)),
             warning(B2, unit=UNIT, window=(1_000, 23_000, 1_000, END), why=f"2 at others were answered with {B1}"),
             doubts="has no log to tell why"),
    "broker that refuses a unit while others answer it is no doubt where its log shows why":
        case(LONE, polls(*REFUSALS_OF_B2, answer(3, 5_000, B1), answer(4, 15_000, B1), said=OF_B2), warning(B2)),
    "one answer of its own ends that time":
        case(LONE, polls(*REFUSALS_OF_B2, answer(3, 5_000, B1), answer(4, 15_000, B1), answer(5, 9_000, B1, B2)),
             occasions=2),
    "refusals while nobody answers are no matter of this law":
        case(LONE, polls(*REFUSALS_OF_B2, answer(3, 500, B1), answer(4, 30_000, B1)), occasions=2),
    "broker that refuses what was asked of it is not alone":
        case(LONE, polls(*(one._replace(status=403) for one in REFUSALS_OF_B2), answer(3, 5_000, B1),
                         answer(4, 15_000, B1)), occasions=0),
    "broker that gives no status may be gone":
        case(LONE, polls(*(one._replace(status=None) for one in REFUSALS_OF_B2), answer(3, 5_000, B1),
                         answer(4, 15_000, B1)), occasions=2),
    "recovery may take session and in-flight wait":
        case(LONE, polls(refused(1, 1_000, 2_000, B2), refused(2, 19_000, 20_999, B2), answer(3, 5_000, B1),
                         answer(4, 15_000, B1)), occasions=2),
    "broker that is asked alone is no occasion":
        case(LONE, polls(*REFUSALS_OF_B2), occasions=0),
    "no lookup is no occasion":
        case(ANSWERED, polls(), occasions=0),
}  # fmt: skip


@each(CASES)
def test_answers_are_judged_by_what_brokers_were_asked(case: Case) -> None:
    case.check()
