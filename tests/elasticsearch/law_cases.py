"""Crafted states and steps that break the laws of a shard of Elasticsearch."""

from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.state import Delay, Mode, Recovery, Request, Role, Stage, State
from oneowner.spec.elasticsearch.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(
    nodes=3, replicas=1, writes=1, recoveries=1, losses=1, cuts=1, crashes=1, stops=1, restarts=1, relocations=1,
    cancels=1, delays=1,
)  # fmt: skip

BOTH: Cells = {"mode": {2: Mode.PRIMARY}}

OPEN: Cells = {"stage": {1: Stage.OPEN}, "author": {1: 2}, "write_term": {1: 1}}

ACKNOWLEDGED: Cells = {"stage": {1: Stage.ACKNOWLEDGED}, "author": {1: 1}, "write_term": {1: 1}}

LOST: Cells = ACKNOWLEDGED | {"holds": {(2, 1): True}}

STATES: dict[str, Cells] = {
    "single-primary-in-term": BOTH,
    "single-primary-always": BOTH | {"copy_term": {2: 2}},
    "hand-over-is-drained": OPEN,
    "source-lets-go-first": {"mode": {1: Mode.RELOCATED, 2: Mode.PRIMARY, 3: Mode.TAKEN_OVER}, "copy_term": {3: 1}},
    "in-sync-has-acknowledged": LOST,
    "in-sync-has-acknowledged-always": LOST | {"last_failed": True},
    "primary-has-acknowledged": LOST,
    "primary-has-acknowledged-always": LOST | {"last_failed": True},
    "copies-agree": {"holds": {(1, 1): True}},
    "recoveries-within-limit": {"role": {2: Role.INITIALIZING, 3: Role.TARGET}},
    "copies-are-counted": {"role": {3: Role.REPLICA}},
    "delay-is-kept": {"delay": {3: Delay.RUNNING}},
    "cluster-goes-on": {"role": {3: Role.TARGET}, "member": {3: False}},
    "writes-go-on": {"stage": {1: Stage.OPEN}},
}

STEPS: dict[str, Step] = {
    "promoted-is-in-sync": ({"in_sync": {2: False}}, "remove", {"role": {1: Role.NONE, 2: Role.PRIMARY}, "term": 2}),
    "terms-grow": ({"copy_term": {2: 2}}, "deliver", {"copy_term": {2: 1}}),
    "promotion-begins-a-term": ({}, "remove", {"role": {1: Role.NONE, 2: Role.PRIMARY}}),
    "roles-are-legal": ({}, "relocate", {"role": {1: Role.REPLICA}}),
    "acknowledged-by-all-in-sync": (OPEN, "acknowledge", {"stage": {1: Stage.ACKNOWLEDGED}}),
    "acknowledged-by-all-in-sync-always": (
        OPEN | {"last_failed": True},
        "acknowledge",
        {"stage": {1: Stage.ACKNOWLEDGED}},
    ),
    "older-term-is-refused": (OPEN | {"copy_term": {2: 2}}, "deliver", {"holds": {(2, 1): True}}),
    "current-primary-fails-copies": (OPEN | {"term": 2}, "report", {"role": {2: Role.NONE}}),
}

TAKEN: dict[str, Step] = {
    "table-is-as-decided": ({}, "cut", {"behind": {2: False}}),
    "sent-to-all-tracked": ({}, "accept", {"request": {(1, 2): Request.NONE}}),
}

LIVENESS: dict[str, Cells] = {
    "primary-comes-back": {"mode": {1: Mode.CLOSED}},
    "views-converge": {"behind": {1: True}},
    "delay-ends": {"delay": {2: Delay.DUE}},
    "write-ends": {"stage": {1: Stage.OPEN}},
    "recovery-ends": {"role": {3: Role.INITIALIZING}},
}

UNASKED: dict[str, list[Cells]] = {
    "copies-agree": [
        {"stage": {1: Stage.OPEN}},
        {"request": {(1, 2): Request.SENT}},
        {"behind": {2: True}},
        {"resync": {2: True}},
        {"recovery": {3: Recovery.COPYING}},
        {"up": {3: False}},
        {"closing": {3: True}},
    ],
}

CASES = LawCases(SYSTEM, State(AMPLE), states=STATES, unasked=UNASKED, steps=STEPS, liveness=LIVENESS, taken=TAKEN)
