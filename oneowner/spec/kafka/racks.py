"""``RACKS`` judges how tasks change clients to read less from other racks (KIP-925)."""

from collections.abc import Mapping
from itertools import permutations
from math import ceil
from typing import Any

from oneowner.model.kafka.assignors.group import Assigned, Assignment, Client, Group, TaskRacks, Tasks
from oneowner.model.kafka.assignors.group_inputs import RackSizes, some_placement
from oneowner.model.kafka.assignors.rack_aware import BALANCE_SUBTOPOLOGY, HIGH_AVAILABILITY_COSTS, optimize
from oneowner.model.kafka.batch import assignors
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.kafka.assignment_laws import every_task_has_one_active, has_stateful, no_client_has_two_copies
from oneowner.spec.kafka.high_availability import told

KIP = "KIP-925"
Placed = list[tuple[TaskId, Client]]
"""Tasks of one role, and who has them."""


def evens_out(group: Group) -> bool:
    return group.config.rack_aware_assignment_strategy == BALANCE_SUBTOPOLOGY


def costs(group: Group) -> tuple[int, int]:
    """The costs of a partition in another rack, and of a task that moves."""
    traffic, moved = group.config.rack_aware_traffic_cost, group.config.rack_aware_non_overlap_cost
    first, second = HIGH_AVAILABILITY_COSTS
    return first if traffic is None else traffic, second if moved is None else moved


def cost(group: Group, placed: Placed, racks: TaskRacks, before: Placed) -> int:
    """The cost of a placement, given the previous one."""
    traffic, moved = costs(group)
    found = 0
    for task, client in placed:
        away = sum(client.rack not in partition for partition in dict(racks).get(task, ()))
        found += traffic * away + (0 if (task, client) in before else moved)
    return found


def before(group: Group, of: str) -> Placed:
    return [(task, client) for client in group.clients for task in getattr(client, f"previous_{of}")]


def after(group: Group, found: Assignment, of: str) -> Placed:
    clients = {client.number: client for client in group.clients}
    return [(task, clients.get(one.client, Client(0))) for one in found.clients for task in getattr(one, of)]


def least_cost(group: Group) -> int:
    """The least that active tasks cost while each client has as many."""
    had = before(group, "active")
    tasks, owners = [task for task, _ in had], [client for _, client in had]
    placements = (list(zip(order, owners, strict=True)) for order in permutations(tasks))
    return min(cost(group, placed, group.racks, had) for placed in placements)


# ---- occasions ----


def has_standbys(group: Group, found: Assignment) -> bool:
    return any(client.previous_standby for client in group.clients)


def moves_active(group: Group, found: Assignment) -> bool:
    return bool(group.stateful) and not has_standbys(group, found)


def seeks_least(group: Group, found: Assignment) -> bool:
    return moves_active(group, found) and not evens_out(group)


def seeks_evenness(group: Group, found: Assignment) -> bool:
    return moves_active(group, found) and evens_out(group)


def is_free(group: Group, found: Assignment) -> bool:
    return seeks_least(group, found) and costs(group)[0] == 0


# ---- what must be true ----


def numbers_stay(group: Group, found: Assignment) -> bool:
    def count(active: Tasks, standby: Tasks) -> tuple[int, int]:
        return len(active), len(standby)

    had = {one.number: count(one.previous_active, one.previous_standby) for one in group.clients}
    return had == {one.client: count(one.active, one.standby) for one in found.clients}


def costs_are_least(group: Group, found: Assignment) -> bool:
    had = before(group, "active")
    return cost(group, after(group, found, "active"), group.racks, had) == least_cost(group)


def cost_does_not_grow(group: Group, found: Assignment) -> bool:
    had = before(group, "active")
    return cost(group, after(group, found, "active"), group.racks, had) <= cost(group, had, group.racks, had)


def standbys_are_no_farther(group: Group, found: Assignment) -> bool:
    had = before(group, "standby")
    now = after(group, found, "standby")
    return cost(group, now, group.changelog_racks, now) <= cost(group, had, group.changelog_racks, had)


def nothing_moves(group: Group, found: Assignment) -> bool:
    return found.clients == tuple(
        Assigned(one.number, one.previous_active, one.previous_standby) for one in group.clients
    )


def subtopologies_are_even(group: Group, found: Assignment) -> bool:
    """No client has more of a subtopology than its part of all tasks, rounded up."""
    sizes: dict[int, int] = {}
    for task in group.stateful:
        sizes[task.subtopology] = sizes.get(task.subtopology, 0) + 1
    for one in found.clients:
        for subtopology, size in sizes.items():
            has = sum(task.subtopology == subtopology for task in one.active)
            if has > ceil(len(one.active) * size / len(group.stateful)):
                return False
    return True


def read(row: Mapping[str, Any]) -> Group:
    """Return the input that a fact gives as a line of a batch; what clients had is what they have."""
    return assignors.group_of(row, assignors.RULES["4.1.1"])


RACKS = Decision(
    "kafka/racks",
    "Which tasks change clients so that less is read from another rack (KIP-925)",
    RackSizes,
    some_placement,
    optimize,
    (
        InputLaw("every-task-has-one-active", "Every task is active on one client.", KIP, has_stateful,
                 every_task_has_one_active, kind=LawKind.PURPOSE),
        InputLaw("no-client-has-two-copies", "No client has a task both active and as a standby.", KIP, has_standbys,
                 no_client_has_two_copies, kind=LawKind.PROTOCOL),
        InputLaw("numbers-stay", "Each client has as many active tasks as before, and as many standbys.", KIP,
                 has_stateful, numbers_stay, kind=LawKind.PROTOCOL),
        InputLaw("costs-are-least", "By min_traffic, active tasks cost no more than in any other assignment in which"
                 " each client has as many.", KIP, seeks_least, costs_are_least, kind=LawKind.PROTOCOL),
        InputLaw("free-traffic-moves-nothing", "By min_traffic, nothing moves if a partition in another rack costs"
                 " nothing.", KIP, is_free, nothing_moves, kind=LawKind.PROTOCOL),
        InputLaw("standbys-are-no-farther", "Standbys restore from no more partitions in other racks than before.", KIP,
                 has_standbys, standbys_are_no_farther, kind=LawKind.PROTOCOL),
        InputLaw("subtopologies-are-even", "By balance_subtopology, a client has no more tasks of a subtopology than"
                 " its part of all tasks, rounded up.", KIP, seeks_evenness, subtopologies_are_even,
                 kind=LawKind.PROTOCOL),
        InputLaw("evenness-costs-no-more", "By balance_subtopology, active tasks cost no more than before. (This "
                                           "fails: evenness comes first.)",
                                           KIP, seeks_evenness, cost_does_not_grow, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
