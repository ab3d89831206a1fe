"""
These laws state exactly when a broker, the store or a lookup may continue: a missing or too strict guard breaks one.

They state from another side what the guards of the model ask, and call none of them. Where releases differ a law has
two rules: when an action must be enabled, and when it may be.
"""

from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, Lock, State, Unload, bundles


def in_any_bounds(bounds: Bounds) -> bool:
    return True


# ---- bundles ----


def is_at_work(state: State, broker: int) -> bool:
    return state.up[broker] and state.live[broker]


def is_older(state: State, broker: int) -> bool:
    return broker + state.bounds.extensible <= state.bounds.brokers


def has_topics(state: State, bundle: int) -> bool:
    if bundle > state.bounds.bundles:
        return state.cut[bundle - state.bounds.bundles]
    return not state.cut[bundle]


def home(state: State) -> int:
    """Return the broker to which the first bundle belongs now, or nobody."""
    broker = state.bounds.monitored
    if broker == NOBODY or (state.bounds.service_level > 0 and not state.registered[broker]):
        return NOBODY
    return broker


def may_acquire(state: State, broker: int, bundle: int) -> bool:
    is_others = bundle == FIRST and home(state) != NOBODY and home(state) != broker
    if is_others or not has_topics(state, bundle) or not is_older(state, broker):
        return False
    return state.up[broker] and state.entry[broker, bundle] == Entry.NONE and state.acquires_left > 0


def is_created(state: State, broker: int, bundle: int) -> bool:
    return state.live[broker] and state.lock[broker, bundle] == Lock.WANTED


def is_deleted(state: State, broker: int, bundle: int) -> bool:
    return state.live[broker] and state.lock[broker, bundle] == Lock.GIVEN_BACK


def is_checked(state: State, broker: int, bundle: int) -> bool:
    return state.live[broker] and state.lock[broker, bundle] == Lock.IN_DOUBT


def may_fail(state: State, broker: int, bundle: int) -> bool:
    lock = state.lock[broker, bundle]
    return state.losses_left > 0 and (lock == Lock.WANTED or lock == Lock.GIVEN_BACK)


def may_fail_late(state: State, broker: int, bundle: int) -> bool:
    return state.live[broker] and may_fail(state, broker, bundle)


def owns(state: State, broker: int, bundle: int) -> bool:
    if is_older(state, broker):
        return state.entry[broker, bundle] == Entry.ACTIVE
    return state.channel[bundle] == broker


def may_open(state: State, broker: int, bundle: int) -> bool:
    is_open = state.serving[broker, bundle] or not has_topics(state, bundle)
    return state.up[broker] and owns(state, broker, bundle) and not is_open


def may_load(state: State, broker: int, bundle: int) -> bool:
    is_free = state.loads_left > 0 and not state.loading[broker, bundle]
    return state.up[broker] and owns(state, broker, bundle) and is_free


def is_loaded(state: State, broker: int, bundle: int) -> bool:
    return state.loading[broker, bundle] and owns(state, broker, bundle)


def may_be_loaded(state: State, broker: int, bundle: int) -> bool:
    return state.loading[broker, bundle]


def may_unload(state: State, broker: int, bundle: int) -> bool:
    return state.up[broker] and state.unloads_left > 0 and state.entry[broker, bundle] == Entry.ACTIVE


def is_closed(state: State, broker: int, bundle: int) -> bool:
    return state.unload[broker, bundle] != Unload.NONE and not state.loading[broker, bundle]


BUNDLES_GO_ON = enabled_law(
    "bundles-go-on",
    "Who has no entry of a bundle with topics acquires it, unless it belongs to another. Requests are carried out, and"
    " locks in doubt checked, in a session. Topics are opened and loaded at who takes itself for the owner; they are"
    " closed once none is being loaded.",
    "OwnershipCache.tryAcquiringOwnership; OwnedBundle.handleUnloadRequest; ResourceLockImpl.silentRevalidateOnce",
    exactly("acquire", may_acquire),
    exactly("create_node", is_created),
    exactly("delete_node", is_deleted),
    exactly("check_lock", is_checked),
    exactly("lose_request", may_fail),
    exactly("lose_answer", may_fail_late),
    exactly("open_topics", may_open),
    exactly("begin_load", may_load),
    Rule("end_load", is_loaded, may_be_loaded),
    exactly("begin_unload", may_unload),
    exactly("close_topics", is_closed),
    where=in_any_bounds,
)


# ---- brokers ----


def its_session_ends(state: State, broker: int) -> bool:
    return is_at_work(state, broker) and state.expiries_left > 0


def comes_back(state: State, broker: int) -> bool:
    return state.up[broker] and not state.live[broker]


def may_crash(state: State, broker: int) -> bool:
    return state.up[broker] and not state.ghost[broker] and state.crashes_left > 0


def is_left_over(state: State, broker: int) -> bool:
    return state.ghost[broker]


def may_start(state: State, broker: int) -> bool:
    return not state.up[broker] and state.restarts_left > 0


def has_to_register(state: State, broker: int) -> bool:
    return is_at_work(state, broker) and state.to_register[broker]


def may_lead(state: State, broker: int) -> bool:
    return is_at_work(state, broker) and is_older(state, broker) and state.leader == NOBODY


def has_to_hear(state: State, broker: int) -> bool:
    return is_at_work(state, broker) and state.takes_for_leader[broker] != state.leader


def may_stop(state: State, broker: int) -> bool:
    return is_at_work(state, broker) and not state.stopping[broker] and state.stops_left > 0


def unloads_at_stop(state: State, broker: int, bundle: int) -> bool:
    return state.up[broker] and state.stopping[broker] and state.entry[broker, bundle] == Entry.ACTIVE


def has_unloaded(state: State, broker: int) -> bool:
    for bundle in bundles(state):
        is_owned = state.entry[broker, bundle] == Entry.ACTIVE or state.entry[broker, bundle] == Entry.INACTIVE
        if is_owned or state.unload[broker, bundle] != Unload.NONE:
            return False
    return state.stopping[broker]


def may_split(state: State, broker: int, bundle: int) -> bool:
    is_whole = state.entry[broker, bundle] == Entry.ACTIVE and not state.cut[bundle]
    return is_whole and state.splitting[broker] == NOBODY and state.splits_left > 0


def writes(state: State, broker: int, bundle: int) -> bool:
    is_sent = state.lock[broker, bundle + state.bounds.bundles] != Lock.WANTED
    return is_at_work(state, broker) and state.splitting[broker] == bundle and is_sent


def claims(state: State, broker: int) -> bool:
    if not state.to_claim[broker] or not state.registered[broker] or state.to_register[broker]:
        return False
    node, entry = state.node[FIRST], state.entry[broker, FIRST]
    if entry == Entry.ACTIVE:
        return True
    if node != NOBODY and node != broker:
        return state.entry[node, FIRST] == Entry.ACTIVE
    return entry == Entry.NONE


BROKERS_GO_ON = enabled_law(
    "brokers-go-on",
    "A session ends only of who has one, and who lives without one gets one. Who lives and has a session registers when"
    " it has to, hears of elections, and leads if nobody does and it has the older manager. A broker stops once, and"
    " ends when it owns nothing and closes nothing. Who owns a bundle that the policies have splits it, one at a time.",
    "LeaderElectionImpl.elect; BrokerService.unloadNamespaceBundlesGracefully; NamespaceService.splitAndOwnBundle",
    exactly("expire", its_session_ends),
    exactly("reestablish", comes_back),
    exactly("crash", may_crash),
    exactly("end_ghost", is_left_over),
    exactly("restart", may_start),
    exactly("register", has_to_register),
    exactly("elect", may_lead),
    exactly("hear_of_leader", has_to_hear),
    exactly("begin_stop", may_stop),
    exactly("unload_at_stop", unloads_at_stop),
    exactly("end_stop", has_unloaded),
    exactly("begin_split", may_split),
    exactly("write_policies", writes),
    exactly("claim", claims),
    where=in_any_bounds,
)
