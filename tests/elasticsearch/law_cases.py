"""Crafted states and steps that break the laws of a shard of Elasticsearch."""

from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.state import Mode, Recovery, Request, Role, Stage, State
from oneowner.spec.elasticsearch.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(
    nodes=3, replicas=1, writes=1, recoveries=1, losses=1, cuts=1, crashes=1, stops=1, restarts=1, relocations=1,
    cancels=1, delays=1,
)  # fmt: skip

OPEN: Cells = {"stage": {1: Stage.OPEN}, "author": {1: 2}, "write_term": {1: 1}}

ACKNOWLEDGED: Cells = {"stage": {1: Stage.ACKNOWLEDGED}, "author": {1: 1}, "write_term": {1: 1}}

STATES: dict[str, Cells] = {
    "source-lets-go-first": {"mode": {1: Mode.RELOCATED, 2: Mode.PRIMARY, 3: Mode.TAKEN_OVER}, "copy_term": {3: 1}},
    "copies-agree": {"holds": {(1, 1): True}},
}

STEPS: dict[str, Step] = {
    "older-term-is-refused": (OPEN | {"copy_term": {2: 2}}, "deliver", {"holds": {(2, 1): True}}),
    "current-primary-fails-copies": (OPEN | {"term": 2}, "report", {"role": {2: Role.NONE}}),
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

CASES = LawCases(SYSTEM, State(AMPLE), states=STATES, unasked=UNASKED, steps=STEPS)
