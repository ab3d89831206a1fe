"""
The syncer keeps the channel in both storages while a cluster moves from the topic to the metadata store (or back).

The first brokers still keep the channel in the topic, the last ``Bounds.synced`` of them in the metadata store; neither
reads what the other writes. The leader's *syncer* copies every change of one storage to the other, where it is put like
any record: the resolver of that storage refuses what does not follow, and nobody is told. Sources:
``ServiceUnitStateTableViewSyncer`` (v4.0.6), channel.11, bugs.R34. ``Bounds`` allows no crashes, no lost sessions
and, where units are assigned or the syncer starts again, no tombstones here; then a copy that the syncer reads again
and sends back is refused by every reader, and is left out.
"""

from oneowner.model.channel.broker import handle, is_news
from oneowner.model.channel.channel import consumed, entry, is_rival, place_of
from oneowner.model.channel.parts import Message, SyncerStart
from oneowner.model.channel.record import Record, is_absent
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sorts import IN_STORE, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Limit
from oneowner.model.kernel.fairness import strong, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.kernel.releases import Switch, since

NO_COPIES = "crashes expiries outages unplaced resends compactions splits shutdowns lookups wraps pauses"
"""The bounds with which a second storage is not modelled."""

SYNCED = Limit(
    "synced",
    "How many brokers, the last ones, keep the channel in the metadata store, while the others still use the topic",
    apart={NO_COPIES: "it goes with commands alone", "in_store speaks_dialect": "it goes beside the topic"},
)

SYNCER_COPIES_DELETIONS = Switch(
    "The syncer copies a tombstone of the topic to the metadata store (since #25946); 4.0.6 fails to.",
    turned=(since("4.0.12", "4.2.3", "5.0.0"),),
    source="apache/pulsar#25946: ServiceUnitStateTableViewSyncer.sync calls delete for a tombstone",
)

COPIES = "the syncer copies changes"


@action(broker=IN_STORE, when=lambda bounds: bounds.synced, fairness=strong("as append"))
def put(state: State, broker: int) -> None:
    """
    The oldest publish of *broker*, which keeps the channel in the metadata store, reaches the unit's node or loses.

    Enabled: its outbox is not empty.
    Changes: the first entry of its outbox is gone; if the metadata store's resolver takes it, the node does, the
    brokers there and the syncer are notified, and the writer takes its notification at once. The unit is tainted if the
    topic holds another record of at least that version.
    Mirrors: ``MetadataStoreTableViewImpl.put``.
    """
    require(state.outbox[broker].length > 0, "the broker has a publish under way")
    first = state.outbox[broker][1]
    state.outbox[broker] = state.outbox[broker].without(1)
    if fits(state, state.nodes[first.unit], first.record):
        if is_rival(entry(state, first.unit), first.record):
            state.tainted[first.unit] = True
        state.noticed[first.unit] = True
        set_node(state, first.unit, first.record)
        look(state, broker, first.unit)


def copies(state: State) -> bool:
    """Return whether the syncer copies what changes: it has not deleted the nodes, and listens."""
    return not state.cleaned and state.starting != SyncerStart.COPIED


def fits(state: State, held: Record, proposed: Record) -> bool:
    """Return whether a node that holds *held* takes *proposed*."""
    bounds = state.bounds
    refused = refusal(held, proposed, Storage.METADATA_STORE, bounds.dialect, bounds.last_version, bounds.rules)
    return refused is None


def set_node(state: State, unit: int, record: Record) -> None:
    """Write the node of *unit*: the brokers that keep the channel there are told."""
    state.nodes[unit] = record
    for broker in range(state.bounds.brokers - state.bounds.synced + 1, state.bounds.brokers + 1):
        state.changed[broker, unit] = True


@action(
    broker=IN_STORE,
    unit=UNIT,
    when=lambda bounds: bounds.synced,
    fairness=weak("ZooKeeper delivers every watch of a living session"),
)
def look(state: State, broker: int, unit: int) -> None:
    """
    *broker*, which keeps the channel in the metadata store, reads the node of *unit* after a notice of its change.

    Enabled: a notification of the unit waits.
    Changes: it is taken; if the node differs from the view, the view takes it and the broker does what it owes
    (``handle``).
    Mirrors: as ``notify``.
    """
    require(state.changed[broker, unit], "a notification for the unit waits")
    state.changed[broker, unit] = False
    if is_news(state, state.view[broker, unit], state.nodes[unit]):
        state.view[broker, unit] = state.nodes[unit]
        handle(state, broker, unit, state.nodes[unit])


@action(
    when=lambda bounds: bounds.synced,
    fairness=strong("the syncer's reader is pushed what it has not seen"),
)
def copy_to_store(state: State) -> None:
    """
    The syncer reads the next record of the log and, if its view takes it, puts it into the metadata store.

    Enabled: the syncer copies, and is behind.
    Changes: it has read the next record; if the fold of the log changes by it, and the metadata store's resolver takes
    it, the node does, and the brokers there are notified. A tombstone is copied with ``syncer_copies_deletions`` only.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncToMetadataStore`` as tail listener of the topic's view.
    """
    require(copies(state), COPIES)
    require(state.copied < state.log.length, "the log holds a record that the syncer has not read")
    state.copied = state.copied + 1
    message = state.log[state.copied]
    held = consumed(state, message.unit, state.copied - 1)
    taken = consumed(state, message.unit, state.copied) != held
    if is_absent(message.record) and not state.bounds.rules.syncer_copies_deletions:
        taken = False  # put(null), which the metadata store's view refuses
    if taken and fits(state, state.nodes[message.unit], message.record):
        set_node(state, message.unit, message.record)


@action(
    unit=UNIT,
    when=lambda bounds: bounds.synced,
    fairness=strong("the syncer's watch, and its producer, which sends again"),
)
def copy_to_topic(state: State, unit: int) -> None:
    """
    The syncer, told that the node of *unit* changed, publishes what it holds by now to the topic.

    Enabled: the syncer copies and has a notification of the unit; the log is shorter than the window.
    Changes: the notification is taken, and what the node holds goes to the end of the log, in one step.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncToSystemTopic`` as tail listener of the metadata store's view.
    """
    require(copies(state), COPIES)
    require(state.noticed[unit], "the node has changed since the syncer read it")
    require_room(state.log.length < state.bounds.window, "the slowest living broker is within the window")
    state.noticed[unit] = False
    record = state.nodes[unit]
    held = entry(state, unit)
    state.log = state.log.plus(Message(unit, record))
    if entry(state, unit) != held:
        state.won[unit, place_of(state.bounds, record.version)] = True
