"""Crafted states and steps that break the laws of Redis Cluster."""

from oneowner.model.redis.bounds import Bounds
from oneowner.model.redis.state import Mover, State
from oneowner.spec.redis.system import SYSTEM
from tests.crafted_laws import Cells, LawCases, Step

AMPLE = Bounds(replicas=2, migrations=1, commands=1, crashes=1, elections=1)

TWO_OWNERS: Cells = {"owner": {(2, 1): 2}}

STRANDED: Cells = {"data": {(1, 1): 0, (2, 1): 1}}
"""Node 1 owns the slot, and node 2 has its key."""

STATES: dict[str, Cells] = {
    "single-writer": TWO_OWNERS,
    "single-writer-always": TWO_OWNERS,
    "writes-are-kept": STRANDED,
    "writes-are-kept-always": STRANDED,
    "moved-key-is-found": STRANDED,
    "claims-differ": TWO_OWNERS | {"epoch": {(1, 1): 2}},
    "cluster-goes-on": {"votes": {4: 2}},
}

STEPS: dict[str, Step] = {
    "serves-by-own-table": ({"at": 3}, "answer", {"acked": {1: 2}, "at": 0}),
    "ask-only-while-migrating": ({"at": 3}, "answer", {"asking": True, "at": 2}),
    "epochs-grow": ({}, "gossip", {"epoch": {(3, 1): 0}}),
    "closed-when-empty": ({}, "set_node", {"owner": {(2, 1): 2}}),
    "votes-once-an-epoch": ({"granted": {2: 4}}, "vote", {"votes": {4: 1}}),
    "elected-by-majority": ({"granted": {2: 4}}, "take_over", {"master": {4: 0}, "epoch": {(4, 4): 4}}),
    "one-winner-an-epoch": ({"master": {5: 0}, "epoch": {(5, 5): 4, (4, 4): 4}}, "take_over", {"master": {4: 0}}),
}

MOVING: Cells = {"mover": Mover.MOVING, "importing": {2: 1}, "migrating": {1: 2}}

TAKEN: dict[str, Step] = {
    "votes-are-kept": ({"failed": {(4, 1): True}}, "ask_for_votes", {"votes": {4: 1}}),
    "packet-is-heeded": ({"current": {1: 4}}, "gossip", {"current": {2: 3}}),
    "moved-to-one-place": (MOVING, "move_key", {"data": {(1, 1): 1}}),
}

LIVENESS: dict[str, Cells] = {
    "views-converge": {"owner": {(3, 1): 2}},
    "claim-is-known": {"owner": {(3, 1): 2}},
    "epochs-differ-in-the-end": {"epoch": {(1, 1): 2}},
    "slot-has-live-owner": {"up": {1: False}},
    "migration-ends": {"migrating": {1: 2}},
    "command-ends": {"at": 1},
}

CASES = LawCases(
    SYSTEM,
    State(AMPLE),
    states=STATES,
    excused={"single-writer-always": [{"data": {(1, 1): 0}, "migrating": {1: 2}}]},
    steps=STEPS,
    liveness=LIVENESS,
    taken=TAKEN,
    spare_switches=frozenset({"demoted_hands_over", "doubt_ends_with_owner", "importing_is_respected"}),
)
