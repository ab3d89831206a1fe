"""Views that take less than there is: holes and lag."""

from collections import Counter
from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import Case, case, each, note, violation
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, logs, message, printed, said, scene

HANDLED, LAG = "accepted-is-handled", "view-lag"
START = 1_000
RECORDS = (
    printed("Assigning", 1, B1, timestamp=1),
    printed("Owned", 2, B1, timestamp=2),
    printed("Releasing", 3, source=B1, timestamp=3),
    printed("Free", 4, source=B1, timestamp=4),
    printed("Assigning", 5, B1, timestamp=5),
    printed("Owned", 6, B1, timestamp=6),
)
"""Published every 100 ms from START on."""
STARTED = said(0, START, "channel-started")
ENDS = said(99, START + 2_000, "registered")
CLOSING = said(50, START + 250, "broker-closing")


def taking(
    *handled: Printed | None, counts: dict[int, int] | None = None, begin: tuple[LogEvent, ...] = (STARTED,),
    end: tuple[LogEvent, ...] = (ENDS,), late: int = 0, debug: int | None = 0, **fields: Any,
) -> Scene:  # fmt: skip
    """
    A view that handles each record 10 ms after it is published, and *late* by more.

    *counts* is the counter where it is not one more than the last of a state; *debug* since when it shows all.
    """
    lines, numbers = [*begin], Counter[str]()
    for number, record in enumerate(handled):
        if record is not None:
            state = record.record.state.value
            numbers[state] = (counts or {}).get(number, numbers[state] + 1)
            time = START + 100 * number + 10 + late
            lines.append(said(number + 1, time, "handle-request", UNIT, data=record, handled=numbers[state]))
    lines += [line._replace(time=line.time + late) for line in end]
    messages = [message(number, START + 100 * number, record) for number, record in enumerate(RECORDS)]
    found = scene(channel=channel(*messages), said=logs(*lines), **fields)
    if debug != 0:
        found.lives = {B1: [life._replace(debug_since=debug) for life in found.lives[B1]]}
    return found


def without(number: int) -> tuple[Printed | None, ...]:
    return (*RECORDS[:number], None, *RECORDS[number + 1 :])


LATER_ONES = None, None, *RECORDS[2:]
STARTED_AT_150 = (said(0, START + 150, "channel-started"),)
SKIPPED = STARTED, said(1, START + 10, "skipped", UNIT, value=RECORDS[0], prev=RECORDS[1])
LOADED = STARTED, said(1, START, "loaded-data", UNIT, data=RECORDS[1])


def handled_by(lines: dict[str, int], **fields: Any) -> Scene:
    """Brokers handle the record of 1 s at these times."""
    requests = [
        said(1, time, "handle-request", UNIT, broker, data=RECORDS[0], handled=1) for broker, time in lines.items()
    ]  # fmt: skip
    return scene(channel=channel(message(0, 1_000, RECORDS[0])), said=logs(*requests), **fields)


CASES = {
    # accepted-is-handled
    "view that takes everything is as it must be": case(HANDLED, taking(*RECORDS), occasions=6),
    "event that the counter does not know of was lost":  # the next Assigning is counted as the first
        case(HANDLED, taking(*without(0)), violation(B1, at="0:0")),
    "record that the view read and skipped is no lost event":
        case(HANDLED, taking(*without(0), begin=SKIPPED), occasions=6),
    "event that the counter knows of is a missing line":
        case(HANDLED, taking(*without(0), counts={4: 2}), doubts=1),
    "event that no counter follows is a doubt": case(HANDLED, taking(*without(3)), doubts=1),
    "records at the end of a log may still come": case(HANDLED, taking(*RECORDS[:4]), occasions=6),
    "existing records are loaded and not handled":
        case(HANDLED, taking(*LATER_ONES, counts={4: 1}, begin=STARTED_AT_150, debug=START), occasions=4),
    "loaded entry tells that the view started later than a clock says":
        case(HANDLED, taking(*LATER_ONES, counts={4: 1}, begin=LOADED), occasions=4),
    "broker that stops is asked for nothing more":
        case(HANDLED, taking(*RECORDS[:3], end=(CLOSING, ENDS)), occasions=3),
    "view that was late may have been carried past compacted records":
        case(HANDLED, taking(*without(0), late=6_000), doubts=1),
    "records from before debug was switched on need not show":
        case(HANDLED, taking(None, None, *RECORDS[2:], counts={2: 1}, debug=START + 150), occasions=4),
    "view without debug lines is no occasion": case(HANDLED, taking(*RECORDS, debug=None), occasions=0),
    "view whose start is not seen is no occasion":
        case(HANDLED, taking(*RECORDS, begin=(said(0, START, "registered"),)), occasions=0),
    "view of the metadata store is no occasion":
        case(HANDLED, replace(taking(*RECORDS), storage=Storage.METADATA_STORE), occasions=0),
    # view-lag
    "views that keep up do not lag": case(LAG, handled_by({B1: 1_010, B2: 5_000}), occasions=2),
    "view that is later than another by more than 5 s lags":
        case(LAG, handled_by({B1: 1_010, B2: 7_010}), note(B2, since=1_010, until=7_010)),
    "record that comes late to all is no view's lag": case(LAG, handled_by({B1: 61_000, B2: 61_010})),
    "only log is measured by publish times": case(LAG, handled_by({B1: 7_000}), note(why="6.0 s")),
    "lag within the uncertainty of clocks is none":
        case(LAG, handled_by({B1: 1_010, B2: 7_010}, limits=Limits(clock_skew=2_000))),
    "channel without requests is no occasion":
        case(LAG, scene(channel=channel(message(0, 1, RECORDS[0], OTHER))), occasions=0),
}  # fmt: skip


@each(CASES)
def test_view_is_judged_by_what_it_takes(case: Case) -> None:
    case.check()
