"""
Predicates of one broker that several laws use: whether it is registered, holds a session, can lead.

The guards of the model ask the same (``is_healthy``, ``is_caught_up``, ``is_stuck``, ``has_session``). A law that
asked them too would hold whatever they let through.
"""

from __future__ import annotations

from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.ranges import units
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State


def is_registered(state: State, broker: int) -> bool:
    """Say whether *broker* lives and is registered, so that a health check of it passes."""
    return state.run[broker] == Run.UP and state.node[broker] != Node.ABSENT


def process_runs(state: State, broker: int) -> bool:
    """Say whether the process of *broker* runs; it may be starting."""
    return state.run[broker] == Run.UP or state.run[broker] == Run.STARTING


def keeps_a_session(state: State, broker: int) -> bool:
    """Say whether *broker* runs and has a session that it trusts."""
    if not process_runs(state, broker) or state.zookeeper_down:
        return False
    return not state.session_ended[broker] and state.metadata[broker] != Metadata.UNSTABLE


def has_read_the_channel(state: State, broker: int) -> bool:
    """Say whether nothing that is in the channel is still to be read by *broker*."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return state.cursor[broker] == state.log.length
    return all(not state.changed[broker, unit] for unit in units(state))


def cannot_take_the_role(state: State, broker: int) -> bool:
    """Say whether *broker* is elected, but not registered, and so does not come to play the leader (run.G2)."""
    is_elected = state.bounds.beliefs > 0 and state.leader == broker
    return is_elected and not state.believes[broker] and state.node[broker] == Node.ABSENT
