"""
These functions say which entries are orphaned for a leader: whose broker it suspects, and finds not healthy.

Mirrors ``monitorOwnerships``, ``handleBrokerDeletionEvent`` and the first half of ``doCleanup`` of
``ServiceUnitStateChannelImpl`` (v4.0.6).
"""

from __future__ import annotations

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import NOBODY, Record, is_active, is_in_flight
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Budget, Limit

UNPLACED = Budget("unplaced", "How many overrides may find no broker that the policies allow")

NO_REFUSAL = "transfers lookups shutdowns flight_timer unplaced beliefs safe_mode synced compactions"
"""The bounds with which a broker that is refused is not modelled."""

REFUSED = Limit(
    "refused", "The broker that the policies refuse for every unit; 0: none", apart={NO_REFUSAL: "not modelled"}
)


def is_orphan(state: State, leader: int, record: Record) -> bool:
    """
    Return whether the leader overrides this entry.

    Its destination is gone while it is active, or its source while it is in flight (``doCleanup``); by the
    switch of bugs.R10, which no release turns (fault ``orphan_by_source``), an Owned entry by its source too.
    """
    by_source = is_in_flight(record)
    if state.bounds.rules.owned_orphan_by_source:
        by_source = is_active(record)
    if is_active(record) and is_gone(state, leader, record.destination):
        return True
    return by_source and is_gone(state, leader, record.source)


def takes_part(record: Record, broker: int) -> bool:
    """Return whether a clean-up of *broker* counts this entry: it owns the unit, or takes part in a hand-over."""
    if is_active(record) and record.destination == broker:
        return True
    return is_in_flight(record) and record.source == broker


def is_gone(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker* is suspected by the leader and fails the health check."""
    if broker == NOBODY or not is_suspected(state, leader, broker):
        return False
    if state.bounds.rules.health_check:
        return not is_healthy(state, broker)
    return True


def is_suspected(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker* is missing from the leader's cache; with safe mode, whether its clean-up is scheduled."""
    if state.bounds.safe_mode:
        return state.cleaning[leader, broker]
    return not state.known[leader, broker]


def is_healthy(state: State, broker: int) -> bool:
    """
    Return whether a health check of *broker* passes.

    It looks the broker up in the registry first, then calls it: a living broker that is not registered
    fails (recordings: ``The broker .. is not healthy because it's not found``).
    """
    return state.node[broker] != Node.ABSENT and state.run[broker] == Run.UP
