"""
Processes end, their sessions expire, brokers register and notice each other, and one is elected.

A broker registers with an ephemeral node; every broker keeps a cache of the registry, which watches bring up to date
later. A broker whose session has ended is told nothing: it takes itself for registered until it has a new session, and
its caches, its own entry too, say what they said; then they are emptied, and read anew. Sources:
``BrokerRegistryImpl``, ``MetadataCacheImpl``, ``LeaderElectionImpl`` (v4.0.6), channel.9 and 10, and the recordings
(run.G7, run.G10).
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.caches import announce
from oneowner.model.channel.compactor import host_dies, load_topic
from oneowner.model.channel.leader import give_out_roles, require_manager_free
from oneowner.model.channel.parts import Metadata, Node, Run, Stage
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.session import HAS_SESSION, ZOOKEEPER_UP, has_session
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action, action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.state import end_cells

CRASHES = Budget(
    "crashes", "How many brokers may crash", clashes={"beliefs": "roles of processes that die are not modelled yet"}
)

EXPIRIES = Budget("expiries", "How many sessions of living brokers may expire; those of dead ones always may")

DOWN = "the broker is down"
RUNS = "the broker is up, or starts"
GIVEN_UP = "the broker has not given up its registration and its election to shut down"


@action(broker=BROKER, budget=CRASHES, fairness=never("a perturbation"))
def crash(state: State, broker: int) -> None:
    """
    The process of *broker* dies; its publishes may still arrive or not.

    Enabled: the broker is up, or starts.
    Changes: its memory is gone and it serves nothing; its node, and the leader's if it led, is left over until its
    session expires; a compaction that it ran is over.
    Mirrors: the end of ``PulsarService`` without ``close``.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    require(runs(state, broker), RUNS)
    state.crashes_left = state.crashes_left - 1
    die(state, broker)


def die(state: State, broker: int) -> None:
    """End the process of *broker*, and leave its node to its session."""
    end_process(state, broker)
    if state.node[broker] == Node.PRESENT:
        state.node[broker] = Node.LEFTOVER


def runs(state: State, broker: int) -> bool:
    """Return whether the process of *broker* runs: it is up, or starts."""
    return state.run[broker] == Run.UP or state.run[broker] == Run.STARTING


def end_process(state: State, broker: int) -> None:
    """The memory of *broker* is gone: it serves nothing and answers nobody; its publishes are on their way."""
    end_cells(state, broker)
    if state.bounds.compactions and state.leader == broker:
        host_dies(state)


@action(
    broker=BROKER,
    when=lambda bounds: bounds.crashes or bounds.shutdowns,
    fairness=never("a dead broker's publish arrives or is lost: append is owed, unless this comes first"),
)
def lose(state: State, broker: int) -> None:
    """
    The oldest publish of a dead *broker* never arrives.

    Enabled: the broker is down and its outbox is not empty.
    Changes: the first entry of its outbox is gone.
    Mirrors: pulsar-client ``ProducerImpl.pendingMessages``, which die with the process.
    """
    require(state.run[broker] == Run.DOWN, DOWN)
    require(state.outbox[broker].length > 0, "a publish of the broker is under way")
    state.outbox[broker] = state.outbox[broker].without(1)


def ends_no_running_session(before: State, action: Action, after: State) -> bool:
    """Return whether the session that ends is that of a process which is gone, or stands still."""
    if action.name != "expire":
        return False
    broker = action.argument("broker")
    if leads_unregistered(before, broker):
        return before.run[broker] == Run.PAUSED
    return before.node[broker] != Node.PRESENT or before.run[broker] == Run.PAUSED


def leads_unregistered(state: State, broker: int) -> bool:
    """Return whether the only node that a session of *broker*, which lives, holds is the leader's (run.G2)."""
    if not state.bounds.beliefs:
        return False
    return state.leader == broker and state.node[broker] == Node.ABSENT


@action(
    broker=BROKER,
    when=lambda bounds: bounds.sessions_end,
    fairness=weak(
        "ZooKeeper ends the session of a process that is gone or stands still (sessionTimeout); others: a perturbation",
        owed=ends_no_running_session,
    ),
)
def expire(state: State, broker: int) -> None:
    """
    ZooKeeper ends the session that holds the registry node of *broker*, or the leader's alone.

    Enabled: ZooKeeper is up, and the broker has a node, or is a leader without one: dead, or, with ``beliefs``, not
    registered (run.G2). The budget is needed, and spent, if the session is that of a process which is up and has not
    given it up (Unstable). Without
    ``ephemeral_registration`` the broker must be the leader.
    Changes: the node vanishes, if it is ephemeral, and with it the lead, unless the node was an older process's than
    the living one, which then, if it has a session, knows its registration gone. A living broker goes on serving, and
    without ``foreign_leader_kept`` runs for the lead until it is elected or deposes; a session that it had not given up
    is ``session_ended`` until it hears of that.
    Mirrors: ``ZKSessionWatcher``, ephemeral nodes, ``BrokerRegistryImpl.handleMetadataStoreNotification``.
    """
    require(not state.zookeeper_down, ZOOKEEPER_UP)
    leads_dead = state.leader == broker and state.run[broker] == Run.DOWN
    is_alone = leads_unregistered(state, broker)
    require(state.node[broker] != Node.ABSENT or leads_dead or is_alone, "a session of the broker holds a node")
    if not state.bounds.rules.ephemeral_registration:
        require(state.leader == broker, "a session of the broker holds the leader's node, the only ephemeral one")
    if (state.node[broker] == Node.PRESENT or is_alone) and state.metadata[broker] != Metadata.UNSTABLE:
        if state.run[broker] != Run.PAUSED:
            require(state.expiries_left > 0, "the budget allows another session of a living broker to expire")
            state.expiries_left = state.expiries_left - 1
        if state.bounds.live_sessions_end:
            state.session_ended[broker] = True
    of_older_process = state.node[broker] == Node.LEFTOVER and state.run[broker] != Run.DOWN
    if state.leader == broker and not of_older_process:
        state.leader = NOBODY
    if not state.bounds.rules.foreign_leader_kept and state.run[broker] == Run.UP:
        state.running_for_lead[broker] = True
    if state.bounds.rules.ephemeral_registration and not is_alone:
        state.node[broker] = Node.ABSENT
        announce(state, broker)
        if of_older_process and has_session(state, broker):
            state.unregistered[broker] = True
            state.known[broker, broker] = False


@action(
    broker=BROKER,
    when=lambda bounds: bounds.live_sessions_end and not bounds.safe_mode,
    fairness=weak("the client of ZooKeeper connects again until it has a session"),
)
def reestablish(state: State, broker: int) -> None:
    """
    *broker*, whose session has ended, has a new one: its caches of ZooKeeper are emptied, and read anew.

    That its own registration is gone it finds there; no watch tells it of any node that changed meanwhile.

    Enabled: the broker is up, and its session has ended.
    Changes: it has a session; its registry cache says what the registry says, and its cache of the election who leads.
    With ``registers_with_session`` (#24932) it registers if it has no node.
    Mirrors: ``AbstractMetadataStore.receivedSessionEvent``, ``MetadataCacheImpl.invalidateAll``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.session_ended[broker], "the session of the broker has ended")
    state.session_ended[broker] = False
    read_caches_anew(state, broker)


def read_caches_anew(state: State, broker: int) -> None:
    """Let *broker*, which has a new session, find its caches empty; it may register in that session at once."""
    learn_registry(state, broker)
    if state.bounds.leader_caches:
        state.leader_read[broker] = state.leader
    is_out = state.node[broker] == Node.ABSENT and state.stage[broker] != Stage.UNREGISTERED
    if state.bounds.rules.registers_with_session and is_out:
        enrol(state, broker)


def learn_registry(state: State, broker: int) -> None:
    """Let *broker*, whose registry cache is empty, read the registry."""
    for other in range(1, state.bounds.brokers + 1):
        state.known[broker, other] = state.node[other] != Node.ABSENT
        state.misled[broker, other] = False
        if state.bounds.reads_registry_at_once and other != broker:
            state.cold[broker, other] = True


@action(
    broker=BROKER,
    when=lambda bounds: (
        (bounds.crashes and bounds.restarts)
        or ((bounds.live_sessions_end or bounds.outages) and not bounds.rules.registers_with_session)
    ),
    fairness=weak("BrokerRegistryImpl registers again (#23359)"),
)
def register(state: State, broker: int) -> None:
    """
    A living *broker* whose registry node is gone registers again.

    It was told that its node was deleted, or its monitor, every 120 s, looks itself up in its registry cache.

    Enabled: the broker is up, has a session and no node, and its cache does not list it; its start has not failed, and
    it has not given its registration up to shut down (that its monitor, or a new session, may register it once more
    until its process ends is not modelled). Unless a session event registers it (``registers_with_session``), its load
    manager's thread waits for nothing, nor for a change of role while the elected one has no node (run.G2).
    Changes: its node exists in its new session, which it knows.
    Mirrors: ``BrokerRegistryImpl.handleMetadataStoreNotification`` (#23359, #23382),
    ``ExtensibleLoadManagerImpl.monitor``.
    """
    require(state.bounds.rules.re_registration, "brokers register again")
    require(state.run[broker] == Run.UP, UP)
    require(state.node[broker] == Node.ABSENT, "the broker's registry node is gone")
    require(has_session(state, broker), HAS_SESSION)
    require(not state.known[broker, broker], "its registry cache does not list the broker itself")
    require(not state.unregistrable[broker], "the broker's registry is not closed")
    require(state.stage[broker] != Stage.UNREGISTERED, GIVEN_UP)
    if not state.bounds.rules.registers_with_session:
        require_manager_free(state, broker)
    enrol(state, broker)


def enrol(state: State, broker: int) -> None:
    """Make the registry node of *broker*, which it knows at once."""
    announce(state, broker)
    state.node[broker] = Node.PRESENT
    state.unregistered[broker] = False
    state.known[broker, broker] = True


@action(
    observer=BROKER,
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go and not bounds.safe_mode,
    fairness=weak("ZooKeeper delivers every watch of a living session"),
)
def notice(state: State, observer: int, broker: int) -> None:
    """
    *observer* learns from its watch whether *broker* is registered now.

    Enabled: the observer is up, its cache says something else of another broker than the registry; ZooKeeper is up, and
    the observer's session has not ended unawares. With ``children_miss_cached`` only a node that is gone is noticed.
    Changes: its cache says what the registry says.
    Mirrors: ``ServiceUnitStateChannelImpl.handleBrokerRegistrationEvent``.
    """
    require(state.run[observer] == Run.UP, "the observer is up")
    registered = state.node[broker] != Node.ABSENT
    require(state.known[observer, broker] != registered, "the observer's cache differs from the registry")
    require(observer != broker, "the broker is another one")
    require(not state.zookeeper_down, ZOOKEEPER_UP)
    require(not state.session_ended[observer], "the observer has not lost its session unawares")
    require(not state.misled[observer, broker], "the watch of the broker's node has not fired in vain")
    if state.bounds.rules.children_miss_cached:
        require(not registered, "the node was deleted: a cached list of children is read anew")
    state.known[observer, broker] = registered
    if state.bounds.reads_registry_at_once and observer != broker:
        state.cold[observer, broker] = True  # a notification drops the entry from the cache


@action(
    broker=BROKER,
    when=lambda bounds: bounds.brokers_go,
    fairness=weak("LeaderElectionImpl runs again when the leader's node vanishes"),
)
def elect(state: State, broker: int) -> None:
    """
    *broker* becomes the leader, which is the channel owner.

    Enabled: nobody leads; the broker is up, or starts, has a session and, but with ``beliefs``, a node: in 4.0.6 an
    unregistered one can win too (run.G2). One that shuts down may win until it gives its registration up.
    Changes: it is the leader, who hosts the channel's topic unless that is a matter of its own (``channel_host``); it
    has heard of it; readers are given the compaction that was saved.
    Mirrors: ``LeaderElectionImpl``, ``ExtensibleLoadManagerImpl.playLeader``.
    """
    require(state.bounds.rules.re_election, "brokers run for the lead again")
    require(state.leader == NOBODY, "there is no leader")
    require(runs(state, broker), RUNS)
    require(state.stage[broker] != Stage.UNREGISTERED, GIVEN_UP)
    if not (state.bounds.beliefs and state.bounds.rules.unregistered_may_lead):
        require(state.node[broker] != Node.ABSENT, "the broker is registered")
    require(has_session(state, broker), HAS_SESSION)
    state.leader = broker
    give_out_roles(state)
    state.unaware[broker] = False
    state.running_for_lead[broker] = False
    if state.bounds.leader_caches:
        state.leader_read[broker] = broker
    if state.bounds.rules.channel_follows_election and state.bounds.channel_host:
        state.host = broker
    if state.bounds.compactions:
        load_topic(state)
