"""
``assign_to_members``: the target of a streams group (KIP-1071, ``StickyTaskAssignor`` of the broker).

It gives tasks back to members that had them, up to a share, and the rest to the least loaded. Among processes of
equal load, and members of one process that had a task, it takes the first of a hash table whose keys have no hash of
their own: which one that is, is no function of its input. So the caller picks.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from oneowner.model.java.concurrent_hash_map import hash_code
from oneowner.model.java.hash_map import listed
from oneowner.model.kafka.streams_group.reconciler import Task
from oneowner.model.kernel.decision import Thrown

PACKAGE: Final = "org.apache.kafka.coordinator.group.streams.assignor"


class GroupMember(NamedTuple):
    """A member, and its former tasks."""

    name: str
    process: str
    active: tuple[Task, ...] = ()
    standby: tuple[Task, ...] = ()


class StreamsGroup(NamedTuple):
    """Members in the order of their map, and subtopologies: name, partitions, and whether it has state."""

    members: tuple[GroupMember, ...]
    subtopologies: tuple[tuple[str, int, bool], ...]
    replicas: int = 0


class Target(NamedTuple):
    """The target tasks of one member, sorted."""

    member: str
    active: tuple[Task, ...]
    standby: tuple[Task, ...]


Pick = Callable[[Task, list[str]], str]
"""Takes for a task one of several processes of equal load, or of several members that had it."""


def assign_to_members(group: StreamsGroup, pick: Pick = lambda task, tied: tied[0]) -> tuple[Target, ...] | Thrown:
    """Return each member's target."""
    assignor = _Assignor(group, pick)
    if not group.members and assignor.tasks_of(stateful=False):
        return Thrown(
            "org.apache.kafka.coordinator.group.streams.assignor.TaskAssignorException", "No member available"
        )
    assignor.assign_active()
    assignor.assign_standbys()
    return tuple(
        Target(one.name, *(tuple(sorted(role[one.name])) for role in (assignor.active, assignor.standby)))
        for one in group.members
    )


class _Assignor:
    """One assignment: the members' tasks so far, by name, and the tasks that were together in one process."""

    def __init__(self, group: StreamsGroup, pick: Pick) -> None:
        self.group, self.pick = group, pick
        self.members = {one.name: one for one in group.members}
        self.active: dict[str, set[Task]] = {name: set() for name in self.members}
        self.standby: dict[str, set[Task]] = {name: set() for name in self.members}
        names = dict.fromkeys(one.process for one in group.members)
        self.processes = {
            process: listed((one.name for one in group.members if one.process == process), hash_code)
            for process in listed(names, hash_code)
        }
        self.left, self.members_left = len(self.tasks_of(stateful=False)), len(group.members)
        self.most_pairs = self.left * (self.left - 1) // 2
        self.pairs: set[frozenset[Task]] = set()
        self.had_active = {task: one.name for one in group.members for task in one.active}
        self.had_standby: dict[Task, list[str]] = {}
        for one in group.members:
            for task in one.standby:
                self.had_standby.setdefault(task, []).append(one.name)

    def tasks_of(self, stateful: bool) -> list[Task]:
        """Return all tasks, or those with state, in the order of their set."""
        tasks = (
            (name, number)
            for name, count, has_state in self.group.subtopologies
            for number in range(count)
            if has_state or not stateful
        )
        return listed(tasks, lambda task: 31 * hash_code(task[0]) + task[1])

    # ---- active tasks ----

    def assign_active(self) -> None:
        """Give tasks back to their former owners, up to a share; then to their standbys; then to the least loaded."""
        waiting = []
        for task in self.tasks_of(stateful=False):
            name = self.had_active.get(task)
            if name is None or not self.give_active(task, name):
                waiting.append(task)
        rest = []
        for task in waiting:
            name = self.least_loaded(self.had_standby.get(task, ()), task, same=True)
            if name is None or not self.give_active(task, name):
                rest.append(task)
        for task in rest:
            name = self.least_loaded(self.everyone(), task)
            assert name is not None, "there are members"
            self.give(task, name, self.active)
            self.share_out(name)

    def give_active(self, task: Task, name: str) -> bool:
        """Give a task to a member that has less than its share; return whether it had."""
        if self.count(name) >= self.share:
            return False
        self.give(task, name, self.active)
        self.share_out(name)
        return True

    @property
    def share(self) -> int:
        """The number of remaining tasks that a member should have, rounded up."""
        return -(-max(self.left, 0) // self.members_left) if self.members_left else 0

    def share_out(self, name: str) -> None:
        """Leave a process out of the shares that has as many active tasks as one member should."""
        active = len(self.of_process(self.members[name].process, self.active))
        if active == self.share:
            self.members_left -= 1
            self.left -= active

    # ---- standby tasks ----

    def assign_standbys(self) -> None:
        """Give each task its standbys: its former runner, its former standby, or the least loaded."""
        for task in self.tasks_of(stateful=True):
            for _ in range(self.group.replicas):
                free = [process for process in self.processes if task not in self.tasks_in(process)]
                if not free:
                    break
                name = self.previous(task, free)
                if name is None:
                    name = self.least_loaded(
                        [one for one in self.everyone() if self.members[one].process in free], task
                    )
                assert name is not None, "there are members in each process"
                self.give(task, name, self.standby)

    def previous(self, task: Task, free: Collection[str]) -> str | None:
        """Return the task's former runner, or its standby, if its process is free and not loaded more than others."""
        ran = self.had_active.get(task)
        if ran is not None:
            process = self.members[ran].process
            if process in free and self.is_balanced(process) and self.is_new_pair(task, process):
                return ran
        had = self.had_standby.get(task, [])
        had[:] = [name for name in had if self.members[name].process in free]
        name = self.least_loaded(had, task, same=True)
        return name if name is not None and self.is_balanced(self.members[name].process) else None

    def is_balanced(self, process: str) -> bool:
        """Return whether a process has fewer tasks than members, or no other is loaded less."""
        loads = [self.load(one) for one in self.processes]
        return self.load(process) < 1 or min(loads) >= self.load(process)

    # ---- who is to have a task ----

    def least_loaded(self, names: Iterable[str], task: Task, same: bool = False) -> str | None:
        """
        Return the least loaded member of the least loaded process, if possible one with a new pair of tasks.

        *same* asks for a member of that process that was the task's standby.
        """
        among = list(names)
        if not among:
            return None
        fresh = [name for name in among if self.is_new_pair(task, self.members[name].process)]
        processes = list(dict.fromkeys(self.members[name].process for name in fresh or among))
        least = min(map(self.load, processes))
        tied = [process for process in processes if self.load(process) == least]
        process = self.one_of(task, tied)
        had = [name for name in self.had_standby.get(task, ()) if same and self.members[name].process == process]
        return self.one_of(task, had) if had else min(self.processes[process], key=self.count)

    def one_of(self, task: Task, tied: list[str]) -> str:
        """Return the one that there is, or the one that is picked."""
        return tied[0] if len(tied) == 1 else self.pick(task, tied)

    def everyone(self) -> list[str]:
        """Return all members, process by process."""
        return [name for names in self.processes.values() for name in names]

    def give(self, task: Task, name: str, role: dict[str, set[Task]]) -> None:
        """Give a task to a member, and remember what it is together with."""
        role[name].add(task)
        together = self.tasks_in(self.members[name].process)
        self.pairs |= {frozenset((one, task)) for one in together if one != task}

    def is_new_pair(self, task: Task, process: str) -> bool:
        """Return whether a process has nothing, or something with which the task was not together yet."""
        tasks = self.tasks_in(process)
        if len(self.pairs) == self.most_pairs:
            return False
        return not tasks or any(frozenset((one, task)) not in self.pairs for one in tasks)

    def count(self, name: str) -> int:
        """Return how many tasks a member has."""
        return len(self.active[name]) + len(self.standby[name])

    def load(self, process: str) -> float:
        """Return tasks a member."""
        tasks = len(self.of_process(process, self.active)) + len(self.of_process(process, self.standby))
        return tasks / len(self.processes[process])

    def of_process(self, process: str, role: dict[str, set[Task]]) -> set[Task]:
        """Return the tasks of one role that a process has."""
        return {task for name in self.processes[process] for task in role[name]}

    def tasks_in(self, process: str) -> set[Task]:
        """Return all tasks that a process has."""
        return self.of_process(process, self.active) | self.of_process(process, self.standby)
