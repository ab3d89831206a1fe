"""
The intended place of each copy of a task: the deal of ``HighAvailabilityTaskAssignor`` before it looks at lags.

It depends on the members of the group alone, so it is known before the model runs: the assignor's own functions deal
for every set of members.
"""

from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import NamedTuple

from oneowner.model.kafka.assignors.client_state import states_of
from oneowner.model.kafka.assignors.group import Client, Config, Group
from oneowner.model.kafka.assignors.high_availability import assign_active_stateful_tasks, assign_standby_tasks
from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.task import TaskId


class Role(StrEnum):
    """A member's role in a task: to run it is to be ``ACTIVE``, even while it still restores the state."""

    NONE = "none"
    STANDBY = "standby"
    ACTIVE = "active"


class Placement(NamedTuple):
    """A set of members, and the role that each of all members is meant to have with each task."""

    members: tuple[int, ...]
    roles: tuple[tuple[Role, ...], ...]

    def has(self, member: int) -> bool:
        return member in self.members

    def role(self, member: int, task: int) -> Role:
        return self.roles[member - 1][task - 1]


@cache
def placements_of(members: int, tasks: int, standbys: int) -> tuple[Placement, ...]:
    """Return the placement of each set of members but the empty one."""
    numbers = range(1, members + 1)
    sets = (chosen for count in numbers for chosen in combinations(numbers, count))
    return tuple(placement(chosen, members, tasks, standbys) for chosen in sets)


@cache  # every state that begins asks for each of its cells
def placement(chosen: tuple[int, ...], members: int, tasks: int, standbys: int) -> Placement:
    """Return where *chosen* members are meant to have all tasks, as the assignor deals them."""
    numbered = tuple(TaskId(0, number) for number in range(tasks))
    group = Group(tuple(Client(number) for number in chosen), numbered, config=Config(num_standby_replicas=standbys))
    clients = states_of(group.clients)
    assign_active_stateful_tasks(clients, numbered)
    assign_standby_tasks(clients, numbered, group)

    def role(member: int, task: TaskId) -> Role:
        if member not in clients or not clients[member].has(task):
            return Role.NONE
        return Role.ACTIVE if task in clients[member].active else Role.STANDBY

    return Placement(chosen, tuple(tuple(role(one, task) for task in numbered) for one in range(1, members + 1)))


def at_start(bounds: Bounds, member: int, task: int) -> Role:
    """Return the role of *member* at the start, when the first members run all tasks."""
    if bounds.running == 0:
        return Role.NONE
    running = tuple(range(1, bounds.running + 1))
    return placement(running, bounds.members, bounds.tasks, bounds.standbys).role(member, task)
