"""
The value of the node, as a broker has it cached. Mirrors ``MetadataCacheImpl``, and what ``AbstractMetadataStore`` asks
of it.

A read that is under way is in the cache until it is replaced or the entry is thrown away; the last one to begin is
then the one that the cache has. A waiter for a read is answered by that read, whatever became of the entry.
"""

from oneowner.model.kernel.guards import require_room
from oneowner.model.kernel.language import Sequence
from oneowner.model.leader_election.state import (
    FAILED,
    NOBODY,
    Asked,
    Cached,
    Origin,
    Request,
    State,
    Waiter,
)


def send(state: State, broker: int, asked: Asked, origin: Origin = Origin.USER, depth: int = 0) -> None:
    """Send a request to the store."""
    under_way = state.sent[broker].length + state.answers[broker].length
    require_room(under_way < state.bounds.requests, "there is room for a request")
    state.sent[broker] = state.sent[broker].plus(Request(asked, origin, depth))


def invalidate(state: State, broker: int) -> None:
    """Throw the entry away; a read that is under way goes on, for those who wait for it."""
    if state.bounds.rules.cached:
        state.cached[broker] = Cached.ABSENT
        state.value[broker] = NOBODY


def load(state: State, broker: int) -> None:
    """Read the node; until the answer comes, the cache has that read."""
    state.cached[broker] = Cached.LOADING
    state.value[broker] = NOBODY
    send(state, broker, Asked.LOAD)


def refresh(state: State, broker: int) -> None:
    """Read the node anew if the cache has anything of it (``MetadataCacheImpl.refresh``)."""
    if state.cached[broker] != Cached.ABSENT:
        load(state, broker)


def created(state: State, broker: int) -> None:
    """The node was created; in 2.9.1 a read that is under way stays in the cache."""
    if state.bounds.rules.cached and (state.bounds.rules.refreshes or state.cached[broker] == Cached.READY):
        refresh(state, broker)


def written(state: State, broker: int) -> None:
    """The broker has created the node: the cache reads it anew (in 2.9.1: has nothing of it)."""
    if state.bounds.rules.refreshes and state.bounds.rules.cached:
        refresh(state, broker)
    else:
        invalidate(state, broker)


def join(state: State, broker: int, creating: bool, origin: Origin, depth: int, leads: bool) -> None:
    """Wait for the read that the cache has; begin one if it has nothing."""
    if state.cached[broker] == Cached.ABSENT:
        load(state, broker)
    require_room(state.waiters[broker].length < state.bounds.requests, "there is room for who waits for a read")
    waiter = Waiter(creating, origin, depth, leads, loads(state, broker))
    state.waiters[broker] = state.waiters[broker].plus(waiter)


def loads(state: State, broker: int) -> int:
    """Count the reads of the cache that are under way."""
    count = 0
    for number in range(1, state.bounds.requests + 1):
        if number <= state.answers[broker].length and state.answers[broker][number].request.asked == Asked.LOAD:
            count += 1
        if number <= state.sent[broker].length and state.sent[broker][number].asked == Asked.LOAD:
            count += 1
    return count


def loaded(state: State, broker: int, owner: int, is_lost: bool) -> None:
    """The oldest read has ended: if it is the one that the cache has, the entry is its value, or thrown away."""
    is_current = state.cached[broker] == Cached.LOADING and loads(state, broker) == 0
    state.value[broker] = value_after(state.value[broker], is_current and not is_lost, owner)
    state.cached[broker] = cached_after(state.cached[broker], is_current, is_lost)
    state.waiters[broker] = counted_down(state.waiters[broker], is_lost, state.bounds.requests)


def value_after(value: int, is_read: bool, owner: int) -> int:
    return owner if is_read else value


def cached_after(cached: Cached, is_current: bool, is_lost: bool) -> Cached:
    if not is_current:
        return cached
    return Cached.ABSENT if is_lost else Cached.READY


def counted_down(waiters: Sequence[Waiter], is_lost: bool, most: int) -> Sequence[Waiter]:
    """Return the waiters, each waiting for one read less; those of the read that has ended go on after this step."""
    for number in range(1, most + 1):
        if number <= waiters.length:
            one = waiters[1]
            waiters = waiters.without(1).plus(
                Waiter(one.creating, one.origin, one.depth, one.leads, read_after(one.load, is_lost))
            )
    return waiters


def read_after(load: int, is_lost: bool) -> int:
    return FAILED if load == 1 and is_lost else load - 1
