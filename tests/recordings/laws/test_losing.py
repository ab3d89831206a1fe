"""Views of the metadata store that pass over the record which takes a unit from their broker."""

from collections import Counter
from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, violation
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    message,
    one_life,
    printed,
    said,
    scene,
    session_event,
)

LAW = "loss-is-noticed"
START = 1_000
BACK = (
    printed("Owned", 1, B1, timestamp=1),
    printed("Releasing", 2, B2, B1, timestamp=2),
    printed("Assigning", 3, B2, B1, timestamp=3),
    printed("Owned", 4, B2, B1, timestamp=4),
    printed("Releasing", 5, B1, B2, timestamp=5),
    printed("Assigning", 6, B1, B2, timestamp=6),
    printed("Owned", 7, B1, B2, timestamp=7),
)
"""A unit of B1 goes to B2, by the fourth record, and comes back. Published every 100 ms from START on."""
GONE = (
    printed("Owned", 1, B1, timestamp=8),
    printed("Owned", 2, B2, B1, force=True, timestamp=9),
    printed("Releasing", 3, source=B2, timestamp=10),
    printed("Free", 4, source=B2, timestamp=11),
    printed("Assigning", 5, B2, timestamp=12),
    printed("Owned", 6, B2, timestamp=13),
)
"""A unit is taken from B1 by force, by the second record, and lives on elsewhere."""
TWICE = (*BACK[:4], printed("Owned", 5, B1, B2, True, 14), printed("Free", 6, source=B1, force=True, timestamp=15))
TAKEN_ON = printed("Assigning", 4, B2, timestamp=17), printed("Owned", 5, B2, timestamp=18)
STARTED = said(0, START - 500, "channel-started")
ENDS = said(99, START + 3_000, "registered")

UNLOADED = (
    printed("Owned", 1, B1, timestamp=21),
    printed("Owned", 2, B2, B1, True, 22),
    printed("Releasing", 3, source=B1, force=True, timestamp=23),
)
OWN_FREE = (
    printed("Owned", 1, B1, timestamp=31),
    printed("Releasing", 2, source=B1, timestamp=32),
    printed("Free", 3, source=B1, timestamp=33),
    printed("Assigning", 4, B2, timestamp=34),
)
"""A unit of B1 is unloaded, and assigned elsewhere: its Free, the third record, is its own."""


def losing(
    records: tuple[Printed, ...], *missed: int, more: tuple[LogEvent, ...] = (), counts: dict[int, int] | None = None,
    begin: LogEvent = STARTED, end: LogEvent = ENDS, is_debug: bool = True, **fields: Any,
) -> Scene:  # fmt: skip
    """
    B1 handles each of its records but those *missed*, 10 ms after it is published.

    *counts* is the counter where it is not one more than the last of a state.
    """
    lines, numbers = [begin], Counter[str]()
    for number, record in enumerate(records):
        if number in missed:
            continue
        state = record.record.state.value
        numbers[state] = (counts or {}).get(number, numbers[state] + 1)
        time = START + 100 * number + 10
        lines.append(said(number + 1, time, "handle-request", UNIT, data=record, handled=numbers[state]))
    messages = [message(number, START + 100 * number, record) for number, record in enumerate(records)]
    shown = sorted([*lines, *more, end], key=lambda line: line.time)
    storage, said_by = fields.pop("storage", Storage.METADATA_STORE), logs(*shown)
    lives = one_life(said_by, is_debug)
    found = scene(channel=channel(*messages, storage=storage), said=said_by, lives=lives, **fields)
    return replace(found, storage=storage)


CASES = {
    "broker that takes every record notices the loss": case(LAW, losing(BACK), occasions=1),
    "hand-over that comes back before its source is told": case(
        LAW, losing(BACK, 3, 4), violation(B1, at="0:3", why="Assigning(b1:8080, from b2:8080) v6",
             symptom=Symptom.BACK_AGAIN, since=START + 300, possible_until=END)
    ),
    "forced loss of which a broker reads nothing but what came after": case(
        LAW, losing(GONE, 1, 2), violation(B1, at="0:1", why="went on with Free", symptom=Symptom.STAYED_AWAY)
    ),
    "loss that is missed lasts until a record names the broker": case(
        LAW, losing(TWICE, 3), violation(B1, at="0:3", until=START + 500, possible_until=START + 500)
    ),
    "broker that took nothing of the unit any more may be about to": case(
        LAW, losing(GONE, 1, 2, 3, 4, 5), occasions=0
    ),
    "later record that names the broker, too, has it close": case(
        LAW, losing((GONE[0], GONE[1], printed("Free", 3, source=B1, force=True, timestamp=16), *TAKEN_ON), 1),
        occasions=2,
    ),
    "unload of it in between has the broker close, too": case(LAW, losing(UNLOADED, 1), occasions=1),
    "broker that has closed for an unload loses nothing by its Free": case(LAW, losing(OWN_FREE, 2), occasions=0),
    "broker that has closed whole, in one phase, loses nothing by the Owned after it": case(
        LAW, losing(BACK, 3, 4, is_one_phase=True), occasions=0
    ),
    "forced loss is one in one phase, too": case(LAW, losing(GONE, 1, 2, is_one_phase=True), violation(B1)),
    "view without debug lines": case(LAW, losing(GONE, 1, 2, is_debug=False), occasions=0),
    "lost line is a doubt, by its counter": case(LAW, losing(BACK, 3, counts={6: 3}), doubts="its log lacks lines"),
    "view that is filled anew has lost the broker's units, too": case(
        LAW, losing(BACK, 3, 4, more=(said(50, START + 420, "existing-node-applied", UNIT, value=BACK[4]),)),
        occasions=1
    ),
    "view of another time that was filled anew says nothing": case(
        LAW, losing(BACK, 3, 4, more=(said(50, START + 900, "existing-node-applied", UNIT, value=BACK[6]),)),
        violation(B1)
    ),
    "broker that closed all when its session ended has none of it": case(
        LAW, losing(GONE, 1, 2, more=(said(50, START + 150, "invalidated-unloaded", UNIT),)), occasions=1
    ),
    "lost session may have had it read anew": case(
        LAW, losing(GONE, 1, 2, more=(session_event(50, START + 120, "SessionLost"),)), doubts="may have read anew"
    ),
    "session that is lost long after it is no excuse": case(
        LAW, losing(GONE, 1, 2, more=(session_event(50, START + 900, "SessionLost"),)), violation(B1)
    ),
    "loss before the view began": case(LAW, losing(BACK, 3, 4, begin=said(0, START + 350, "channel-started")),
                                       occasions=0),
    "loss after the broker began to stop": case(
        LAW, losing(BACK, 3, 4, more=(said(50, START + 250, "broker-closing"),)), occasions=0
    ),
    "view of the topic takes every record in order": case(
        LAW, losing(BACK, 3, 4, storage=Storage.SYSTEM_TOPIC), occasions=0
    ),
}  # fmt: skip


@each(CASES)
def test_loss_is_noticed(case: Case) -> None:
    case.check()


def test_broker_that_misses_several_losses_is_told_once_and_how_to_mend_it() -> None:
    judged = CASES["hand-over that comes back before its source is told"].judged()
    [happening] = judged.happenings
    assert happening.words == (
        f"{B1} was not told in time that 1 bundle had gone to others: "
        "they came back while it had closed them, and their topics stay fenced there"
    )
    assert (happening.until, happening.repair) == (END, f"unload {UNIT} at {B1}, or restart that broker")
    assert judged.findings[0].causes == (happening.cause,)
