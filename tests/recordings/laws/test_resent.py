"""Messages that a producer sent twice."""

from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, channel, logs, message, printed, said, scene

LAW = "sent-once"
ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
OWNED = printed("Owned", 2, B1, timestamp=20)
FIRST = message(0, 10, ASSIGNING, sequence=0)
RE_SENDS = said(
    1, 15, "producer-re-sends", topic="persistent://pulsar/system/loadbalancer-service-unit-state", producer="p",
    messages=1,
)  # fmt: skip


def sent(*messages: Message, lines: tuple[LogEvent, ...] = ()) -> Scene:
    return scene(channel=channel(*messages), said=logs(*lines))


CASES = {
    "numbers that come once are as they must be":
        case(LAW, sent(FIRST, message(1, 20, OWNED, sequence=1)), occasions=2),
    "messages without numbers are no occasion": case(LAW, sent(message(0, 10, ASSIGNING)), occasions=0),
    "second copy that is refused is a note with the producer's line":
        case(LAW, sent(FIRST, message(1, 10, ASSIGNING, sequence=0), lines=(RE_SENDS,)),
             note(B1, at="0:1", cites=["0:0", "0:1", None])),
    "second copy that is accepted after a tombstone is a warning":
        case(LAW, sent(FIRST, message(1, 11, None, producer="q", sequence=7), message(2, 10, ASSIGNING, sequence=0)),
             warning(why="was accepted too")),
    "second tombstone that removes an entry is a warning":
        case(LAW, sent(message(0, 10, None, sequence=0), message(1, 11, ASSIGNING, producer="q"),
                       message(2, 10, None, sequence=0)), warning()),
    "second tombstone that removes nothing is a note":
        case(LAW, sent(message(0, 10, None, sequence=0), message(1, 11, None, producer="q"),
                       message(2, 10, None, sequence=0)), note()),
    "number that comes with two records is a warning":
        case(LAW, sent(FIRST, message(1, 11, printed("Assigning", 1, B2, timestamp=11), sequence=0)),
             warning(why="no client does that")),
    "messages that are sent again together are one finding":
        case(LAW, sent(*(message(n, 10 + n, (ASSIGNING, OWNED)[n % 2], sequence=n % 2) for n in range(4))),
             note(why="and 1 more after it")),
    "message without a number that comes again in all that it says is a note":
        case(LAW, sent(message(0, 10, ASSIGNING), message(1, 20, OWNED), message(2, 10, ASSIGNING), lines=(RE_SENDS,)),
             note(B1, at="0:2", cites=["0:0", "0:2", None], why="a message without a number twice"), occasions=0),
    "messages without numbers that come again together are one finding":
        case(LAW, sent(*(message(n, 10 + n % 2, (ASSIGNING, OWNED)[n % 2]) for n in range(4))),
             note(why="and 1 more after it"), occasions=0),
    "records without numbers that were made at different times are two": case(LAW, sent(
             message(0, 10, ASSIGNING), message(1, 10, printed("Assigning", 1, B1, timestamp=9))
         ), occasions=0),
    "records without numbers of two producers, units or publish times are two": case(LAW, sent(
             message(0, 10, ASSIGNING), message(1, 10, ASSIGNING, producer="q"), message(2, 11, ASSIGNING),
             message(3, 10, ASSIGNING, unit="t/n/0x80000000_0xffffffff"),
         ), occasions=0),
    "message that the dump repeats is a doubt": case(LAW, sent(FIRST, FIRST), doubts=1),
}  # fmt: skip


@each(CASES)
def test_message_is_known_by_its_producers_number(case: Case) -> None:
    case.check()
