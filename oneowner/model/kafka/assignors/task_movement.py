"""
Tasks that are to go to a client that is behind stay with one that is not, and warm up there (``TaskMovement``).

A movement is a task and its destination, the client that it is meant for. The source, which has the data, gets the task
for now; the destination gets a warm-up, a standby that is not counted as one, while there are any to give.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from oneowner.model.java.priority_queue import PriorityQueue
from oneowner.model.kafka.assignors.client_state import Clients
from oneowner.model.kafka.assignors.constrained_priority_set import ConstrainedPrioritySet
from oneowner.model.kafka.assignors.group import RUNNING, UNBOUNDED, Rules
from oneowner.model.kafka.task import TaskId


class Movement(NamedTuple):
    """A task that its destination is not ready for."""

    caught_up: int
    """The number of clients that have caught up: the task with the fewest comes first."""
    task: TaskId
    destination: int


class Movements:
    """The movements of one assignment: the clients that have caught up, and the warm-ups that are left."""

    def __init__(self, clients: Clients, acceptable_lag: int, warmups: int, rules: Rules) -> None:
        self.clients, self.rules = clients, rules
        self.acceptable_lag = acceptable_lag
        self.remaining_warmups = warmups
        self.warmups: set[tuple[int, TaskId]] = set()

    def has_caught_up(self, client: int, task: TaskId) -> bool:
        """Return whether a client runs the task, or is behind by no more than is acceptable."""
        lag = self.clients[client].lags[task]
        return lag == RUNNING or self.acceptable_lag == UNBOUNDED or 0 <= lag <= self.acceptable_lag

    def by_lag(self, task: TaskId) -> list[int]:
        """Return the clients, the least lag first; one of unknown lag is less than any."""
        return sorted(self.clients, key=lambda client: (self.clients[client].lags[task], client))

    def must_move(self, task: TaskId, client: int) -> bool:
        """Return whether a client is not ready for a task, and another is more so."""
        if self.has_caught_up(client, task):
            return False
        if self.rules.least_lag:
            return min(one.lags[task] for one in self.clients.values()) < self.clients[client].lags[task]
        return any(self.has_caught_up(other, task) for other in self.clients)

    def caught_up_by_load(self) -> ConstrainedPrioritySet:
        """Return all clients, of which those that have caught up with a task are given out."""
        found = ConstrainedPrioritySet(self.has_caught_up, lambda client: self.clients[client].load)
        found.offer_all(self.clients)
        return found

    def in_order(self, queue: PriorityQueue[Movement]) -> Iterator[Movement]:
        """Yield the movements as a release takes them."""
        if not self.rules.polls_movements:
            yield from queue
            return
        while queue:
            yield queue.poll()

    def queued(self, movements: Iterator[tuple[TaskId, int]]) -> PriorityQueue[Movement]:
        queue = PriorityQueue[Movement](lambda movement: movement[:2])
        for task, client in movements:
            queue.offer(Movement(sum(self.has_caught_up(one, task) for one in self.clients), task, client))
        return queue

    # ---- active tasks ----

    def move_active_tasks(self) -> int:
        """Leave active tasks with clients that are ready for them; return how many had to move."""
        by_load = self.caught_up_by_load()
        queue = self.queued(
            (task, number)
            for number, client in self.clients.items()
            for task in sorted(client.active)
            if self.must_move(task, number)
        )
        needed = len(queue)
        for _, task, destination in self.in_order(queue):
            source = self.move_active(by_load, task, destination)
            by_load.offer_all((source, destination))
        return needed

    def move_active(self, by_load: ConstrainedPrioritySet, task: TaskId, destination: int) -> int:
        """Give a task to a standby that has caught up, else to any such client, else to the least behind; return it."""
        source = by_load.poll(task, lambda client: task in self.clients[client].standby)
        if source is None:
            source = by_load.poll(task)
        if source is None:
            source = self.by_lag(task)[0]
        if task in self.clients[source].standby:
            self.swap(task, source, destination)
        else:
            self.move_and_warm_up(task, source, destination)
        return source

    def swap(self, task: TaskId, source: int, destination: int) -> None:
        """Make the standby active, and the destination its standby: that takes no warm-up."""
        self.clients[source].standby.remove(task)
        self.clients[source].active.add(task)
        self.clients[destination].active.remove(task)
        self.clients[destination].standby.add(task)

    def move_and_warm_up(self, task: TaskId, source: int, destination: int) -> None:
        """Make the source active; the destination warms up, or gets nothing before the next rebalance."""
        self.clients[source].active.add(task)
        self.clients[destination].active.remove(task)
        if self.takes_a_warmup():
            self.clients[destination].standby.add(task)
            self.warmups.add((destination, task))

    # ---- standby tasks ----

    def move_standby_tasks(self) -> int:
        """Make clients that are ready standbys where the intended ones are not; return the number moved."""
        by_load = self.caught_up_by_load()
        queue = self.queued(
            (task, number)
            for number, client in self.clients.items()
            for task in sorted(client.standby)
            if (number, task) not in self.warmups and self.must_move(task, number)
        )
        moved = 0
        for _, task, destination in self.in_order(queue):
            source = self.standby_source(by_load, task, destination)
            if source is not None:
                self.clients[source].standby.add(task)
                if not self.takes_a_warmup():
                    self.clients[destination].standby.remove(task)
                by_load.offer_all((source, destination))
                moved += 1
        return moved

    def standby_source(self, by_load: ConstrainedPrioritySet, task: TaskId, destination: int) -> int | None:
        """Return a client without a copy that has caught up, else one that is less behind than the destination."""
        lacks: Callable[[int], bool] = lambda client: not self.clients[client].has(task)  # noqa: E731
        source = by_load.poll(task, lacks)
        if source is None and self.rules.least_lag:
            for client in self.by_lag(task):
                if client == destination:
                    return None
                if lacks(client):
                    return client
        return source

    def takes_a_warmup(self) -> bool:
        """Return whether there is a warm-up left to give."""
        self.remaining_warmups -= 1
        return self.remaining_warmups >= 0
