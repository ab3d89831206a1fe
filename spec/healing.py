"""Laws of liveness of sessions and roles: safe mode ends, somebody plays the leader, nobody else does."""

from __future__ import annotations

from model.parts import Metadata, Run
from model.record import NOBODY
from model.system import State
from spec.liveness import living
from spec.property import Status, leads_to
from spec.sessions import at_most_one_plays_the_leader, believers

# ---- models.L9 ----


def some_broker_is_in_safe_mode(state: State) -> bool:
    for broker in range(1, state.bounds.brokers + 1):
        if state.run[broker] == Run.UP and state.metadata[broker] != Metadata.STABLE:
            return True
    return False


def no_broker_is_in_safe_mode(state: State) -> bool:
    return not some_broker_is_in_safe_mode(state)


SAFE_MODE_ENDS = leads_to(
    "safe-mode-ends",
    "Safe mode ends: a broker whose session was lost comes to be Stable.",
    "models.L9; ServiceUnitStateChannelImpl.getMetadataState, apache/pulsar#25132",
    from_=some_broker_is_in_safe_mode,
    to=no_broker_is_in_safe_mode,
)


# ---- models.L7, the role ----


def the_role_is_vacant(state: State) -> bool:
    return state.bounds.beliefs > 0 and living(state) > 0 and not the_elected_plays(state)


def the_elected_plays(state: State) -> bool:
    if state.leader == NOBODY:
        return False
    return state.believes[state.leader]


LEADER_PLAYS = leads_to(
    "leader-plays",
    "When no elected broker plays the leader, one comes to. (In 4.0.6 a broker that is not registered can win the"
    " election; it can neither take the role nor register, and keeps the lead for ever.)",
    "models.L7; run.G2, apache/pulsar#24932",
    from_=the_role_is_vacant,
    to=the_elected_plays,
    status=Status.DOCUMENTED,
)


# ---- models.S37, its window ----


def two_play_the_leader(state: State) -> bool:
    return believers(state) > 1


ONE_BELIEVER_AGAIN = leads_to(
    "one-believer-again",
    "When two brokers play the leader, all but one come to give the role up.",
    "models.S37: its window",
    from_=two_play_the_leader,
    to=at_most_one_plays_the_leader,
)

LIVENESS_OF_SESSIONS = (SAFE_MODE_ENDS, LEADER_PLAYS, ONE_BELIEVER_AGAIN)
