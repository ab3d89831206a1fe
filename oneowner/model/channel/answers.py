"""
These functions answer a lookup that is open at a broker.

The first half of ``handleEvent`` of ``ServiceUnitStateChannelImpl`` (v4.0.6): each accepted record may
complete the future that lookups of its unit wait for (channel.6), and what the load manager makes of it:
no owner yet means that a broker is selected, and an owner must be in the registry cache
(``ExtensibleLoadManagerImpl.getOrSelectOwnerAsync``, ``getBrokerLookupData``).
"""

from oneowner.model.channel.parts import Outcome, Reply, Request, Stage
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
from oneowner.model.kernel.releases import Switch, before, since

UNREGISTERED_LOOKUP_FAILS = Switch(
    "In the metadata store a broker that is not registered opens nothing (since #24478).",
    turned=(before("4.0.6"),),
    source="apache/pulsar#24478: getActiveOwnerAsync returned the owner unchecked in both storages",
)

UNREGISTERED_GOES_BY_VIEW = Switch(
    "A broker that is not registered names an owner by its view; until #23382 by its registry cache, as any other.",
    turned=(before("3.3.3"),),
    source="apache/pulsar#23382: getActiveOwnerAsync asks isRegistered first; the classes of 3.3.2 have no such method",
)

REDIRECT_IN_FLIGHT = Switch(
    "A lookup of a unit in flight waits at its destination only; until #22112 it did at every broker.",
    turned=(before("3.0.3", "3.1.3", "3.2.1"),),
    source="apache/pulsar#22112: getOwnerAsync gives the destination of an Assigning or Releasing at once",
)

DESTINATION_WAITS = Switch(
    "A lookup of a unit in flight waits at its destination; else that one sends it to the source (models.S33).",
)

WAIT_FOR_REGISTERED_OWNER = Switch(
    "A lookup whose owner is not registered waits for the next owner (since #21811).",
    turned=(before("3.0.3", "3.1.3", "3.2.0"),),
    source="apache/pulsar#21811: getActiveOwnerAsync asks the registry for the owner",
)

SKIPPED_INFORMS = Switch(
    "A record that a view refuses ends a lookup that waits for an owner whom it knows (#20677; 4.0.0 lost it).",
    turned=(since("3.0.1", until="4.0.0"),),
    source="apache/pulsar#20677: handleSkippedEvent, which nobody calls any more since 4.0.0",
)

SELECTION_LOOKS_AGAIN = Switch(
    "A lookup that assigns asks the view once more before it waits for an owner (since #22064).",
    turned=(before("3.0.3", "3.1.3", "3.2.1"),),
    source="apache/pulsar#22064: deferGetOwnerRequest did not ask for the owner; 3.2.1 has it",
)

WAITS_IN_ONE_STEP = Switch(
    "A lookup looks at the view and begins to wait in one step, in which no record is handled (since #22064).",
    turned=(before("3.0.3", "3.1.3", "3.2.1"),),
    source="apache/pulsar#22064: getOwnerAsync looked, deferGetOwnerRequest registered; now under the lock of one key",
)

REGISTRY_READ_WAITS = Switch(
    "A lookup waits for what the registry says of an owner; else, not read yet is not registered (#22899).",
    turned=(since("3.0.3", "3.1.3", "3.2.1", until=("3.0.6", "3.2.4", "3.3.1")),),
    source="apache/pulsar#22899: lookupAsync(owner).getNow(empty), which came with #22064",
)

REQUEST_REMOVES_ITSELF = Switch(
    "A lookup's wait that is over takes itself off the list (since #26146); 4.0.6: whatever is there by then.",
    turned=(before("3.0.3", "3.1.3", "3.2.1"), since("4.0.13", "4.2.4", "5.0.0")),
    source="apache/pulsar#26146: dedupeGetOwnerRequest removes key and value; so did deferGetOwnerRequest until #22064",
)

ONE_ORACLE = Switch(
    "Admin calls ask the channel who owns a unit, not the cache of the load managers before it (#20528).",
    turned=(before("3.0.1"),),
    source="apache/pulsar#20528: NamespaceService.isServiceUnitOwned asked ownershipCache",
)

DISABLED_ASKS_REGISTRY = Switch(
    "A broker that shuts down asks the registry for an owner, and whether it is itself registered (until #24770).",
    turned=(since("4.0.8", "4.1.2", "4.2.0", "5.0.0"),),
    source="apache/pulsar#24770: getActiveOwnerAsync of a Disabled or Closed channel goes by the state alone",
)

DISABLED_ASSIGNS = Switch(
    "A broker that shuts down publishes what its lookups have selected (until #26520).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26520: publishAssignEventAsync counts what is under way (pendingAssignPublishes)",
)


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
    """Go on with the owner that the channel gave, or nobody: a lookup that has not published yet selects a broker."""
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

    It looks itself up in its registry cache, unless it finds itself unregistered: then its view is enough, but in the
    metadata store, since #24478, nothing is.
    """
    if finds_itself_unregistered(state, broker):
        return not (state.bounds.in_store and state.bounds.rules.unregistered_lookup_fails)
    return is_trusted(state, broker, broker)


def finds_itself_unregistered(state: State, broker: int) -> bool:
    """Return whether *broker*, asked for an owner, finds that it is not registered; until #23382 it does not look."""
    return state.unregistered[broker] and state.bounds.rules.unregistered_goes_by_view


def answers_by_view(state: State, broker: int) -> bool:
    """Return whether *broker* shuts down, and names an owner without asking the registry (since #24770)."""
    return state.stage[broker] != Stage.RUNNING and not state.bounds.rules.disabled_asks_registry


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
