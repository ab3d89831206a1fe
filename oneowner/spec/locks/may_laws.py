"""
One law states exactly when a client and the store may continue: a missing or too strict guard breaks it.

It states from another side what the guards of the model ask, and calls none of them. What a step needs of the bounds,
such as room for a request, is asked apart.
"""

from collections.abc import Callable
from functools import partial

from oneowner.model.kernel.enabled import Rule, enabled_law
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import Acquire, Stage, State, clients


def asks(state: State, client: int) -> bool:
    """Return whether *client* may acquire: for the first time, or anew once all of its former lock is over."""
    if state.acquired[client] == Acquire.NONE and state.stage[client] == Stage.INIT:
        return True
    is_over = state.acquired[client] == Acquire.FAILED or state.expired[client]
    return state.again_left > 0 and is_over and not has_work(state, client)


def has_work(state: State, client: int) -> bool:
    is_sent = state.sent[client].length > 0 or state.answers[client].length > 0
    return is_sent or state.timers[client] > 0 or state.handling[client]


def gives_back(state: State, client: int) -> bool:
    is_held = state.acquired[client] == Acquire.DONE
    if state.bounds.repeats == 0:
        is_held = is_held and not state.expired[client] and state.stage[client] != Stage.RELEASING
    return is_held and state.releases_left > 0


def goes_off(state: State, client: int) -> bool:
    return state.timers[client] > 0


def is_carried_out(state: State, client: int) -> bool:
    return state.live[client] and state.sent[client].length > 0


def is_answered(state: State, client: int) -> bool:
    return state.answers[client].length > 0


def fails(state: State, client: int) -> bool:
    return state.losses_left > 0 and (state.sent[client].length > 0 or state.answers[client].length > 0)


def is_notified(state: State, client: int) -> bool:
    return state.notices[client].length > 0


def its_session_ends(state: State, client: int) -> bool:
    return state.live[client] and state.expiries_left > 0


def comes_back(state: State, client: int) -> bool:
    return not state.live[client] or state.survivals_left > 0


def is_connected_again(state: State, client: int) -> bool:
    return state.live[client] and state.reconnects_left > 0


def has_room(state: State, client: int) -> bool:
    """Return whether the bounds have room for whatever a step sends, notifies or puts off."""
    under_way = state.sent[client].length + state.answers[client].length
    if under_way >= state.bounds.requests or state.timers[client] >= state.bounds.timers:
        return False
    if state.waiting[client].length >= state.bounds.waiting or state.events[client].length >= state.bounds.waiting:
        return False
    return all(state.notices[other].length < state.bounds.notices for other in clients(state))


def in_room(action: str, rule: Callable[[State, int], bool]) -> Rule:
    """Return that *action* is enabled only where *rule* allows it, and there if the bounds have room for it."""
    return Rule(action, partial(is_so_with_room, rule=rule), rule)


def is_so_with_room(state: State, client: int, rule: Callable[[State, int], bool]) -> bool:
    return has_room(state, client) and rule(state, client)


def in_any_bounds(bounds: Bounds) -> bool:
    return True


CLIENTS_GO_ON = enabled_law(
    "clients-go-on",
    "A client acquires once, and anew when its lock has ended or it did not get one, and nothing of that is under way;"
    " it gives back a lock that it got and of whose end it was not notified. The store carries out what a client with"
    " a session has sent, ends sessions of those that have one, and notifies all the rest in any order.",
    "LockManagerImpl.acquireLock, ResourceLockImpl.acquire, release",
    in_room("acquire", asks),
    in_room("release", gives_back),
    in_room("timer", goes_off),
    in_room("carry_out", is_carried_out),
    in_room("answer", is_answered),
    in_room("lose", fails),
    in_room("notify", is_notified),
    in_room("expire", its_session_ends),
    in_room("reestablish", comes_back),
    in_room("reconnect", is_connected_again),
    where=in_any_bounds,
)
