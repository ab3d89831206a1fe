"""Crafted states and steps for the laws of registration in time, of one's own registration, and of shedding."""

from __future__ import annotations

from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.state import State
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    SILENT,
    Crafted,
    breaks,
    cluster,
    edited,
    gives_no_occasion,
    keeps,
    state,
    taken,
)
from tests.spec.channel.crafted_sessions import OVERRIDE, SAFE, leading, nothing

SHEDDING = {"brokers": 2, "owner": 2, "expiries": 1, "sheddings": 1, "closings": 2}
SHED = "shed(broker=1, destination=1)"


def in_a_round() -> State:
    """The leader, broker 1, has begun a round of shedding."""
    return taken(cluster(**SHEDDING), "begin_shedding(broker=1)").after


# ---- own-registration-known ----


@breaks("own-registration-known")
def a_broker_whose_node_is_gone_takes_itself_for_registered() -> Crafted:
    at = cluster(expiries=1)
    at.node[2] = Node.ABSENT
    return state(at)


KEPT["own-registration-known"] |= {
    "a broker whose session ended knows it": lambda: state(taken(cluster(expiries=1), "expire(broker=2)").after)
}


@gives_no_occasion("own-registration-known")
def no_broker_takes_itself_for_registered() -> Crafted:
    at = cluster(crashes=2)
    for broker in (1, 2):
        at.run[broker] = Run.DOWN
    return state(at)


BROKEN["registered-in-time"] |= {"the unit of a broker with a session is taken": lambda: taken(leading(), OVERRIDE)}


@keeps("registered-in-time")
def the_unit_of_a_broker_without_session_is_taken() -> Crafted:
    at = leading()
    at.metadata[2] = Metadata.UNSTABLE
    return taken(at, OVERRIDE)


@keeps("registered-in-time")
def the_unit_of_a_dead_broker_is_taken() -> Crafted:
    at = leading()
    at.run[2] = Run.DOWN
    return taken(at, OVERRIDE)


SILENT["registered-in-time"] |= {
    "a clean up ends and takes nothing": lambda: edited(cluster(**SAFE), "end_clean_up(broker=1, gone=2)", nothing)
}


# ---- shed-only-by-leader ----


@breaks("shed-only-by-leader")
def a_former_leader_sheds() -> Crafted:
    at = in_a_round()
    at.leader = 2
    return taken(at, SHED)


KEPT["shed-only-by-leader"] |= {"the leader sheds": lambda: taken(in_a_round(), SHED)}

SILENT["shed-only-by-leader"] |= {
    "a round ends without an unload": lambda: taken(in_a_round(), "end_shedding(broker=1)")
}
