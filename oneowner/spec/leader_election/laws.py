"""
Laws of one election: which brokers may claim to lead, the final state, and the node that a close leaves behind.

"At most one broker leads" is false in every release (``one-leader``). The possible requirement is agreement in the end:
in a *settled* state every broker has a session and nothing is under way that could change any broker's claim.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, StateLaw, Status, always, any_state, leads_to, sometimes, step_law
from oneowner.model.leader_election.state import (
    NOBODY,
    Cached,
    Internal,
    Result,
    Says,
    State,
    brokers,
    is_busy,
    is_open,
    leads,
    owns,
)


def is_settled(state: State) -> bool:
    """
    Return whether nothing is under way: all have a session, and the node is of no session that will end by itself.
    """
    return not state.earlier and not any(is_busy(state, broker) for broker in brokers(state))


def stands(state: State, broker: int) -> bool:
    """Return whether *broker* wants to lead: it asked, was not notified of a failure, and is not closed."""
    return is_open(state, broker) and state.elected[broker] != Result.FAILED


def somebody_wants(state: State) -> bool:
    return any(stands(state, broker) for broker in brokers(state))


def settled_with_a_candidate(state: State) -> bool:
    return somebody_wants(state) and is_settled(state)


def two_lead(state: State) -> bool:
    count = 0
    for broker in range(1, state.bounds.brokers + 1):
        if leads(state, broker):
            count += 1
    return count > 1


def at_most_one_leads(state: State) -> bool:
    return not two_lead(state)


ONE_LEADER = StateLaw(
    "one-leader",
    "At most one broker says that it leads. (It does not hold: a broker whose session ended says so on until it has a"
    " session again, while another creates the node.)",
    "LeaderElectionImpl.handleSessionNotification, which passes over the loss of a session",
    when=any_state,
    holds=at_most_one_leads,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)

ONE_LEADER_IN_THE_END = StateLaw(
    "one-leader-in-the-end",
    "Where nothing is under way, at most one broker says that it leads. (It is none until 4.0.6: a deletion that"
    " comes between the creation of the node and the read of the cache is passed over: the broker leads without one.)",
    "LeaderElectionImpl.tryToBecomeLeader, handlePathNotification; mended by apache/pulsar#26000",
    when=settled_with_a_candidate,
    holds=at_most_one_leads,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)


def somebody_leads(state: State) -> bool:
    return any(leads(state, broker) for broker in brokers(state))


def settled_with_a_leader(state: State) -> bool:
    return somebody_leads(state) and is_settled(state)


@always(
    "leader-owns-the-node-in-the-end",
    "LeaderElectionImpl.tryToBecomeLeader, handlePathNotification; mended by apache/pulsar#26000",
    when=settled_with_a_leader,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def leaders_own_the_node(state: State) -> bool:
    """
    Where nothing is under way, a broker that says that it leads owns the node.

    (It does not hold: until 4.0.6 as one-leader-in-the-end, and in every release if both elections of a new session
    fail.)
    """
    return all(owns(state, broker) for broker in brokers(state) if leads(state, broker))


def without_a_node_it_leads(state: State) -> bool:
    return any(leads(state, broker) and not owns(state, broker) for broker in brokers(state))


@always(
    "leader-without-node-will-hear",
    "LeaderElectionImpl.handlePathNotification, handleSessionNotification; mended by apache/pulsar#26000",
    when=without_a_node_it_leads,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def they_will_hear(state: State) -> bool:
    """
    A broker that says that it leads and does not own the node has no session, or something for it is under way.

    (It is none, as leader-owns-the-node-in-the-end.)
    """
    return all(is_busy(state, broker) for broker in brokers(state) if leads(state, broker) and not owns(state, broker))


def settled_with_a_node(state: State) -> bool:
    return state.node != NOBODY and is_settled(state)


@always(
    "owner-of-the-node-does-not-follow", "apache/pulsar#23125, #23138", when=settled_with_a_node, kind=LawKind.PROTOCOL
)
def the_owner_follows_nobody(state: State) -> bool:
    """Where nothing is under way, the owner of the node does not consider itself a follower: it would follow itself."""
    return all(state.says[broker] != Says.FOLLOWING for broker in brokers(state) if owns(state, broker))


@always(
    "somebody-leads-in-the-end",
    "LeaderElectionImpl.handlePathNotification, handleSessionNotification",
    when=settled_with_a_candidate,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def there_is_a_node(state: State) -> bool:
    """
    Where nothing is under way and a broker wants to lead, there is a node.

    (It does not hold: an election that fails after a notification is tried once more and no more, and one of a session
    event is not tried again at all.)
    """
    return state.node != NOBODY


@always(
    "no-election-is-in-progress-for-good",
    "LeaderElectionImpl.internalState",
    when=settled_with_a_candidate,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_candidate_is_deaf(state: State) -> bool:
    """
    Where nothing is under way, no broker that wants to lead is amid an election.

    (It does not hold: one that failed is in progress for good, and passes over every notification until the next
    session event.)
    """
    return all(state.internal[broker] == Internal.PRESENT for broker in brokers(state) if stands(state, broker))


@always(
    "listener-knows-in-the-end",
    "LeaderElectionImpl.changeState, handlePathNotification",
    when=settled_with_a_candidate,
    kind=LawKind.PURPOSE,
)
def the_listeners_know(state: State) -> bool:
    """Where nothing is under way, the listener of a broker that wants to lead has that broker's own state."""
    return all(state.told[broker] == state.says[broker] for broker in brokers(state) if stands(state, broker))


def gave_back(state: State, broker: int) -> bool:
    return state.elected[broker] != Result.NONE and state.closed[broker] == Result.CLOSED


def settled_with_a_closed_one(state: State) -> bool:
    return is_settled(state) and any(gave_back(state, broker) for broker in brokers(state))


@always(
    "closed-election-leaves-no-node",
    "LeaderElectionImpl.elect, changeState",
    when=settled_with_a_closed_one,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_closed_own_nothing(state: State) -> bool:
    """
    Where nothing is under way, the node is not of a broker that closed its election.

    (It does not hold: an election that is under way goes on, a timer and, from 3.0.7 on, a session event begin one,
    whether it is closed or not.)
    """
    return all(state.node != broker for broker in brokers(state) if gave_back(state, broker))


def knows_somebody(state: State, broker: int) -> bool:
    return is_open(state, broker) and state.cached[broker] == Cached.READY and state.value[broker] != NOBODY


def settled_with_a_value(state: State) -> bool:
    return is_settled(state) and any(knows_somebody(state, broker) for broker in brokers(state))


@always(
    "value-names-the-owner-in-the-end",
    "MetadataCacheImpl.accept; LeaderElectionImpl.getLeaderValueIfPresent",
    when=settled_with_a_value,
    kind=LawKind.PROTOCOL,
)
def values_name_the_owner(state: State) -> bool:
    """Where nothing is under way, the leader's value that a broker has is that of the node."""
    return all(state.value[broker] == state.node for broker in brokers(state) if knows_somebody(state, broker))


def settled_with_a_follower(state: State) -> bool:
    return settled_with_a_node(state) and any(follows(state, broker) for broker in brokers(state))


def follows(state: State, broker: int) -> bool:
    return is_open(state, broker) and state.says[broker] == Says.FOLLOWING


@always(
    "follower-knows-the-leader-in-the-end",
    "apache/pulsar#25999, #26000",
    when=settled_with_a_follower,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def followers_know_the_leader(state: State) -> bool:
    """
    Where nothing is under way and there is a leader, each that follows has its value.

    (Until 4.0.6 it is none: the answer that ends an election may be older than the notification that empties the
    cache.)
    """
    return all(knows_somebody(state, broker) for broker in brokers(state) if follows(state, broker))


def nobody_leads_but_may(state: State) -> bool:
    return state.node == NOBODY and somebody_wants(state)


@leads_to(
    "elected-in-the-end",
    "LeaderElectionImpl; as somebody-leads-in-the-end",
    when=nobody_leads_but_may,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def somebody_leads_or_none_may(state: State) -> bool:
    """If a broker wants to lead and there is no node, there is one in the end, or nobody wants to lead any more."""
    return not nobody_leads_but_may(state)


def a_node_is_deleted(before: State, action: Action, after: State) -> bool:
    return action.name == "carry_out" and before.node != NOBODY and after.node == NOBODY


@step_law(
    "deletes-its-own-node",
    "LeaderElectionImpl.asyncClose, whose version is never set; tryToBecomeLeader, handleExistingLeaderValue",
    when=a_node_is_deleted,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def it_was_its_own(before: State, action: Action, after: State) -> bool:
    """
    A broker deletes no other broker's node.

    (It does not hold: a deletion expects version 0, as every node has, and that of a close any; if the node has become
    another's meanwhile, that is deleted.)
    """
    return before.node == action.argument("broker")


@sometimes("another-takes-over", "LeaderElectionImpl.tryToBecomeLeader")
def leadership_changes(before: State, action: Action, after: State) -> bool:
    """While one broker says that it leads, another says so too: it has the node, and the first will hear of it."""
    return somebody_leads(before) and any(
        leads(after, broker) and not leads(before, broker) for broker in brokers(after)
    )
