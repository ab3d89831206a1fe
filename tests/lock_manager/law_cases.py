"""Crafted states and steps that break the laws of the lock-based manager."""

from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.state import NOBODY, Lock, Lookup, State, Unload
from oneowner.spec.lock_manager.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(
    clients=1, asks=1, acquires=1, unloads=1, splits=2, expiries=1, crashes=1, restarts=1, stops=1, losses=1, loads=1
)

TWO_CLIENTS = Bounds(clients=2, asks=2)

HEARTBEAT = Bounds(monitored=2, idle=1, clients=1, asks=1, permits=1, starting=1)

SERVICE_LEVEL = Bounds(monitored=2, idle=1, service_level=1)

IN_BOUNDS = {
    "sent-to-one-broker": TWO_CLIENTS,
    "heartbeat-stays": HEARTBEAT,
    "sent-to-its-broker": HEARTBEAT,
    "permit-comes-back": HEARTBEAT,
    "permits-are-counted": HEARTBEAT,
    "service-level-returns": SERVICE_LEVEL,
}

LOST: Cells = {"window": {(1, 1): 3}, "live": {1: False}}

ASKED: Cells = {"stage": {1: Lookup.ASKED}, "at": {1: 2}}

SEARCHING: Cells = {"stage": {1: Lookup.SEARCHING}, "at": {1: 1}}

SENT: Cells = {
    "stage": {1: Lookup.ASKED, 2: Lookup.ASKED},
    "authoritative": {1: True, 2: True},
    "steady": {1: True, 2: True},
}

STATES: dict[str, Cells] = {
    "cache-is-store": {"node": {1: 2}},
    "lookups-go-on": {"promised": {1: 2}, "registered": {2: False}},
    "sent-to-one-broker": SENT | {"at": {1: 1, 2: 2}},
}

STEPS: dict[str, Step] = {
    "choice-is-registered": (
        SEARCHING | {"promised": {1: 2}, "registered": {2: False}},
        "",
        {"stage": {1: Lookup.FAILED}},
    ),
    "boundary-stays": ({"cut": {1: True}, "version": 1}, "", {"cut": {1: False}, "version": 2}),
}

UNASKED: dict[str, list[Cells]] = {
    "sent-to-one-broker": [
        {"stage": {2: Lookup.SEARCHING}},
        {"authoritative": {1: False}},
        {"steady": {1: False}},
        {"leader": NOBODY},
        {"registered": {2: False}},
    ],
    "cache-is-store": [
        {"live": {2: False}},
        {"ghost": {1: True}},
        {"splitting": {1: 1}},
        {"lock": {(1, 1): Lock.WANTED}},
        {"unload": {(1, 1): Unload.CLOSING}},
    ],
}

CASES = LawCases(
    SYSTEM, State(AMPLE), states=STATES, unasked=UNASKED, steps=STEPS, in_bounds=IN_BOUNDS,
    shared_switches=frozenset({"failure_ends_lookup"}),
)  # fmt: skip
