"""Sessions end, brokers crash and start again, and somebody leads. Mirrors ``ZKSessionWatcher``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.state import end_cells
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE, Bounds
from oneowner.model.lock_manager.ownership import put_in_doubt
from oneowner.model.lock_manager.state import NOBODY, STEPS, Entry, Lock, State, Unload, is_extensible


@action(broker=BROKER, budget="expiries", fairness=never("Sessions need not end."))
def expire(state: State, broker: int) -> None:
    """
    The store ends the session of *broker*, which lives on and does not know.

    Enabled: the broker lives and has a session.
    Changes: its nodes are gone: of its bundles, its registration, its lead.
    Mirrors: ZooKeeper's timing of sessions; ephemeral nodes.
    """
    require(state.expiries_left > 0, "the budget allows another expiry")
    require(state.up[broker] and state.live[broker], "the broker lives and has a session")
    state.expiries_left = state.expiries_left - 1
    state.live[broker] = False
    for bundle in range(1, BUNDLE.count(state.bounds) + 1):
        is_owner = state.entry[broker, bundle] == Entry.ACTIVE or state.serving[broker, bundle]
        if (is_owner and state.node[bundle] == broker) or state.window[broker, bundle] > 0:
            state.window[broker, bundle] = STEPS
    lose_nodes(state, broker)


def lose_nodes(state: State, broker: int) -> None:
    """Delete all that the session of *broker* has in the store: its bundles, its registration, its lead."""
    for bundle in range(1, BUNDLE.count(state.bounds) + 1):
        if state.node[bundle] == broker and not state.node_of_ghost[bundle]:
            state.node[bundle] = NOBODY
            put_in_doubt(state, bundle)
        if state.channel[bundle] == broker:
            state.channel[bundle] = NOBODY
    if not state.registered_by_ghost[broker]:
        leave_registry(state, broker)
    if state.leader == broker:
        state.leader = NOBODY
        note_change_of_lead(state)


def leave_registry(state: State, broker: int) -> None:
    """*broker* is not registered; the promises of others to it are taken back (``reapDeadBrokerPreallocations``)."""
    state.registered[broker] = False
    for other in range(1, state.bounds.brokers + 1):
        if state.promised[other] == broker and state.bounds.rules.gone_lose_preallocations:
            state.promised[other] = NOBODY


def note_change_of_lead(state: State) -> None:
    """No lookup that is under way has seen one leader all along."""
    for client in range(1, state.bounds.clients + 1):
        state.steady[client] = False


@action(broker=BROKER, when=lambda bounds: bounds.expiries, fairness=weak("Clients of ZooKeeper connect again."))
def reestablish(state: State, broker: int) -> None:
    """
    *broker* gets another session and hears of it: its locks are in doubt, its registration among them.

    Enabled: it lives and has none.
    Changes: it has one, and is to register, unless it stops.
    Mirrors: ``LockManagerImpl.handleSessionEvent``, ``LeaderElectionImpl.handleSessionNotification``.
    """
    require(state.up[broker] and not state.live[broker], "the broker lives and has no session")
    state.live[broker] = True
    for bundle in range(1, BUNDLE.count(state.bounds) + 1):
        if state.lock[broker, bundle] == Lock.VALID:
            state.lock[broker, bundle] = Lock.IN_DOUBT
        if state.window[broker, bundle] > 0:
            state.window[broker, bundle] = 2 if state.unload[broker, bundle] == Unload.NONE else 1
    state.to_register[broker] = not state.stopping[broker]


@action(broker=BROKER, budget="crashes", fairness=never("Brokers need not crash."))
def crash(state: State, broker: int) -> None:
    """
    The process of *broker* ends; its nodes last as long as its session.

    Enabled: it lives.
    Changes: all that it has in memory is gone; its session is that of a ghost, if it had one.
    Mirrors: the loss of a process.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    require(state.up[broker] and not state.ghost[broker], "the broker lives, and no session of it is left over")
    state.crashes_left = state.crashes_left - 1
    state.ghost[broker] = state.live[broker]
    state.up[broker] = False
    end_cells(state, broker)


@action(broker=BROKER, when=lambda bounds: bounds.crashes, fairness=weak("ZooKeeper ends the session of who is gone."))
def end_ghost(state: State, broker: int) -> None:
    """
    The store ends the session of a process of *broker* that has ended.

    Enabled: it still has that session.
    Changes: the nodes of that session are gone; who holds such a lock is in doubt.
    Mirrors: ZooKeeper's timing of sessions.
    """
    require(state.ghost[broker], "the store has the session of a process that has ended")
    state.ghost[broker] = False
    if state.up[broker]:
        for bundle in range(1, BUNDLE.count(state.bounds) + 1):
            if state.node_of_ghost[bundle] and state.node[bundle] == broker:
                state.node[bundle] = NOBODY
                state.node_of_ghost[bundle] = False
                put_in_doubt(state, bundle)
        if state.registered_by_ghost[broker]:
            state.registered_by_ghost[broker] = False
            leave_registry(state, broker)
    else:
        lose_nodes(state, broker)


@action(broker=BROKER, budget="restarts", fairness=never("Nobody has to start it again."))
def restart(state: State, broker: int) -> None:
    """
    A new process of *broker* starts, under the same name and the same URLs.

    Enabled: none lives.
    Changes: it lives, has a session and is to register; nodes of the session before are not its own, but look so.
    Mirrors: ``PulsarService.start``.
    """
    require(state.restarts_left > 0, "the budget allows another start")
    require(not state.up[broker], "no process lives")
    state.restarts_left = state.restarts_left - 1
    state.up[broker] = True
    state.live[broker] = True
    if state.ghost[broker]:
        for bundle in range(1, BUNDLE.count(state.bounds) + 1):
            if state.node[bundle] == broker:
                state.node_of_ghost[bundle] = True
        if state.leader == broker:  # of equal value and another session: deleted, and elected anew
            state.leader = NOBODY
            note_change_of_lead(state)
        state.registered_by_ghost[broker] = state.registered[broker]
    state.to_register[broker] = True
    state.to_claim[broker] = broker == state.bounds.monitored


@action(
    broker=BROKER,
    when=lambda bounds: bounds.restarts or bounds.expiries,
    fairness=weak("A broker that starts, or has another session, registers."),
)
def register(state: State, broker: int) -> None:
    """
    *broker* registers.

    Enabled: it lives, has a session, and is still to register.
    Changes: it is registered; a registration of an earlier session is replaced, or, without ``registration_is_lock``,
    taken for its own.
    Mirrors: ``ModularLoadManagerImpl.start``, ``LockManagerImpl.acquireLock``, ``ResourceLockImpl.revalidate``.
    """
    require(state.up[broker] and state.live[broker], "the broker lives and has a session")
    require(state.to_register[broker], "the broker is still to register")
    state.to_register[broker] = False
    if state.bounds.rules.registration_is_lock:
        state.registered_by_ghost[broker] = False
    state.registered[broker] = True


def lead_changes(bounds: Bounds) -> bool:
    """Return whether the leader may be gone."""
    return bool(bounds.expiries or bounds.crashes or bounds.stops)


def others_may_lead(bounds: Bounds) -> bool:
    """Return whether the leader may be gone, and there is somebody to lead after it."""
    return lead_changes(bounds) and bool(bounds.brokers - bounds.extensible > 1 or bounds.expiries or bounds.restarts)


@action(broker=BROKER, when=others_may_lead, fairness=weak("Somebody is elected."))
def elect(state: State, broker: int) -> None:
    """
    *broker* creates the node of the leader.

    Enabled: there is none; the broker lives, has a session and the older manager.
    Changes: it leads, and knows.
    Mirrors: ``LeaderElectionImpl.tryToBecomeLeader``, in one step.
    """
    require(state.leader == NOBODY, "nobody leads")
    require(state.up[broker] and state.live[broker], "the broker lives and has a session")
    require(not is_extensible(state, broker), "the broker has the older manager")
    state.leader = broker
    state.takes_for_leader[broker] = broker
    note_change_of_lead(state)


@action(broker=BROKER, when=lead_changes, fairness=weak("ZooKeeper notifies."))
def hear_of_leader(state: State, broker: int) -> None:
    """
    *broker* hears who leads, or that nobody does.

    Enabled: it lives, has a session, and takes another for the leader.
    Changes: it knows.
    Mirrors: ``LeaderElectionImpl.handlePathNotification``, ``MetadataCacheImpl.accept``.
    """
    require(state.up[broker] and state.live[broker], "the broker lives and has a session")
    require(state.takes_for_leader[broker] != state.leader, "the broker takes another for the leader")
    state.takes_for_leader[broker] = state.leader
    note_change_of_lead(state)


@action(broker=BROKER, when=lambda bounds: bounds.starting, fairness=weak("A broker that starts gets ready."))
def get_ready(state: State, broker: int) -> None:
    """
    The election of *broker* is there.

    Enabled: it was not.
    Changes: it is.
    Mirrors: ``PulsarService.startLeaderElectionService``.
    """
    require(state.up[broker] and state.unready[broker], "the election is not there")
    state.unready[broker] = False
