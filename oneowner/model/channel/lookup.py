"""
Clients and operators give commands: a lookup that assigns, an unload, a transfer, a deletion.

Each is carried out by some broker, from that broker's view; a stale view is expected, and what it leads to
is left to the resolver. A lookup selects a broker while the channel goes on, so it may publish after
somebody else has assigned the unit: this is where the transition and broker refusals of real runs
come from (recordings: transfer 0:44, kill-mid-transfer 0:26). Where the answer of a lookup matters, ``open_lookup`` and
``select`` of ``requests.py`` take the place of ``look_up`` and ``assign``.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.channel import publish
from oneowner.model.channel.dialects import giving_up
from oneowner.model.channel.operators import ask_to_unload
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    INIT,
    NOBODY,
    OWNED,
    RELEASING,
    Record,
    is_absent,
    next_version,
    owner,
)
from oneowner.model.channel.ring import PARENT, is_in_ring
from oneowner.model.channel.sorts import BROKER, CURRENT, UNIT
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_load_data
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

ASSIGNS = Budget("assigns", "How many lookups may assign a unit")

UNLOADS = Budget("unloads", "How many unloads may be asked for")

TRANSFERS = Budget("transfers", "How many transfers may be asked for")

REMOVALS = Budget(
    "removals", "How many units may be given up by force, because their namespace or they themselves are deleted"
)

BUNDLES_VALIDATED = Switch(
    "A lookup is of a bundle by the boundaries that the broker knows; else of a parent as well (models.S34, #821).",
)

SELECTION_CHECKS_HEALTH = Switch("A lookup selects only a broker that passes a health check (repair of run.G7).")

IN_RING = "the unit is a bundle by the broker's boundaries"
ALLOWED = "the policies allow the destination"
KNOWN = "the serving broker's registry cache lists the destination"


@action(broker=CURRENT, unit=UNIT, budget=ASSIGNS, fairness=never("a client asks when it likes"))
def look_up(state: State, broker: int, unit: int) -> None:
    """
    A client asks *broker* for a topic of *unit*; the broker's view knows no owner, so it selects one.

    Enabled: the broker is up, the unit is in its ring, its view is nothing, Init, Free or Releasing without destination
    (``has_no_owner``), and it does not ask for the unit already: lookups are de-duplicated. Until #22112 (without
    ``redirect_in_flight``) its view is not Releasing: a lookup waits there until the unit is Free.
    Changes: it asks: a selection is under way.
    Mirrors: ``ExtensibleLoadManagerImpl.assign``, ``getOwnerAsync``.
    """
    require(state.assigns_left > 0, "the budget allows another assignment")
    require(state.run[broker] == Run.UP, UP)
    if state.bounds.rules.bundles_validated or unit != PARENT:
        require(is_in_ring(state, broker, unit), IN_RING)
    require(not state.asking[broker, unit], "no lookup of the unit waits at the broker")
    held = state.view[broker, unit]
    require(has_no_owner(held), "the broker's view knows no owner of the unit")
    if not state.bounds.rules.redirect_in_flight:
        require(held.state != RELEASING, "the unit is not in flight by the broker's view")
    state.assigns_left = state.assigns_left - 1
    state.asking[broker, unit] = True


def has_no_owner(record: Record) -> bool:
    """
    Return whether ``getOwnerAsync`` returns "no owner" for this entry.

    A plain unload counts: while Releasing names no destination, other brokers are told "nobody".
    """
    if record.state == RELEASING:
        return record.destination == NOBODY
    return is_absent(record) or record.state == INIT or record.state == FREE


@action(
    broker=CURRENT,
    unit=UNIT,
    destination=CURRENT,
    budget=ASSIGNS,
    fairness=weak("selectAsync completes; then the record is published", choice="destination"),
)
def assign(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The selection ends with *destination*; *broker* publishes Assigning, whatever its view says by now.

    Enabled: the broker is up and asks; its registry cache lists the destination (which may be dead: run.G7), and the
    policies allow it; nobody holds the lock of its load data for ever (``load_store.deadlock``).
    Changes: it stops asking; Assigning(destination), next version after its view as it is now, is under way (P1).
    Mirrors: ``publishAssignEventAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.asking[broker, unit], "a lookup of the unit waits at the broker")
    require(is_selectable(state, broker, destination), KNOWN)
    require(destination != state.bounds.refused, ALLOWED)
    require_load_data(state, broker)
    state.asking[broker, unit] = False
    held = state.view[broker, unit]
    publish(state, broker, unit, Record(ASSIGNING, destination, NOBODY, False, next_version(held)), held)


def is_selectable(state: State, broker: int, destination: int) -> bool:
    """Return whether a selection at *broker* may yield *destination*: its registry cache lists it (``selectAsync``)."""
    if state.bounds.rules.selection_checks_health and state.run[destination] != Run.UP:
        return False
    return state.known[broker, destination]


@action(broker=BROKER, unit=UNIT, budget=UNLOADS, fairness=never("a command"))
def unload(state: State, broker: int, unit: int) -> None:
    """
    *broker* serves an unload: the owner shall close the unit's topics, and nobody gets it (P3).

    Enabled: the broker is up, and by its view the unit is in its ring and Owned.
    Changes: Releasing(source = owner), next version, is under way.
    Mirrors: ``publishUnloadEventAsync``.
    """
    require(state.unloads_left > 0, "the budget allows another unload")
    state.unloads_left = state.unloads_left - 1
    give_up(state, broker, unit, NOBODY)


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    budget=TRANSFERS,
    fairness=never("a command"),
)
def transfer(state: State, broker: int, unit: int, destination: int) -> None:
    """
    *broker* serves a transfer: the owner shall close the unit's topics and hand it on (P4).

    Enabled: as ``unload``; the destination is not the owner, and its registry cache lists it.
    Changes: Releasing(destination, source = owner), next version, is under way.
    Mirrors: ``ExtensibleLoadManagerImpl.unloadNamespaceBundleAsync``, ``publishUnloadEventAsync``.
    """
    require(state.transfers_left > 0, "the budget allows another transfer")
    require(state.known[broker, destination], KNOWN)
    require(owner(state.view[broker, unit]) != destination, "the unit is not owned by the destination")
    state.transfers_left = state.transfers_left - 1
    give_up(state, broker, unit, destination)


@action(broker=BROKER, unit=UNIT, budget=REMOVALS, fairness=never("a command"))
def remove(state: State, broker: int, unit: int) -> None:
    """
    *broker* serves the deletion of the unit or of its namespace: the owner shall close the unit's topics (P3, forced).

    It is an unload that is forced; the later publish of its owner is not. The leader's monitor deletes the entry later,
    if nobody asks for the unit meanwhile (recordings: delete-decommission 0:39, 86:0).

    Enabled: as ``unload``.
    Changes: a forced Releasing(source = owner), next version, is under way.
    Mirrors: ``NamespaceService.removeOwnedServiceUnitAsync``, ``ExtensibleLoadManagerImpl.unloadNamespaceBundleAsync``,
    ``publishUnloadEventAsync``.
    """
    require(state.removals_left > 0, "the budget allows another deletion")
    require(state.run[broker] == Run.UP, UP)
    require(is_in_ring(state, broker, unit), IN_RING)
    held = state.view[broker, unit]
    require(held.state == OWNED, "the broker's view says that the unit is owned")
    state.removals_left = state.removals_left - 1
    publish(state, broker, unit, Record(RELEASING, NOBODY, owner(held), True, next_version(held)), held)


def give_up(state: State, broker: int, unit: int, destination: int) -> None:
    """Publish the command, Releasing in every release, for the owner that the broker's view names."""
    require(state.run[broker] == Run.UP, UP)
    require(is_in_ring(state, broker, unit), IN_RING)
    held = state.view[broker, unit]
    require(held.state == OWNED, "the broker's view says that the unit is owned")
    ask_to_unload(state, broker, unit, destination)
    record = giving_up(state.bounds.dialect_of(broker), owner(held), destination, next_version(held))
    publish(state, broker, unit, record, held)
