"""Crafted states and steps that break the laws of the lock."""

from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import (
    FIRST_VERSION,
    Acquire,
    Answer,
    Kind,
    Notice,
    Outcome,
    Purpose,
    Request,
    Stage,
    State,
)
from oneowner.spec.locks.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

HOLDER = {"stage": {1: Stage.VALID}, "acquired": {1: Acquire.DONE}, "registered": {1: True}}

BOTH_HOLD = {
    "stage": {1: Stage.VALID, 2: Stage.VALID},
    "acquired": {1: Acquire.DONE, 2: Acquire.DONE},
    "registered": {1: True, 2: True},
    "node": 1,
}

RELEASING = HOLDER | {"stage": {1: Stage.RELEASING}}

STATES: dict[str, Cells] = {
    "one-holder-for-good": BOTH_HOLD,
}

STEPS: dict[str, Step] = {
    "releasing-is-left-alone": (RELEASING, "", {"revalidating": {1: True}}),
}

PUT = Request(Purpose.ACQUIRE, Kind.PUT, False, FIRST_VERSION)

GET = Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)

REVALIDATING = HOLDER | {"revalidating": {1: True}}

TAKEN: dict[str, Step] = {
    "revalidated-when-told": (HOLDER | {"notices": {1: [Notice.DELETED]}}, "notify", {"sent": {1: []}}),
    "failed-revalidation-is-not-forgotten": (
        REVALIDATING | {"answers": {1: [Answer(GET, Outcome.BAD_VERSION)]}},
        "answer",
        {"expired": {1: False}},
    ),
    "one-revalidation-at-a-time": (REVALIDATING | {"sent": {1: [GET]}}, "carry_out", {"answers": {1: []}}),
}

UNASKED: dict[str, list[Cells]] = {
    "one-holder-for-good": [
        {"live": {1: False}},
        {"timers": {1: 1}},
        {"handling": {1: True}},
        {"sent": {1: [Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)]}},
    ],
}

CASES = LawCases(
    SYSTEM, State(Bounds()), states=STATES, unasked=UNASKED, steps=STEPS, taken=TAKEN,
    spare_switches=frozenset({"failure_flags"}),
)  # fmt: skip
