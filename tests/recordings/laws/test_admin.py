"""Answers to callers, and the results of their requests."""

from oneowner.checkers.recordings.read.observations import Call, Printed
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, Found, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, B3, UNIT, call, channel, message, printed, scene

DONE, TOLD = "done-as-asked", "refusal-is-told"
OWNED = printed("Owned", 2, B1)
SPLITTING = printed("Splitting", 3, source=B1)
RELEASING = printed("Releasing", 3, source=B1)
TO_B2 = printed("Releasing", 3, B2, B1)
TO_B3 = printed("Releasing", 3, B3, B1)
ARRIVED = message(2, 560, printed("Assigning", 4, B2, B1)), message(3, 570, printed("Owned", 5, B2, B1))
TIMEOUT = "java.util.concurrent.TimeoutException"
START = message(0, 10, OWNED)


def calls(*what: Call | Message) -> Scene:
    """Calls about a unit that B1 owns from 10 ms on, and the records after them."""
    records = [one for one in what if isinstance(one, Message)]
    return scene(channel=channel(START, *records), calls=[one for one in what if isinstance(one, Call)])


def unload(number: int = 1, start: int = 100, end: int = 200, status: int | None = 204, result: str = "") -> Call:
    return call(number, start, end, "unload", status=status, result=result, dest=None)


def transfer(number: int = 1, start: int = 100, end: int = 200, to: str = B2, status: int = 204) -> Call:
    return call(number, start, end, "transfer", status=status, dest=to)


SPLIT = call(1, 100, 200, "split")
IN_VAIN = [transfer(n, 100 * n, 100 * n + 9) for n in (1, 2, 3)]
LOST_TO_A_SPLIT = message(1, 140, SPLITTING), message(2, 141, RELEASING)


def lost(what: Call, winner: Printed, loser: Printed) -> Scene:
    """The record of a call is refused, and a tombstone completes it."""
    return calls(what, message(1, 140, winner), message(2, 141, loser), message(3, 160, None))


LOST = warning(
    unit=UNIT, at="0:2", why="what completed the call was a tombstone", cites=[None, "0:2", "0:3"]
)  # fmt: skip


def timed_out(end: int) -> Found:
    return warning(at="0:2", why=f"waited for {(end - 141) / 1000:.1f} s")


CASES = {
    # done-as-asked
    "unload is done": case(DONE, calls(unload(), message(1, 150, RELEASING)), occasions=1),
    "transfer is done": case(DONE, calls(transfer(), message(1, 150, TO_B2)), occasions=1),
    "transfer to a URL is done": case(DONE, calls(transfer(to=f"http://{B2}"), message(1, 150, TO_B2)), occasions=1),
    "split is done": case(DONE, calls(SPLIT, message(1, 150, SPLITTING)), occasions=1),
    "unload is done by a rival":
        case(DONE, calls(unload(), message(1, 140, TO_B2), message(2, 150, RELEASING)), occasions=1),
    "transfer is done by a rival":
        case(DONE, calls(transfer(), message(1, 90, TO_B2), message(2, 150, TO_B2)), occasions=1),
    "split is done by a rival":
        case(DONE, calls(SPLIT, message(1, 90, SPLITTING), message(2, 150, SPLITTING)), occasions=1),
    "unload that leaves no owner is done": case(DONE, calls(unload(), message(1, 150, None)), occasions=1),
    "success of an unload that lost to a split is a warning": case(DONE, lost(unload(), SPLITTING, RELEASING), LOST),
    "success of a transfer that lost to a split is a warning": case(DONE, lost(transfer(), SPLITTING, TO_B2), LOST),
    "success of a transfer that lost to another is a warning": case(DONE, lost(transfer(), TO_B3, TO_B2), LOST),
    "success of a transfer that lost to an unload is a warning": case(DONE, lost(transfer(), RELEASING, TO_B2), LOST),
    "success of a split that lost to an unload is a warning": case(DONE, lost(SPLIT, RELEASING, SPLITTING), LOST),
    "record of two like calls is one of theirs":
        case(DONE, calls(transfer(1), transfer(2), message(1, 90, TO_B3), message(2, 141, TO_B2)),
             warning(why="its record, or that of 1 other calls for the same,"), warning()),
    "success of calls without effect is one warning while nothing else succeeds":
        case(DONE, calls(*IN_VAIN, transfer(5, 500, 600), unload(7, 700, 709), message(1, 550, TO_B2), *ARRIVED),
             warning(lines=3, window=(100, 309)), warning(lines=1), occasions=5),
    "success of a transfer that found no owner is a note": case(DONE, calls(transfer(), message(1, 50, None)), note()),
    "destination tells the records of two calls apart":
        case(DONE, calls(transfer(1, to=B2), transfer(2, to=B3), message(1, 140, TO_B3), message(2, 141, TO_B2)),
             warning(B1, B2, at="0:2")),
    "call that fails is no occasion": case(DONE, calls(transfer(status=412)), occasions=0),
    "call about a topic is no occasion": case(DONE, calls(call(1, 100, 200, "create topic", unit=None)), occasions=0),
    "call that names no unit is no occasion": case(DONE, calls(call(1, 100, 200, "unload", unit=None)), occasions=0),
    "deletion of a bundle is no occasion": case(DONE, calls(call(1, 100, 200, "delete bundle")), occasions=0),
    # refusal-is-told
    "time-out that the broker tells of a refused record is a warning":
        case(TOLD, calls(unload(end=8_100, status=500, result=TIMEOUT), *LOST_TO_A_SPLIT), timed_out(8_100),
             occasions=1),
    "time-out of the client of a refused record is a warning":
        case(TOLD, calls(unload(end=61_000, status=None), *LOST_TO_A_SPLIT), timed_out(61_000), occasions=1),
    "time-out of a gateway of a refused record is a warning":
        case(TOLD, calls(unload(end=61_000, status=504), *LOST_TO_A_SPLIT), timed_out(61_000), occasions=1),
    "call that was done before the time-out was told":
        case(TOLD, calls(unload(), *LOST_TO_A_SPLIT), occasions=1),
    "call that failed at once was told":
        case(TOLD, calls(unload(status=500, result="ClassCastException"), *LOST_TO_A_SPLIT), occasions=1),
    "call that the broker refused was told":
        case(TOLD, calls(unload(status=412, end=61_000), *LOST_TO_A_SPLIT), occasions=1),
    "time-out of a call whose record was accepted is no occasion":
        case(TOLD, calls(unload(end=61_000, status=500, result=TIMEOUT), message(1, 140, RELEASING)), occasions=0),
    "time-out with an accepted and a refused record is a doubt":
        case(TOLD,
             calls(unload(1), unload(2, end=61_000, status=500, result=TIMEOUT),
                   message(1, 140, RELEASING), message(2, 141, RELEASING)),
             occasions=0, doubts=1),
}  # fmt: skip


@each(CASES)
def test_call_is_judged_by_its_record(case: Case) -> None:
    case.check()
