"""Small heartbeats: one member, a few tasks, the owner of each, and the member's target; and small groups."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.kafka.streams_group.reconciler import Heartbeat, Holders, Member, MemberState, Task, TasksTuple
from oneowner.model.kafka.streams_group.sticky import GroupMember, StreamsGroup
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

HERE: Final = "p1"
"""The process of the member; another is p2."""
STATES: Final = tuple(MemberState)


@dataclass(frozen=True, slots=True)
class HeartbeatSizes(Bounds):
    """The numbers of tasks and roles."""

    tasks: int = size(1, "how many tasks there are")
    roles: int = size(3, "how many roles a task may have: active, standby, warm-up", least=1)
    epochs: int = size(2, "by how many epochs the target may be ahead")


def some_heartbeat(choose: Choose, sizes: HeartbeatSizes) -> Heartbeat:
    """Return a member in any state, with tasks that only one that has to give back has pending."""
    roles = min(sizes.roles, 3)
    tasks: list[Task] = [("s", number) for number in range(sizes.tasks)]
    state = STATES[choose(0, len(STATES) - 1)]
    epoch = 1 + choose(0, sizes.epochs)
    assigned = some_tuple(choose, tasks, roles)
    pending = some_tuple(choose, tasks, roles) if state == MemberState.UNREVOKED_TASKS else TasksTuple()
    target = some_tuple(choose, tasks, roles)
    owned = (None, TasksTuple(), assigned | pending)[choose(0, 2 if any(assigned | pending) else 1)]
    return Heartbeat(Member(HERE, state, 1, assigned, pending), target, epoch, owned, some_holders(choose, tasks))


def some_tuple(choose: Choose, tasks: list[Task], roles: int) -> TasksTuple:
    """Return tasks, each in one role or in none."""
    found: tuple[list[Task], ...] = ([], [], [])
    for task in tasks:
        role = choose(0, roles)
        if role:
            found[role - 1].append(task)
    return TasksTuple(*map(frozenset, found))


def some_holders(choose: Choose, tasks: list[Task]) -> Holders:
    """Return the owner of each task: nobody, this process as a standby, or the other one, which runs it."""
    held = [(task, choose(0, 2)) for task in tasks]
    return Holders(
        active=tuple((task, "p2") for task, who in held if who == 2),
        standby=tuple((task, HERE) for task, who in held if who == 1),
    )


@dataclass(frozen=True, slots=True)
class StreamsGroupSizes(Bounds):
    """The size of a group."""

    members: int = size(3, "how many members there are at most", least=1)
    tasks: int = size(3, "how many tasks there are at most")
    replicas: int = size(1, "how many standbys are asked for at most")


def some_streams_group(choose: Choose, sizes: StreamsGroupSizes) -> StreamsGroup:
    """Return a group whose last member has a process of its own, or is in that of the first; all tasks have state."""
    count, partitions = choose(1, sizes.members), choose(0, sizes.tasks)
    replicas = choose(0, sizes.replicas)
    last = choose(1, count) if count > 1 else 1
    tasks: list[Task] = [("s", number) for number in range(partitions)]
    owners = [choose(0, count) for _ in tasks]
    members = tuple(
        GroupMember(
            f"m{number}",
            f"p{number if number < count else last}",
            tuple(task for task, owner in zip(tasks, owners, strict=True) if owner == number),
        )
        for number in range(1, count + 1)
    )
    return StreamsGroup(members, (("s", partitions, True),), replicas)
