"""A broker's list is held against the channel: units that it never owned, and those that it has given away."""

from dataclasses import replace

from oneowner.checkers.recordings.laws.serving.ownership_claims import LAG
from oneowner.checkers.recordings.read.observations import Poll
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
    channel,
    logs,
    message,
    moved_on,
    poll,
    printed,
    said,
    scene,
    session_event,
)

LAW = "claims-are-owned"
OWNED = message(0, 10, printed("Owned", 1, B1))
FORCED = message(1, 1_000, printed("Owned", 2, B2, B1, force=True))
MOVING = message(1, 1_000, printed("Releasing", 2, B2, B1))
LATE = message(0, 10, printed("Owned", 7, B1))
BEGUN_BEFORE = message(0, 9_000, printed("Owned", 7, B1), OTHER)
PAUSED = logs(said(1, 900, "handled"), said(2, 60_000, "handled"))
LOST_LATER = logs(said(1, 9_000, "handled"), session_event(2, 48_000, "SessionLost"), said(3, 60_000, "handled"))
SESSION_LOST = logs(session_event(1, 9_000, "SessionLost"), said(2, 10_005, "handled"))


def listed(*records: Message, polls: list[Poll], **fields: object) -> Scene:
    return scene(channel=channel(*records), polls=polls, **fields)


def in_store(polls: list[Poll]) -> Scene:
    """Two units of one broker, by nodes of the metadata store."""
    nodes = channel(OWNED, message(1, 10, printed("Owned", 1, B1), OTHER), storage=Storage.METADATA_STORE)
    return replace(scene(channel=nodes, polls=polls), storage=Storage.METADATA_STORE)


def claim(start: int, broker: str, unit: str = UNIT, end: int | None = None) -> Poll:
    """A broker's list names the unit."""
    return poll(1, start, start + 10 if end is None else end, broker, unit)


CLAIMS_ON = [claim(10_000 + n * 1_000, B1) for n in range(45)]
CLAIMS = CLAIMS_ON[:9]
CLEAN = poll(5, 15_000, 15_010, B1)

CASES = {
    "claim of what was never owned is a violation":
        case(LAW, listed(OWNED, FORCED, polls=[claim(10_000, B3)]),
             violation(B3, unit=UNIT, why="never gave it"), occasions=1),
    "claim that comes less than a second before its record may be of another clock":
        case(LAW, listed(message(0, 10_900, printed("Owned", 1, B1)), polls=[claim(10_000, B1)]), occasions=1),
    "claim that comes more than a second before its record is a violation":
        case(LAW, listed(message(0, 11_020, printed("Owned", 1, B1)), polls=[claim(10_000, B1)]), violation(B1)),
    "claim of what was given away is a warning":
        case(LAW, listed(OWNED, FORCED, polls=[claim(10_000, B1)]), warning(why="owned no more")),
    "claim of what was given away longer before than a view may lag is a doubt":
        case(LAW, listed(OWNED, FORCED, polls=[claim(34_010, B1)]), warning(why="owned no more"),
             doubts=f"{B1} lists units that it owned no more for up to 33.0 s"),
    "claim of what was given away as long before as a view may lag is none":
        case(LAW, listed(OWNED, FORCED, polls=[claim(34_000, B1)]), warning(why="owned no more")),
    "claim that some moment of the poll explains is silent":
        case(LAW, listed(OWNED, FORCED, polls=[claim(900, B1, end=90_000)])),
    "claim within the lag of the list is silent":
        case(LAW, listed(OWNED, FORCED, polls=[claim(900 + LAG, B1, end=1_000 + LAG)])),
    "claim within the lag of a list from which the unit was taken again, before it was its own, is silent":
        case(LAW, listed(OWNED, MOVING, message(2, 2_000, printed("Owned", 3, B3, B1, force=True)),
                         polls=[claim(1_900 + LAG, B2)])),
    "claims of both sides of a hand-over are silent":
        case(LAW, listed(OWNED, MOVING, polls=[claim(50_000, B1), claim(50_000, B2)])),
    "claim of a third side of a hand-over is a violation":
        case(LAW, listed(OWNED, MOVING, polls=[claim(50_000, B3)]), violation(B3)),
    "polls one after the other are one finding and a clean one ends it":
        case(LAW, listed(OWNED, FORCED, polls=[*CLAIMS[:5], CLEAN, *CLAIMS[6:]]),
             warning(window=(10_000, 14_010, 10_000, 15_000)), warning(window=(16_000, 18_010, 15_010, END))),
    "claim that waited for a paused process is from after the pause":
        case(LAW, listed(OWNED, FORCED, polls=[claim(950, B1, end=60_010)], said=PAUSED), warning(since=60_000)),
    "lost session is named":
        case(LAW, listed(OWNED, FORCED, polls=[claim(10_000, B1)], said=SESSION_LOST),
             warning(why="lost its ZooKeeper session")),
    "session that is lost when the claims have begun is not why":
        case(LAW, listed(OWNED, FORCED, polls=CLAIMS_ON, said=LOST_LATER),
             warning(why_not="lost its ZooKeeper session", causes=()), doubts="units that it owned no more"),
    "unit that a late channel does not know is a doubt":
        case(LAW, listed(LATE, polls=[claim(10_000, B2, OTHER)]), doubts=1),
    "claim of a unit that may have been owned before the channel begins is a warning":
        case(LAW, listed(LATE, polls=[claim(10_000, B2)]), warning()),
    "claim before a unit begins, in a dump that begins late with another one, is unknown":
        case(LAW, listed(BEGUN_BEFORE, message(1, 20_000, printed("Owned", 1, B1)), polls=[claim(10_000, B2)]),
             occasions=1),
    "claim after the end of a dump that is older is a doubt":
        case(LAW, listed(OWNED, FORCED, polls=[claim(10_000, B3)], lookups=[*moved_on(9_000, "persistent://t/n/a")],
                         brokers=(B1, B2, B3, "b4:8080")),
             doubts="1 polls that list other units come after the end of the dump"),
    "claim of what its owner lists no more shows that the dump is older":
        case(LAW, listed(OWNED, polls=[claim(10_000, B3), poll(2, 11_000, 11_010, B1)]),
             doubts="1 polls that list other"),
    "claim of what its owner lists no more shows it, too, soon after the last record of another bundle":
        case(LAW, listed(OWNED, message(1, 9_900, printed("Owned", 1, B2), OTHER),
                         polls=[claim(10_000, B3), poll(2, 10_500, 10_510, B1)]),
             doubts="1 polls that list other"),
    "owner whose list is as old as its record may lag behind":
        case(LAW, listed(OWNED, polls=[claim(2_000, B3), poll(2, 2_500, 2_510, B1)]), violation(B3)),
    "claim of what an owner had that answers no more shows that the dump is older":
        case(LAW, listed(OWNED, polls=[claim(10_000, B3), poll(2, 11_000, 11_010, B1)._replace(status=None)]),
             doubts="1 polls that list other"),
    "claim of what an owner has that refuses to list is a violation":
        case(LAW, listed(OWNED, polls=[claim(10_000, B3), poll(2, 11_000, 11_010, B1)._replace(status=500)]),
             violation(B3)),
    "claim of what its owner lists no more shows it with the metadata store, too":
        case(LAW, in_store(polls=[claim(10_000, B3), poll(2, 11_000, 11_010, B1, OTHER)]),
             doubts="1 polls that list other"),
    "lists of brokers that lost their sessions do not show it: all that they knew, or nothing":
        case(LAW, in_store(polls=[poll(1, 10_000, 10_010, B3, UNIT, OTHER), poll(2, 11_000, 11_010, B1)]),
             violation(B3)),
    "unit that the channel never had is a doubt":
        case(LAW, listed(OWNED, polls=[claim(10_000, B1, OTHER)]), doubts="1 units are listed of which this channel"),
    "unit is not told before the channel that begins late tells of it":
        case(LAW, listed(message(0, 50_000, printed("Owned", 7, B1)), polls=[claim(10_000, B2)])),
    "list with another broker's heartbeat is that broker's":
        case(LAW, listed(OWNED, FORCED, polls=[claim(10_000, B3)._replace(heartbeats=(B2,))]), occasions=0),
    "empty list is no occasion":
        case(LAW, listed(OWNED, polls=[poll(1, 10, 20, B1)]), occasions=0),
}  # fmt: skip


@each(CASES)
def test_claim_is_judged_by_the_channel(case: Case) -> None:
    case.check()
