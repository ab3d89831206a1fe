"""Crafted states and steps that break the laws of Redis Cluster."""

from oneowner.model.redis.bounds import Bounds
from oneowner.model.redis.state import Mover, State
from oneowner.spec.redis.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(replicas=2, migrations=1, commands=1, crashes=1, elections=1)

TWO_OWNERS: Cells = {"owner": {(2, 1): 2}}

STATES: dict[str, Cells] = {
    "single-writer-always": TWO_OWNERS,
}

STEPS: dict[str, Step] = {
    "serves-by-own-table": ({"at": 3}, "answer", {"acked": {1: 2}, "at": 0}),
    "closed-when-empty": ({}, "set_node", {"owner": {(2, 1): 2}}),
    "one-winner-an-epoch": ({"master": {5: 0}, "epoch": {(5, 5): 4, (4, 4): 4}}, "take_over", {"master": {4: 0}}),
}

MOVING: Cells = {"mover": Mover.MOVING, "importing": {2: 1}, "migrating": {1: 2}}

CASES = LawCases(
    SYSTEM,
    State(AMPLE),
    states=STATES,
    excused={"single-writer-always": [{"data": {(1, 1): 0}, "migrating": {1: 2}}]},
    steps=STEPS,
    spare_switches=frozenset({"demoted_hands_over", "doubt_ends_with_owner", "importing_is_respected"}),
)
