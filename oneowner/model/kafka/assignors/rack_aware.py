"""
``RackAware``: tasks change clients so that less is read from another rack (KIP-925, ``RackAwareTaskAssignor``).

Each client keeps as many tasks as it had. A task costs something for each partition without a replica in the client's
rack, and something if the client did not have it.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import combinations
from typing import Final

from oneowner.model.kafka.assignors.client_state import Clients, ClientState, assignment_of, states_of
from oneowner.model.kafka.assignors.group import Assignment, Group, TaskRacks
from oneowner.model.kafka.assignors.task_graphs import Cost, Dealt, even_subtopologies, least_traffic
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown

MIN_TRAFFIC: Final = "min_traffic"
BALANCE_SUBTOPOLOGY: Final = "balance_subtopology"
HIGH_AVAILABILITY_COSTS: Final = (10, 1)
"""By default: of a partition in another rack, and of a task that moves."""
STICKY_COSTS: Final = (1, 10)
STATELESS_COSTS: Final = (1, 0)
"""``STATELESS_TRAFFIC_COST`` of a partition in another rack, ``STATELESS_NON_OVERLAP_COST`` of a task that moves."""
ROUNDS: Final = 4
"""``STANDBY_OPTIMIZER_MAX_ITERATION``."""
MayMove = Callable[[ClientState, ClientState, TaskId], bool]


class NoPartitions(Exception):
    """A task without partitions: the class throws ``IllegalStateException``."""

    def __init__(self, task: TaskId) -> None:
        super().__init__(f"Task {task} has no TopicPartitions")


class RackAware:
    """The racks that are known, and the default costs of an assignor."""

    def __init__(self, group: Group, clients: Clients, costs: tuple[int, int]) -> None:
        self.group, self.clients = group, dict(sorted(clients.items()))
        config = group.config
        traffic, moved = config.rack_aware_traffic_cost, config.rack_aware_non_overlap_cost
        self.costs = (costs[0] if traffic is None else traffic, costs[1] if moved is None else moved)
        self.racks, self.changelog_racks = dict(group.racks), dict(group.changelog_racks)

    @cached_property
    def is_enabled(self) -> bool:
        """True if racks count, and those of clients and replicas (with standbys, of changelogs too) are known."""
        known = [self.group.racks]
        if self.group.config.num_standby_replicas:
            known.append(self.group.changelog_racks)
        return (
            self.group.rules.racks
            and self.group.config.rack_aware_assignment_strategy != "none"
            and all(client.rack is not None for client in self.clients.values())
            and all(map(are_known, known))
        )

    def cost(self, racks: dict[TaskId, tuple[tuple[str | None, ...], ...]], costs: tuple[int, int]) -> Cost:
        """Return the function of costs by the racks of partitions."""
        traffic, moved = costs

        def of(task: TaskId, client: int, has_it: bool) -> int:
            rack = self.clients[client].rack
            away = sum(rack not in partition for partition in racks[task])
            return away * traffic + (0 if has_it else moved)

        return of

    # ---- active tasks ----

    def optimize_active(self, tasks: Iterable[TaskId], costs: tuple[int, int] | None = None) -> None:
        """Give active tasks to clients so that costs are least (``optimizeActiveTasks``)."""
        ordered = sorted(tasks)
        if not self.is_enabled or not ordered:
            return
        check(ordered, self.racks)
        dealt = Dealt(ordered, {number: one.active & set(ordered) for number, one in self.clients.items()})
        is_even = self.group.config.rack_aware_assignment_strategy == BALANCE_SUBTOPOLOGY
        found = (even_subtopologies if is_even else least_traffic)(dealt, self.cost(self.racks, costs or self.costs))
        for number, one in self.clients.items():
            one.active -= dealt.clients[number]
            one.active |= {task for task, owner in found.items() if owner == number}

    # ---- standby tasks ----

    def optimize_standby(self, may_move: MayMove) -> None:
        """Swap standbys between each two clients, until nothing moves or four times (``optimizeStandbyTasks``)."""
        if not self.is_enabled:
            return
        check(sorted({task for one in self.clients.values() for task in one.standby}), self.changelog_racks)
        for _ in range(ROUNDS):
            moves = sum(self.swap(first, second, may_move) for first, second in combinations(self.clients.values(), 2))
            if not moves:
                return

    def swap(self, first: ClientState, second: ClientState, may_move: MayMove) -> bool:
        """Swap standbys of two clients if that costs less; return whether one moved."""
        if first.rack == second.rack:
            return False
        sides = [
            {task for task in one.standby if not other.has(task) and may_move(one, other, task)}
            for one, other in ((first, second), (second, first))
        ]
        if not all(sides):
            return False
        dealt = Dealt(sorted(sides[0] | sides[1]), {first.number: sides[0], second.number: sides[1]})
        found = least_traffic(dealt, self.cost(self.changelog_racks, self.costs))
        for one, had in zip((first, second), sides, strict=True):
            one.standby -= had
            one.standby |= {task for task, owner in found.items() if owner == one.number}
        return any(task not in dealt.clients[owner] for task, owner in found.items())


def are_known(racks: TaskRacks) -> bool:
    """Return whether each partition has replicas, and each of these a rack."""
    return all(partition and None not in partition for _, partitions in racks for partition in partitions)


def check(tasks: Iterable[TaskId], racks: dict[TaskId, tuple[tuple[str | None, ...], ...]]) -> None:
    """Raise NoPartitions for a task without partitions."""
    for task in tasks:
        if not racks.get(task):
            raise NoPartitions(task)


def keeps_tags(clients: Iterable[ClientState]) -> MayMove:
    """Return the rule of KIP-708: a standby may move if its copies have no fewer different tags then."""

    def may_move(source: ClientState, destination: ClientState, task: TaskId) -> bool:
        others = {
            tag for one in clients if one.has(task) and one not in (source, destination) for tag in one.tags.items()
        }
        return len(others | set(destination.tags.items())) >= len(others | set(source.tags.items()))

    return may_move


def optimize(group: Group) -> Assignment | Thrown:
    """Return the tasks of clients that had stateful ones: standbys change clients, or else active tasks."""
    clients = states_of(group.clients)
    for client in group.clients:
        clients[client.number].active.update(client.previous_active)
        clients[client.number].standby.update(client.previous_standby)
    racks = RackAware(group, clients, HIGH_AVAILABILITY_COSTS)
    try:
        if any(client.previous_standby for client in group.clients):
            racks.optimize_standby(lambda source, destination, task: True)
        else:
            racks.optimize_active(group.stateful)
    except NoPartitions as error:
        return Thrown("java.lang.IllegalStateException", str(error))
    return assignment_of(clients, probing=False)
