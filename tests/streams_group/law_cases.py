"""Crafted states and steps that break the laws of a streams group."""

from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.state import NOTHING, Kind, Message, Role, State
from oneowner.spec.streams_group.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(joined=2, epochs=4, refreshes=1, expiries=1, losses=1, delays=1, standbys=1)

BOTH_RUN: Cells = {"running": {(1, 1): Role.ACTIVE, (2, 1): Role.ACTIVE}}

REMOVED: Cells = {"removed": {1: True}, "member": {1: False}, "assigned": {(1, 1): Role.NONE}}

TAKEN: Cells = {"denied": {(1, 1): True}, "assigned": {(1, 1): Role.NONE}}

STATES: dict[str, Cells] = {
    "one-runner": BOTH_RUN,
}

OWNS_FOREIGN: Cells = {"message": {2: Message(Kind.FULL, 1, Role.ACTIVE, Role.NONE)}}

STEPS: dict[str, Step] = {
    "earlier-epoch-owns-assigned": (
        OWNS_FOREIGN,
        "serve",
        {"message": {2: NOTHING._replace(kind=Kind.ACCEPTED, epoch=2)}},
    ),
}

CASES = LawCases(
    SYSTEM, State(AMPLE), states=STATES, excused={"one-runner": [REMOVED, TAKEN]}, steps=STEPS,
)  # fmt: skip
