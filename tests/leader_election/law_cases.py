"""Crafted states and steps that break the laws of the election."""

from typing import Any

from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import (
    Answer,
    Asked,
    Cached,
    Internal,
    Kind,
    Notice,
    Origin,
    Outcome,
    Request,
    Result,
    Says,
    State,
    Waiter,
)
from oneowner.spec.leader_election.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step


def of_both(cell: str, value: Any) -> Cells:
    return {cell: {1: value, 2: value}}


OPEN = {"elected": {1: Result.LEADING}, "internal": {1: Internal.PRESENT}}

LEADS = OPEN | {"says": {1: Says.LEADING}, "told": {1: Says.LEADING}}

BOTH_LEAD = of_both("elected", Result.LEADING) | of_both("internal", Internal.PRESENT) | of_both("says", Says.LEADING)

FOLLOWS = OPEN | {"says": {1: Says.FOLLOWING}, "told": {1: Says.FOLLOWING}}

STATES: dict[str, Cells] = {
    "one-leader": BOTH_LEAD,
    "one-leader-in-the-end": BOTH_LEAD | {"node": 1},
    "leader-owns-the-node-in-the-end": LEADS | {"node": 2},
    "leader-without-node-will-hear": LEADS,
    "owner-of-the-node-does-not-follow": FOLLOWS | {"node": 1},
    "somebody-leads-in-the-end": OPEN,
    "no-election-is-in-progress-for-good": OPEN | {"internal": {1: Internal.IN_PROGRESS}},
    "listener-knows-in-the-end": LEADS | {"told": {1: Says.NO_LEADER}, "node": 1},
    "closed-election-leaves-no-node": OPEN | {"closed": {1: Result.CLOSED}, "node": 1},
    "value-names-the-owner-in-the-end": FOLLOWS | {"cached": {1: Cached.READY}, "value": {1: 1}, "node": 2},
    "follower-knows-the-leader-in-the-end": FOLLOWS | {"node": 2},
    "elections-go-on": {"timers": {1: 1}},
}

CHECK = Request(Asked.CHECK, Origin.USER, 0)

CREATE = Request(Asked.CREATE, Origin.USER, 0)

ASKS = {"elected": {1: Result.PENDING}, "internal": {1: Internal.IN_PROGRESS}}

READS: Cells = {
    "node": 1,
    "cached": {1: Cached.LOADING},
    "waiters": {1: [Waiter(False, Origin.USER, 0, True, 1)]},
    "answers": {1: [Answer(Request(Asked.LOAD, Origin.USER, 0), Outcome.MINE, 1)]},
}

STEPS: dict[str, Step] = {"deletes-its-own-node": ({"node": 2}, "carry_out(broker=1)", {"node": 0})}
INNOCENT: dict[str, Step] = {"deletes-its-own-node": ({"node": 2}, "carry_out(broker=2)", {"node": 0})}
TAKEN: dict[str, Step] = {
    "election-is-begun": ({}, "elect", {"sent": {1: []}}),
    "election-goes-on": (ASKS | {"answers": {1: [Answer(CHECK, Outcome.ABSENT, 0)]}}, "answer", {"sent": {1: []}}),
    "answered-as-said": (
        LEADS | READS | {"elected": {1: Result.PENDING}},
        "answer",
        {"elected": {1: Result.FOLLOWING}},
    ),
    "store-carries-out": (ASKS | {"sent": {1: [CREATE]}}, "carry_out", {"node": 0}),
}

LIVENESS: dict[str, Cells] = {"elected-in-the-end": OPEN}

UNASKED: dict[str, list[Cells]] = {
    "one-leader-in-the-end": [
        {"live": {1: False}},
        {"timers": {1: 1}},
        {"handling": {1: True}},
        {"notices": {1: [Notice(Kind.DELETED, 0)]}},
    ],
}

CASES = LawCases(
    SYSTEM,
    State(Bounds()),
    states=STATES,
    excused={"elected-in-the-end": [{"elected": {1: Result.FAILED}}]},
    unasked=UNASKED,
    steps=STEPS,
    innocent=INNOCENT,
    liveness=LIVENESS,
    taken=TAKEN,
    spare_switches=frozenset({"closes_alone", "hears_reconnection", "waits_aside"}),
)
