"""Hand-overs that a broker measured as long, and times that began before the hand-over."""

from typing import Any

from oneowner.checkers.recordings.read.observations import LogEvent, Printed, Source
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from tests.recordings.laws.cases import LAWS, Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, logs, printed, said, scene

LAW = "hand-overs-end"


def took(number: int, time: int, operation: str, ms: int, unit: str = UNIT, broker: str = B1) -> LogEvent:
    return said(number, time, "unload-operation", unit, broker, operation=operation, ms=ms)


def assigned(number: int, time: int, made: int) -> LogEvent:
    """B1 handled the Assigning of a transfer, which its source made at some time."""
    record = printed("Assigning", 4, B1, B2, timestamp=made)
    return handled(number, time, "Assigning", record)


def handled(number: int, time: int, state: str, record: Printed) -> LogEvent:
    """B1 handled a record of a transfer."""
    return said(number, time, "handled", UNIT)._replace(values={"event": f"Transfer:{state}", "cur": record})


def alone(*lines: LogEvent, **fields: Any) -> Scene:
    return scene(said=logs(*lines), present=frozenset({Source.LOGS}), **fields)


RELEASED, OTHER_RELEASED = took(1, 100_020, "RELEASE", 20), took(2, 100_030, "RELEASE", 30, OTHER)
UNLOADED = took(2, 122_759, "UNLOAD", 22_759)
GOES = handled(0, 100_000, "Releasing", printed("Releasing", 3, B2, B1))
GONE = said(1, 90_000, "broker-closing", broker=B2), said(2, 101_000, "x", broker=B2)

CASES = {
    "quick hand-over is well": case(LAW, alone(RELEASED, took(2, 100_060, "UNLOAD", 60)), occasions=2),
    "unload that takes long is a warning":
        case(LAW, alone(RELEASED, UNLOADED),
             warning(B1, unit=UNIT, window=(100_000, 122_759), why=("took 22.8 s", "nobody served the bundle"))),
    "unload that takes longer than anything in flight may is a violation":
        case(LAW, alone(RELEASED, took(2, 230_000, "UNLOAD", 130_000)), violation(B1)),
    "limit is that of the run":
        case(LAW, alone(RELEASED, UNLOADED, limits=Limits(in_flight=20_000)), violation(B1)),
    "release that takes long is a warning": case(LAW, alone(took(1, 115_000, "RELEASE", 15_000)), warning(B1)),
    "assignment of a transfer that takes long is a warning":
        case(LAW, alone(assigned(1, 122_758, 99_990), took(2, 122_759, "ASSIGN", 22_759)), warning(B1)),
    "assignment that was begun by a lookup long before is none":
        case(LAW, alone(assigned(1, 122_758, 122_750), took(2, 122_759, "ASSIGN", 22_759)), occasions=1),
    "assignment without the line of its record is not judged": case(LAW, alone(took(2, 122_759, "ASSIGN", 22_759))),
    "unload that was begun by an earlier one is none":
        case(LAW, alone(RELEASED, took(2, 200_020, "RELEASE", 20), took(3, 200_060, "UNLOAD", 190_000))),
    "disconnecting of clients is no time without an owner": case(LAW, alone(took(1, 90_000, "DISCONNECT", 20_000)),
                                                                occasions=0),
    "hand-overs at one time are reported together":
        case(LAW, alone(RELEASED, OTHER_RELEASED, UNLOADED, took(4, 124_000, "UNLOAD", 24_000, OTHER)),
             warning(B1, unit=OTHER, units=(UNIT, OTHER), why="1 more took longer than 10.0 s", lines=2)),
    "hand-overs at different times are reported apart":
        case(LAW, alone(took(1, 115_000, "RELEASE", 15_000), took(2, 315_000, "RELEASE", 15_000)),
             warning(B1), warning(B1)),
    "log without hand-overs is no occasion": case(LAW, alone(said(1, 0, "broker-starting")), occasions=0),
}  # fmt: skip


@each(CASES)
def test_hand_over_is_judged_by_the_times_that_brokers_measured(case: Case) -> None:
    case.check()


def test_destination_that_was_stopped_is_the_cause() -> None:
    (found,) = LAWS[LAW].judge(alone(GOES, RELEASED, UNLOADED, *GONE)).findings
    assert [(cause.kind, cause.subject) for cause in found.causes] == [("process that was stopped", B2)]


def test_hand_overs_are_left_to_other_laws_where_the_channel_is_there() -> None:
    assert LAWS[LAW].concerns({Source.LOGS})
    assert not LAWS[LAW].concerns({Source.LOGS, Source.CHANNEL})
