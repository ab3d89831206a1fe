"""Laws of sessions: which nodes vanish when, and how many brokers may act as leader."""

from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law

# ---- models.S36 ----


def a_node_vanishes(before: State, action: Action, after: State) -> bool:
    if before.leader != NOBODY and after.leader != before.leader:
        return True
    return any(before.node[broker] != Node.ABSENT and after.node[broker] == Node.ABSENT for broker in brokers(before))


def deletes_its_node(action: Action) -> bool:
    """Return whether a session ends, or a broker that shuts down, or does not start, deletes its nodes."""
    is_failure = action.name == "fail_start" or action.name == "give_up_start"
    return is_failure or action.name == "expire" or action.name == "unregister"


def ends_a_session(action: Action) -> bool:
    """Return whether that is so, or a new process deletes the leader's node that its old one left over."""
    return deletes_its_node(action) or action.name == "restart" or action.name == "begin_start"


@step_law("one-elected", "LeaderElectionImpl, BrokerRegistryImpl", when=a_node_vanishes, kind=LawKind.PROTOCOL)
def its_session_ends(before: State, action: Action, after: State) -> bool:
    """
    A registry node vanishes only with its session or when its broker shuts down or does not start, and so does the
    leader's, unless a new process of the leader deletes what its old one left over; nobody is elected before.
    """
    if before.leader != NOBODY and after.leader != before.leader:
        if after.leader != NOBODY or not ends_a_session(action) or action.argument("broker") != before.leader:
            return False
    return all(
        deletes_its_node(action) and action.argument("broker") == broker
        for broker in brokers(before)
        if before.node[broker] != Node.ABSENT and after.node[broker] == Node.ABSENT
    )


# ---- models.S37 ----


def believers(state: State) -> int:
    """Count the brokers that play the leader; one that stands still plays nothing."""
    count = 0
    for broker in brokers(state):
        if state.believes[broker] and state.run[broker] != Run.PAUSED:
            count += 1
    return count


def some_broker_plays_the_leader(state: State) -> bool:
    return believers(state) > 0


@always(
    "two-believers",
    "ExtensibleLoadManagerImpl.playFollower; seen in traces/real/zombie",  # run.G3
    when=some_broker_plays_the_leader,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def at_most_one_plays_the_leader(state: State) -> bool:
    """
    At most one broker plays the leader.

    (It does not hold: a leader whose session ended keeps the role until it learns of that, while another is elected and
    takes it. The writes of both are harmless: accepted-is-cas.)
    """
    return believers(state) < 2


# ---- models.S42 ----


def some_living_broker_is_listed(state: State) -> bool:
    return any(state.run[broker] == Run.UP and state.node[broker] != Node.ABSENT for broker in brokers(state))


@always(
    "registry-owner",
    "BrokerRegistryImpl; seen in traces/real/compaction",  # run.G10
    when=some_living_broker_is_listed,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def listed_by_their_own_sessions(state: State) -> bool:
    """
    The registry node of a living broker belongs to its own session.

    (It does not hold: a broker that restarts within the session time-out overwrites the node of its old process, which
    vanishes when the old session ends; the broker registers again.)
    """
    return all(state.node[broker] != Node.LEFTOVER for broker in brokers(state) if state.run[broker] == Run.UP)


# ---- bugs.R62 ----


def some_broker_takes_itself_for_registered(state: State) -> bool:
    return any(state.run[broker] == Run.UP and state.known[broker, broker] for broker in brokers(state))


def has_lost_its_session(state: State, broker: int) -> bool:
    """Return whether the session of *broker* has ended, for ZooKeeper or by the broker's own state."""
    return state.session_ended[broker] or state.metadata[broker] == Metadata.UNSTABLE


@always(
    "own-registration-known",
    "MetadataCacheImpl, BrokerRegistryImpl; PIP-454; apache/pulsar#25989",  # bugs.S12
    when=some_broker_takes_itself_for_registered,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def who_takes_itself_for_registered_is(state: State) -> bool:
    """
    A running broker whose own registry cache lists it is registered, unless its session has ended and it has no new
    one: its caches then keep their content.
    """
    return all(
        state.node[broker] != Node.ABSENT or has_lost_its_session(state, broker)
        for broker in brokers(state)
        if state.run[broker] == Run.UP and state.known[broker, broker]
    )
