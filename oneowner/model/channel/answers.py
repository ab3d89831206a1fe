"""
These functions answer a lookup that is open at a broker.

The first half of ``handleEvent`` of ``ServiceUnitStateChannelImpl`` (v4.0.6): each accepted record may
complete the future that lookups of its unit wait for (channel.6), and what the load manager makes of it:
no owner yet means that a broker is selected, and an owner must be in the registry cache
(``ExtensibleLoadManagerImpl.getOrSelectOwnerAsync``, ``getBrokerLookupData``).
"""

from __future__ import annotations

from oneowner.model.channel.lookup_parts import Outcome, Reply, Request
from oneowner.model.channel.record import (
    DELETED,
    FREE,
    NOBODY,
    OWNED,
    SPLITTING,
    Record,
    is_absent,
    is_active,
    is_in_flight,
)
from oneowner.model.channel.state import State


def waits(request: Request) -> bool:
    """Return whether the lookup waits for a record to complete it."""
    return request == Request.WAITING or request == Request.PUBLISHED


def is_listed(state: State, broker: int, unit: int) -> bool:
    """Return whether a lookup of *unit* waits at *broker* on the list of those that a record completes."""
    return waits(state.request[broker, unit]) and not state.unlisted[broker, unit]


def take_off(state: State, broker: int, unit: int) -> None:
    """Take a lookup that is about to be completed off the list; its own callback does so once more (``end_wait``)."""
    if state.bounds.late_callbacks:
        state.ending[broker, unit] = True


def inform(state: State, broker: int, unit: int, record: Record) -> None:
    """Complete the lookup of *unit* that waits at *broker*, if *record* tells how it ends."""
    if not is_listed(state, broker, unit) or is_in_flight(record):
        return
    take_off(state, broker, unit)
    if record.state == OWNED:
        conclude(state, broker, unit, record.destination)
    elif record.state == FREE or is_absent(record):
        conclude(state, broker, unit, NOBODY)
    elif record.state == DELETED:
        reply(state, broker, unit, Outcome.FAILED, NOBODY)


def inform_skipped(state: State, broker: int, unit: int) -> None:
    """
    Complete the lookup of *unit* that waits at *broker*, whose view refuses a record, by the owner that the view names.

    Mirrors: ``handleSkippedEvent`` (#20677; from 4.0.0 on nobody calls it).
    """
    held = state.view[broker, unit]
    if state.bounds.rules.skipped_informs and is_listed(state, broker, unit) and held.state == OWNED:
        take_off(state, broker, unit)
        conclude(state, broker, unit, held.destination)


def cancel(state: State, broker: int, unit: int) -> None:
    """A broker that shuts down fails the lookup that waits, whatever it was told."""
    if is_listed(state, broker, unit):
        take_off(state, broker, unit)
        reply(state, broker, unit, Outcome.FAILED, NOBODY)


def conclude(state: State, broker: int, unit: int, owner: int) -> None:
    """Go on with the owner that the channel gave, or nobody: who has not published yet selects a broker."""
    if owner == NOBODY and state.request[broker, unit] == Request.WAITING:
        state.request[broker, unit] = Request.SELECTING
        state.unlisted[broker, unit] = False
    else:
        answer(state, broker, unit, owner)


def answer(state: State, broker: int, unit: int, owner: int) -> None:
    """Answer with *owner*; it must be in the broker's registry cache (``getBrokerLookupData``)."""
    if owner == NOBODY:
        reply(state, broker, unit, Outcome.EMPTY, NOBODY)
    elif state.known[broker, owner]:
        reply(state, broker, unit, Outcome.OWNER, owner)
    else:
        reply(state, broker, unit, Outcome.FAILED, NOBODY)


def is_active_to_itself(state: State, broker: int) -> bool:
    """
    Return whether a lookup at *broker* of a unit that it owns by its view keeps the client (``getActiveOwnerAsync``).

    It looks itself up in its registry cache, unless it takes itself for unregistered: then its view is enough, but in
    the metadata store, since #24478, nothing is.
    """
    if state.unregistered[broker]:
        return not (state.bounds.in_store and state.bounds.rules.unregistered_lookup_fails)
    return is_trusted(state, broker, broker)


def is_trusted(state: State, broker: int, named: int) -> bool:
    """Return whether *broker* takes *named* for a living owner; until #21811 it took anybody."""
    if state.bounds.rules.wait_for_registered_owner:
        return is_found(state, broker, named)
    return True


def is_found(state: State, broker: int, named: int) -> bool:
    """
    Return whether *broker* finds *named* in the registry when it looks for an owner.

    From #22064 until #22899 it took for missing what its cache had not read yet (``getNow``): another broker whom
    neither a lookup nor a selection had asked for since it started, or since that one was last registered.
    """
    if state.bounds.rules.registry_read_waits:
        return state.known[broker, named]
    return state.known[broker, named] and not state.cold[broker, named]


def reply(state: State, broker: int, unit: int, outcome: Outcome, owner: int) -> None:
    """End the lookup, and remember how, and by which version of the view."""
    state.reply[broker, unit] = Reply(outcome, owner, state.view[broker, unit].version)
    forget_request(state, broker, unit)


def forget_request(state: State, broker: int, unit: int) -> None:
    """No lookup of *unit* is open at *broker* any more."""
    state.request[broker, unit] = Request.NONE
    state.unlisted[broker, unit] = False
    for other in range(1, state.bounds.brokers + 1):
        state.named[broker, other] = False
        state.registered_then[broker, other] = False


def note_named(state: State, broker: int, unit: int, record: Record) -> None:
    """Set the ghost of an open lookup: the view of *broker* names an owner or a destination."""
    if state.request[broker, unit] != Request.NONE and named_by(record) != NOBODY:
        state.named[broker, named_by(record)] = True


def named_by(record: Record) -> int:
    """Return who owns the unit, or will when the hand-over is done (``getAssigned``), or NOBODY."""
    if record.state == SPLITTING:
        return record.source
    if is_active(record):
        return record.destination
    return NOBODY
