"""Crafted states and steps that break the laws of the closed loop."""

from oneowner.model.closed_loop.bounds import Bounds
from oneowner.model.closed_loop.state import State
from oneowner.spec.closed_loop.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

FLIES: Cells = {"may": {(1, 2): True}}
IN_BOUNDS = {"no-return": Bounds(window=2), "settles": Bounds(horizon=1), "flight-is-left-alone": Bounds(lag=1)}
MOVED = "hand_over(bundle=1, broker=2)"
LANDS: Cells = {"may": {(1, 2): False}}

STEPS: dict[str, Step] = {
    "no-return": ({"left": {1: 2}, **FLIES}, MOVED, LANDS | {"owner": {1: 2}}),
    "unload-changes-owner": ({"owner": {1: 2}, **FLIES}, MOVED, LANDS | {"rest": {1: 1}}),
    "resting-stay": ({"rest": {1: 1}}, "decide", FLIES),
    "flight-is-left-alone": (FLIES, "decide", {"may": {(1, 1): True, (1, 2): False}}),
}

LIVENESS: dict[str, Cells] = {
    "moves-end": {"rest": {1: 1}},
}

CASES = LawCases(
    SYSTEM,
    State(Bounds()),
    steps=STEPS,
    excused={"moves-end": [FLIES]},
    liveness=LIVENESS,
    in_bounds=IN_BOUNDS,
    shared_switches=frozenset({"narrows"}),
)
