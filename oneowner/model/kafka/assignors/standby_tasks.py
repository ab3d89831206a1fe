"""Standbys go to the least loaded clients (``DefaultStandbyTaskAssignor``)."""

from collections.abc import Iterable

from oneowner.model.kafka.assignors.client_state import Clients
from oneowner.model.kafka.assignors.constrained_priority_set import ConstrainedPrioritySet
from oneowner.model.kafka.task import TaskId


def assign_standbys(clients: Clients, tasks: Iterable[TaskId], replicas: int) -> None:
    """Give each task as many standbys as are asked for, or as there are clients without it."""
    by_load = least_loaded_without(clients)
    by_load.offer_all(clients)
    for task in tasks:
        assign_least_loaded(clients, by_load, task, replicas)


def least_loaded_without(clients: Clients) -> ConstrainedPrioritySet:
    """Return a set, empty yet, of the clients that do not have a task."""
    return ConstrainedPrioritySet(
        lambda client, task: not clients[client].has(task), lambda client: clients[client].load
    )


def assign_least_loaded(clients: Clients, by_load: ConstrainedPrioritySet, task: TaskId, replicas: int) -> None:
    """Give a task so many standbys, each to the client that is then the least loaded."""
    for _ in range(replicas):
        client = by_load.poll(task)
        if client is None:
            return
        clients[client].standby.add(task)
        by_load.offer(client)
