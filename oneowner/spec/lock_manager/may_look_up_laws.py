"""
These laws state exactly when a lookup may continue, and with which broker, as ``may_laws.py`` does for other steps.
"""

from oneowner.model.kernel.enabled import enabled_law, exactly
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, Lookup, State, brokers
from oneowner.spec.lock_manager.may_laws import home, is_older


def has_clients(bounds: Bounds) -> bool:
    return bounds.clients > 0


def may_ask(state: State, client: int, broker: int) -> bool:
    stage = state.stage[client]
    is_idle = stage == Lookup.NONE or stage == Lookup.TOLD or stage == Lookup.FAILED
    return state.up[broker] and is_idle and state.asks_left > 0


def newest_is_older(state: State) -> bool:
    """Return whether the registered broker of the greatest number has the older manager; True also without any."""
    is_old = True
    for broker in brokers(state):
        if state.registered[broker]:
            is_old = is_older(state, broker)
    return is_old


def some_are_registered(state: State) -> bool:
    return any(state.registered[broker] for broker in brokers(state))


def is_sent_on(state: State, broker: int) -> bool:
    return some_are_registered(state) and is_older(state, broker) != newest_is_older(state)


def looks(state: State, client: int) -> bool:
    if state.stage[client] != Lookup.ASKED:
        return False
    return state.up[state.at[client]] and not is_sent_on(state, state.at[client])


def is_redirected(state: State, client: int, broker: int) -> bool:
    if state.stage[client] != Lookup.ASKED:
        return False
    here = state.at[client]
    is_of_newest = state.registered[broker] and is_older(state, broker) == newest_is_older(state)
    return state.up[here] and is_sent_on(state, here) and is_of_newest


def searches(state: State, client: int, candidate: int) -> bool:
    if state.stage[client] != Lookup.SEARCHING:
        return False
    broker = state.at[client]
    if not state.up[broker] or state.unready[broker]:
        return False
    if home(state) != NOBODY:
        return candidate == home(state)
    if state.authoritative[client]:
        return candidate == broker
    leader = state.takes_for_leader[broker]
    if leader != NOBODY and leader != broker and state.registered[leader]:
        return candidate == leader
    if state.promised[broker] != NOBODY:
        return candidate == state.promised[broker]
    return state.registered[candidate] and is_older(state, candidate)


def has_acquired(state: State, client: int) -> bool:
    if state.stage[client] != Lookup.ACQUIRING:
        return False
    return state.up[state.at[client]] and state.entry[state.at[client], FIRST] != Entry.LOADING


def has_promised(state: State, broker: int) -> bool:
    return state.up[broker] and state.promised[broker] != NOBODY


LOOKUPS_GO_ON = enabled_law(
    "lookups-go-on",
    "A broker that lives deals with a lookup, unless the registered broker that started last has another manager: then"
    " it redirects to one of that. Who searches takes whom the bundle belongs to; itself, if it was told with"
    " authority; the leader, if that is another and registered; whom it has promised the bundle; or any registered."
    " Every promise may be forgotten as soon as it is made.",
    "NamespaceService.findBrokerServiceUrl, searchForCandidateBroker; RedirectManager.findRedirectLookupResultAsync;"
    " ModularLoadManagerImpl.updateBundleData",
    exactly("ask", may_ask),
    exactly("look", looks),
    exactly("redirect_to_manager", is_redirected),
    exactly("search", searches),
    exactly("end_acquisition", has_acquired),
    exactly("forget_promise", has_promised),
    where=has_clients,
)
