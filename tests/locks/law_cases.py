"""Crafted states and steps that break the laws of the lock."""

from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import (
    FIRST_VERSION,
    NOBODY,
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
    "one-holder": BOTH_HOLD,
    "one-holder-for-good": BOTH_HOLD,
    "holder-is-in-store-in-the-end": HOLDER,
    "no-node-without-a-lock": HOLDER
    | {"stage": {1: Stage.RELEASED}, "expired": {1: True}, "registered": {1: False}, "node": 1},
    "adopted-is-valid": HOLDER | {"stage": {1: Stage.INIT}, "node": 1},
    "release-ends": RELEASING,
    "clients-go-on": {"stage": {1: Stage.VALID}},
}

STEPS: dict[str, Step] = {
    "expired-has-lost-it": (HOLDER | {"node": 1}, "", {"expired": {1: True}}),
    "releasing-is-left-alone": (RELEASING, "", {"revalidating": {1: True}}),
}

PUT = Request(Purpose.ACQUIRE, Kind.PUT, False, FIRST_VERSION)

GET = Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)

ASKING = {"acquired": {1: Acquire.PENDING}}

REVALIDATING = HOLDER | {"revalidating": {1: True}}

TAKEN: dict[str, Step] = {
    "operation-is-begun": ({}, "acquire", {"flagged": {1: True}}),
    "answer-goes-on": (ASKING | {"answers": {1: [Answer(PUT, Outcome.BAD_VERSION)]}}, "answer", {"sent": {1: []}}),
    "revalidated-when-told": (HOLDER | {"notices": {1: [Notice.DELETED]}}, "notify", {"sent": {1: []}}),
    "failed-revalidation-is-not-forgotten": (
        REVALIDATING | {"answers": {1: [Answer(GET, Outcome.BAD_VERSION)]}},
        "answer",
        {"expired": {1: False}},
    ),
    "one-revalidation-at-a-time": (REVALIDATING | {"sent": {1: [GET]}}, "carry_out", {"answers": {1: []}}),
    "store-carries-out": (ASKING | {"sent": {1: [PUT]}}, "carry_out", {"node": NOBODY}),
}

LIVENESS: dict[str, Cells] = {"told-in-the-end": BOTH_HOLD}

UNASKED: dict[str, list[Cells]] = {
    "one-holder-for-good": [
        {"live": {1: False}},
        {"timers": {1: 1}},
        {"handling": {1: True}},
        {"sent": {1: [Request(Purpose.REVALIDATE, Kind.GET, False, FIRST_VERSION)]}},
    ],
}

CASES = LawCases(
    SYSTEM, State(Bounds()), states=STATES, unasked=UNASKED, steps=STEPS, liveness=LIVENESS, taken=TAKEN,
    spare_switches=frozenset({"failure_flags"}),
)  # fmt: skip
