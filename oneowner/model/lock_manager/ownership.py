"""
A broker acquires bundles, opens their topics, unloads them and gives them back. Mirrors ``OwnershipCache``.

The cache has one entry of a bundle, whoever asks: lookups that come while the lock is acquired are one acquisition. An
entry does not know which lock it was made for, and neither does an unload: it gives back whichever the broker has.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, Lock, State, belongs_to, is_extensible


@action(broker=BROKER, bundle=BUNDLE, budget="acquires", fairness=never("Nobody has to ask for a bundle."))
def acquire(state: State, broker: int, bundle: int) -> None:
    """
    *broker* is asked by an authoritative request to own *bundle*: it acquires the lock, whoever else may own it.

    Enabled: the broker lives, has no entry of the bundle, and has the older manager; topics are in the bundle, and it
    belongs to no other broker.
    Changes: the entry is loading; a put that creates the node is sent.
    Mirrors: ``OwnershipCache.tryAcquiringOwnership``.
    """
    require(state.acquires_left > 0, "the budget allows another acquisition")
    state.acquires_left = state.acquires_left - 1
    require(state.up[broker], "the broker lives")
    require(not is_extensible(state, broker), "the broker has the older manager")
    require(state.entry[broker, bundle] == Entry.NONE, "the broker has no entry of the bundle")
    require(has_topics(state, bundle), "topics are in this bundle")
    if bundle == FIRST:
        require(belongs_to(state) == NOBODY or belongs_to(state) == broker, "the bundle belongs to no other broker")
    load_entry(state, broker, bundle)


def load_entry(state: State, broker: int, bundle: int) -> None:
    """The cache loads an entry of *bundle*, unless there is one (``ownedBundlesCache.get``)."""
    if state.entry[broker, bundle] == Entry.NONE:
        state.entry[broker, bundle] = Entry.LOADING
        state.lock[broker, bundle] = Lock.WANTED


@action(
    broker=BROKER,
    bundle=BUNDLE,
    when=lambda bounds: bounds.acquires or bounds.clients or bounds.splits or bounds.monitored,
    fairness=weak("A store that is up carries requests out, and answers."),
)
def create_node(state: State, broker: int, bundle: int) -> None:
    """
    The store creates the node of *bundle* for *broker*, or has one; the answer is taken.

    Enabled: the broker has sent the put, and has a session.
    Changes: where there is no node, or one of the broker's own, the lock is valid, and the entry active; a node of an
    earlier session is replaced. Else there is neither lock nor entry.
    Mirrors: ``OwnedServiceUnitCacheLoader.asyncLoad``, ``ResourceLockImpl.acquire``.
    """
    require(state.lock[broker, bundle] == Lock.WANTED, "the broker wants the lock")
    require(state.live[broker], "the broker has a session")
    if state.node[bundle] == NOBODY or state.node[bundle] == broker:
        take_node(state, broker, bundle)
        state.entry[broker, bundle] = Entry.ACTIVE
    else:
        state.lock[broker, bundle] = Lock.NONE
        state.entry[broker, bundle] = Entry.NONE if state.bounds.rules.busy_is_no_owner else Entry.ACTIVE


def take_node(state: State, broker: int, bundle: int) -> None:
    """The node is of the present session of *broker*, which hears of it; one of an earlier session is replaced."""
    state.node[bundle] = broker
    state.node_of_ghost[bundle] = False
    state.lock[broker, bundle] = Lock.VALID


@action(broker=BROKER, bundle=BUNDLE, budget="losses", fairness=never("Connections need not break."))
def lose_request(state: State, broker: int, bundle: int) -> None:
    """
    *broker* learns that its request failed with the connection; it was not carried out.

    Enabled: an acquire or a release is under way.
    Changes: as ``lose_answer``, but the store is as it was.
    Mirrors: ``MetadataStoreException``, for a lost connection.
    """
    spend_loss(state)
    fail_request(state, broker, bundle)


@action(broker=BROKER, bundle=BUNDLE, budget="losses", fairness=never("Connections need not break."))
def lose_answer(state: State, broker: int, bundle: int) -> None:
    """
    *broker* learns that its request failed with the connection, though the store has carried it out.

    Enabled: an acquire or a release is under way, and the broker has a session.
    Changes: the node is created, if there is none, or deleted; an acquire that failed leaves no entry, a release that
    failed leaves a lock that nobody will end, and its bundle inactive.
    Mirrors: ``ResourceLockImpl.release``: the state stays Releasing.
    """
    spend_loss(state)
    require(state.live[broker], "the broker has a session")
    if state.lock[broker, bundle] == Lock.WANTED:
        if state.node[bundle] == NOBODY:
            state.node[bundle] = broker
    else:
        state.node[bundle] = NOBODY
        state.node_of_ghost[bundle] = False
        put_in_doubt(state, bundle)
    fail_request(state, broker, bundle)


def spend_loss(state: State) -> None:
    """Take one from the budget of losses."""
    require(state.losses_left > 0, "the budget allows another loss")
    state.losses_left = state.losses_left - 1


def fail_request(state: State, broker: int, bundle: int) -> None:
    """An acquire has failed, or a release, which stays so."""
    is_acquire = state.lock[broker, bundle] == Lock.WANTED
    require(is_acquire or state.lock[broker, bundle] == Lock.GIVEN_BACK, "a request is under way")
    if is_acquire:
        state.lock[broker, bundle] = Lock.NONE
        state.entry[broker, bundle] = Entry.NONE
    else:
        state.lock[broker, bundle] = Lock.STUCK


def put_in_doubt(state: State, bundle: int) -> None:
    """Notify every broker with a session that a node was deleted; the holder of its lock has to check it."""
    for broker in range(1, state.bounds.brokers + 1):
        if state.live[broker] and state.lock[broker, bundle] == Lock.VALID:
            state.lock[broker, bundle] = Lock.IN_DOUBT


def has_topics(state: State, bundle: int) -> bool:
    """Return whether topics are in *bundle*: it is not cut; if it is a half, its whole is."""
    whole = bundle - state.bounds.bundles
    return state.cut[whole] if whole > 0 else not state.cut[bundle]
