"""
``assign_sticky`` and ``assign_as_before``: the assignors of before KIP-441, which leave tasks where they were.

``StickyTaskAssignor`` (since 3.8 ``LegacyStickyTaskAssignor``) ignores lags. Its maps and sets are hash tables,
whose order decides ties. ``FallbackPriorTaskAssignor`` is the same, but gives back every active task whatever the
loads; it takes over where the leader cannot compute lags.
"""

from collections.abc import Collection, Iterable
from itertools import product

from oneowner.model.java.hash_map import listed, of_long
from oneowner.model.kafka.assignors.client_state import ClientState, assignment_of, states_of
from oneowner.model.kafka.assignors.group import Assignment, Group
from oneowner.model.kafka.assignors.rack_aware import STATELESS_COSTS, STICKY_COSTS, NoPartitions, RackAware
from oneowner.model.kafka.task import TaskId, combined_hash, summed_hash
from oneowner.model.kernel.decision import Thrown


def assign_sticky(group: Group) -> Assignment | Thrown:
    """Return the assignment; a probing rebalance is never asked for."""
    return StickyAssignor(group).assign(probing=False)


def assign_as_before(group: Group) -> Assignment | Thrown:
    """Return the owner of each task: its former one, if it is there; a probing rebalance is always asked for."""
    return StickyAssignor(group, keeps_all=True).assign(probing=True)


class StickyAssignor:
    """One assignment: clients, their former tasks, and the tasks that were together on one client."""

    def __init__(self, group: Group, keeps_all: bool = False) -> None:
        self.group, self.keeps_all = group, keeps_all
        self.task_hash = combined_hash if group.rules.combined_task_hash else summed_hash
        self.clients = states_of(group.clients)
        self.racks = RackAware(group, self.clients, STICKY_COSTS)
        self.tasks = tuple(dict.fromkeys((*group.stateful, *group.stateless)))
        self.most_pairs = len(self.tasks) * (len(self.tasks) - 1) // 2
        self.pairs: set[tuple[TaskId, TaskId]] = set()
        self.had_active: dict[TaskId, int] = {}
        self.had_standby: dict[TaskId, list[int]] = {}
        for client in group.clients:
            self.had_active |= dict.fromkeys(sorted(client.previous_active), client.number)
            for task in sorted(client.previous_standby):
                self.had_standby.setdefault(task, []).append(client.number)

    def assign(self, probing: bool) -> Assignment | Thrown:
        """Deal out all tasks."""
        capacity = sum(client.capacity for client in self.clients.values())
        if capacity == 0 and self.group.rules.refuses_no_capacity:
            return Thrown("java.lang.IllegalStateException", "`totalCapacity` should never be zero.")
        if capacity == 0:
            return Thrown("java.lang.ArithmeticException", "/ by zero")
        try:
            self.assign_active(len(self.tasks) // capacity)
            self.optimize_active()
            self.assign_standbys()
            self.optimize_standbys()
        except NoPartitions as error:
            return Thrown("java.lang.IllegalStateException", str(error))
        return assignment_of(self.clients, probing)

    # ---- racks, which the fallback does not know ----

    def optimize_active(self) -> None:
        """Move tasks between clients for the sake of racks."""
        if not self.keeps_all:
            self.racks.optimize_active(self.group.stateful)
            self.racks.optimize_active(set(self.tasks) - set(self.group.stateful), STATELESS_COSTS)

    def optimize_standbys(self) -> None:
        """Move standbys between clients for the sake of racks."""
        if not self.keeps_all and self.group.config.num_standby_replicas:
            self.racks.optimize_standby(lambda source, destination, task: True)

    # ---- active tasks ----

    def assign_active(self, quota: int) -> None:
        """Give tasks back to their former runners, then to their standbys, up to a quota a thread; then the rest."""
        left = self.give_back(quota)
        for task in left[:]:
            for number in listed(self.had_standby.get(task, ()), of_long):
                if self.has_quota(self.clients[number], quota):
                    self.give_active(task, self.clients[number])
                    left.remove(task)
                    break
        for task in sorted(left):
            self.give_active(task, self.client_for(task, list(self.clients)))

    def give_back(self, quota: int) -> list[TaskId]:
        """Give tasks back to their former runners, and return the others."""
        for task in listed(self.had_active, self.task_hash):
            if task in self.tasks:
                client = self.clients[self.had_active[task]]
                if self.keeps_all or self.has_quota(client, quota):
                    self.give_active(task, client)
        given = {task for client in self.clients.values() for task in client.active}
        return [task for task in listed(self.tasks, self.task_hash, len(self.tasks)) if task not in given]

    def has_quota(self, client: ClientState, quota: int) -> bool:
        """Return whether a client has fewer tasks than its threads should have."""
        return len(client.active) < client.capacity * quota

    def give_active(self, task: TaskId, client: ClientState) -> None:
        self.pair(task, client)
        client.active.add(task)

    # ---- standby tasks ----

    def assign_standbys(self) -> None:
        """Give each task its standbys, as far as there are clients without it."""
        for task, _ in product(self.group.stateful, range(self.group.config.num_standby_replicas)):
            without = [number for number, client in self.clients.items() if not client.has(task)]
            if without:
                client = self.client_for(task, listed(without, of_long))
                self.pair(task, client)
                client.standby.add(task)

    # ---- who is to have a task ----

    def client_for(self, task: TaskId, among: list[int]) -> ClientState:
        """Return the former owner of the task, unless it is full and another has more room; else the least loaded."""
        if len(among) == 1:
            return self.clients[among[0]]
        previous = self.previous_client(task, among)
        if previous is not None and self.is_too_full(previous):
            previous = self.previous_standby(task, among)
            if previous is not None and self.is_too_full(previous):
                previous = None
        if previous is None:
            previous = self.least_loaded(task, among)
        assert previous is not None, "there are clients to choose from"
        return previous

    def previous_client(self, task: TaskId, among: Collection[int]) -> ClientState | None:
        """Return the former runner of the task, else the least loaded of its standbys."""
        if self.had_active.get(task) in among:
            return self.clients[self.had_active[task]]
        return self.previous_standby(task, among)

    def previous_standby(self, task: TaskId, among: Collection[int]) -> ClientState | None:
        """Return the least loaded of the task's standbys."""
        had = listed(self.had_standby.get(task, ()), of_long)
        return self.least_loaded(task, [one for one in listed(had, of_long, len(had)) if one in among])

    def is_too_full(self, client: ClientState) -> bool:
        """Return whether a client has a task for each thread, and another client has more room."""
        has_more = (other.has_more_room_than(client) for other in self.clients.values())
        return client.count >= client.capacity and any(has_more)

    def least_loaded(self, task: TaskId, among: Iterable[int]) -> ClientState | None:
        """Return the least loaded, if possible one that has a task with which this one was not together yet."""
        found = self.least(task, among, new_pair=True)
        return self.least(task, among, new_pair=False) if found is None else found

    def least(self, task: TaskId, among: Iterable[int], new_pair: bool) -> ClientState | None:
        """Return the first of the least loaded; a client without tasks is taken at once."""
        least: ClientState | None = None
        for client in (self.clients[number] for number in among):
            if client.count == 0:
                return client
            is_less = least is None or client.has_more_room_than(least)
            if is_less and (not new_pair or self.is_new_pair(task, client)):
                least = client
        return least

    def is_new_pair(self, task: TaskId, client: ClientState) -> bool:
        """Return whether a client has a task with which this one was not together yet."""
        if len(self.pairs) == self.most_pairs:
            return False
        return any((min(task, one), max(task, one)) not in self.pairs for one in client.active | client.standby)

    def pair(self, task: TaskId, client: ClientState) -> None:
        """Remember what the task is together with."""
        self.pairs |= {(min(task, one), max(task, one)) for one in client.active | client.standby}
