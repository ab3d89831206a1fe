"""Crafted states and steps that break the laws of the lock-based manager."""

from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.state import Entry, Lock, Lookup, State, Unload
from oneowner.spec.lock_manager.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(
    clients=1, asks=1, acquires=1, unloads=1, splits=2, expiries=1, crashes=1, restarts=1, stops=1, losses=1, loads=1
)

HEARTBEAT = Bounds(monitored=2, idle=1, clients=1, asks=1, permits=1, starting=1)

SERVICE_LEVEL = Bounds(monitored=2, idle=1, service_level=1)

IN_BOUNDS = {
    "heartbeat-stays": HEARTBEAT,
    "sent-to-its-broker": HEARTBEAT,
    "permit-comes-back": HEARTBEAT,
    "permits-are-counted": HEARTBEAT,
    "service-level-returns": SERVICE_LEVEL,
}

BOTH_SERVE: Cells = {"serving": {(1, 1): True, (2, 1): True}}

LOST: Cells = {"window": {(1, 1): 3}, "live": {1: False}}

ASKED: Cells = {"stage": {1: Lookup.ASKED}, "at": {1: 2}}

SEARCHING: Cells = {"stage": {1: Lookup.SEARCHING}, "at": {1: 1}}

STATES: dict[str, Cells] = {
    "window-closes": {"window": {(1, 1): 3}},
    "single-server": BOTH_SERVE,
    "single-server-always": BOTH_SERVE | LOST,
    "cache-is-store": {"node": {1: 2}},
    "two-redirects": {"hops": {1: 3}, "steady": {1: True}},
    "two-redirects-always": {"hops": {1: 3}},
    "cut-has-no-node": {"cut": {1: True}},
    "heartbeat-stays": {"node": {1: 1}},
    "permit-comes-back": ASKED | {"stuck": {1: 1}},
    "bundles-go-on": {"up": {1: False}},
    "brokers-go-on": {"up": {1: False}, "stopping": {1: True}},
    "lookups-go-on": {"promised": {1: 2}, "entry": {(2, 1): Entry.ACTIVE}, "up": {2: False}},
}

STEPS: dict[str, Step] = {
    "window-shrinks": (LOST | {"window": {(1, 1): 2}}, "", {"window": {(1, 1): 3}}),
    "unload-spares-newer": ({}, "", {"lock": {(1, 1): Lock.GIVEN_BACK}}),
    "told-owner-is-there": (ASKED | {"up": {1: False}}, "", {"stage": {1: Lookup.TOLD}, "at": {1: 1}}),
    "told-owner-lives": (ASKED | {"up": {1: False}, "ghost": {1: True}}, "", {"stage": {1: Lookup.TOLD}, "at": {1: 1}}),
    "owner-lets-clients-in": (ASKED, "", {"stage": {1: Lookup.TOLD}}),
    "choice-is-registered": (
        SEARCHING | {"promised": {1: 2}, "registered": {2: False}},
        "",
        {"stage": {1: Lookup.FAILED}},
    ),
    "stopping-is-spared": (SEARCHING | {"stopping": {2: True}}, "", {"hops": {1: 1}, "at": {1: 2}}),
    "sent-to-its-broker": (SEARCHING, "", {"stage": {1: Lookup.ACQUIRING}}),
    "boundary-stays": ({"cut": {1: True}, "version": 1}, "", {"cut": {1: False}, "version": 2}),
}

TAKEN: dict[str, Step] = {
    "holders-are-told": ({"lock": {(1, 1): Lock.GIVEN_BACK}}, "delete_node", {"lock": {(1, 1): Lock.VALID}}),
    "session-is-whole": ({}, "expire", {"leader": 1}),
    "loaded-at-the-owner": (
        {"loading": {(1, 1): True}, "entry": {(1, 1): Entry.NONE}},
        "end_load",
        {"serving": {(1, 1): True}},
    ),
    "lookup-goes-by-rule": (ASKED, "look", {"stage": {1: Lookup.SEARCHING}}),
    "permits-are-counted": ({}, "ask", {"stage": {1: Lookup.FAILED}}),
}

LIVENESS: dict[str, Cells] = {
    "unload-ends": {"entry": {(1, 1): Entry.INACTIVE}},
    "running-is-registered": {"registered": {1: False}},
    "lookup-ends": {"stage": {1: Lookup.JOINED}},
    "service-level-returns": {"node": {1: 1}},
}

UNASKED: dict[str, list[Cells]] = {
    "cache-is-store": [
        {"live": {2: False}},
        {"ghost": {1: True}},
        {"splitting": {1: 1}},
        {"lock": {(1, 1): Lock.WANTED}},
        {"unload": {(1, 1): Unload.CLOSING}},
    ],
}

CASES = LawCases(
    SYSTEM, State(AMPLE), states=STATES, unasked=UNASKED, steps=STEPS, liveness=LIVENESS, in_bounds=IN_BOUNDS,
    shared_switches=frozenset({"failure_ends_lookup"}),
    taken=TAKEN,
)  # fmt: skip
