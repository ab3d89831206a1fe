"""Small streams groups: the former owner of each task, and the process of each member."""

from __future__ import annotations

from dataclasses import dataclass

from oneowner.model.kafka.streams_group.reconciler import Task
from oneowner.model.kafka.streams_group.sticky import GroupMember, StreamsGroup
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

__traced__ = False  # inputs of decisions, concrete


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
