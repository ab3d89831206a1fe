"""
A syncer starts: it empties one storage, copies the other, and then listens to changes.

Once it has copied it reads both storages anew, and what its new views find there is told to nobody: what is written in
between reaches the other storage only if its unit is written again (bound ``syncer_gaps``). The syncer waits until both
hold equally many entries, and starts over if they do not within 300 s; since #25946 it copies what is missing instead.
That entries of one unit differ it never notices. Here the topic is copied to the metadata store; the other direction,
which the code has too, is not modelled. Sources: ``ServiceUnitStateTableViewSyncer`` (v4.0.6), and v4.2.4 for
``reconcile``.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import SyncerStart
from oneowner.model.channel.record import TOMBSTONE, is_absent
from oneowner.model.channel.sorts import UNIT
from oneowner.model.channel.state import State
from oneowner.model.channel.syncer import COPIES, set_node
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

SYNCS = Budget(
    "syncs",
    "How often the syncer between the two storages may be started again",
    needs={"synced": "without synced there is no syncer"},
)

SYNCER_GAPS = Choice(
    "syncer_gaps",
    "1: a syncer that starts listens some time after it has copied, and then compares; 0: it listens at once",
    needs={"syncs": "without syncs no syncer starts"},
)

SYNCER_COMPARES_VALUES = Switch(
    "A syncer that starts compares what both storages hold, not how many entries; no release does.",
)

LISTENS = "the syncer that starts listens"


@action(budget=SYNCS, fairness=never("the leader changes, or an operator asks for it"))
def start_syncer(state: State) -> None:
    """
    Another broker becomes the leader and starts its syncer, from topic to metadata store: first it deletes every node.

    It does so whether or not brokers use the metadata store already.

    Enabled: the syncer copies.
    Changes: it does not (``cleaned``), and has no notification; every node is nothing, and the brokers there are
    notified. A unit that loses its node while the topic holds something is tainted.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncExistingItems``, ``clean``.
    """
    require(state.syncs_left > 0, "the budget allows the syncer to be started again")
    require(not state.cleaned and state.starting == SyncerStart.OVER, COPIES)
    state.syncs_left = state.syncs_left - 1
    clean_nodes(state)


def clean_nodes(state: State) -> None:
    """Delete every node, and forget what is noticed."""
    state.cleaned = True
    for unit in range(1, state.bounds.units + 1):
        state.noticed[unit] = False
        if not is_absent(state.nodes[unit]):
            if is_held_elsewhere(state, unit):
                state.tainted[unit] = True
            set_node(state, unit, TOMBSTONE)


def is_held_elsewhere(state: State, unit: int) -> bool:
    """Return whether the topic holds something of *unit*, which whoever sees no node will not know of."""
    return not is_absent(entry(state, unit))


@action(budget=SYNCS, fairness=weak("a syncer that starts goes on"))
def copy_existing(state: State) -> None:
    """
    The syncer that starts writes what the topic holds over every node, unconditionally.

    What was written to a node meanwhile is lost.

    Enabled: the syncer has deleted the nodes (``cleaned``).
    Changes: it has read the whole log and has no notification; every node takes the topic's entry if there is one, and
    the brokers there are notified. It copies changes from now on, but with ``syncer_gaps`` once it listens.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncExistingItemsToMetadataStore``, ``syncTailItems``.
    """
    require(state.cleaned, "the syncer has deleted the nodes")
    state.cleaned = False
    if state.bounds.syncer_gaps:
        state.starting = SyncerStart.COPIED
    state.copied = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.noticed[unit] = False
        if not is_absent(entry(state, unit)):
            set_node(state, unit, entry(state, unit))


@action(when=lambda bounds: bounds.syncer_gaps, fairness=weak("a syncer that starts goes on"))
def listen(state: State) -> None:
    """
    The syncer reads both storages anew, and copies changes from now on.

    Enabled: it has copied what was there.
    Changes: it listens; it has read the whole log, and has no notification: what came since it copied it never copies.
    Mirrors: ``ServiceUnitStateTableViewSyncer.syncTailItems``; existing items go to ``dummy``.
    """
    require(state.starting == SyncerStart.COPIED, "the syncer has copied what was there")
    state.starting = SyncerStart.LISTENING
    state.copied = state.log.length
    for unit in range(1, state.bounds.units + 1):
        state.noticed[unit] = False


@action(when=lambda bounds: bounds.syncer_gaps, fairness=weak("the syncer compares every 100 ms"))
def end_syncer_start(state: State) -> None:
    """
    The syncer finds that both storages hold equally many entries: it has started.

    Enabled: it listens, and it is so (with ``syncer_compares_values``: both hold the same).
    Changes: its start is over.
    Mirrors: ``ServiceUnitStateTableViewSyncer.waitUntilSynced``.
    """
    require(state.starting == SyncerStart.LISTENING, LISTENS)
    require(is_level(state), "both storages hold equally many entries")
    state.starting = SyncerStart.OVER


@action(when=lambda bounds: bounds.syncer_gaps, fairness=weak("300 s pass, and the leader tries its role again"))
def start_syncer_over(state: State) -> None:
    """
    The syncer has waited too long for storages that hold equally many entries: it deletes every node, and copies again.

    Enabled: it listens, and they do not; it does not reconcile them.
    Changes: as ``start_syncer``.
    Mirrors: ``ServiceUnitStateTableViewSyncer.start``, ``ExtensibleLoadManagerImpl.playLeader``, which tries again.
    """
    require(state.starting == SyncerStart.LISTENING, LISTENS)
    require(not is_level(state), "the storages do not hold equally many entries")
    require(not reconciles(state), "the syncer does not reconcile storages")
    state.starting = SyncerStart.OVER
    clean_nodes(state)


@action(unit=UNIT, when=lambda bounds: bounds.syncer_gaps, fairness=weak("the syncer reconciles again and again"))
def reconcile(state: State, unit: int) -> None:
    """
    The syncer that waits writes what the topic holds of *unit* into the metadata store, which holds nothing of it.

    What only the metadata store holds it deletes if it was there before the syncer started; of that nothing is left
    here, as every node was deleted.

    Enabled: it listens and reconciles (#25946, or ``syncer_compares_values``), and the storages do not hold equally
    many entries; the topic holds something of the unit, and the node nothing (``syncer_compares_values``: another).
    Changes: the node takes the topic's entry, and the brokers there are notified.
    Mirrors: ``ServiceUnitStateTableViewSyncer.waitUntilSynced`` (apache/pulsar#25946).
    """
    require(state.starting == SyncerStart.LISTENING, LISTENS)
    require(reconciles(state), "the syncer reconciles storages")
    require(not is_level(state), "the storages do not hold equally many entries")
    held = entry(state, unit)
    require(not is_absent(held), "the topic holds something of the unit")
    if state.bounds.rules.syncer_compares_values:
        require(state.nodes[unit] != held, "the node holds something else")
    else:
        require(is_absent(state.nodes[unit]), "the node holds nothing")
    set_node(state, unit, held)


def reconciles(state: State) -> bool:
    """Return whether a syncer that waits for equally many entries copies what is missing."""
    return state.bounds.rules.syncer_copies_deletions or state.bounds.rules.syncer_compares_values


def is_level(state: State) -> bool:
    """Return whether a syncer that starts takes the storages for equal: by the number of entries, or by values."""
    if state.bounds.rules.syncer_compares_values:
        return all(state.nodes[unit] == entry(state, unit) for unit in range(1, state.bounds.units + 1))
    more = 0
    for unit in range(1, state.bounds.units + 1):
        if not is_absent(state.nodes[unit]):
            more = more + 1
        if not is_absent(entry(state, unit)):
            more = more - 1
    return more == 0
