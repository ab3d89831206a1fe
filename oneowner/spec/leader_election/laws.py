"""
Laws of one election: which brokers may claim to lead, the final state, and the node that a close leaves behind.

"At most one broker leads" is false in every release (``one-leader``). The possible requirement is agreement in the end:
in a *settled* state every broker has a session and nothing is under way that could change any broker's claim.
"""

from __future__ import annotations

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Status, always, any_state, leads_to, sometimes, step_law
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


ONE_LEADER = always(
    "one-leader",
    "At most one broker says that it leads. (It looks like an invariant and is none: a broker whose session ended says"
    " so on until it has a session again, while another creates the node.)",
    "LeaderElectionImpl.handleSessionNotification, which passes over the loss of a session",
    when=any_state,
    holds=at_most_one_leads,
    status=Status.DOCUMENTED,
)

ONE_LEADER_IN_THE_END = always(
    "one-leader-in-the-end",
    "Where nothing is under way, at most one broker says that it leads. (It is none until 4.0.6: a deletion that"
    " comes between the creation of the node and the read of the cache is passed over: the broker leads without one.)",
    "LeaderElectionImpl.tryToBecomeLeader, handlePathNotification; mended by apache/pulsar#26000",
    when=settled_with_a_candidate,
    holds=at_most_one_leads,
    status=Status.DOCUMENTED,
)


def somebody_leads(state: State) -> bool:
    return any(leads(state, broker) for broker in brokers(state))


def settled_with_a_leader(state: State) -> bool:
    return somebody_leads(state) and is_settled(state)


def leaders_own_the_node(state: State) -> bool:
    return all(owns(state, broker) for broker in brokers(state) if leads(state, broker))


LEADER_OWNS = always(
    "leader-owns-the-node-in-the-end",
    "Where nothing is under way, whoever says that it leads owns the node. (It is none: until 4.0.6 as"
    " one-leader-in-the-end, and in every release if both elections of a new session fail.)",
    "LeaderElectionImpl.tryToBecomeLeader, handlePathNotification; mended by apache/pulsar#26000",
    when=settled_with_a_leader,
    holds=leaders_own_the_node,
    status=Status.DOCUMENTED,
)


def without_a_node_it_leads(state: State) -> bool:
    return any(leads(state, broker) and not owns(state, broker) for broker in brokers(state))


def they_will_hear(state: State) -> bool:
    return all(is_busy(state, broker) for broker in brokers(state) if leads(state, broker) and not owns(state, broker))


WILL_HEAR = always(
    "leader-without-node-will-hear",
    "A broker that says that it leads and does not own the node has no session, or something for it is under way."
    " (It is none, as leader-owns-the-node-in-the-end.)",
    "LeaderElectionImpl.handlePathNotification, handleSessionNotification; mended by apache/pulsar#26000",
    when=without_a_node_it_leads,
    holds=they_will_hear,
    status=Status.DOCUMENTED,
)


def settled_with_a_node(state: State) -> bool:
    return state.node != NOBODY and is_settled(state)


def the_owner_follows_nobody(state: State) -> bool:
    return all(state.says[broker] != Says.FOLLOWING for broker in brokers(state) if owns(state, broker))


OWNER_FOLLOWS_NOBODY = always(
    "owner-of-the-node-does-not-follow",
    "Where nothing is under way, whoever owns the node does not say that it follows: it would follow itself.",
    "apache/pulsar#23125, #23138",
    when=settled_with_a_node,
    holds=the_owner_follows_nobody,
)


def there_is_a_node(state: State) -> bool:
    return state.node != NOBODY


SOMEBODY_LEADS = always(
    "somebody-leads-in-the-end",
    "Where nothing is under way and a broker wants to lead, there is a node. (It is none: an election that fails"
    " after a notification is tried once more and no more, and one of a session event is not tried again at all.)",
    "LeaderElectionImpl.handlePathNotification, handleSessionNotification",
    when=settled_with_a_candidate,
    holds=there_is_a_node,
    status=Status.DOCUMENTED,
)


def no_candidate_is_deaf(state: State) -> bool:
    return all(state.internal[broker] == Internal.PRESENT for broker in brokers(state) if stands(state, broker))


NOBODY_IS_DEAF = always(
    "no-election-is-in-progress-for-good",
    "Where nothing is under way, no broker that wants to lead is amid an election. (It is none: one that failed is in"
    " progress for good, and passes over every notification until the next session event.)",
    "LeaderElectionImpl.internalState",
    when=settled_with_a_candidate,
    holds=no_candidate_is_deaf,
    status=Status.DOCUMENTED,
)


def the_listeners_know(state: State) -> bool:
    return all(state.told[broker] == state.says[broker] for broker in brokers(state) if stands(state, broker))


LISTENER_KNOWS = always(
    "listener-knows-in-the-end",
    "Where nothing is under way, the listener of a broker that wants to lead was last told what the broker says.",
    "LeaderElectionImpl.changeState, handlePathNotification",
    when=settled_with_a_candidate,
    holds=the_listeners_know,
)


def gave_back(state: State, broker: int) -> bool:
    return state.elected[broker] != Result.NONE and state.closed[broker] == Result.CLOSED


def settled_with_a_closed_one(state: State) -> bool:
    return is_settled(state) and any(gave_back(state, broker) for broker in brokers(state))


def the_closed_own_nothing(state: State) -> bool:
    return all(state.node != broker for broker in brokers(state) if gave_back(state, broker))


CLOSED_OWNS_NOTHING = always(
    "closed-election-leaves-no-node",
    "Where nothing is under way, the node is not of a broker that closed its election. (It is none: an election that is"
    " under way goes on, a timer and, from 3.0.7 on, a session event begin one, whether it is closed or not.)",
    "LeaderElectionImpl.elect, changeState",
    when=settled_with_a_closed_one,
    holds=the_closed_own_nothing,
    status=Status.DOCUMENTED,
)


def knows_somebody(state: State, broker: int) -> bool:
    return is_open(state, broker) and state.cached[broker] == Cached.READY and state.value[broker] != NOBODY


def settled_with_a_value(state: State) -> bool:
    return is_settled(state) and any(knows_somebody(state, broker) for broker in brokers(state))


def values_name_the_owner(state: State) -> bool:
    return all(state.value[broker] == state.node for broker in brokers(state) if knows_somebody(state, broker))


VALUE_IS_TRUE = always(
    "value-names-the-owner-in-the-end",
    "Where nothing is under way, the leader's value that a broker has is that of the node.",
    "MetadataCacheImpl.accept; LeaderElectionImpl.getLeaderValueIfPresent",
    when=settled_with_a_value,
    holds=values_name_the_owner,
)


def settled_with_a_follower(state: State) -> bool:
    return settled_with_a_node(state) and any(follows(state, broker) for broker in brokers(state))


def follows(state: State, broker: int) -> bool:
    return is_open(state, broker) and state.says[broker] == Says.FOLLOWING


def followers_know_the_leader(state: State) -> bool:
    return all(knows_somebody(state, broker) for broker in brokers(state) if follows(state, broker))


FOLLOWER_KNOWS = always(
    "follower-knows-the-leader-in-the-end",
    "Where nothing is under way and there is a leader, each that follows has its value. (Until 4.0.6 it is none: the"
    " answer that ends an election may be older than the notification that empties the cache.)",
    "apache/pulsar#25999, #26000",
    when=settled_with_a_follower,
    holds=followers_know_the_leader,
    status=Status.DOCUMENTED,
)


def nobody_leads_but_may(state: State) -> bool:
    return state.node == NOBODY and somebody_wants(state)


def somebody_leads_or_none_may(state: State) -> bool:
    return not nobody_leads_but_may(state)


ELECTED_IN_THE_END = leads_to(
    "elected-in-the-end",
    "If a broker wants to lead and there is no node, there is one in the end, or nobody wants to lead any more.",
    "LeaderElectionImpl; as somebody-leads-in-the-end",
    from_=nobody_leads_but_may,
    to=somebody_leads_or_none_may,
    status=Status.GUARDED,
)


def a_node_is_deleted(before: State, action: Action, after: State) -> bool:
    return action.name == "carry_out" and before.node != NOBODY and after.node == NOBODY


def it_was_its_own(before: State, action: Action, after: State) -> bool:
    return before.node == action.argument("broker")


DELETES_ITS_OWN = step_law(
    "deletes-its-own-node",
    "A broker deletes no other broker's node. (It is none: a deletion expects version 0, as every node has, and that of"
    " a close any; if the node has become another's meanwhile, that is deleted.)",
    "LeaderElectionImpl.asyncClose, whose version is never set; tryToBecomeLeader, handleExistingLeaderValue",
    when=a_node_is_deleted,
    holds=it_was_its_own,
    status=Status.DOCUMENTED,
)


def leadership_changes(before: State, action: Action, after: State) -> bool:
    return somebody_leads(before) and any(
        leads(after, broker) and not leads(before, broker) for broker in brokers(after)
    )


TAKES_OVER = sometimes(
    "another-takes-over",
    "While one broker says that it leads, another says so too: it has the node, and the first will hear of it.",
    "LeaderElectionImpl.tryToBecomeLeader",
    leadership_changes,
)
