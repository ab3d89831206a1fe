"""Two brokers that serve one unit are found, each window with its cause; redirects and hand-overs are not."""

from dataclasses import replace

from oneowner.checkers.recordings.laws.serving.dual_serving_case import is_one_clock
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup
from oneowner.checkers.recordings.scene.logged_channel import LoggedChannel
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    moved_on,
    printed,
    said,
    scene,
    session_event,
    write,
)

LAW = "dual-serving"
TOPIC = "persistent://t/n/a"
OWNED = message(0, 10, printed("Owned", 1, B1))
FORCED = message(1, 1_000, printed("Owned", 2, B2, B1, force=True))
HANDED_OVER = (
    message(1, 900, printed("Releasing", 2, B2, B1)),
    message(2, 950, printed("Assigning", 3, B2, B1)),
    message(3, 1_000, printed("Owned", 4, B2, B1)),
)


def serving(*records: Message, lookups: tuple[Lookup, ...] = (), **fields: object) -> Scene:
    return scene(channel=channel(*records), lookups=list(lookups), end=90_000, **fields)


def answer(number: int, start: int, end: int, broker: str) -> Lookup:
    """A broker answers that it serves the topic."""
    return lookup(number, start, end, broker, broker, TOPIC)


def counted(number: int, time: int, counter: int) -> LogEvent:
    """A view of B1 takes a record, by its counter of the state."""
    return said(number, time, "handle-request", "t/n/other", data=printed("Owned", counter, B1), handled=counter)


BOTH = (answer(1, 1_100, 1_500, B2), answer(2, 1_200, 1_250, B1))
LONG = (answer(1, 1_100, 30_000, B2), answer(2, 1_200, 1_250, B1), answer(3, 20_000, 20_010, B1))
REDIRECTED = (answer(1, 1_200, 1_250, B1), lookup(2, 2_000, 2_010, B1, B2, TOPIC))
MANY = tuple(answer(n, 1_100 + 10 * n, 1_105 + 10 * n, (B1, B2)[n % 2]) for n in range(50))
OPENED_BY_B1 = said(1, 20, "topic-created", topic=TOPIC)
OPENED_BY_B2 = said(1, 1_300, "topic-created", broker=B2, topic=TOPIC)
BROKERS = (B1, B2, B3, "b4:8080")
BY_THEMSELVES = (*BOTH, answer(3, 5_000, 5_010, B1))
MOVES = "between its stores: .."
B2_LIVES = said(2, 5_000, "handled", broker=B2)

CLOSED_LATE = logs(
    OPENED_BY_B1, said(2, 2_200, "topic-unloading", topic=TOPIC), said(3, 2_210, "topic-closed", topic=TOPIC),
    OPENED_BY_B2, B2_LIVES,
)  # fmt: skip


BEGUN = tuple(said(1, 2, kind, broker=one) for one in (B1, B2) for kind in ("registering", "registered"))
REGISTERED = [write(number, 2, "create", f"/loadbalance/brokers/{one}") for number, one in enumerate((B1, B2), 1)]
CLOSED_A_MINUTE_LATE = (
    OPENED_BY_B1, *(said(3, time, "handled", broker=one) for time in range(5_000, 61_000, 1_000) for one in (B1, B2)),
    said(2, 61_300, "topic-unloading", topic=TOPIC), said(3, 61_310, "topic-closed", topic=TOPIC),
    OPENED_BY_B2, B2_LIVES._replace(time=80_000),
)  # fmt: skip
OVERRIDDEN_LATE = message(1, 41_000, printed("Owned", 2, B2, B1, force=True))


def after_silence(*lines: LogEvent) -> Scene:
    """B1 logs nothing but *lines* from its first one on, until it closes its topic long after it has lost the unit."""
    own = (*lines, said(8, 61_000, "topic-unloading", topic=TOPIC), said(9, 61_001, "topic-closed", topic=TOPIC))
    later = (OPENED_BY_B2._replace(time=41_300), B2_LIVES._replace(time=85_000))
    return serving(OWNED, OVERRIDDEN_LATE, said=logs(OPENED_BY_B1, *own, *later))


def not_heard(time: int, silent: int) -> LogEvent:
    """B1's ZooKeeper client gives up a server that was silent for so many milliseconds."""
    return said(7, time, "zk-not-heard", ms=silent)


def without_debug(run: Scene) -> Scene:
    lives = {broker: [life._replace(debug_since=None) for life in own] for broker, own in run.lives.items()}
    return replace(run, lives=lives)


CASES = {
    "answer after a forced record is a warning with its window and cause": case(
        LAW, serving(OWNED, FORCED, lookups=BOTH),
        warning(B1, B2, unit=UNIT, window=(1_200, 1_250, 1_000), why="forced record", at="0:1"), occasions=2, doubts=1,
    ),
    "answer without a cause is a violation":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=BOTH), violation(why="no cause")),
    "view that went past the record which gave the unit away, to a later one, is told, and no excuse":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=BOTH, said=logs(
                 OPENED_BY_B1, said(2, 1_400, "handle-request", UNIT, data=printed("Free", 9, source=B2), handled=1),
                 said(3, 80_000, "handled"),
             )),
             violation(why="its view never took that record, as behind a compaction: the next one was Free(from",
                       symptom=Symptom.BEHIND_COMPACTION)),
    "view of the metadata store may skip a value":
        case(LAW, replace(serving(OWNED, *HANDED_OVER, lookups=BOTH, said=logs(
                 OPENED_BY_B1, said(2, 1_400, "handle-request", UNIT, data=printed("Free", 9, source=B2), handled=1),
                 said(3, 80_000, "handled"),
             )), storage=Storage.METADATA_STORE),
             violation(why_not="behind a compaction", symptom=None)),
    "view that took the record late is not behind":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=BOTH, said=logs(
                 OPENED_BY_B1, said(2, 1_400, "handle-request", UNIT, data=HANDED_OVER[-1].printed, handled=1),
                 said(3, 80_000, "handled"),
             )),
             violation(why="to take that record in", symptom=None)),
    "unit whose beginning is not known is a doubt":
        case(LAW, serving(message(0, 1_000, printed("Owned", 7, B2)), lookups=BOTH), warning(), doubts=1),
    "window longer than the limit is a violation whatever the cause":
        case(LAW, serving(OWNED, FORCED, lookups=LONG), violation()),
    "window within a limit of its own is a warning":
        case(LAW, serving(OWNED, FORCED, lookups=LONG, limits=Limits(dual_serving=60_000)),
             warning(), doubts="longer than 60.0 s"),
    "window that is only possible is a doubt":
        case(LAW, serving(OWNED, FORCED, lookups=(answer(1, 40_000, 40_010, B1),)),
             warning(since=None), doubts="for up to 89.0 s, longer than 10.0 s"),
    "window ends when the loser names the new owner":
        case(LAW, serving(OWNED, FORCED, lookups=REDIRECTED), warning(possible_until=2_010)),
    "window does not end before the loser's own log closes the topic, whatever it answers":
        case(LAW, serving(OWNED, FORCED, lookups=REDIRECTED, said=logs(
                 OPENED_BY_B1, said(2, 6_000, "topic-closed", topic=TOPIC), said(3, 80_000, "handled")
             )),
             warning(possible_until=6_000)),
    "answer that began before the record is no finding": case(
        LAW, serving(OWNED, FORCED, lookups=(answer(1, 990, 1_200, B1), answer(2, 1_100, 1_150, B2))), occasions=2
    ),
    "answers of lookups that overlap amid a hand-over are of two moments": case(
        LAW, serving(OWNED, *HANDED_OVER, lookups=(answer(1, 910, 1_500, B1), answer(2, 960, 1_400, B2))), occasions=2
    ),
    "topic that opens amid the lookup of the former owner opened after its answer": case(
        LAW, serving(OWNED, *HANDED_OVER, lookups=(answer(1, 910, 1_900, B1),), said=logs(OPENED_BY_B2, B2_LIVES)),
        occasions=2,
    ),
    "answer while another broker certainly serves is a violation": case(
        LAW, serving(OWNED, *HANDED_OVER[:2], lookups=(
            answer(1, 910, 920, B2), answer(2, 925, 930, B1), answer(3, 935, 940, B2)
        )),
        violation(B1, B2, window=(925, 930)),
    ),
    "redirects are no serving": case(
        LAW,
        serving(OWNED, FORCED, lookups=(
            lookup(1, 1_100, 1_150, B1, B2, TOPIC), lookup(2, 1_100, 1_150, B3, B1, TOPIC), answer(3, 1_100, 1_150, B2)
        )),
    ),
    "redirects after a hand-over are no serving":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(BOTH[0], lookup(2, 1_200, 1_250, B1, B2, TOPIC))), occasions=1),
    "clock skew excuses an answer before the record by its own clock":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=BOTH, limits=Limits(clock_skew=300)), occasions=2),
    "topic that is closing is a doubt":
        case(LAW, serving(OWNED, *HANDED_OVER, said=logs(
                 OPENED_BY_B1, said(2, 1_250, "topic-unloading", topic=TOPIC),
                 said(3, 4_000, "topic-closed", topic=TOPIC), OPENED_BY_B2, B2_LIVES,
             )),
             warning(B1, B2, since=None), doubts=1),
    "topic that a stopped process had loaded is served by the other one alone":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(lookup(1, 700, 50_000, B1, None, TOPIC, None),), said=logs(
                 OPENED_BY_B1, said(2, 600, "handled"), said(3, 60_000, "handled"),
                 said(4, 60_001, "topic-closed", topic=TOPIC),
                 OPENED_BY_B2, said(2, 55_000, "topic-closed", broker=B2, topic=TOPIC),
             )), occasions=3),
    "clock skew excuses what it can explain":
        case(LAW, serving(OWNED, FORCED, lookups=BOTH, limits=Limits(clock_skew=300))),
    "many answers of one unit are one finding with a few lines":
        case(LAW, serving(OWNED, FORCED, lookups=MANY), warning(window=(1_120, 1_585), lines=5), doubts=1),
    "topic loaded at two brokers is found":
        case(LAW, serving(OWNED, FORCED, said=logs(
                 OPENED_BY_B1,
                 said(2, 1_700, "topic-unloading", topic=TOPIC),
                 said(3, 1_710, "bundle-unloaded", UNIT, topics=1, ms=9.0),
                 OPENED_BY_B2,
                 B2_LIVES,
             )),
             warning(B1, B2, window=(1_300, 1_700), why="had its topics loaded")),
    "topic loaded at two brokers is broken where logs alone show records":
        case(LAW, serving(OWNED, *HANDED_OVER, logged=LoggedChannel(), said=logs(
                 OPENED_BY_B1, *(said(n, 2_000 * n, "handled") for n in range(1, 5)), OPENED_BY_B2, B2_LIVES
             )),
             violation(B1, B2, window=(1_300, 5_000))),
    "topic that a process may not have served, as its log is silent, is a doubt where logs alone show records":
        case(LAW, serving(OWNED, *HANDED_OVER, logged=LoggedChannel(), said=logs(
                 OPENED_BY_B1, said(2, 9_000, "handled"), OPENED_BY_B2, B2_LIVES
             )),
             doubts="seen: up to 0 ms"),
    "topic of a process that may have stood still for longer than its session, as nobody asked it, is a doubt":
        case(LAW, serving(OWNED, FORCED, said=logs(
                 OPENED_BY_B1, said(2, 80_000, "handled"), OPENED_BY_B2, said(2, 85_000, "handled", broker=B2)
             )),
             warning(B1, B2, since=None, why="not seen at one moment"), doubts="seen: up to 0 ms"),
    "process that its own ZooKeeper client shows to have stood still may serve only before and after that": case(
        LAW, after_silence(not_heard(60_000, 50_000)),
        warning(B1, B2, window=(60_000, 61_000, 60_000), why="possible for 1.0 s"),
    ),
    "process with a silent log, of which a client that ran gives up its server, may have served all the time":
        case(LAW, after_silence(not_heard(60_000, 30_001)), warning(B1, B2), doubts="for up to 20.0 s"),
    "process that logs meanwhile may have served all the time, whatever its ZooKeeper client measures":
        case(LAW, after_silence(said(2, 50_000, "handled"), not_heard(60_000, 50_000)),
             violation(B1, B2, window=(50_000, 61_000, 41_000))),
    "process whose ZooKeeper client had lost its server hears nothing while it runs": case(
        LAW, after_silence(session_event(2, 9_500, "ConnectionLost"), not_heard(60_000, 50_000)),
        warning(B1, B2), doubts="for up to 20.0 s",
    ),
    "process whose log begins after its client had heard its server last may have lost it before":
        case(LAW, after_silence(not_heard(60_000, 59_981)), warning(B1, B2), doubts="for up to 20.0 s"),
    "process that logs when its client should have heard its server was not connected":
        case(LAW, after_silence(said(2, 20_001, "handled"), not_heard(60_000, 50_000)),
             warning(B1, B2), doubts="for up to 20.0 s"),
    "process whose log is silent may have served all the time, as lines may be missing":
        case(LAW, after_silence(), warning(B1, B2), doubts="for up to 20.0 s"),
    "topic of a process with a silent log that answers meanwhile is served":
        case(LAW, serving(OWNED, FORCED, lookups=(lookup(1, 40_000, 40_010, B1, B2, TOPIC),), said=logs(
                 OPENED_BY_B1, said(2, 80_000, "handled"), OPENED_BY_B2, said(2, 85_000, "handled", broker=B2)
             )),
             violation(B1, B2, window=(1_300, 80_000))),
    "answers are not judged where logs alone show records, as one that is missing may explain them":
        case(LAW, serving(OWNED, *HANDED_OVER, logged=LoggedChannel(), lookups=BOTH), occasions=0),
    "topic loaded at two brokers is broken where the channel moves to another storage, whatever its records say":
        case(LAW, serving(OWNED, FORCED, migration=MOVES, said=logs(
                 OPENED_BY_B1, said(2, 9_000, "handled"), OPENED_BY_B2, B2_LIVES
             )),
             violation(B1, B2, window=(1_300, 5_000), why_not="forced"), occasions=2),
    "answers alone are no serving where the channel moves to another storage":
        case(LAW, serving(OWNED, *HANDED_OVER, migration=MOVES, lookups=LONG, said=logs(OPENED_BY_B1)), occasions=1),
    "topic whose closing may be among lines that are missing is a doubt":
        case(LAW, serving(OWNED, *HANDED_OVER, said=logs(
                 OPENED_BY_B1, counted(2, 500, 1), counted(3, 1_900, 3), said(4, 80_000, "handled"),
                 OPENED_BY_B2, B2_LIVES,
             )),
             warning(B1, B2, since=None, why="not seen at one moment"), doubts="1 unit for up to"),
    "topic that is open although no line is missing is a violation":
        case(LAW, serving(OWNED, *HANDED_OVER, said=logs(
                 OPENED_BY_B1, counted(2, 500, 1), counted(3, 1_900, 2), said(4, 80_000, "handled"),
                 OPENED_BY_B2, B2_LIVES,
             )),
             violation(B1, B2, why="had its topics loaded")),
    "topic that is open to the end of a log that leaves out the level INFO by then is a doubt":
        case(LAW, serving(OWNED, *HANDED_OVER, said=logs(
                 OPENED_BY_B1, *(said(n, 20_000 * n, "lookup-failed") for n in range(1, 5)), OPENED_BY_B2, B2_LIVES,
             )),
             warning(B1, B2, since=None, why="not seen at one moment"), doubts="1 unit for up to"),
    "topics loaded at once for less than a second, by clocks that nothing compares, are a doubt":
        case(LAW, without_debug(serving(OWNED, *HANDED_OVER, said=CLOSED_LATE)),
             warning(B1, B2, why="seen for 900 ms"), doubts="s, and no known cause explains that; seen: up to 900 ms"),
    "topics loaded at once for a minute, by clocks that nothing compares, are a doubt":
        case(LAW, without_debug(serving(OWNED, *HANDED_OVER, said=logs(*CLOSED_A_MINUTE_LATE))),
             warning(B1, B2, why="seen for 60.0 s"), doubts=1),
    "topics loaded at once for a minute, by clocks that agree within a second, are a violation":
        case(LAW, without_debug(serving(
                 OWNED, *HANDED_OVER, said=logs(*BEGUN, *CLOSED_A_MINUTE_LATE), writes=REGISTERED
             )),
             violation(B1, B2, why="seen for 60.0 s")),
    "topics loaded at once for less than a second by logs that show what they handled are a violation":
        case(LAW, serving(OWNED, *HANDED_OVER, said=CLOSED_LATE), violation(why="seen for 900 ms")),
    "topics loaded twice in a unit that the channel does not know are a doubt":
        case(LAW, serving(
                 said=logs(OPENED_BY_B1, said(2, 9_000, "handled"), OPENED_BY_B2, B2_LIVES),
                 boundaries={"t/n": (0, 0x80000000, 0xFFFFFFFF)},
             ),
             warning(), doubts=1),
    "topic that is closed before the next opens it is in order":
        case(LAW, serving(OWNED, FORCED, said=logs(
                 OPENED_BY_B1, said(2, 900, "bundle-unloaded", UNIT, topics=1, ms=9.0), OPENED_BY_B2
             )),
             occasions=2),
    "answers after the end of a dump that is older are a doubt":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(*BOTH, *moved_on(2_000, TOPIC)), brokers=BROKERS),
             occasions=0, doubts="2 answers of brokers that name themselves come after the end of the dump"),
    "answers are not carried on after the end of a dump that is older":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(
                 answer(1, 990, 995, B1), answer(2, 5_000, 5_010, B2), answer(3, 9_000, 9_010, B2),
                 *moved_on(2_000, TOPIC),
             ), brokers=BROKERS),
             doubts=1, occasions=1),
    "one broker alone that names a stranger does not show that the dump is older":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(*BOTH, moved_on(2_000, TOPIC)[0]), brokers=BROKERS),
             violation(why="no cause")),
    "owner by the channel that later names who answers shows that the dump is older":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(*BY_THEMSELVES, lookup(4, 5_000, 5_010, B2, B1, TOPIC))),
             occasions=0, doubts="3 answers of brokers that name themselves come after the end of the dump"),
    "owner by the channel that names who answers at once may lag behind":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(*BY_THEMSELVES, lookup(4, 1_300, 1_310, B2, B1, TOPIC))),
             violation(why="no cause")),
    "brokers that name who answers beside the owner do not show that the dump is older":
        case(LAW, serving(OWNED, *HANDED_OVER, lookups=(*BY_THEMSELVES, lookup(4, 5_000, 5_010, B3, B1, TOPIC))),
             violation(why="no cause")),
    "neither answers nor logs are no occasion":
        case(LAW, serving(OWNED, FORCED), occasions=0),
}  # fmt: skip


def test_clocks_are_one_on_one_machine_or_where_they_are_known() -> None:
    assert is_one_clock(scene(), ("h:8080", "h:8081"))
    assert is_one_clock(scene(limits=Limits(clock_skew=1)), (B1, B2))
    assert not is_one_clock(scene(), (B1, B2))
    registered = logs(said(1, 0, "registered"), said(1, 0, "registered", broker=B2))
    assert is_one_clock(without_debug(scene(said=registered)), (B1, B2))
    assert not is_one_clock(without_debug(scene(said=registered, present=frozenset())), (B1, B2))


@each(CASES)
def test_serving_is_judged_by_what_was_seen(case: Case) -> None:
    case.check()
