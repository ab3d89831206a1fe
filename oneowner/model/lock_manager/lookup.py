"""
A client asks who owns the first bundle, and is redirected until some broker tells it. Mirrors ``NamespaceService``.

A broker that does not know the owner asks the leader, by a redirect without authority. Who leads, or finds no leader,
chooses a broker, and redirects with authority: the receiver acquires the bundle without asking anybody.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import BROKER, CLIENT
from oneowner.model.lock_manager.ownership import load_entry
from oneowner.model.lock_manager.permits import arrive
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, Lookup, State, belongs_to, is_extensible


@action(client=CLIENT, broker=BROKER, budget="asks", fairness=never("Clients need not ask."))
def ask(state: State, client: int, broker: int) -> None:
    """
    *client* asks *broker*.

    Enabled: the broker lives, and no lookup of the client is under way.
    Changes: one is, or it has failed: the broker has no permit left.
    Mirrors: ``NamespaceService.getBrokerServiceUrlAsync``.
    """
    require(state.asks_left > 0, "the budget allows another question")
    stage = state.stage[client]
    require(stage == Lookup.NONE or stage == Lookup.TOLD or stage == Lookup.FAILED, "no lookup of it is under way")
    require(state.up[broker], "the broker lives")
    state.asks_left = state.asks_left - 1
    arrive(state, client, broker)
    state.authoritative[client] = False
    state.hops[client] = 0
    state.steady[client] = all_agree(state)


def all_agree(state: State) -> bool:
    """Return whether all that live take the same broker for the leader that the store has, be it none."""
    agree = True
    for broker in range(1, state.bounds.brokers + 1):
        if state.up[broker] and state.takes_for_leader[broker] != state.leader:
            agree = False
    return agree


@action(client=CLIENT, fairness=weak("A lookup goes on."))
def look(state: State, client: int) -> None:
    """
    The broker looks for the owner: in its cache, then in the store.

    Enabled: a lookup has come to a broker that lives, and that need not redirect it for its manager's sake.
    Changes: the client is told the owner, or that the bundle is being unloaded; it waits for an acquisition that is
    under way; or the broker searches for a candidate.
    Mirrors: ``NamespaceService.findBrokerServiceUrl``, ``OwnershipCache.getOwnerAsync``.
    """
    require(state.stage[client] == Lookup.ASKED, "a lookup has come to a broker")
    broker = state.at[client]
    require(state.up[broker], "the broker lives")
    require(newest(state) == NOBODY or not is_of_other_manager(state, broker, newest(state)), "it is dealt with here")
    entry = state.entry[broker, FIRST]
    if state.leaked[broker] and not state.authoritative[client]:
        state.stage[client] = Lookup.JOINED
    elif is_extensible(state, broker):
        if state.channel[FIRST] == NOBODY:
            state.channel[FIRST] = broker
        tell_owner(state, client, state.channel[FIRST])
    elif entry == Entry.ACTIVE:
        tell_owner(state, client, broker)
    elif entry == Entry.INACTIVE:
        state.stage[client] = Lookup.FAILED
    elif entry == Entry.LOADING:
        state.stage[client] = Lookup.ACQUIRING
    elif state.node[FIRST] == NOBODY:
        state.stage[client] = Lookup.SEARCHING
    elif state.node[FIRST] == broker and state.bounds.rules.owner_reacquires:
        load_entry(state, broker, FIRST)
        state.stage[client] = Lookup.ACQUIRING
    else:
        tell_owner(state, client, state.node[FIRST])


def tell_owner(state: State, client: int, owner: int) -> None:
    """The lookup has ended: *client* goes to *owner*."""
    state.stage[client] = Lookup.TOLD
    state.at[client] = owner


@action(client=CLIENT, candidate=BROKER, fairness=weak("A lookup goes on.", choice="candidate"))
def search(state: State, client: int, candidate: int) -> None:
    """
    The broker has found no owner: *candidate* shall become it, or shall choose who does.

    Enabled: the broker lives and searches; *candidate* is whom the bundle belongs to, if it belongs to a broker; else
    the broker itself if the lookup is authoritative; else the leader, if there is one that is registered and it is
    another; else whom the broker has promised the bundle to, or, if nobody, any that is registered. The broker's own
    election is there.
    Changes: the broker acquires the bundle, if it is *candidate*; else the client is redirected: with authority, if the
    broker chose or takes itself for the leader. A choice is remembered. A candidate that is not registered is an error.
    Mirrors: ``NamespaceService.searchForCandidateBroker``, ``ModularLoadManagerImpl.selectBrokerForAssignment``.
    """
    require(state.stage[client] == Lookup.SEARCHING, "a broker searches")
    broker = state.at[client]
    require(state.up[broker] and not state.unready[broker], "the broker lives, and its election is there")
    leader = state.takes_for_leader[broker]
    home = belongs_to(state)
    asks_leader = not state.authoritative[client] and leader != broker and leader != NOBODY and state.registered[leader]
    chooses = home == NOBODY and not state.authoritative[client] and not asks_leader
    if home != NOBODY:
        require(candidate == home, "the bundle belongs to a broker")
    elif state.authoritative[client]:
        require(candidate == broker, "an authoritative request is for the broker itself")
    elif asks_leader:
        require(candidate == leader, "the leader is asked")
    elif state.promised[broker] != NOBODY:
        require(candidate == state.promised[broker], "the bundle is promised")
    else:
        require(state.registered[candidate], "the candidate is registered")
        require(not is_extensible(state, candidate), "the candidate has the same manager")
        state.promised[broker] = candidate
    if candidate == broker:
        load_entry(state, broker, FIRST)
        state.stage[client] = Lookup.ACQUIRING
    elif not state.registered[candidate]:
        state.stage[client] = Lookup.FAILED
    else:
        redirect(state, client, candidate, leader == broker or (chooses and state.bounds.rules.own_choice_is_final))


def redirect(state: State, client: int, broker: int, is_final: bool) -> None:
    """*client* asks *broker* next."""
    arrive(state, client, broker)
    state.authoritative[client] = is_final
    if state.hops[client] < state.bounds.hops:
        state.hops[client] = state.hops[client] + 1


@action(client=CLIENT, when=lambda bounds: bounds.starting, fairness=weak("A lookup goes on."))
def search_too_early(state: State, client: int) -> None:
    """
    The broker searches before its election is there.

    Enabled: it is so.
    Changes: the lookup fails; without ``failure_ends_lookup`` its future is never done, and whoever asks next joins it.
    Mirrors: ``NamespaceService.searchForCandidateBroker``.
    """
    require(state.stage[client] == Lookup.SEARCHING, "a broker searches")
    broker = state.at[client]
    require(state.up[broker] and state.unready[broker], "its election is not there")
    if state.bounds.rules.failure_ends_lookup:
        state.stage[client] = Lookup.FAILED
    else:
        state.leaked[broker] = True
        state.stage[client] = Lookup.JOINED


@action(client=CLIENT, fairness=weak("A lookup goes on."))
def end_acquisition(state: State, client: int) -> None:
    """
    The acquisition that a lookup waits for has ended.

    Enabled: the broker lives, and does not acquire the bundle any more.
    Changes: the client is told the broker, if that owns the bundle; else the lookup has failed.
    Mirrors: ``OwnershipCache.tryAcquiringOwnership``.
    """
    require(state.stage[client] == Lookup.ACQUIRING, "a lookup waits for an acquisition")
    broker = state.at[client]
    require(state.up[broker] and state.entry[broker, FIRST] != Entry.LOADING, "the acquisition has ended")
    if state.entry[broker, FIRST] == Entry.ACTIVE:
        tell_owner(state, client, broker)
    else:
        state.stage[client] = Lookup.FAILED


@action(
    client=CLIENT,
    when=lambda bounds: bounds.crashes or bounds.stops or bounds.expiries >= bounds.brokers,
    fairness=weak("A connection to who is gone fails, and so does a search that finds nobody."),
)
def fail_lookup(state: State, client: int) -> None:
    """
    The lookup fails: the broker that deals with it is gone, or finds no broker to choose.

    Enabled: the broker lives no more; or it searches, may choose, and nobody of its manager is registered.
    Changes: the lookup has failed.
    Mirrors: ``NamespaceService.searchForCandidateBroker``.
    """
    stage = state.stage[client]
    require(
        stage == Lookup.ASKED or stage == Lookup.SEARCHING or stage == Lookup.ACQUIRING or stage == Lookup.JOINED,
        "a lookup is under way",
    )
    broker = state.at[client]
    finds_nobody = stage == Lookup.SEARCHING and not state.authoritative[client] and state.promised[broker] == NOBODY
    if belongs_to(state) != NOBODY:
        finds_nobody = False
    for other in range(1, state.bounds.brokers + 1):
        if state.registered[other] and not is_extensible(state, other):
            finds_nobody = False
    require(not state.up[broker] or finds_nobody, "the broker is gone, or finds nobody")
    state.stage[client] = Lookup.FAILED


@action(
    broker=BROKER,
    when=lambda bounds: bounds.clients and (bounds.service_level or not bounds.monitored),
    fairness=weak("Load is reported every minute."),
)
def forget_promise(state: State, broker: int) -> None:
    """
    A report of load comes to *broker*, and it forgets whom it has promised the bundle to, be it owned by now or not.

    Enabled: it lives, and has promised the bundle to a broker that is registered; with ``promise_awaits_owner`` only
    once that broker owns it.
    Changes: it has promised it to nobody.
    Mirrors: ``ModularLoadManagerImpl.updateBundleData``: of each broker whose data it holds, all preallocated bundles
    leave ``preallocatedBundleToBroker``. It does not ask for the bundles of the report: from 2.6.4 to 2.10.3, and in
    2.11.0, it removes one by one behind that question; since 2.10.4 and 3.0.0 (#19420), all at once.
    """
    promised = state.promised[broker]
    require(state.up[broker] and promised != NOBODY, "the broker has promised the bundle")
    require(state.registered[promised], "it holds data of the broker that the bundle is promised to")
    if state.bounds.rules.promise_awaits_owner:
        require(state.entry[promised, FIRST] == Entry.ACTIVE, "the broker that it is promised to owns it")
    state.promised[broker] = NOBODY


# ---- brokers of two managers ----


def newest(state: State) -> int:
    """Return the registered broker that started last; brokers start in the order of their numbers."""
    found = NOBODY
    for broker in range(1, state.bounds.brokers + 1):
        if state.registered[broker]:
            found = broker
    return found


def is_of_other_manager(state: State, broker: int, other: int) -> bool:
    """Return whether two brokers are configured with different managers."""
    return is_extensible(state, broker) != is_extensible(state, other)


@action(
    client=CLIENT,
    broker=BROKER,
    when=lambda bounds: bounds.extensible,
    fairness=weak("A lookup goes on.", choice="broker"),
)
def redirect_to_manager(state: State, client: int, broker: int) -> None:
    """
    The broker that was asked has another manager than the one that started last: the client is to ask *broker*.

    Enabled: a lookup has come to a broker that lives; *broker* is registered, and has the manager of the newest one.
    Changes: the client is redirected, with authority.
    Mirrors: ``RedirectManager.findRedirectLookupResultAsync``.
    """
    require(state.stage[client] == Lookup.ASKED, "a lookup has come to a broker")
    here = state.at[client]
    require(state.up[here], "the broker lives")
    require(
        newest(state) != NOBODY and is_of_other_manager(state, here, newest(state)), "the newest is of another manager"
    )
    require(state.registered[broker] and is_of_other_manager(state, here, broker), "that manager is the broker's")
    redirect(state, client, broker, True)
