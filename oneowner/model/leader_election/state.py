"""
``State`` holds one ephemeral node, and of every broker its session, its election and its requests under way.

A broker has one ``LeaderElectionImpl`` at a time and always proposes the same value, its own. All versions of the node
are 0: it is only ever created anew.
"""

from enum import StrEnum
from typing import NamedTuple

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, Fields, Sequence, SequenceOf, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left
from oneowner.model.leader_election.bounds import BROKER, Bounds

NOBODY = 0
ENDED = 0
FAILED = -1
"""In place of a read of the cache: it has ended, or failed."""


class Internal(StrEnum):
    """The field ``internalState`` of an election."""

    INIT = "Init"
    IN_PROGRESS = "ElectionInProgress"
    PRESENT = "LeaderIsPresent"
    CLOSED = "Closed"


class Says(StrEnum):
    """The state of an election (``LeaderElectionState``)."""

    NO_LEADER = "NoLeader"
    FOLLOWING = "Following"
    LEADING = "Leading"


class Result(StrEnum):
    """The outcome of the user's last request, ``elect(value)`` or ``asyncClose()``."""

    NONE = "none"
    PENDING = "pending"
    FOLLOWING = "Following"
    LEADING = "Leading"
    CLOSED = "closed"
    FAILED = "failed"


class Origin(StrEnum):
    """The origin of an election, which hears how it ends."""

    USER = "user"
    NOTICE = "notice"
    TIMER = "timer"
    SESSION = "session"


class Asked(StrEnum):
    """The purpose of a request: to read the node's owner, to delete it, to create it, or to fill the cache."""

    CHECK = "check"
    REPLACE = "replace"
    """Delete the node of an earlier session of the broker's own."""
    CREATE = "create"
    CLEAN = "clean"
    """Delete the node that was just created, for it is not wanted any more."""
    CLOSE = "close"
    LOAD = "load"


class Outcome(StrEnum):
    """The answer of the store; LOST stands for an answer that never comes: nobody says whether it was carried out."""

    DONE = "done"
    BAD_VERSION = "bad version"
    ABSENT = "absent"
    """Of a deletion ``NotFoundException``, of a get nothing."""
    MINE = "mine"
    """A get: the broker's value, created by its own session (``isCreatedBySelf``); EARLIER: by an earlier one of it."""
    EARLIER = "earlier"
    FOREIGN = "foreign"
    LOST = "lost"


class Cached(StrEnum):
    """The cache's entry of the node: nothing, a read under way, or a value, which may be that nobody leads."""

    ABSENT = "absent"
    LOADING = "loading"
    READY = "ready"


class Kind(StrEnum):
    """``NotificationType``: the change of the node."""

    DELETED = "Deleted"
    CREATED = "Created"


class Request(NamedTuple):
    """One request; of an election, who began it and how many elections it is within (``depth``)."""

    asked: Asked
    origin: Origin
    depth: int


class Answer(NamedTuple):
    """A request with the store's answer; ``owner``: of a get, the owner of the node."""

    request: Request
    outcome: Outcome
    owner: int


class Notice(NamedTuple):
    """A notification, and how many answers that wait came before it."""

    kind: Kind
    after: int


class Waiter(NamedTuple):
    """An election that waits for a read of the cache: to lead (``creating``), or at its end, to tell ``leads``."""

    creating: bool
    origin: Origin
    depth: int
    leads: bool
    load: int
    """The number of the read among those under way, the oldest first; ENDED or FAILED, until the step is over."""


def request_of(bounds: Bounds) -> Fields:
    return Fields(Request, asked=names(Asked), origin=names(Origin), depth=integers(0, bounds.conflicts))


def requests_of(bounds: Bounds) -> SequenceOf:
    return SequenceOf(bounds.requests, request_of(bounds))


def answers_of(bounds: Bounds) -> SequenceOf:
    owner = integers(NOBODY, bounds.brokers, BROKER.name)
    return SequenceOf(bounds.requests, Fields(Answer, request=request_of(bounds), outcome=names(Outcome), owner=owner))


def notices_of(bounds: Bounds) -> SequenceOf:
    return SequenceOf(bounds.notices, Fields(Notice, kind=names(Kind), after=integers(0, bounds.requests)))


def waiters_of(bounds: Bounds) -> SequenceOf:
    depth, load = integers(0, bounds.conflicts), integers(FAILED, bounds.requests)
    waiter = Fields(Waiter, creating=BOOLEAN, origin=names(Origin), depth=depth, leads=BOOLEAN, load=load)
    return SequenceOf(bounds.requests, waiter)


class State(KernelState):
    """One instant of the store and its brokers."""

    bounds: Bounds

    node: int = cell(lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name))
    """The broker whose session owns the node."""
    earlier: bool = cell(BOOLEAN, when=lambda bounds: bounds.restarts)
    """True if that is an earlier session of the broker."""
    live: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    """True if the broker has a session in the store."""

    sent: Cells[Sequence[Request]] = cell(requests_of, per=(BROKER,), ends=True)
    """Requests that the store has not carried out."""
    answers: Cells[Sequence[Answer]] = cell(answers_of, per=(BROKER,), ends=True)
    """Answers that the broker has not taken; they are older than all in ``sent``."""
    notices: Cells[Sequence[Notice]] = cell(notices_of, per=(BROKER,), ends=True)
    """Notifications that the broker has not taken."""
    events: Cells[int] = cell(lambda bounds: integers(0, bounds.waiting), per=(BROKER,), ends=True)
    """Session events that wait until the one before has been dealt with."""
    handling: Cells[bool] = cell(BOOLEAN, per=(BROKER,), ends=True)
    """The election of a session event is under way."""

    internal: Cells[Internal] = cell(names(Internal), per=(BROKER,), ends=True)
    says: Cells[Says] = cell(names(Says), per=(BROKER,), ends=True)
    """``leaderElectionState``"""
    told: Cells[Says] = cell(names(Says), per=(BROKER,), ends=True)
    """The state that ``stateChangesListener`` last heard; NoLeader at first."""
    heard: Cells[Sequence[Says]] = cell(
        lambda bounds: SequenceOf(2 * bounds.requests, names(Says)),
        per=(BROKER,),
        there=lambda bounds: bounds.listens,
    )
    """The state that it heard in the last step."""
    elected: Cells[Result] = cell(names(Result), per=(BROKER,), ends=True)
    closed: Cells[Result] = cell(names(Result), per=(BROKER,), ends=True)
    cached: Cells[Cached] = cell(names(Cached), per=(BROKER,), ends=True)
    value: Cells[int] = cell(lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), per=(BROKER,), ends=True)
    """The leader that the value of the cache names: ``getLeaderValueIfPresent``."""
    waiters: Cells[Sequence[Waiter]] = cell(waiters_of, per=(BROKER,), ends=True)
    timers: Cells[int] = cell(lambda bounds: integers(0, bounds.timers), per=(BROKER,), ends=True)
    """Elections that a timer is set for."""
    stopped: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.closes and not bounds.rules.closes_alone, ends=True
    )
    """True if the executor of the broker's elections was shut down."""

    again_left: int = left("again")
    closes_left: int = left("closes")
    restarts_left: int = left("restarts")
    expiries_left: int = left("expiries")
    survivals_left: int = left("survivals")
    reconnects_left: int = left("reconnects")
    losses_left: int = left("losses")
    reads_left: int = left("reads")


brokers = concrete(BROKER.numbers)


@concrete
def numbers(state: State) -> range:
    """Return the numbers of all requests that a broker may have under way."""
    return range(1, state.bounds.requests + 1)


def is_open(state: State, broker: int) -> bool:
    """Return whether *broker* has asked to be elected, and has not closed its election since."""
    return state.elected[broker] != Result.NONE and state.closed[broker] == Result.NONE


def leads(state: State, broker: int) -> bool:
    """Return whether *broker* says that it leads, in an election that it has not closed."""
    return state.says[broker] == Says.LEADING and is_open(state, broker)


def owns(state: State, broker: int) -> bool:
    """Return whether the node is of the present session of *broker*."""
    return state.node == broker and not state.earlier


def is_busy(state: State, broker: int) -> bool:
    """Return whether something is under way that may yet change what *broker* says."""
    under_way = state.sent[broker].length + state.answers[broker].length + state.notices[broker].length
    return not state.live[broker] or under_way + state.timers[broker] > 0 or state.handling[broker]
