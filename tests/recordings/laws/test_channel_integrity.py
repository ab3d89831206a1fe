"""The channel's dump alone: its message ids, its producers' numbers and times, and its publishers."""

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, warning
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene

IDS, NUMBERS = "no-entry-is-missing", "no-sequence-is-broken"
TIMES, PRODUCERS = "publish-time-is-the-publishers", "producers-are-known"
TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
ASSIGNING, OWNED = printed("Assigning", 1, B1, timestamp=10), printed("Owned", 2, B1, timestamp=20)


def dump(
    *messages: Message, lines: tuple[LogEvent, ...] = (), brokers: tuple[str, ...] = (B1,), partial: bool = False
) -> Scene:
    found = scene(channel=channel(*messages), said=logs(*lines), brokers=brokers)
    found.is_partial = partial
    return found


def at(ledger: int, entry: int, batch: int = -1, time: int = 10, producer: str = "p") -> Message:
    """A message at that place; in a batch, if it has an index there."""
    given = f"{ledger}:{entry}" if batch < 0 else f"{ledger}:{entry}:-1:{batch}"
    return message(entry, time, ASSIGNING, producer=producer)._replace(
        position=(ledger, entry, batch), message_id=given
    )


def sent(number: int, sequence: int, producer: str = "p", time: int = 10, unit: str = UNIT) -> Message:
    return message(number, time, printed("Assigning", 1, B1, timestamp=sequence + 1), unit, producer, sequence)


def made(producer: str = "p", time: int = 1, broker: str = B1) -> LogEvent:
    return said(2, time, "producer-created", broker=broker, topic=TOPIC, producer=producer, connection="")


FAILED = said(3, 11, "record-not-published")
AGAIN = said(3, 11, "producer-re-sends", topic=TOPIC, producer="p", messages=1)
STARTED = said(1, 0, "broker-starting", version="4.0.6")
STARTED_2 = said(1, 0, "broker-starting", broker=B2, version="4.0.6")
LAST = said(9, 900, "elected")
LAST_2 = said(9, 900, "elected", broker=B2)
ACCEPTED = said(4, 2, "producer-accepted", topic=TOPIC, producer="p", client="", connection="", rest="")

CASES = {
    "entries that follow each other, in ledgers that do too, are whole":
        case(IDS, dump(at(3, 0), at(3, 1, 0), at(3, 1, 1), at(9, 0)), occasions=4),
    "entry between two others is missing":
        case(IDS, dump(at(0, 0), at(0, 2)), warning(why="0:1 is not in the dump", at="0:2", cites=["0:0", "0:2"]),
             doubts="0:1 is not"),
    "some entries are missing": case(IDS, dump(at(0, 0), at(0, 4)), warning(why="0:1 to 0:3"), doubts=1),
    "a later ledger does not begin with entry 1": case(IDS, dump(at(0, 0), at(3, 1)), warning(why="3:0"), doubts=1),
    "batch is of one producer":
        case(IDS, dump(at(0, 0, 0), at(0, 0, 1, producer="q"), at(0, 1, producer="r")),
             warning(why="0:0:-1:0 is of p and 0:0:-1:1 of q", cites=["0:0:-1:0", "0:0:-1:1"]), doubts="in one batch"),
    "producer that nobody tells contradicts none": case(IDS, dump(at(0, 0, 0), at(0, 0, 1, producer=""))),
    "message of a batch is missing":
        case(IDS, dump(at(0, 0, 0), at(0, 0, 2)), warning(why="0:0:-1:1 is not"), doubts=1),
    "first message of a batch is missing":
        case(IDS, dump(at(0, 0), at(0, 1, 1)), warning(why="0:1:-1:0 is not"), doubts=1),
    "dump that begins within a ledger only warns": case(IDS, dump(at(0, 7), at(0, 8)), warning(why="0:0 to 0:6")),
    "partial dump may lack entries": case(IDS, dump(at(0, 0), at(0, 2), partial=True), occasions=0),
    "messages that pulsar-client printed have no ids":
        case(IDS, dump(at(0, 3, producer=""), at(0, 9, producer="")), occasions=0),

    "numbers that follow each other, of each producer, are whole":
        case(NUMBERS, dump(sent(0, 0), sent(1, 0, "q"), sent(2, 1)), occasions=3),
    "number between two others is missing, and no log tells why": case(
        NUMBERS, dump(sent(0, 0), sent(1, 2)), warning(why="number 1 is of producer p missing between 0:0 and 0:1")),
    "number is missing, and its publisher's log tells of no failure": case(
        NUMBERS, dump(sent(0, 0), sent(1, 3), lines=(made(), LAST)),
        warning(B1, why="numbers 1 to 2 are"), doubts="1 to 2"),
    "number is missing, and its publisher's log ends before":
        case(NUMBERS, dump(sent(0, 0), sent(1, 3), lines=(made(),)), warning(B1)),
    "number is missing, because a record was not published": case(
        NUMBERS, dump(sent(0, 0), sent(1, 2), lines=(made(), FAILED)), warning(B1)),
    "producer that was made after the dump began begins with 0": case(
        NUMBERS, dump(sent(0, 0, "q"), sent(1, 1, time=50), lines=(made(time=30), LAST)),
        warning(B1, why="number 0 is"),
        doubts=1),
    "producer that is older than the dump may begin with any number":
        case(NUMBERS, dump(sent(0, 7), sent(1, 8), lines=(made(time=1),))),
    "message that is sent again, as the log says, is innocent":
        case(NUMBERS, dump(sent(0, 0), sent(1, 1), sent(2, 0), sent(3, 1), lines=(made(), AGAIN))),
    "message comes twice, and no log can tell": case(NUMBERS, dump(sent(0, 0), sent(1, 0))),
    "message comes twice, and its publisher does not say that it sends again": case(
        NUMBERS, dump(sent(0, 0), sent(1, 0), lines=(made(), LAST)),
        warning(B1, why="no line of b1:8080 says"), doubts=1),
    "message that is sent again without those after it": case(
        NUMBERS, dump(sent(0, 0), sent(1, 1), sent(2, 0), sent(3, 2), lines=(made(), AGAIN)),
        warning(B1, why="number 1 is"), doubts=1),
    "number that comes again is another message": case(
        NUMBERS, dump(sent(0, 0), sent(1, 0, unit=OTHER)), warning(why="two messages with number 0"), doubts=1),
    "producer goes back to a number that it never sent":
        case(NUMBERS, dump(sent(0, 5), sent(1, 3)), warning(why="goes back from 5 to 3"), doubts=1),

    "record that is published once it is made, by a producer whose clock goes on, is as it must be":
        case(TIMES, dump(message(0, 11, ASSIGNING, sequence=0), message(1, 20, OWNED, sequence=1))),
    "later message of a batch may be made after the first one is published": case(
        TIMES, dump(at(0, 0, 0), at(0, 0, 1)._replace(printed=printed("Owned", 2, B1, timestamp=5_000)))),
    "record is published before it was made": case(
        TIMES, dump(message(0, 100, printed("Assigning", 1, B1, timestamp=60_100))),
        warning(why="60.0 s before its record was made"), doubts=1),
    "record that waits long for its producer only warns":
        case(TIMES, dump(message(0, 60_100, printed("Assigning", 1, B1, timestamp=100))), warning(why="60.0 s after")),
    "two messages of one entry have two publish times": case(
        TIMES, dump(at(0, 0, 0), at(0, 0, 1, time=70)), warning(why="are one entry"), doubts=1),
    "producer's clock goes back": case(
        TIMES, dump(message(0, 70_000, None, sequence=0), message(1, 10_000, None, sequence=1)),
        warning(why="by its own clock 60.0 s before it"), doubts=1),
    "clocks of two producers do not agree, which other laws judge":
        case(TIMES, dump(message(0, 70_000, None, sequence=0), message(1, 10_000, None, producer="q", sequence=0))),
    "message that is sent again keeps its time": case(
        TIMES, dump(message(0, 100, None, sequence=0), message(1, 9_000, None, sequence=1),
                    message(2, 100, None, sequence=0))),

    "producer that one log makes and another accepts is known":
        case(PRODUCERS, dump(sent(0, 0), lines=(STARTED, made(), ACCEPTED, LAST))),
    "producer that nobody accepted": case(
        PRODUCERS, dump(sent(0, 0), lines=(STARTED, made(), made("q"), ACCEPTED, LAST)),
        warning(B1, why="created producer q"), doubts=1),
    "producer that a broker accepted whose log ends before": case(
        PRODUCERS, dump(sent(0, 0), lines=(STARTED, made(), made("q", time=950), ACCEPTED))),
    "record of a producer that no log knows only warns": case(
        PRODUCERS, dump(sent(0, 0), sent(1, 0, "x"), lines=(STARTED, made(), ACCEPTED, LAST)),
        warning(why="no broker's log knows producer x", at="0:1")),
    "where a broker's log is missing, nothing is known of producers": case(
        PRODUCERS, dump(sent(0, 0), sent(1, 0, "x"), lines=(STARTED, made(), ACCEPTED, LAST), brokers=(B1, B2)),
        occasions=0),
    "where a log lacks its beginning, nothing is known of producers": case(
        PRODUCERS, dump(sent(1, 0, "x"), lines=(STARTED, made(), STARTED_2._replace(event="elected"), LAST, LAST_2),
                        brokers=(B1, B2)), occasions=0),
}  # fmt: skip


@each(CASES)
def test_channel_says_what_it_can_hold(case: Case) -> None:
    case.check()
