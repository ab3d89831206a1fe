"""
A client acquires, releases and revalidates one lock. Mirrors ``ResourceLockImpl``.

An operation sends one request at a time and goes on when its answer is taken (``take``). Revalidations of a lock queue
up (#13006); a release waits for nothing, and nothing waits for it.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.locks.bounds import CLIENT
from oneowner.model.locks.state import (
    FIRST_VERSION,
    NO_VERSION,
    Acquire,
    Kind,
    Outcome,
    Purpose,
    Request,
    Stage,
    State,
    believes,
    is_idle,
)


@action(client=CLIENT, fairness=never("A client may never want the lock."))
def acquire(state: State, client: int) -> None:
    """
    *client* asks for the lock: it tries to create the node.

    Enabled: it has not asked yet; or, within the budget ``again``, its lock has ended or it did not get one, and
    nothing of that is under way.
    Changes: its lock is a new one, Init; a put that creates the node is sent.
    Mirrors: ``LockManagerImpl.acquireLock`` (a new lock each time), ``ResourceLockImpl.acquire``.
    """
    if state.acquired[client] != Acquire.NONE:
        require(state.again_left > 0, "the budget allows another acquire")
        state.again_left = state.again_left - 1
        require(state.acquired[client] == Acquire.FAILED or state.expired[client], "the client has no lock")
        require(is_idle(state, client), "nothing of its former lock is under way")
    state.stage[client] = Stage.INIT
    state.version[client] = NO_VERSION
    state.acquired[client] = Acquire.PENDING
    state.expired[client] = False
    state.flagged[client] = False
    send(state, client, Purpose.ACQUIRE, Kind.PUT, False)


@action(client=CLIENT, budget="releases", fairness=never("A client may keep the lock."))
def release(state: State, client: int) -> None:
    """
    *client* gives its lock back: it asks the store to delete the node, and the youngest timer is cancelled.

    Enabled: it takes itself for the holder (with ``repeats`` it need only have got a lock).
    Changes: unless the lock is Released already, it is Releasing, the youngest timer is cancelled, and a deletion of
    the node is sent.
    Mirrors: ``ResourceLockImpl.release``; ``revalidateTask.cancel`` (#22617).
    """
    require(state.releases_left > 0, "the budget allows another release")
    require(state.acquired[client] == Acquire.DONE, "the client got a lock")
    require(state.bounds.repeats == 1 or believes(state, client), "the client takes itself for the holder")
    state.releases_left = state.releases_left - 1
    if state.stage[client] == Stage.RELEASED:
        return
    state.stage[client] = Stage.RELEASING
    if state.cancellable[client]:
        state.cancellable[client] = False
        state.timers[client] = state.timers[client] - 1
    send(state, client, Purpose.RELEASE, Kind.DELETE, False)


@action(client=CLIENT, when=lambda bounds: bounds.rules.retried and bounds.timers, fairness=weak("Timers go off."))
def timer(state: State, client: int) -> None:
    """
    The oldest timer of *client* goes off: its lock is revalidated if it is Valid.

    Enabled: a timer is set.
    Changes: one less is set; a lock that is Valid is revalidated: a get is sent, or waits for the revalidation under
    way.
    Mirrors: ``ResourceLockImpl.silentRevalidateOnce``, scheduled by itself with ``backoff`` (#22617).
    """
    require(state.timers[client] > 0, "a timer is set")
    state.timers[client] = state.timers[client] - 1
    if state.timers[client] == 0:
        state.cancellable[client] = False
    if state.stage[client] == Stage.VALID:
        revalidate(state, client, False)


def send(state: State, client: int, purpose: Purpose, kind: Kind, told: bool) -> None:
    """Send a request; a release expects the lock's version, another deletion the one that was just read."""
    version = FIRST_VERSION
    if purpose == Purpose.RELEASE and state.bounds.strict == 1:
        version = state.version[client]
    under_way = state.sent[client].length + state.answers[client].length
    require_room(under_way < state.bounds.requests, "there is room for a request")
    state.sent[client] = state.sent[client].plus(Request(purpose, kind, told, version))


def take(state: State, client: int, request: Request, outcome: Outcome) -> None:
    """The operation that *request* is part of (``acquire``, ``release``, ``doRevalidate``) goes on with its outcome."""
    if request.purpose == Purpose.RELEASE:
        if outcome == Outcome.DONE or outcome == Outcome.ABSENT:
            expire_lock(state, client)  # else it is stuck in Releasing for ever
    elif outcome == Outcome.MINE or (outcome == Outcome.DONE and request.kind == Kind.PUT):
        state.version[client] = FIRST_VERSION
        if outcome == Outcome.DONE:  # a lock that is adopted keeps its stage: its bugs begin here
            state.stage[client] = Stage.VALID  # also one that is being released
        if request.purpose == Purpose.REVALIDATE:
            end_revalidation(state, client, request.told)
        else:
            state.acquired[client] = Acquire.DONE
            state.registered[client] = True
    elif outcome == Outcome.LOST or (outcome == Outcome.ABSENT and request.kind == Kind.DELETE):
        fail(state, client, request, False)
    elif outcome == Outcome.BAD_VERSION and request.purpose == Purpose.ACQUIRE:
        send(state, client, Purpose.CHECK, Kind.GET, False)
    elif outcome == Outcome.TWIN:
        send(state, client, request.purpose, Kind.DELETE, request.told)
    elif outcome == Outcome.ABSENT or outcome == Outcome.DONE:
        state.version[client] = NO_VERSION
        send(state, client, request.purpose, Kind.PUT, request.told)
    else:
        fail(state, client, request, True)


def fail(state: State, client: int, request: Request, is_busy: bool) -> None:
    """The operation ends with ``LockBusyException``, somebody else holds the lock (#17700), or another exception."""
    if request.purpose == Purpose.REVALIDATE:
        if not is_busy:
            try_later(state, client)
        elif state.bounds.rules.busy_expires:
            expire_lock(state, client)
        end_revalidation(state, client, request.told)
    else:
        state.acquired[client] = Acquire.FAILED
        if state.bounds.rules.failed_acquire_expires and request.purpose == Purpose.CHECK:
            expire_lock(state, client)


def expire_lock(state: State, client: int) -> None:
    """The lock is Released, who waits for its end is told (``expiredFuture``), and ``LockManagerImpl`` forgets it."""
    state.stage[client] = Stage.RELEASED
    state.expired[client] = True
    state.registered[client] = False


def try_later(state: State, client: int) -> None:
    """Revalidate at the next reconnection (#17664) and by a timer (#22617): the end of ``silentRevalidateOnce``."""
    if state.bounds.rules.failure_flags:
        state.flagged[client] = True
    if state.bounds.rules.retried:
        require_room(state.timers[client] < state.bounds.timers, "there is room for a timer")
        state.timers[client] = state.timers[client] + 1
        state.cancellable[client] = True


def revalidate(state: State, client: int, told: bool) -> None:
    """Revalidate the lock, now or after the revalidation that is under way (#13006, #19844)."""
    if state.bounds.rules.serialised and state.revalidating[client]:
        require_room(state.waiting[client].length < state.bounds.waiting, "there is room for a revalidation that waits")
        state.waiting[client] = state.waiting[client].plus(told)
    else:
        state.revalidating[client] = True
        send(state, client, Purpose.REVALIDATE, Kind.GET, told)


def end_revalidation(state: State, client: int, told: bool) -> None:
    """A revalidation has ended, and the next one begins; from #19844 on that of a lock which is over fails at once."""
    state.revalidating[client] = False
    if told:
        state.handling[client] = False
    for _ in range(state.bounds.waiting):
        if state.waiting[client].length > 0 and not state.revalidating[client]:
            next_told = state.waiting[client][1]
            state.waiting[client] = state.waiting[client].without(1)
            is_over = state.stage[client] == Stage.RELEASING or state.stage[client] == Stage.RELEASED
            if not is_over or not state.bounds.rules.only_valid:
                revalidate(state, client, next_told)
            else:
                try_later(state, client)
                if next_told:
                    state.handling[client] = False
