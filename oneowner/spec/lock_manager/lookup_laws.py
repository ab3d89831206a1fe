"""Laws of lookups, choices and splits: a client's answer, the brokers that may be chosen, and stored policies."""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, sometimes, step_law
from oneowner.model.lock_manager.permits import is_on
from oneowner.model.lock_manager.state import FIRST, NOBODY, Lookup, State, brokers, bundles, clients
from oneowner.model.lock_manager.topics import takes_itself_for_owner
from oneowner.spec.lock_manager.ownership_laws import is_settled

REDIRECTS = 2
"""To the leader, and from it to the broker that it has chosen."""


def some_lookup_is_on(state: State) -> bool:
    return any(is_on(state, client) for client in clients(state))


@leads_to(
    "lookup-ends",
    "apache/pulsar#8273; NamespaceService.findBrokerServiceUrl",
    when=some_lookup_is_on,
    kind=LawKind.PURPOSE,
)
def no_lookup_is_on(state: State) -> bool:
    """All lookups end: the client gets an owner, or an error."""
    return not some_lookup_is_on(state)


def some_was_redirected(state: State) -> bool:
    return any(state.hops[client] > 0 for client in clients(state))


@always("two-redirects", "NamespaceService.searchForCandidateBroker", when=some_was_redirected, kind=LawKind.PURPOSE)
def two_redirects_are_enough(state: State) -> bool:
    """
    A lookup is redirected twice at most, to the leader and from it to whom it has chosen, as long as all take one
    broker for the leader, or know of none.
    """
    return all(state.hops[client] <= REDIRECTS for client in clients(state) if state.steady[client])


@always(
    "two-redirects-always",
    "apache/pulsar#7200, #7096; NamespaceService.searchForCandidateBroker",
    when=some_was_redirected,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_more_than_two(state: State) -> bool:
    """
    A lookup is redirected twice at most.

    (It does not hold: of two brokers that consider each other the leader, each redirects to the other, until one of
    them is notified of an election.)
    """
    return all(state.hops[client] <= REDIRECTS for client in clients(state))


def somebody_is_told(before: State, action: Action, after: State) -> bool:
    return any(is_on(before, client) and after.stage[client] == Lookup.TOLD for client in clients(before))


def is_there(state: State, broker: int) -> bool:
    """Return whether *broker* lives, or its session has not ended yet."""
    return state.up[broker] or state.ghost[broker]


@step_law("told-owner-is-there", "NamespaceService.findBrokerServiceUrl", when=somebody_is_told, kind=LawKind.PURPOSE)
def told_owners_are_there(before: State, action: Action, after: State) -> bool:
    """The owner that a lookup returns lives, or its session has not ended yet."""
    return all(
        is_there(after, after.at[client])
        for client in clients(before)
        if is_on(before, client) and after.stage[client] == Lookup.TOLD
    )


@step_law(
    "told-owner-lives",
    "NamespaceService.findBrokerServiceUrl",
    when=somebody_is_told,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def told_owners_live(before: State, action: Action, after: State) -> bool:
    """
    The owner that a lookup returns lives.

    (It does not hold: the node of a broker that has crashed names the owner until its session ends.)
    """
    return all(
        after.up[after.at[client]]
        for client in clients(before)
        if is_on(before, client) and after.stage[client] == Lookup.TOLD
    )


def names_itself(before: State, after: State, client: int) -> bool:
    """Return whether the broker that *client* asked names itself as the owner."""
    is_told = is_on(before, client) and after.stage[client] == Lookup.TOLD
    return is_told and before.at[client] == after.at[client]


def somebody_names_itself(before: State, action: Action, after: State) -> bool:
    return any(names_itself(before, after, client) for client in clients(before))


@step_law(
    "owner-lets-clients-in",
    "apache/pulsar#23515; OwnershipCache.getOwnerAsync",
    when=somebody_names_itself,
    kind=LawKind.PURPOSE,
)
def who_names_itself_lets_clients_in(before: State, action: Action, after: State) -> bool:
    """A broker that names itself as the owner lets topics be opened."""
    return all(
        takes_itself_for_owner(after, after.at[client], FIRST)
        for client in clients(before)
        if names_itself(before, after, client)
    )


def somebody_chooses(before: State, action: Action, after: State) -> bool:
    return any(
        before.stage[client] == Lookup.SEARCHING and after.stage[client] != Lookup.SEARCHING
        for client in clients(before)
    )


@step_law(
    "choice-is-registered",
    "apache/pulsar#478, #481; ModularLoadManagerImpl.reapDeadBrokerPreallocations",
    when=somebody_chooses,
    kind=LawKind.PURPOSE,
)
def nobody_that_is_gone_is_chosen(before: State, action: Action, after: State) -> bool:
    """No bundle is promised to a broker that is registered no more while somebody chooses."""
    return all(
        before.promised[broker] == NOBODY or before.registered[before.promised[broker]] for broker in brokers(before)
    )


def is_sent_by_leader(state: State, client: int) -> bool:
    """Return whether the leader has sent the lookup of *client* to a broker that is registered, and leads still."""
    is_sent = state.stage[client] == Lookup.ASKED and state.authoritative[client]
    return is_sent and state.steady[client] and state.leader != NOBODY and state.registered[state.at[client]]


def two_are_sent(state: State) -> bool:
    return any(
        is_sent_by_leader(state, one) and is_sent_by_leader(state, other)
        for one in clients(state)
        for other in clients(state)
        if one < other
    )


@always(
    "sent-to-one-broker",
    "apache/pulsar#481, #13069; ModularLoadManagerImpl.selectBrokerForAssignment, updateBundleData",
    when=two_are_sent,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def leader_sends_to_one_broker(state: State) -> bool:
    """
    Lookups that the leader has sent on go to one broker.

    (It does not hold: a report of load that comes between two of them makes the leader forget its choice, be the bundle
    owned by now or not; so it chooses once more.)
    """
    return all(
        state.at[one] == state.at[other]
        for one in clients(state)
        for other in clients(state)
        if is_sent_by_leader(state, one) and is_sent_by_leader(state, other)
    )


def somebody_is_sent(before: State, action: Action, after: State) -> bool:
    return any(after.hops[client] > before.hops[client] for client in clients(before))


@step_law(
    "stopping-is-spared",
    "apache/pulsar#16755, #20113; BrokerService.unloadNamespaceBundlesGracefully",
    when=somebody_is_sent,
    kind=LawKind.PROTOCOL,
)
def nobody_is_sent_to_who_stops(before: State, action: Action, after: State) -> bool:
    """Nobody redirects a client to a broker that stops, unless that leads: what it unloads would come back."""
    return all(
        not after.stopping[after.at[client]] for client in clients(before) if after.hops[client] > before.hops[client]
    )


def something_is_cut(before: State, action: Action, after: State) -> bool:
    return before.version != after.version


@step_law(
    "boundary-stays",
    "apache/pulsar#1428, #1117; LocalPoliciesResources.setLocalPoliciesWithVersion",
    when=something_is_cut,
    kind=LawKind.PURPOSE,
)
def what_is_cut_stays_so(before: State, action: Action, after: State) -> bool:
    """A write of the policies loses no boundary that they had."""
    return all(after.cut[bundle] for bundle in bundles(before) if before.cut[bundle])


def settled_after_a_split(state: State) -> bool:
    return is_settled(state) and any(state.cut[bundle] for bundle in bundles(state))


@always(
    "cut-has-no-node",
    "apache/pulsar#13677, #25031; NamespaceService.splitAndOwnBundleOnceAndRetry",
    when=settled_after_a_split,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def what_is_cut_has_no_node(state: State) -> bool:
    """Where nothing is under way, a bundle that was split has no owner; no leader asks for its split once more."""
    return all(state.node[bundle] == NOBODY for bundle in bundles(state) if state.cut[bundle])


@sometimes("redirected-is-told", "NamespaceService.searchForCandidateBroker")
def a_lookup_ends(before: State, action: Action, after: State) -> bool:
    """A client that was redirected is told an owner."""
    return somebody_is_told(before, action, after) and some_was_redirected(after)
