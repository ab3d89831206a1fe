"""Topics that their owner keeps fenced, the close under way that is none, and topics whose writes fail."""

from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene

DEAD = "persistent://t/n/a"  # in UNIT
POLICIES = "persistent://t/n/__change_events"  # in OTHER
OWNED = message(0, 10, printed("Owned", 1, B1))
FENCE = "topic-stays-fenced"


def fenced(
    *times: int, topic: str = DEAD, records: tuple[Message, ...] = (OWNED,), more: tuple[LogEvent, ...] = (),
    **fields: object,
) -> Scene:  # fmt: skip
    """B1 refuses clients of a topic as fenced at these times, and its log has *more* lines."""
    refused = [said(n, time, "consumer-meets-fence", topic=topic) for n, time in enumerate(times)]
    lines = sorted([*refused, *more], key=lambda line: line.time)
    return scene(channel=channel(*records), said=logs(*lines), **fields)


RELEASED = message(1, 50_000, printed("Releasing", 2, B2, B1))
HOSTAGE = fenced(1_000, 70_000, topic=POLICIES, records=(message(0, 10, printed("Owned", 1, B1), OTHER),))
HOSTAGE.said[B2] = [said(9, 5_000, "policies-not-read", broker=B2, topic=DEAD)]
LOGS = frozenset({Source.LOGS})
NOT_PERSISTED = said(9, 500, "publish-not-persisted", topic=DEAD, error="Bookie operation timeout")
OPENED = said(9, 40_000, "topic-created", topic=DEAD)
OPENED_BY_B2 = fenced(1_000, 70_000, records=(), present=LOGS)
OPENED_BY_B2.said[B2] = [said(9, 5_000, "topic-created", broker=B2, topic=DEAD)]
CASES = {
    "owner that refuses for longer than a close takes":
        case(FENCE, fenced(1_000, 70_000), violation(B1, unit=UNIT, at="0:0", why="refused 2 clients"), occasions=1),
    "topic of the policies that holds its namespace hostage":
        case(FENCE, HOSTAGE, violation(why="1 times no topic of that namespace could be opened for it at b2:8080")),
    "close under way": case(FENCE, fenced(1_000, 31_000)),
    "close that takes long": case(FENCE, fenced(1_000, 60_000), warning(B1, why="for 59.0 s (a close takes 60.0 s")),
    "refusals that are too far apart to be of one close for certain":
        case(FENCE, fenced(1_000, 600_000), warning(B1, why="for 599.0 s")),
    "topic that its broker opened anew meanwhile":
        case(FENCE, fenced(1_000, 20_000, 60_000, 80_000, more=(OPENED,)), occasions=1),
    "topic whose writes fail": case(FENCE, fenced(1_000, 70_000, more=(NOT_PERSISTED,)), warning(B1)),
    "topic whose writes failed long before":
        case(FENCE, fenced(101_000, 170_000, more=(NOT_PERSISTED,)), violation(B1)),
    "owner that gives it away meanwhile": case(FENCE, fenced(1_000, 70_000, records=(OWNED, RELEASED))),
    "another broker than the owner":
        case(FENCE, fenced(1_000, 70_000, records=(message(0, 10, printed("Owned", 1, B2)),))),
    "broker that refuses for long where no record shows the owner":
        case(FENCE, fenced(1_000, 70_000, records=(), present=LOGS),
             violation(B1, window=(1_000, 70_000), why="no record shows who owns its bundle")),
    "broker that refuses for long although a record shows another owner":
        case(FENCE, fenced(1_000, 70_000, records=(message(0, 10, printed("Owned", 1, B2)),), present=LOGS)),
    "broker that refuses for long while another one opens the topic, where no record shows the owner":
        case(FENCE, OPENED_BY_B2),
    "nobody refused": case(FENCE, fenced(), occasions=0),
}  # fmt: skip


@each(CASES)
def test_topic_that_stays_fenced_is_told(case: Case) -> None:
    case.check()
