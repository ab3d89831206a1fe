"""Crafted states and steps that break the laws of a streams group."""

from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.state import NOTHING, Client, Kind, Message, Phase, Role, State
from oneowner.spec.streams_group.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(joined=2, epochs=4, refreshes=1, expiries=1, losses=1, delays=1, standbys=1)

BOTH_RUN: Cells = {"running": {(1, 1): Role.ACTIVE, (2, 1): Role.ACTIVE}}

REMOVED: Cells = {"removed": {1: True}, "member": {1: False}, "assigned": {(1, 1): Role.NONE}}

TAKEN: Cells = {"denied": {(1, 1): True}, "assigned": {(1, 1): Role.NONE}}

UNTOLD: Cells = {"wanted": {(1, 1): Role.NONE}, "running": {(1, 1): Role.NONE}}

STATES: dict[str, Cells] = {
    "one-owner": {"pending": {(2, 1): Role.ACTIVE}},
    "one-runner": BOTH_RUN,
    "one-runner-always": BOTH_RUN | REMOVED,
    "runs-what-is-counted": {"assigned": {(1, 1): Role.NONE}},
    "taken-is-not-run": TAKEN,
    "one-copy-a-process": {"pending": {(1, 1): Role.STANDBY}},
    "target-epoch-is-revoked": {"pending": {(2, 1): Role.ACTIVE}},
    "stable-has-target": {"target": {(1, 1): Role.NONE, (2, 1): Role.ACTIVE}},
    "clients-go-on": {"taking_on": {1: True}, "client": {1: Client.GONE}},
}

JOINS: Cells = {"message": {2: NOTHING._replace(kind=Kind.JOIN)}}

BEATS: Cells = {"message": {2: NOTHING._replace(kind=Kind.BEAT, epoch=2)}}

OWNS_FOREIGN: Cells = {"message": {2: Message(Kind.FULL, 1, Role.ACTIVE, Role.NONE)}}

FENCED: Cells = {"message": {2: NOTHING._replace(kind=Kind.FENCED)}}

STEPS: dict[str, Step] = {
    "release-before-assign": ({"assigned": {(1, 1): Role.NONE}}, "serve", {"assigned": {(2, 1): Role.ACTIVE}}),
    "window-shrinks": (REMOVED | {"client": {1: Client.FENCED}}, "receive", {"client": {1: Client.STABLE}}),
    "epochs-rise": ({}, "serve", {"epoch": {1: 1}}),
    "join-is-accepted": (JOINS, "serve", FENCED),
    "retry-is-accepted": (BEATS, "serve", FENCED),
    "earlier-epoch-owns-assigned": (
        OWNS_FOREIGN,
        "serve",
        {"message": {2: NOTHING._replace(kind=Kind.ACCEPTED, epoch=2)}},
    ),
}

TAKEN_STEPS: dict[str, Step] = {
    "client-does-as-told": ({"message": {1: NOTHING._replace(kind=Kind.UNKNOWN)}}, "receive", {"client_epoch": {1: 1}}),
    "admitted-or-refused": (
        {"message": {1: NOTHING._replace(kind=Kind.BEAT)}, "previous": {1: 1}},
        "serve",
        {"message": {1: NOTHING._replace(kind=Kind.ACCEPTED, epoch=2)}},
    ),
    "epoch-before-is-known": (
        {"message": {1: NOTHING._replace(kind=Kind.BEAT, epoch=1)}, "epoch": {1: 1}, "previous": {1: 0}},
        "serve",
        {"previous": {1: 2}},
    ),
    "late-request-is-carried-out-once": (
        {"late": NOTHING._replace(kind=Kind.BEAT, epoch=1), "late_of": 1},
        "serve_late",
        {"late": NOTHING._replace(kind=Kind.BEAT, epoch=1)},
    ),
}

LIVENESS: dict[str, Cells] = {
    "window-closes": REMOVED,
    "taken-is-stopped": TAKEN,
    "assigned-is-told": UNTOLD,
    "task-is-run": UNTOLD,
    "group-settles": {"phase": {1: Phase.UNRELEASED}},
}

CASES = LawCases(
    SYSTEM, State(AMPLE), states=STATES, excused={"one-runner": [REMOVED, TAKEN]}, steps=STEPS, liveness=LIVENESS,
    taken=TAKEN_STEPS,
)  # fmt: skip
