"""
``State`` holds one ephemeral node, and of every client its session, its lock and its requests under way.

A client has one ``ResourceLockImpl`` at a time, that of its last acquire. It is the lock of a
bundle: its node is only ever created anew, with version 0, since nobody calls ``updateValue`` on it. (The lock of a
registration is updated with every load report, and may be revalidated with a version that has passed.)
"""

from enum import StrEnum
from typing import NamedTuple

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, Fields, Sequence, SequenceOf, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left
from oneowner.model.locks.bounds import CLIENT, Bounds

NOBODY = 0
NO_VERSION = -1
FIRST_VERSION = 0


class Stage(StrEnum):
    """The field ``state`` of a lock."""

    INIT = "Init"
    VALID = "Valid"
    RELEASING = "Releasing"
    RELEASED = "Released"


class Acquire(StrEnum):
    """The outcome of the last acquire of a client."""

    NONE = "none"
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class Kind(StrEnum):
    """The operation that a request asks of the store."""

    PUT = "put"
    GET = "get"
    DELETE = "delete"


class Purpose(StrEnum):
    """The purpose that a request is part of: it has no other request under way."""

    ACQUIRE = "acquire"
    CHECK = "check"
    """The revalidation within ``acquire``, after a put that found the node there."""
    REVALIDATE = "revalidate"
    RELEASE = "release"


class Outcome(StrEnum):
    """The answer of the store; LOST stands for an answer that never comes: nobody says whether it was carried out."""

    DONE = "done"
    BAD_VERSION = "bad version"
    ABSENT = "absent"
    """Of a deletion ``NotFoundException``, of a get nothing."""
    MINE = "mine"
    """A get: the client's value, created by its own session (``isCreatedBySelf``); TWIN: by another's."""
    TWIN = "twin"
    FOREIGN = "foreign"
    LOST = "lost"


class Event(StrEnum):
    """``SessionEvent``: a store's event about its client's session; of others the lock hears nothing."""

    REESTABLISHED = "SessionReestablished"
    RECONNECTED = "Reconnected"


class Notice(StrEnum):
    """``NotificationType``: the change of the node."""

    DELETED = "Deleted"
    CREATED = "Created"


class Request(NamedTuple):
    """One request; ``told``: a session event waits for its revalidation; ``version``: that which a deletion expects."""

    purpose: Purpose
    kind: Kind
    told: bool
    version: int


class Answer(NamedTuple):
    """A request with the store's answer."""

    request: Request
    outcome: Outcome


VERSION = integers(NO_VERSION, FIRST_VERSION)
REQUEST = Fields(Request, purpose=names(Purpose), kind=names(Kind), told=BOOLEAN, version=VERSION)
ANSWER = Fields(Answer, request=REQUEST, outcome=names(Outcome))


class State(KernelState):
    """One instant of the store and its clients."""

    bounds: Bounds

    node: int = cell(lambda bounds: integers(NOBODY, bounds.clients, CLIENT.name))
    """The client whose session, always its current one, owns the node."""
    live: Cells[bool] = cell(BOOLEAN, per=(CLIENT,), first=True)
    """True if the client has a session in the store."""

    sent: Cells[Sequence[Request]] = cell(lambda bounds: SequenceOf(bounds.requests, REQUEST), per=(CLIENT,))
    """Requests that the store has not carried out."""
    answers: Cells[Sequence[Answer]] = cell(lambda bounds: SequenceOf(bounds.requests, ANSWER), per=(CLIENT,))
    """Answers that the client has not taken; they are older than all in ``sent``."""
    notices: Cells[Sequence[Notice]] = cell(lambda bounds: SequenceOf(bounds.notices, names(Notice)), per=(CLIENT,))
    """Notifications that the client has not taken."""
    events: Cells[Sequence[Event]] = cell(lambda bounds: SequenceOf(bounds.waiting, names(Event)), per=(CLIENT,))
    """Session events that wait until the one before has been dealt with."""
    handling: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """A session event waits for the revalidation that it asked for."""

    stage: Cells[Stage] = cell(names(Stage), per=(CLIENT,))
    version: Cells[int] = cell(VERSION, per=(CLIENT,))
    acquired: Cells[Acquire] = cell(names(Acquire), per=(CLIENT,))
    registered: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """True if ``LockManagerImpl.locks`` has the lock."""
    expired: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """True if ``expiredFuture`` is done: the waiters for the end of the lock have heard of it."""
    flagged: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """``revalidateAfterReconnection``"""
    revalidating: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """A revalidation is under way, other than within an acquire."""
    waiting: Cells[Sequence[bool]] = cell(lambda bounds: SequenceOf(bounds.waiting, BOOLEAN), per=(CLIENT,))
    """Revalidations that wait for the one under way; whether a session event waits for them."""
    timers: Cells[int] = cell(lambda bounds: integers(0, bounds.timers), per=(CLIENT,))
    """Revalidations that a timer is set for."""
    cancellable: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    """``revalidateTask``, the youngest timer, is still set."""

    again_left: int = left("again")
    releases_left: int = left("releases")
    expiries_left: int = left("expiries")
    survivals_left: int = left("survivals")
    reconnects_left: int = left("reconnects")
    losses_left: int = left("losses")


clients = concrete(CLIENT.numbers)


def believes(state: State, client: int) -> bool:
    """Return whether *client* takes itself for the holder: it got the lock, kept it, and was not told of its end."""
    has_it = state.acquired[client] == Acquire.DONE and not state.expired[client]
    return has_it and state.stage[client] != Stage.RELEASING


def believers(state: State) -> int:
    """Count the clients that take themselves for the holder."""
    count = 0
    for client in range(1, state.bounds.clients + 1):
        if believes(state, client):
            count += 1
    return count


def is_idle(state: State, client: int) -> bool:
    """Return whether nothing is under way for the lock of *client*: no request, no timer, no session event."""
    under_way = state.sent[client].length + state.answers[client].length + state.timers[client]
    return under_way == 0 and not state.handling[client]
