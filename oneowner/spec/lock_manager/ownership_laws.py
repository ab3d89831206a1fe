"""
Laws of ownership by nodes: which broker serves a bundle, how long a former owner goes on, and caches and nodes.

The store has one owner of a bundle at most, because it has one node. A broker learns the end of its own session late:
between the end of a session and the close of its topics two brokers may serve. That is the window described in PIP-192.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, sometimes, step_law
from oneowner.model.lock_manager.state import NOBODY, STEPS, Entry, Lock, State, Unload, brokers, bundles


def some_window_is_open(state: State) -> bool:
    return any(state.window[broker, bundle] > 0 for broker in brokers(state) for bundle in bundles(state))


def is_closing(state: State, broker: int, bundle: int) -> bool:
    """Return whether the step is on its way that *broker* has to take next, until topics of *bundle* are closed."""
    left = state.window[broker, bundle]
    hears = left == STEPS and not state.live[broker]
    checks = left == STEPS - 1 and state.live[broker] and state.lock[broker, bundle] == Lock.IN_DOUBT
    return left == 0 or hears or checks or (left == 1 and state.unload[broker, bundle] != Unload.NONE)


@always(
    "window-closes",
    "apache/pulsar#12194; OwnedServiceUnitCacheLoader.asyncLoad",
    when=some_window_is_open,
    kind=LawKind.PURPOSE,
)
def all_windows_close(state: State) -> bool:
    """
    A broker whose session ended has at most three steps to take until topics are closed that another may open: it hears
    of it, checks the lock, closes the topics; and the next of them is always on its way.
    """
    return all(is_closing(state, broker, bundle) for broker in brokers(state) for bundle in bundles(state))


def a_window_is_open(before: State, action: Action, after: State) -> bool:
    return some_window_is_open(before) and action.name != "expire"


@step_law("window-shrinks", "OwnedServiceUnitCacheLoader.asyncLoad", when=a_window_is_open, kind=LawKind.PROTOCOL)
def no_window_gets_longer(before: State, action: Action, after: State) -> bool:
    """No step but the end of a session adds to what a broker has still to do until its topics are closed."""
    return all(
        after.window[broker, bundle] <= before.window[broker, bundle]
        for broker in brokers(before)
        for bundle in bundles(before)
    )


def somebody_serves(state: State) -> bool:
    return any(state.serving[broker, bundle] for broker in brokers(state) for bundle in bundles(state))


def is_innocent(state: State, broker: int, bundle: int) -> bool:
    """Return whether topics of *bundle* are not open at *broker*, or its session ended while it owned the bundle."""
    return not state.serving[broker, bundle] or state.window[broker, bundle] > 0


@always(
    "single-server",
    "OwnershipCache; apache/pulsar#26197",
    when=somebody_serves,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def one_serves_beside_windows(state: State) -> bool:
    """
    At most one broker has topics of a bundle open, but for those whose session ended while they owned it; none is
    acquired anew before the topics of a lock that ended are closed, or given back in a later session, and there is one
    manager.
    """
    return all(
        one == other or is_innocent(state, one, bundle) or is_innocent(state, other, bundle)
        for bundle in bundles(state)
        for one in brokers(state)
        for other in brokers(state)
    )


@always(
    "single-server-always",
    "PIP-192, Motivation; OwnershipCache",
    when=somebody_serves,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def one_serves(state: State) -> bool:
    """
    At most one broker has topics of a bundle open.

    (It does not hold: a broker whose session ended continues to serve until it learns of that, while another creates
    the node.)
    """
    return all(
        one == other or not state.serving[one, bundle] or not state.serving[other, bundle]
        for bundle in bundles(state)
        for one in brokers(state)
        for other in brokers(state)
    )


def is_under_way(state: State, broker: int, bundle: int) -> bool:
    """Return whether something of *bundle* is still to happen at *broker*."""
    lock = state.lock[broker, bundle]
    waits = lock == Lock.WANTED or lock == Lock.IN_DOUBT or lock == Lock.GIVEN_BACK
    return waits or state.unload[broker, bundle] != Unload.NONE


def is_settled(state: State) -> bool:
    """Return whether all that live have a session, no session is left over, and nothing of a bundle is to happen."""
    return not any(
        (state.up[broker] and not state.live[broker]) or state.ghost[broker] or state.splitting[broker] != NOBODY
        for broker in brokers(state)
    ) and not any(is_under_way(state, broker, bundle) for broker in brokers(state) for bundle in bundles(state))


@always(
    "cache-is-store",
    "OwnershipCache.getOwnerAsync; apache/pulsar#8111, #23515",
    when=is_settled,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def caches_are_the_store(state: State) -> bool:
    """
    Where nothing is under way, a broker's cache has a bundle active just if the node is the broker's: no answer is
    lost.
    """
    return all(
        (state.entry[broker, bundle] == Entry.ACTIVE) == (state.node[bundle] == broker)
        for broker in brokers(state)
        for bundle in bundles(state)
    )


def is_given_back(before: State, after: State, broker: int, bundle: int) -> bool:
    """Return whether *broker* gives the lock of *bundle* back between two states."""
    return before.lock[broker, bundle] != Lock.GIVEN_BACK and after.lock[broker, bundle] == Lock.GIVEN_BACK


def a_lock_is_given_back(before: State, action: Action, after: State) -> bool:
    return any(is_given_back(before, after, broker, bundle) for broker in brokers(before) for bundle in bundles(before))


@step_law(
    "unload-spares-newer",
    "apache/pulsar#26197; OwnedBundle.handleUnloadRequest, OwnershipCache.removeOwnership",
    when=a_lock_is_given_back,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def none_is_newer(before: State, action: Action, after: State) -> bool:
    """
    Only the lock of a bundle that is inactive is given back.

    (It does not hold: an unload that a lock's end began gives back whichever lock there is when topics are closed, also
    one that was acquired since, whose bundle is active.)
    """
    return not any(
        is_given_back(before, after, broker, bundle) and after.entry[broker, bundle] == Entry.ACTIVE
        for broker in brokers(before)
        for bundle in bundles(before)
    )


def some_unload_is_on(state: State) -> bool:
    return any(state.entry[broker, bundle] == Entry.INACTIVE for broker in brokers(state) for bundle in bundles(state))


@leads_to(
    "unload-ends",
    "apache/pulsar#21445; OwnedBundle.handleUnloadRequest",
    when=some_unload_is_on,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def no_unload_is_on(state: State) -> bool:
    """A bundle that is being unloaded is so no more in the end, without the unload's timeout: no answer is lost."""
    return not some_unload_is_on(state)


def some_is_unregistered(state: State) -> bool:
    return any(
        state.up[broker] and not state.stopping[broker] and not state.registered[broker] for broker in brokers(state)
    )


@leads_to("running-is-registered", "apache/pulsar#913, #6788, #10351", when=some_is_unregistered, kind=LawKind.PROTOCOL)
def none_is_unregistered(state: State) -> bool:
    """A broker that lives and does not stop is registered in the end."""
    return not some_is_unregistered(state)


@sometimes("window-ends", "apache/pulsar#12194")
def a_window_ends(before: State, action: Action, after: State) -> bool:
    """A broker whose session ended closes its topics."""
    return some_window_is_open(before) and not some_window_is_open(after)


@sometimes("owner-serves", "OwnershipCache")
def a_unit_changes_hands(before: State, action: Action, after: State) -> bool:
    """A broker opens topics of a bundle whose node it has."""
    return any(
        after.serving[broker, bundle] and not before.serving[broker, bundle] and after.node[bundle] == broker
        for broker in brokers(before)
        for bundle in bundles(before)
    )
