"""
``State`` holds the coordinator's record of the group and its members, each client's tasks, and their messages.

The coordinator's part is its log, which each record is written to before it is answered: a new coordinator has it all.
"""

from enum import StrEnum
from typing import NamedTuple

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, Domain, Fields, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import alone, cell, left
from oneowner.model.streams_group.bounds import MEMBER, TASK, Bounds

NOBODY = 0


class Role(StrEnum):
    """The role in which a member has a task."""

    NONE = "none"
    ACTIVE = "active"
    STANDBY = "standby"
    WARMUP = "warm-up"


class Phase(StrEnum):
    """How far the coordinator has led a member (``MemberState`` of the coordinator)."""

    STABLE = "STABLE"
    UNREVOKED = "UNREVOKED_TASKS"
    UNRELEASED = "UNRELEASED_TASKS"


class Client(StrEnum):
    """The state of a client (``MemberState`` of the client); NEW: it has not joined yet, GONE: it has left or died."""

    NEW = "new"
    JOINING = "joining"
    RECONCILING = "reconciling"
    ACKNOWLEDGING = "acknowledging"
    STABLE = "stable"
    FENCED = "fenced"
    STALE = "stale"
    GONE = "gone"


class Kind(StrEnum):
    """The kind of a message: the request FULL lists the client's tasks, the answer ASSIGNED lists its assignment."""

    NOTHING = "nothing"
    JOIN = "join"
    BEAT = "heartbeat"
    FULL = "heartbeat with tasks"
    LEAVE = "leave"
    ACCEPTED = "accepted"
    ASSIGNED = "assigned"
    FENCED = "FENCED_MEMBER_EPOCH"
    UNKNOWN = "UNKNOWN_MEMBER_ID"


class Message(NamedTuple):
    """A request or an answer, with the epoch and the tasks that it names; those that it does not name are none."""

    kind: Kind
    epoch: int
    first: Role
    second: Role

    def __str__(self) -> str:
        tasks = [f"task {number} {role}" for number, role in ((1, self.first), (2, self.second)) if role != Role.NONE]
        return ", ".join([str(self.kind), f"epoch {self.epoch}", *tasks])


def message_domain(bounds: Bounds) -> Domain:
    """Return the messages that there may be."""
    role = names(Role)
    second = role if bounds.tasks > 1 else alone(role)
    return Fields(Message, kind=names(Kind), epoch=integers(0, bounds.epochs), first=role, second=second)


def owner_at_start(bounds: Bounds, task: int) -> int:
    """Return the member that runs *task* at the start, or nobody in an empty group."""
    return task if task <= bounds.joined else min(bounds.joined, 1)


def role_at_start(bounds: Bounds, member: int, task: int) -> Role:
    return Role.ACTIVE if member == owner_at_start(bounds, task) else Role.NONE


def epoch_at_start(bounds: Bounds, member: int) -> int:
    return bounds.joined if member <= bounds.joined else 0


class State(KernelState):
    """One instant of a streams group."""

    bounds: Bounds

    group_epoch: int = cell(lambda bounds: integers(0, bounds.epochs), first=lambda bounds: bounds.joined)
    target_epoch: int = cell(lambda bounds: integers(0, bounds.epochs), first=lambda bounds: bounds.joined)
    """The group epoch that the target was computed for."""
    target: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=role_at_start)
    member: Cells[bool] = cell(BOOLEAN, per=(MEMBER,), first=lambda bounds, member: member <= bounds.joined)
    """The coordinator counts it among the members."""
    epoch: Cells[int] = cell(lambda bounds: integers(0, bounds.epochs), per=(MEMBER,), first=epoch_at_start)
    previous: Cells[int] = cell(
        lambda bounds: integers(0, bounds.epochs),
        per=(MEMBER,),
        first=lambda bounds, member: bounds.joined - 1 if member < bounds.joined else 0,
    )
    """The epoch that it had before it was given this one, which may be the same."""
    phase: Cells[Phase] = cell(names(Phase), per=(MEMBER,))
    assigned: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=role_at_start)
    pending: Cells[Role] = cell(names(Role), per=(MEMBER, TASK))
    """The tasks that it has yet to give back."""
    giver: Cells[int] = cell(lambda bounds: integers(0, bounds.members, MEMBER.name), per=(TASK,))
    """The member that is to give the active task up, until another is given it. Only observers read it."""

    client: Cells[Client] = cell(
        names(Client),
        per=(MEMBER,),
        first=lambda bounds, member: Client.STABLE if member <= bounds.joined else Client.NEW,
    )
    client_epoch: Cells[int] = cell(lambda bounds: integers(0, bounds.epochs), per=(MEMBER,), first=epoch_at_start)
    wanted: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=role_at_start)
    """The assignment that it was last told (``targetAssignment`` of the client)."""
    goal: Cells[Role] = cell(names(Role), per=(MEMBER, TASK))
    """The assignment that it is about to take on, which may be older than the last one that it heard."""
    fresh: Cells[bool] = cell(BOOLEAN, per=(MEMBER,))
    """It was told another assignment than before, and has not begun to take it on (``LocalAssignment.localEpoch``)."""
    taking_on: Cells[bool] = cell(BOOLEAN, per=(MEMBER,))
    """It is about to take an assignment on (``reconciliationInProgress``)."""
    owned: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=role_at_start)
    """The tasks that it reports as its own: the last assignment that it has taken on (``reconciledAssignment``)."""
    running: Cells[Role] = cell(names(Role), per=(MEMBER, TASK), first=role_at_start)
    """The tasks that it runs."""
    told: Cells[bool] = cell(BOOLEAN, per=(MEMBER,), first=lambda bounds, member: member <= bounds.joined)
    """It has said what it owns, and knows of no failure since (``lastSentFields``)."""
    removed: Cells[bool] = cell(BOOLEAN, per=(MEMBER,))
    """The member that it takes itself for was removed. Nothing but laws asks for it."""

    denied: Cells[bool] = cell(BOOLEAN, per=(MEMBER, TASK))
    """
    The coordinator took the task, for it had read that the client does not own it; yet the client runs it, or is about
    to. Nothing but laws asks for it.
    """

    message: Cells[Message] = cell(message_domain, per=(MEMBER,))
    """Its request under way, or the answer to it: a client has one at most."""
    late: Message = cell(message_domain)
    """A request that its client has given up, and that is carried out later."""
    late_of: int = cell(lambda bounds: integers(0, bounds.members, MEMBER.name))

    joins_left: int = left("joins")
    refreshes_left: int = left("refreshes")
    leaves_left: int = left("leaves")
    stalls_left: int = left("stalls")
    crashes_left: int = left("crashes")
    expiries_left: int = left("expiries")
    timeouts_left: int = left("timeouts")
    losses_left: int = left("losses")
    delays_left: int = left("delays")
    failovers_left: int = left("failovers")


NOTHING = Message(Kind.NOTHING, 0, Role.NONE, Role.NONE)


members = concrete(MEMBER.numbers)
tasks = concrete(TASK.numbers)


def process_of(state: State, member: int) -> int:
    """Return the process in which *member* lives: that of the first member for those that share it."""
    return 1 if member <= state.bounds.sharing + 1 else member


def role_in(message: Message, task: int) -> Role:
    """Return the role in which *message* names *task*."""
    return message.first if task == 1 else message.second


def roles_of(state: State, roles: Cells[Role], member: int, kind: Kind, epoch: int) -> Message:
    """Return a message that names the *roles* of *member*."""
    second = roles[member, 2] if state.bounds.tasks > 1 else Role.NONE
    return Message(kind, epoch, roles[member, 1], second)


def is_request(message: Message) -> bool:
    kind = message.kind
    return kind == Kind.JOIN or kind == Kind.BEAT or kind == Kind.FULL or kind == Kind.LEAVE


def is_refusal(message: Message) -> bool:
    return message.kind == Kind.FENCED or message.kind == Kind.UNKNOWN


def is_counted(state: State, member: int, task: int, role: Role) -> bool:
    return state.assigned[member, task] == role or (
        state.bounds.rules.pending_is_counted and state.pending[member, task] == role
    )


def will_run(state: State, member: int, task: int) -> bool:
    """Return whether the client runs *task*, is about to, or wants to, in whatever role."""
    has = state.running[member, task] != Role.NONE or state.goal[member, task] != Role.NONE
    return has or state.wanted[member, task] != Role.NONE
