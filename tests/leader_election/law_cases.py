"""Crafted states and steps that break the laws of the election."""

from typing import Any

from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import (
    Asked,
    Internal,
    Kind,
    Notice,
    Origin,
    Request,
    Result,
    Says,
    State,
)
from oneowner.spec.leader_election.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step


def of_both(cell: str, value: Any) -> Cells:
    return {cell: {1: value, 2: value}}


OPEN = {"elected": {1: Result.LEADING}, "internal": {1: Internal.PRESENT}}

BOTH_LEAD = of_both("elected", Result.LEADING) | of_both("internal", Internal.PRESENT) | of_both("says", Says.LEADING)

STATES: dict[str, Cells] = {
    "one-leader-in-the-end": BOTH_LEAD | {"node": 1},
}

CHECK = Request(Asked.CHECK, Origin.USER, 0)

CREATE = Request(Asked.CREATE, Origin.USER, 0)

STEPS: dict[str, Step] = {"deletes-its-own-node": ({"node": 2}, "carry_out(broker=1)", {"node": 0})}
INNOCENT: dict[str, Step] = {"deletes-its-own-node": ({"node": 2}, "carry_out(broker=2)", {"node": 0})}

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
    spare_switches=frozenset({"closes_alone", "hears_reconnection", "waits_aside"}),
)
