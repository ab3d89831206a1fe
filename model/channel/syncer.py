"""
The syncer keeps the channel in both storages while a cluster moves from the topic to the metadata store (or back).

The first brokers still keep the channel in the topic, the last ``Bounds.synced`` of them in the metadata store; neither
reads what the other writes. The leader's *syncer* copies every change of one storage to the other, where it is put like
any record: the resolver of that storage refuses what does not follow, and nobody is told. Sources:
``ServiceUnitStateTableViewSyncer`` (v4.0.6), channel.11, bugs.R34. ``Bounds`` allows no crashes, no lost sessions
and, where units are assigned or the syncer starts again, no tombstones here; then a copy that the syncer reads again
and sends back is refused by every reader, and is left out.
"""

from __future__ import annotations

from oneowner.model.channel.broker import handle, is_news
from oneowner.model.channel.channel import consumed, entry, is_rival, place_of
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import TOMBSTONE, Record, is_absent
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sorts import IN_STORE, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, strong, weak
from oneowner.model.kernel.guards import require, require_room

COPIES = "the syncer copies changes"


@action(broker=IN_STORE, when=lambda bounds: bounds.synced, fairness=strong("as append"))
def put(state: State, broker: int) -> None:
    """
    The oldest publish of *broker*, which keeps the channel in the metadata store, reaches the unit's node or loses.

    Enabled: its outbox is not empty.
    Changes: the first entry of its outbox is gone; if the metadata store's resolver takes it, the node does, the
    brokers there and the syncer are notified, and the writer takes its notification at once. The unit is tainted if the
    topic holds another record of at least that version.
    Log: none.
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


def fits(state: State, held: Record, proposed: Record) -> bool:
    """Say whether a node that holds *held* takes *proposed*."""
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
    *broker*, which keeps the channel in the metadata store, reads the node of *unit*, of whose change it was told.

    Enabled: a notification of the unit waits.
    Changes: it is taken; if the node differs from the view, the view takes it and the broker does what it owes
    (``handle``).
    Log: as ``notify``.
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
    Log: none; a refused put reports success.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncToMetadataStore`` as tail listener of the topic's view.
    """
    require(not state.cleaned, COPIES)
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
    Log: none.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncToSystemTopic`` as tail listener of the metadata store's view.
    """
    require(not state.cleaned, COPIES)
    require(state.noticed[unit], "the node has changed since the syncer read it")
    require_room(state.log.length < state.bounds.window, "the slowest living broker is within the window")
    state.noticed[unit] = False
    record = state.nodes[unit]
    held = entry(state, unit)
    state.log = state.log.plus(Message(unit, record))
    if entry(state, unit) != held:
        state.won[unit, place_of(state.bounds, record.version)] = True


@action(budget="syncs", fairness=never("the leader changes, or an operator asks for it"))
def start_syncer(state: State) -> None:
    """
    Another broker becomes the leader and starts its syncer, from topic to metadata store: first it deletes every node.

    It does so whether or not brokers use the metadata store already.

    Enabled: the syncer copies.
    Changes: it does not (``cleaned``), and has no notification; every node is nothing, and the brokers there are
    notified. A unit that loses its node while the topic holds something is tainted.
    Log: none.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncExistingItems``, ``clean``.
    """
    require(state.syncs_left > 0, "the budget allows the syncer to be started again")
    require(not state.cleaned, COPIES)
    state.syncs_left = state.syncs_left - 1
    state.cleaned = True
    for unit in range(1, state.bounds.units + 1):
        state.noticed[unit] = False
        if not is_absent(state.nodes[unit]):
            if is_held_elsewhere(state, unit):
                state.tainted[unit] = True
            set_node(state, unit, TOMBSTONE)


def is_held_elsewhere(state: State, unit: int) -> bool:
    """Say whether the topic holds something of *unit*, which whoever sees no node will not know of."""
    return not is_absent(entry(state, unit))


@action(budget="syncs", fairness=weak("a syncer that starts goes on"))
def copy_existing(state: State) -> None:
    """
    The syncer that starts writes what the topic holds over every node, unconditionally, and copies changes from now on.

    What was written to a node meanwhile is lost.

    Enabled: the syncer has deleted the nodes (``cleaned``).
    Changes: it copies, has read the whole log, and has no notification; every node takes the topic's entry if there is
    one, and the brokers there are notified.
    Log: ``Synced existing items ..``.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncExistingItemsToMetadataStore``, ``syncTailItems``.
    """
    require(state.cleaned, "the syncer has deleted the nodes")
    state.cleaned = False
    state.copied = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.noticed[unit] = False
        if not is_absent(entry(state, unit)):
            set_node(state, unit, entry(state, unit))
