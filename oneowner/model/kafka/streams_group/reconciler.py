"""
``reconcile``: the next assignment of a member of a streams group (KIP-1071, ``CurrentAssignmentBuilder``).

The broker leads a member from the tasks that it has to those of its target: first it gives back what it should not
have, and only then, at the target's epoch, it gets what no other has any more.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from oneowner.model.kernel.decision import Thrown

Task = tuple[str, int]
"""Subtopology and partition."""
Tasks = frozenset[Task]


class MemberState(StrEnum):
    """The phase of a member."""

    STABLE = "STABLE"
    UNREVOKED_TASKS = "UNREVOKED_TASKS"
    UNRELEASED_TASKS = "UNRELEASED_TASKS"
    UNKNOWN = "UNKNOWN"


class TasksTuple(NamedTuple):
    """Tasks by the role in which a member has them."""

    active: Tasks = frozenset()
    standby: Tasks = frozenset()
    warmup: Tasks = frozenset()

    def __and__(self, other: TasksTuple) -> TasksTuple:
        return TasksTuple(*(mine & theirs for mine, theirs in zip(self, other, strict=True)))

    def __or__(self, other: TasksTuple) -> TasksTuple:
        return TasksTuple(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))

    def __sub__(self, other: TasksTuple) -> TasksTuple:
        return TasksTuple(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


class Member(NamedTuple):
    """A member, as the broker has it."""

    process: str = ""
    state: MemberState = MemberState.STABLE
    epoch: int = 0
    assigned: TasksTuple = TasksTuple()
    pending_revocation: TasksTuple = TasksTuple()


class Holders(NamedTuple):
    """The processes with tasks, in the broker's view."""

    active: tuple[tuple[Task, str], ...] = ()
    """At most one process a task."""
    standby: tuple[tuple[Task, str], ...] = ()
    warmup: tuple[tuple[Task, str], ...] = ()


class Heartbeat(NamedTuple):
    """All that the broker looks at when a member reports."""

    member: Member
    target: TasksTuple = TasksTuple()
    target_epoch: int = 0
    owned: TasksTuple | None = None
    """The tasks that the member claims to own; None: it makes no claim."""
    holders: Holders = Holders()


def reconcile(heartbeat: Heartbeat) -> Member | Thrown:
    member, owned = heartbeat.member, heartbeat.owned
    match member.state:
        case MemberState.STABLE:
            if member.epoch == heartbeat.target_epoch:
                return member
            return next_assignment(heartbeat, member.epoch)
        case MemberState.UNREVOKED_TASKS:
            if owned is None or any(owned & member.pending_revocation):
                return member
            return next_assignment(heartbeat, member.epoch + 1)
        case MemberState.UNRELEASED_TASKS:
            return next_assignment(heartbeat, member.epoch)
        case MemberState.UNKNOWN:
            if owned is None or any(owned):
                return Thrown("org.apache.kafka.common.errors.FencedMemberEpochException", FENCED)
            return next_assignment(heartbeat, heartbeat.target_epoch)


FENCED = "The streams group member is in a unknown state. The member must abandon all its tasks and rejoin."


def next_assignment(heartbeat: Heartbeat, epoch: int) -> Member:
    """Take away what is not in the target; else give of the target what is free."""
    member, target, owned = heartbeat.member, heartbeat.target, heartbeat.owned
    kept = member.assigned & target
    revoked = member.assigned - kept
    wanted = target - kept
    unreleased = unreleased_of(heartbeat, wanted)
    if any(revoked) and (owned is None or any(owned & revoked)):
        return member._replace(
            state=MemberState.UNREVOKED_TASKS,
            epoch=epoch,
            assigned=kept,
            pending_revocation=revoked,
        )
    return member._replace(
        state=MemberState.UNRELEASED_TASKS if any(unreleased) else MemberState.STABLE,
        epoch=heartbeat.target_epoch,
        assigned=kept | (wanted - unreleased),
        pending_revocation=TasksTuple(),
    )


def unreleased_of(heartbeat: Heartbeat, wanted: TasksTuple) -> TasksTuple:
    """
    Return the tasks that cannot be given yet.

    An active task waits for any process that runs it; and no task is given to a process that has it in another role.
    """
    process, holders = heartbeat.member.process, heartbeat.holders
    here = {task for role in holders for task, holder in role if holder == process}
    running = {task for task, _ in holders.active}
    return TasksTuple(wanted.active & (running | here), wanted.standby & here, wanted.warmup & here)
