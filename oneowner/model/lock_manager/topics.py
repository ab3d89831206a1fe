"""
Topics of a bundle are opened and closed, and its lock is given back, or ends. Mirrors ``OwnedBundle``.

An unload closes topics and gives back whichever lock the broker has by then. The end of a lock begins one, too.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE, Bounds
from oneowner.model.lock_manager.ownership import has_topics, put_in_doubt, take_node
from oneowner.model.lock_manager.state import NOBODY, Entry, Lock, State, Unload, is_extensible


@action(broker=BROKER, bundle=BUNDLE, fairness=never("A client may never come."))
def open_topics(state: State, broker: int, bundle: int) -> None:
    """
    A client connects to *broker*, and topics of *bundle* are open.

    Enabled: the broker lives and takes itself for the owner; no topic is open; by the policies topics are in this
    bundle, and not in its halves.
    Changes: topics are open.
    Mirrors: ``BrokerService.checkTopicNsOwnership``, ``NamespaceService.isServiceUnitActiveAsync``.
    """
    require(state.up[broker], "the broker lives")
    require(takes_itself_for_owner(state, broker, bundle), "the broker takes itself for the owner")
    require(not state.serving[broker, bundle], "no topic is open")
    require(has_topics(state, bundle), "topics are in this bundle")
    state.serving[broker, bundle] = True


def takes_itself_for_owner(state: State, broker: int, bundle: int) -> bool:
    """Return whether *broker* lets topics of *bundle* be opened."""
    if is_extensible(state, broker):
        return state.channel[bundle] == broker
    return state.entry[broker, bundle] == Entry.ACTIVE


@action(broker=BROKER, bundle=BUNDLE, budget="loads", fairness=never("A client may never come."))
def begin_load(state: State, broker: int, bundle: int) -> None:
    """
    A client asks *broker* for a topic of *bundle*, which begins to be loaded.

    Enabled: the broker takes itself for the owner, and no topic is being loaded.
    Changes: one is.
    Mirrors: ``BrokerService.loadOrCreatePersistentTopic``.
    """
    require(state.loads_left > 0, "the budget allows another load")
    state.loads_left = state.loads_left - 1
    require(state.up[broker] and takes_itself_for_owner(state, broker, bundle), "the broker takes itself for the owner")
    require(not state.loading[broker, bundle], "no topic is being loaded")
    state.loading[broker, bundle] = True


@action(
    broker=BROKER, bundle=BUNDLE, when=lambda bounds: bounds.loads, fairness=weak("Ledgers are opened, or that fails.")
)
def end_load(state: State, broker: int, bundle: int) -> None:
    """
    The topic of *bundle* that *broker* loads is open; it is refused, if the bundle is not active any more.

    Enabled: one is being loaded; without ``loading_needs_nothing`` only while the bundle is active: else the reader of
    its policies is refused again and again.
    Changes: none is; topics are open, if the broker takes itself for the owner.
    Mirrors: ``BrokerService.getTopicPoliciesBypassSystemTopic``, ``BrokerService.createPersistentTopic0``.
    """
    require(state.loading[broker, bundle], "a topic is being loaded")
    is_owner = takes_itself_for_owner(state, broker, bundle)
    require(is_owner or state.bounds.rules.loading_needs_nothing, "the reader of its policies is let in")
    state.loading[broker, bundle] = False
    if is_owner:
        state.serving[broker, bundle] = True


@action(broker=BROKER, bundle=BUNDLE, budget="unloads", fairness=never("Nobody has to unload."))
def begin_unload(state: State, broker: int, bundle: int) -> None:
    """
    *broker* is told to unload *bundle*, which it owns.

    Enabled: the entry is active.
    Changes: it is inactive; topics are being closed.
    Mirrors: ``NamespaceService.unloadNamespaceBundle``, ``OwnedBundle.handleUnloadRequest``.
    """
    require(state.unloads_left > 0, "the budget allows another unload")
    state.unloads_left = state.unloads_left - 1
    disable(state, broker, bundle)


def disable(state: State, broker: int, bundle: int) -> None:
    """The entry of *bundle* is inactive, and its topics are being closed; refused unless it is active."""
    require(state.entry[broker, bundle] == Entry.ACTIVE, "the entry is active")
    state.entry[broker, bundle] = Entry.INACTIVE
    if state.unload[broker, bundle] == Unload.NONE:
        state.unload[broker, bundle] = Unload.CLOSING


@action(
    broker=BROKER,
    bundle=BUNDLE,
    when=lambda bounds: bounds.unloads or bounds.stops or bounds.expiries or bounds.claims,
    fairness=weak("Topics are closed, or given up after a timeout."),
)
def close_topics(state: State, broker: int, bundle: int) -> None:
    """
    *broker* has closed the topics of *bundle*, and gives back the lock that it has.

    Enabled: it closes them; none is being loaded.
    Changes: no topic is open. A lock that is valid, or in doubt, is given back: also one that is newer than the unload,
    unless the release spares it.
    Mirrors: ``OwnedBundle.handleUnloadRequest``, ``OwnershipCache.removeOwnership``.
    """
    require(state.unload[broker, bundle] != Unload.NONE, "topics are being closed")
    require(not state.loading[broker, bundle], "no topic is being loaded")
    is_outlived = state.unload[broker, bundle] == Unload.OUTLIVED
    state.unload[broker, bundle] = Unload.NONE
    state.serving[broker, bundle] = False
    state.window[broker, bundle] = 0
    if not is_outlived or not state.bounds.rules.chain_spares_newer:
        give_back(state, broker, bundle)


def give_back(state: State, broker: int, bundle: int) -> None:
    """Ask the store to delete the node of *bundle*, if there is a lock of it (``OwnershipCache.removeOwnership``)."""
    if state.lock[broker, bundle] == Lock.VALID or state.lock[broker, bundle] == Lock.IN_DOUBT:
        state.lock[broker, bundle] = Lock.GIVEN_BACK


def deletes_nodes(bounds: Bounds) -> bool:
    """Return whether a lock may be given back."""
    by_split = bounds.splits and bounds.rules.split_gives_parent_back
    return bool(bounds.unloads or bounds.stops or by_split or bounds.expiries or bounds.claims)


@action(
    broker=BROKER,
    bundle=BUNDLE,
    when=deletes_nodes,
    fairness=weak("A store that is up carries requests out, and answers."),
)
def delete_node(state: State, broker: int, bundle: int) -> None:
    """
    The store deletes the node of *bundle*, whosever it is by now, and *broker* has no lock any more.

    Enabled: the broker has sent the deletion, and has a session.
    Changes: there is no node; who holds that lock is in doubt. The lock of the broker has ended.
    Mirrors: ``ResourceLockImpl.release``; all versions of a node are 0.
    """
    require(state.lock[broker, bundle] == Lock.GIVEN_BACK, "the broker gives the lock back")
    require(state.live[broker], "the broker has a session")
    state.node[bundle] = NOBODY
    state.node_of_ghost[bundle] = False
    end_lock(state, broker, bundle)
    put_in_doubt(state, bundle)


def end_lock(state: State, broker: int, bundle: int) -> None:
    """The lock has ended: an entry that is active begins to be unloaded, and there is no entry any more (#12194)."""
    begins = state.entry[broker, bundle] == Entry.ACTIVE and state.bounds.rules.expiry_unloads
    if begins or state.unload[broker, bundle] == Unload.CLOSING:
        state.unload[broker, bundle] = Unload.OUTLIVED
    state.lock[broker, bundle] = Lock.NONE
    state.entry[broker, bundle] = Entry.NONE


@action(
    broker=BROKER,
    bundle=BUNDLE,
    when=lambda bounds: bounds.expiries,
    fairness=weak("A lock that is in doubt is checked, again and again."),
)
def check_lock(state: State, broker: int, bundle: int) -> None:
    """
    *broker* checks a lock that is in doubt.

    Enabled: it is, and the broker has a session.
    Changes: where there is no node, or its own, the lock is valid; else it has ended.
    Mirrors: ``ResourceLockImpl.silentRevalidateOnce``, as far as the laws of ``spec.locks`` hold.
    """
    require(state.lock[broker, bundle] == Lock.IN_DOUBT, "the lock is in doubt")
    require(state.live[broker], "the broker has a session")
    if state.node[bundle] == NOBODY or state.node[bundle] == broker:
        take_node(state, broker, bundle)
        state.window[broker, bundle] = 0
    else:
        if state.window[broker, bundle] > 0:
            state.window[broker, bundle] = 1
        end_lock(state, broker, bundle)
