"""
Laws of steps: what a step of a broker, of the store or of a lookup changes.

The laws of ownership and of lookups judge what comes of it. What is forgotten in a step, and made up for by another,
they do not see.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, Lock, Lookup, State, brokers, bundles, clients
from oneowner.spec.lock_manager.may_laws import home, is_older, owns

# ---- nodes ----


def a_node_goes(before: State, action: Action, after: State) -> bool:
    return any(before.node[bundle] != NOBODY and after.node[bundle] == NOBODY for bundle in bundles(before))


@step_law(
    "holders-are-told",
    "LockManagerImpl.handleDataNotification; ResourceLockImpl.lockWasInvalidated",
    when=a_node_goes,
    kind=LawKind.PROTOCOL,
)
def holders_are_in_doubt(before: State, action: Action, after: State) -> bool:
    """Where a node is deleted, or ends with its session, nobody with a session goes on trusting its lock."""
    return not any(
        before.node[bundle] != NOBODY
        and after.node[bundle] == NOBODY
        and after.live[broker]
        and after.lock[broker, bundle] == Lock.VALID
        for broker in brokers(before)
        for bundle in bundles(before)
    )


# ---- sessions, the registry, the lead ----


def a_broker_comes_or_goes(before: State, action: Action, after: State) -> bool:
    of_lead = action.name == "elect" or action.name == "hear_of_leader" or action.name == "register"
    ends = action.name == "expire" or action.name == "begin_stop" or action.name == "end_stop"
    return of_lead or ends or action.name == "reestablish" or action.name == "restart"


def has_left(before: State, after: State, broker: int) -> bool:
    """Return whether *broker* is registered no more, and nobody has promised it a bundle."""
    is_chosen = any(after.promised[other] == broker for other in brokers(after))
    return not after.registered[broker] and not is_chosen


@step_law(
    "session-is-whole",
    "ZooKeeper, ephemeral nodes; ModularLoadManagerImpl.reapDeadBrokerPreallocations; LeaderElectionImpl",
    when=a_broker_comes_or_goes,
    kind=LawKind.MIRROR,
)
def it_is_so_for_all(before: State, action: Action, after: State) -> bool:
    """
    With a session end its nodes, its registration, its lead, and what was promised to its broker; with a new one the
    broker is to register, unless it stops. Who is elected knows, and who hears of it knows who leads.
    """
    broker = action.argument("broker")
    if action.name == "elect":
        return after.leader == broker and after.takes_for_leader[broker] == broker
    if action.name == "hear_of_leader":
        return after.takes_for_leader[broker] == before.leader and after.leader == before.leader
    if action.name == "register":
        return after.registered[broker] and not after.to_register[broker]
    if action.name == "reestablish":
        return after.live[broker] and after.to_register[broker] == (not before.stopping[broker])
    if action.name == "restart":
        return after.up[broker] and after.live[broker] and after.to_register[broker]
    if action.name == "begin_stop":
        return after.stopping[broker] and has_left(before, after, broker)
    if after.leader == broker or after.live[broker]:
        return False
    is_left = any(after.node[bundle] == broker and not after.node_of_ghost[bundle] for bundle in bundles(after)) or any(
        after.channel[bundle] == broker for bundle in bundles(after)
    )
    if is_left or (action.name == "end_stop" and after.up[broker]):
        return False
    return before.registered_by_ghost[broker] or has_left(before, after, broker)


# ---- topics ----


def a_load_ends(before: State, action: Action, after: State) -> bool:
    return action.name == "end_load" or action.name == "begin_unload" or action.name == "unload_at_stop"


@step_law(
    "loaded-at-the-owner",
    "BrokerService.createPersistentTopic0, checkTopicNsOwnership; OwnedBundle.handleUnloadRequest",
    when=a_load_ends,
    kind=LawKind.MIRROR,
)
def opened_by_the_owner_alone(before: State, action: Action, after: State) -> bool:
    """
    A topic that was being loaded is open if its broker takes itself for the owner by then, and else is refused; a
    bundle that is to be unloaded is inactive, and its topics are open until they are closed.
    """
    broker, bundle = action.argument("broker"), action.argument("bundle")
    if action.name != "end_load":
        return (
            after.entry[broker, bundle] == Entry.INACTIVE
            and after.serving[broker, bundle] == before.serving[broker, bundle]
        )
    opens = before.serving[broker, bundle] or owns(before, broker, bundle)
    return not after.loading[broker, bundle] and after.serving[broker, bundle] == opens


# ---- lookups ----


def a_lookup_goes_on(before: State, action: Action, after: State) -> bool:
    return action.name == "look" or action.name == "search" or action.name == "ask"


def looks_up(before: State, after: State, client: int, broker: int) -> bool:
    entry, stage = before.entry[broker, FIRST], after.stage[client]
    if not is_older(before, broker) or (before.leaked[broker] and not before.authoritative[client]):
        return stage == Lookup.TOLD or stage == Lookup.JOINED
    if entry == Entry.ACTIVE:
        return stage == Lookup.TOLD and after.at[client] == broker
    if entry == Entry.INACTIVE:
        return stage == Lookup.FAILED
    if entry == Entry.LOADING:
        return stage == Lookup.ACQUIRING
    owner = before.node[FIRST]
    if owner == NOBODY:
        return stage == Lookup.SEARCHING
    if owner == broker:
        return stage == Lookup.ACQUIRING or stage == Lookup.TOLD
    return stage == Lookup.TOLD and after.at[client] == owner


@step_law(
    "lookup-goes-by-rule",
    "NamespaceService.findBrokerServiceUrl, searchForCandidateBroker; OwnershipCache.getOwnerAsync",
    when=a_lookup_goes_on,
    kind=LawKind.MIRROR,
)
def it_goes_on_by_rule(before: State, action: Action, after: State) -> bool:
    """
    A lookup returns the owner that the broker's cache or the store names, waits for an acquisition, fails while the
    bundle is unloaded, and searches where nobody owns it. A broker that chooses remembers its choice; a redirect is
    with authority only if the broker chose, or leads. A candidate that is not registered is an error.
    """
    client = action.argument("client")
    if action.name == "ask":
        return after.at[client] == action.argument("broker") and not after.authoritative[client]
    broker = before.at[client]
    if action.name == "look":
        return looks_up(before, after, client, broker)
    candidate = action.argument("candidate")
    if candidate == broker:
        return after.stage[client] == Lookup.ACQUIRING and after.at[client] == broker
    if not before.registered[candidate]:
        return after.stage[client] == Lookup.FAILED
    leader = before.takes_for_leader[broker]
    asks = leader != NOBODY and leader != broker and before.registered[leader]
    chooses = home(before) == NOBODY and not before.authoritative[client] and not asks
    if chooses and after.promised[broker] != candidate:
        return False
    return after.at[client] == candidate and after.authoritative[client] == (chooses or leader == broker)


def a_permit_is_asked_for(before: State, action: Action, after: State) -> bool:
    return before.bounds.permits > 0 and action.name == "ask"


@step_law(
    "permits-are-counted",
    "ServerCnx.handleLookup; BrokerService.getLookupRequestSemaphore",
    when=a_permit_is_asked_for,
    kind=LawKind.MIRROR,
)
def permits_are_counted(before: State, action: Action, after: State) -> bool:
    """A broker refuses a lookup just while as many as it deals with at once hold a permit."""
    client, broker = action.argument("client"), action.argument("broker")
    held = before.stuck[broker]
    for other in clients(before):
        stage = before.stage[other]
        is_over = stage == Lookup.NONE or stage == Lookup.TOLD or stage == Lookup.FAILED
        if other != client and not is_over and before.at[other] == broker:
            held = held + 1
    return (after.stage[client] == Lookup.FAILED) == (held >= before.bounds.permits)
