"""Crafted states and steps that break the laws of rebalances of Kafka Streams."""

from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import State, Store
from oneowner.spec.kafka.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(running=2, starts=1, leaves=1, crashes=1, timeouts=1, cleanings=1, refreshes=1, behind=1)
"""Member 1 runs task 1, member 2 runs task 2."""

TWICE: Cells = {"role": {(2, 1): Role.ACTIVE}}

ZOMBIE: Cells = {"listed": {1: False}}

UNEVEN: Cells = {"role": {(1, 2): Role.ACTIVE, (2, 2): Role.NONE}}

SAME: Cells = {"given": {(1, 1): Role.ACTIVE, (2, 2): Role.ACTIVE}}

SWAPPED: Cells = {"given": {(2, 1): Role.ACTIVE, (1, 2): Role.ACTIVE}}

NOBODY_READY: Cells = {"store": {(1, 1): Store.BEHIND}}

EXTRA: Cells = {"given": {(1, 1): Role.ACTIVE, (2, 2): Role.ACTIVE, (1, 2): Role.STANDBY, (2, 1): Role.STANDBY}}

STATES: dict[str, Cells] = {
    "single-runner": TWICE,
    "even-at-rest": UNEVEN,
}

STEPS: dict[str, Step] = {
    "revoked-before-assigned": ({}, "sync", TWICE),
    "running-is-not-stopped": ({}, "join", {"role": {(1, 1): Role.NONE}}),
    "ready-clients-run": ({}, "assign", SWAPPED),
    "ready-clients-run-always": ({}, "assign", SWAPPED),
    "least-behind-restores": (NOBODY_READY, "assign", SWAPPED),
    "warm-ups-are-few": ({}, "assign", EXTRA),
    "reported-state-is-kept": ({"promised": {(1, 2): True}}, "sync", {"promised": {(1, 2): False}, "state_lost": True}),
    "settled-stays": ({}, "assign", SWAPPED),
    "even-stays": ({}, "assign", SWAPPED),
}

INNOCENT: dict[str, Step] = {
    "revoked-before-assigned": (ZOMBIE, "sync", TWICE),
    "running-is-not-stopped": ({"due": {1: True}}, "sync", {"due": {1: False}, "role": {(1, 1): Role.NONE}}),
    "ready-clients-run": ({}, "assign", SAME),
    "ready-clients-run-always": ({}, "assign", SAME | {"heir": {1: 1}}),
    "least-behind-restores": (NOBODY_READY, "assign", SAME),
    "warm-ups-are-few": ({}, "assign", EXTRA | {"heir": {1: 2}}),
    "reported-state-is-kept": ({"promised": {(1, 2): True}}, "sync", {"promised": {(1, 2): False}}),
    "settled-stays": ({}, "assign", SAME),
    "even-stays": ({}, "assign", SAME),
}

CASES = LawCases(
    SYSTEM, State(AMPLE), states=STATES, excused={"single-runner": [ZOMBIE]}, steps=STEPS, innocent=INNOCENT,
)  # fmt: skip
