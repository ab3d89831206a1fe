"""A broker that is dead but registered is still given units."""

from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    OTHER,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    said,
    scene,
    write,
)

LAW = "assigned-to-the-dead"
REGISTRY = f"/loadbalance/brokers/{B1}"
WRITES = [write(1, 5, "create", REGISTRY, "0x7", ephemeral=True), write(2, 11_000, "closeSession", session="0x7")]
ON_ITS_WAY = message(0, 900, printed("Assigning", 1, B1))
GIVEN = message(1, 3_000, printed("Assigning", 1, B1))
FORCED = message(2, 12_000, printed("Owned", 2, B2, force=True))
PAUSED = logs(said(1, 1_000, "handled"), said(2, 60_000, "handled"))


def dead(*records: Message, **fields: object) -> Scene:
    """B1 logs its last line at 1000 and is asked in vain from 1500 on; its session ends at 11 s."""
    given = {
        "said": logs(said(1, 1_000, "handled")), "writes": WRITES, "start": 0, "end": 100_000,
        "lookups": [lookup(1, 1_500, 9_000, B1, None, status=None)], **fields,
    }  # fmt: skip
    return scene(channel=channel(*records), **given)


CASES = {
    "assignment to a dead broker is a warning":
        case(LAW, dead(GIVEN, FORCED),
             warning(B1, unit=UNIT, at="0:1", why=("still registered for 10.0 s", "stood up to 9.0 s"))),
    "unit that was on its way is counted beside":
        case(LAW, dead(message(0, 900, printed("Assigning", 1, B1), OTHER), GIVEN),
             warning(why="1 times a unit was given to it, and 1 were on their way when it died")),
    "what the broker itself published last is no gift":
        case(LAW, dead(ON_ITS_WAY, message(1, 1_001, printed("Owned", 2, B1))), occasions=1),
    "assignment to a paused broker is another matter":
        case(LAW, dead(GIVEN, said=PAUSED, lookups=[], polls=[poll(1, 1_500, 60_001, B1)], writes=[]), occasions=0),
    "assignment while everybody lives is no occasion":
        case(LAW, dead(GIVEN, lookups=[], writes=[]), occasions=0),
}  # fmt: skip


@each(CASES)
def test_gift_is_judged_by_whether_its_broker_lives(case: Case) -> None:
    case.check()
