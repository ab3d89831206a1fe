"""
A lost session empties the view of its broker in the metadata store; the next session fills it anew.

A view there is told by watches, which end with the session. When a broker hears that its session is lost it trusts
nothing that it has read: it forgets every entry and closes the topics of every unit (``handleInvalidate``); when it has
a session again it reads the nodes one after another, as a broker that starts does. In between it knows nothing,
and what it *lists* as its own (``ownedServiceUnits``) is every unit that it knew, whoever owned it: run.G4. Sources:
``MetadataStoreTableViewImpl.handleSessionEvent``, ``ServiceUnitStateTableViewBase`` (v4.0.6; #24478), channel.4,
channel.D2.
"""

from oneowner.model.channel.broker import UP, handle
from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Metadata, Run
from oneowner.model.channel.record import ASSIGNING, TOMBSTONE, is_absent
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import must_close, start_closing
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

SESSION_LOSS_EMPTIES_VIEW = Switch(
    "In the metadata store a view forgets everything when its session is lost, and is filled anew (since #24478).",
    turned=(since("4.0.0", until="4.0.6"),),
    source="apache/pulsar#24478: MetadataStoreTableViewImpl.handleSessionEvent; before, the next notification",
)

SESSION_LOSS_EMPTIES_LIST = Switch(
    "A broker whose view is emptied lists no unit as its own either (repair of run.G4, channel.D2).",
)

FULL_EQUALITY = Switch(
    "A view in the metadata store takes every other record, not only one of another version (since #24186).",
    turned=(since("4.0.0", until="4.0.5"),),
    source="apache/pulsar#24186: ServiceUnitStateData.equals compared versions only",
)


def invalidate(state: State, broker: int) -> None:
    """Let *broker*, whose session is lost, forget its view, close what it serves, and list all that it knew."""
    if state.bounds.storage != Storage.METADATA_STORE:
        return
    for unit in range(1, state.bounds.units + 1):
        state.changed[broker, unit] = False  # the watch ended with the session
        if state.bounds.rules.session_loss_empties_view and not is_absent(state.view[broker, unit]):
            state.listed[broker, unit] = not state.bounds.rules.session_loss_empties_list
            state.view[broker, unit] = TOMBSTONE
            if must_close(state, broker, unit, TOMBSTONE):
                start_closing(state, broker, unit, TOMBSTONE)  # on behalf of no record: nothing follows


def begin_filling(state: State, broker: int) -> None:
    """Let *broker*, which has a session again, owe a look at every node."""
    if state.bounds.storage == Storage.METADATA_STORE and state.bounds.rules.session_loss_empties_view:
        for unit in range(1, state.bounds.units + 1):
            state.filling[broker, unit] = True


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode and bounds.storage == Storage.METADATA_STORE,
    fairness=weak("fillAsync walks all nodes; if it fails the broker shuts down"),
)
def fill(state: State, broker: int, unit: int) -> None:
    """
    *broker*, which has a session again, reads the node of *unit*.

    What it finds is an existing item and not handled, but since 4.0.10 an Assigning to it; so
    a record written since the session is back may be taken for old, and its notification, which comes later, for known.

    Enabled: the broker is up, has a session, and has to read the node in it.
    Changes: it has read it: if there is a node the view takes it, and the unit is not ``listed`` any more. Where the
    view holds something, a notification or a publish of the broker's own has read the node in this session: the cache
    gives that again, until the next notification.
    Mirrors: ``fillAsync`` of ``MetadataStoreTableViewImpl``, ``handleExisting``, ``MetadataCacheImpl.get``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(has_session(state, broker), HAS_SESSION)
    require(state.filling[broker, unit], "the broker has yet to read the node in its new session")
    state.filling[broker, unit] = False
    found = state.view[broker, unit]
    if is_absent(found):
        found = entry(state, unit)
    if not is_absent(found):
        state.view[broker, unit] = found
        state.listed[broker, unit] = False
        if state.bounds.rules.assigning_resolved_at_start and found.state == ASSIGNING:
            handle(state, broker, unit, found)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and bounds.safe_mode and bounds.storage == Storage.METADATA_STORE,
    fairness=never("a publish that is under way may arrive in the next session instead"),
)
def fail(state: State, broker: int) -> None:
    """
    The oldest publish of *broker*, which has lost its session, fails.

    Its put was under way when the session ended; nobody tries again. Or it is sent later, in a new session
    (``append``): the client retries while it has no connection.

    Enabled: the broker is up and Unstable, and its outbox is not empty.
    Changes: the first entry of its outbox is gone.
    Mirrors: ``ZKMetadataStore.batchOperation``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.metadata[broker] == Metadata.UNSTABLE, "the broker thinks that its session is lost")
    require(state.outbox[broker].length > 0, "a publish of the broker is under way")
    state.outbox[broker] = state.outbox[broker].without(1)
