"""
``assign_highly_available``: KIP-441's ``HighAvailabilityTaskAssignor``.

It deals tasks evenly without regard to former owners, and then leaves tasks that their clients are not ready for
with clients that are: a former owner counts by its lag alone.
"""

from collections.abc import Callable
from itertools import cycle

from oneowner.model.kafka.assignors.client_state import Clients, ClientState, assignment_of, states_of
from oneowner.model.kafka.assignors.client_tag_aware_standbys import assign_standbys_by_tags, have_same_tags
from oneowner.model.kafka.assignors.constrained_priority_set import ConstrainedPrioritySet
from oneowner.model.kafka.assignors.group import Assignment, Group, Tasks
from oneowner.model.kafka.assignors.rack_aware import (
    HIGH_AVAILABILITY_COSTS,
    STATELESS_COSTS,
    NoPartitions,
    RackAware,
    keeps_tags,
)
from oneowner.model.kafka.assignors.standby_tasks import assign_standbys
from oneowner.model.kafka.assignors.task_movement import Movements
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown


def assign_highly_available(group: Group) -> Assignment | Thrown:
    """Return the assignment, and whether a probing rebalance is to follow."""
    clients = states_of(sorted(group.clients))
    stateful = tuple(sorted(set(group.stateful)))
    stateless = tuple(sorted(set(group.stateless) - set(stateful)))
    lost = loss(clients, stateful, stateless)
    if lost is not None:
        return lost
    racks = RackAware(group, clients, HIGH_AVAILABILITY_COSTS)
    try:
        assign_active_stateful_tasks(clients, stateful)
        racks.optimize_active(stateful)
        assign_standby_tasks(clients, stateful, group)
        optimize_standby_tasks(clients, racks, group)
        needed = move_tasks(clients, group)
        assign_stateless_tasks(clients, stateless)
        racks.optimize_active(stateless, STATELESS_COSTS)
    except NoPartitions as error:
        return Thrown("java.lang.IllegalStateException", str(error))
    return assignment_of(clients, probing=needed > 0)


def move_tasks(clients: Clients, group: Group) -> int:
    """Leave tasks with clients that are ready for them, and return how many had to move."""
    movements = Movements(clients, group.config.acceptable_recovery_lag, group.config.max_warmup_replicas, group.rules)
    needed = movements.move_active_tasks()
    return needed + movements.move_standby_tasks()


def loss(clients: Clients, stateful: Tasks, stateless: Tasks) -> Thrown | None:
    """Return the exception that is thrown for an input that the group's leader never gives."""
    if not clients and stateful:
        return Thrown("java.util.NoSuchElementException", "")
    if not clients and stateless:
        return Thrown("java.lang.NullPointerException", "")
    for task in stateful:
        if any(task not in client.lags for client in clients.values()):
            return Thrown("java.lang.IllegalStateException", f"Tried to lookup lag for unknown task {task}")
    return None


def assign_active_stateful_tasks(clients: Clients, tasks: Tasks) -> None:
    """Deal tasks round, and even out what threads have."""
    for task, client in zip(tasks, cycle(clients.values()), strict=False):
        client.active.add(task)
    balance_over_threads(clients, lambda client: client.active, lambda source, destination: True)


def assign_standby_tasks(clients: Clients, tasks: Tasks, group: Group) -> None:
    """Give each task its standbys, by load or by tags, and even out what threads have."""
    replicas, tags = group.config.num_standby_replicas, group.config.rack_aware_assignment_tags
    if replicas == 0:
        return
    if tags and group.rules.standbys_by_tags:
        assign_standbys_by_tags(clients, tasks, replicas, tags)
        balance_over_threads(clients, lambda client: client.standby, have_same_tags)
    else:
        assign_standbys(clients, tasks, replicas)
        balance_over_threads(clients, lambda client: client.standby, lambda source, destination: True)


def optimize_standby_tasks(clients: Clients, racks: RackAware, group: Group) -> None:
    """Move standbys between clients for the sake of racks, but not so that their tags become fewer."""
    if group.config.num_standby_replicas:
        has_tags = group.config.rack_aware_assignment_tags and group.rules.standbys_by_tags
        racks.optimize_standby(keeps_tags(clients.values()) if has_tags else lambda source, destination, task: True)


def balance_over_threads(
    clients: Clients,
    of: Callable[[ClientState], set[TaskId]],
    may_move: Callable[[ClientState, ClientState], bool],
) -> None:
    """Move tasks one by one from clients of more load to clients of less, until no move makes loads more even."""
    moves = True
    while moves:
        moves = False
        for source in clients.values():
            for destination in clients.values():
                for task in sorted(of(source)):
                    if not improves(source, destination):
                        break
                    if not destination.has(task) and may_move(source, destination):
                        of(source).remove(task)
                        of(destination).add(task)
                        moves = True


def improves(source: ClientState, destination: ClientState) -> bool:
    """Return whether loads would be nearer after one task moved, and the source still not below the destination."""
    skew = source.load - destination.load
    then = (source.count - 1.0) / source.capacity - (destination.count + 1.0) / destination.capacity
    return skew > 0 and 0 <= then < skew


def assign_stateless_tasks(clients: Clients, tasks: Tasks) -> None:
    """Give each task to the client with the fewest active tasks a thread."""
    by_load = ConstrainedPrioritySet(lambda client, task: True, lambda client: clients[client].active_load)
    by_load.offer_all(clients)
    for task in tasks:
        client = by_load.poll(task)
        assert client is not None, "all clients are in it"
        clients[client].active.add(task)
        by_load.offer(client)
