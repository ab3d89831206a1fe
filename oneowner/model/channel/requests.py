"""
A broker follows a lookup to its answer.

A client asks a broker who owns a unit. The broker answers at once, waits for a hand-over that ends here, waits
for the leader to replace an owner that is not registered, or selects a broker itself and waits for that one to
own the unit. Waiting ends after 30 s with whatever the view says then (channel.7). The lookups of
``lookup.py`` are the same without answer: only what they publish matters there.
"""

from oneowner.model.channel.answers import (
    answer,
    answers_by_view,
    conclude,
    finds_itself_unregistered,
    is_found,
    is_trusted,
    reply,
    waits,
)
from oneowner.model.channel.broker import UP
from oneowner.model.channel.channel import publish
from oneowner.model.channel.lookup import KNOWN, is_selectable
from oneowner.model.channel.parts import Node, Outcome, Request, Run, Stage
from oneowner.model.channel.record import ASSIGNING, DELETED, NOBODY, Record, is_in_flight, next_version, owner
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require

LOOKUPS = Budget(
    "lookups", "How many lookups may be opened that are followed to their answer (assigns counts those that are not)"
)


@action(broker=BROKER, unit=UNIT, budget=LOOKUPS, fairness=never("a client asks when it likes"))
def open_lookup(state: State, broker: int, unit: int) -> None:
    """
    A client asks *broker* who owns *unit*.

    Enabled: the broker is up (it may be shutting down) and no lookup of this unit is open there: they are
    de-duplicated.
    Changes: by its view, the lookup is answered with the owner of a unit Owned or Splitting, if its cache lists it,
    else waiting; in flight to this broker it is waiting, to another answered with the destination; failed if Deleted;
    else selecting. A broker that takes itself for unregistered does not wait: it answers with the owner, or itself; in
    the metadata store it fails (until #23382 it does as any other). Without ``disabled_asks_registry`` one that shuts
    down answers with the owner, and waits for itself alone.
    Mirrors: ``ExtensibleLoadManagerImpl.assign``, ``ServiceUnitStateChannelImpl.getOwnerAsync``.
    """
    require(state.lookups_left > 0, "the budget allows another lookup")
    require(state.run[broker] == Run.UP, UP)
    require(state.request[broker, unit] == Request.NONE, "no lookup of the unit is open at the broker")
    state.lookups_left = state.lookups_left - 1
    state.request[broker, unit] = Request.WAITING
    for other in range(1, state.bounds.brokers + 1):
        state.registered_then[broker, other] = state.node[other] != Node.ABSENT
    held = state.view[broker, unit]
    if owner(held) != NOBODY:
        trust(state, broker, unit, owner(held))
    elif is_in_flight(held) and is_deferred(state, broker, held):
        trust(state, broker, unit, held.destination)
    elif held.state == DELETED:
        reply(state, broker, unit, Outcome.FAILED, NOBODY)
    elif is_in_flight(held):
        conclude(state, broker, unit, heir(broker, held))
    else:
        conclude(state, broker, unit, NOBODY)
    keep_named(state, broker, unit, held)
    if not state.bounds.rules.waits_in_one_step and state.request[broker, unit] == Request.WAITING:
        state.request[broker, unit] = Request.DECIDED


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.lookups and not bounds.rules.waits_in_one_step,
    fairness=weak("follows at once"),
)
def begin_wait(state: State, broker: int, unit: int) -> None:
    """
    A lookup that has found that it must wait is known to wait, so that records end it from now on.

    Until #22064 a step of its own: a record that came before it ended nothing.

    Enabled: the broker is up, and its lookup has decided to wait.
    Changes: the lookup is waiting.
    Mirrors: ``ServiceUnitStateChannelImpl.deferGetOwnerRequest`` of 3.1.0.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.request[broker, unit] == Request.DECIDED, "a lookup of the unit has decided to wait")
    state.request[broker, unit] = Request.WAITING


def keep_named(state: State, broker: int, unit: int, held: Record) -> None:
    """Set the ghost of a lookup that stays open: the brokers that the view names from the start."""
    if state.request[broker, unit] != Request.NONE and is_in_flight(held) and held.destination != NOBODY:
        state.named[broker, held.destination] = True
    elif state.request[broker, unit] != Request.NONE and owner(held) != NOBODY:
        state.named[broker, owner(held)] = True


def is_deferred(state: State, broker: int, held: Record) -> bool:
    """
    Return whether a lookup waits for this hand-over: at its destination only.

    Until #22112 every broker waited, also the source, whose closing of topics could wait for that lookup.
    """
    if state.bounds.rules.redirect_in_flight:
        return held.destination == broker and state.bounds.rules.destination_waits
    return True


def heir(broker: int, held: Record) -> int:
    """Return whom a lookup in flight is sent to that does not wait: the destination, by that one the source."""
    return held.source if held.destination == broker else held.destination


def redirect(state: State, broker: int, unit: int) -> int:
    """
    Return whom a lookup at *broker* would be answered with at once, or NOBODY if it waits, selects or fails.

    It may be *broker* itself, which then keeps the client. ``open_lookup`` does just that.
    """
    held = state.view[broker, unit]
    named = owner(held)
    if named != NOBODY or (is_in_flight(held) and is_deferred(state, broker, held)):
        if answers_by_view(state, broker):
            return listed(state, broker, named)
        if finds_itself_unregistered(state, broker):
            if state.bounds.storage == Storage.METADATA_STORE and state.bounds.rules.unregistered_lookup_fails:
                return NOBODY
            return listed(state, broker, named if named != NOBODY else held.destination)
        if named != NOBODY and is_trusted(state, broker, named):
            return listed(state, broker, named)
        return NOBODY
    if is_in_flight(held):
        return listed(state, broker, heir(broker, held))
    return NOBODY


def listed(state: State, broker: int, named: int) -> int:
    """Return *named* if the registry cache of *broker* lists it, else NOBODY (``getBrokerLookupData``)."""
    if named != NOBODY and state.known[broker, named]:
        return named
    return NOBODY


def trust(state: State, broker: int, unit: int, named: int) -> None:
    """
    Answer with *named* if it owns the unit and is registered; otherwise wait (``getActiveOwnerAsync``).

    A broker that finds itself unregistered answers by its view alone; in the metadata store it refuses. One whose
    session has ended takes itself for registered (``BrokerRegistryImpl.isRegistered``), and trusts its cache.
    """
    if answers_by_view(state, broker):
        if owner(state.view[broker, unit]) != NOBODY:
            answer(state, broker, unit, named)
    elif finds_itself_unregistered(state, broker):
        if state.bounds.storage == Storage.METADATA_STORE and state.bounds.rules.unregistered_lookup_fails:
            reply(state, broker, unit, Outcome.FAILED, NOBODY)
        else:
            answer(state, broker, unit, named)
    elif owner(state.view[broker, unit]) != NOBODY and is_trusted(state, broker, named):
        answer(state, broker, unit, named)
    elif named != NOBODY:
        state.cold[broker, named] = False  # asked for, it is read; the next one finds it


def carries_out(state: State, broker: int, unit: int) -> bool:
    """
    Return whether *broker* carries out an admin call for *unit* that it would send nowhere else.

    In 3.0.0 ``isServiceUnitOwned`` asked a cache that the channel does not fill: every broker, the owner too,
    redirected the call to the owner (#20528). Mirrors: ``PulsarWebResource.validateBundleOwnership``.
    """
    return state.bounds.rules.one_oracle and redirect(state, broker, unit) == broker


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    budget=LOOKUPS,
    fairness=weak("selectAsync completes; then the record is published", choice="destination"),
)
def select(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The selection ends with *destination*; *broker* publishes Assigning, whatever its view says by now.

    Enabled: the broker is up, its lookup is selecting, and its registry cache lists the destination, which may be dead
    (run.G7) or shutting down (bugs.R5).
    Changes: Assigning(destination), next version after its view as it is now, is under way (P1), and the lookup
    published; if the view names an owner by now, whom the cache lists, it is answered with that one. A broker that
    shuts down publishes too (channel.D9); without ``disabled_assigns`` (#26520) its lookup fails instead.
    Mirrors: ``publishAssignEventAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.request[broker, unit] == Request.SELECTING, "a lookup of the unit selects a broker")
    require(is_selectable(state, broker, destination), KNOWN)
    if state.bounds.reads_registry_at_once:
        for other in range(1, state.bounds.brokers + 1):  # a selection reads the entries of all
            state.cold[broker, other] = False
    if state.stage[broker] != Stage.RUNNING and not state.bounds.rules.disabled_assigns:
        reply(state, broker, unit, Outcome.FAILED, NOBODY)
        return
    held = state.view[broker, unit]
    publish(state, broker, unit, Record(ASSIGNING, destination, NOBODY, False, next_version(held)), held)
    state.request[broker, unit] = Request.PUBLISHED
    if state.bounds.rules.selection_looks_again and owner(held) != NOBODY:
        if is_found(state, broker, owner(held)):
            answer(state, broker, unit, owner(held))
        else:
            state.cold[broker, owner(held)] = False


@action(
    broker=BROKER,
    unit=UNIT,
    budget=LOOKUPS,
    fairness=weak("deferGetOwner: orTimeout(inFlightStateWaitingTimeInMillis), 30 s"),
)
def time_out(state: State, broker: int, unit: int) -> None:
    """
    A lookup has waited for 30 s: it goes on with the present view of *broker*.

    Enabled: the broker is up, and its lookup is waiting or published.
    Changes: by the view now it is answered with the owner, or failed if in flight or Deleted; else waiting becomes
    selecting, and published is answered with nobody.
    Mirrors: ``deferGetOwner``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(waits(state.request[broker, unit]), "a lookup of the unit waits")
    held = state.view[broker, unit]
    if owner(held) != NOBODY:
        answer(state, broker, unit, owner(held))
    elif is_in_flight(held) or held.state == DELETED:
        reply(state, broker, unit, Outcome.FAILED, NOBODY)
    else:
        conclude(state, broker, unit, NOBODY)


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.lookups and bounds.late_callbacks,
    fairness=never("no law of runs waits for it"),
)
def end_wait(state: State, broker: int, unit: int) -> None:
    """
    A wait at *broker* that a record has completed is taken off the list a second time, by its own callback.

    Until #26146 the callback takes off whatever is on the list by then. That is a newer lookup if one has come to wait
    since the record took the older one off; no record tells it then, and it waits for its 30 s (channel.D6). A lookup
    that waits is joined by all others of its unit, so one is all that is lost.

    Enabled: the broker is up, and a wait of the unit was completed there.
    Changes: its end is over; a lookup that waits is off the list, but not with ``request_removes_itself``.
    Mirrors: ``dedupeGetOwnerRequest``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.ending[broker, unit], "a wait for the unit was completed at the broker")
    state.ending[broker, unit] = False
    if waits(state.request[broker, unit]) and not state.bounds.rules.request_removes_itself:
        state.unlisted[broker, unit] = True
