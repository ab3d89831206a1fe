"""Small groups with racks: the runner and the keepers of each task, and the racks of replicas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oneowner.model.kafka.assignors.group import Client, Config, Group
from oneowner.model.kafka.assignors.rack_aware import BALANCE_SUBTOPOLOGY, MIN_TRAFFIC
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

__traced__ = False  # inputs of decisions, concrete

RACKS: Final = ("a", "b")
CONFIGS: Final = (
    Config(rack_aware_assignment_strategy=MIN_TRAFFIC),
    Config(rack_aware_assignment_strategy=BALANCE_SUBTOPOLOGY),
    Config(rack_aware_assignment_strategy=MIN_TRAFFIC, rack_aware_traffic_cost=0),
    Config(rack_aware_assignment_strategy=BALANCE_SUBTOPOLOGY, rack_aware_traffic_cost=0),
)


@dataclass(frozen=True, slots=True)
class RackSizes(Bounds):
    """The size of a group."""

    clients: int = size(2, "how many clients there are at most", least=1)
    tasks: int = size(4, "how many tasks there are at most; the first and the third are of one subtopology")
    settings: int = size(3, "how many settings there are: least traffic, even subtopologies, traffic that is free")


def some_placement(choose: Choose, sizes: RackSizes) -> Group:
    """Return a group each of whose tasks runs on a client, and has a standby on another, or none of them has."""
    count = choose(1, sizes.clients)
    tasks = tuple(TaskId(number % 2, number // 2) for number in range(choose(0, sizes.tasks)))
    config = CONFIGS[choose(0, min(sizes.settings, len(CONFIGS)) - 1)]
    has_standbys = bool(tasks) and count > 1 and choose(0, 1) == 1
    # The racks are alike, and so the first client is in the first.
    racks = [RACKS[choose(0, 1) if number else 0] for number in range(count)]
    replicas = tuple((task, ((RACKS[choose(0, 1)],),)) for task in tasks)
    owners = {task: choose(0, count - 1) for task in tasks}
    standbys = {task: (owners[task] + choose(1, count - 1)) % count if has_standbys else -1 for task in tasks}
    clients = tuple(
        Client(
            number + 1,
            previous_active=tuple(sorted(task for task in tasks if owners[task] == number)),
            previous_standby=tuple(sorted(task for task in tasks if standbys[task] == number)),
            rack=racks[number],
        )
        for number in range(count)
    )
    config = config._replace(num_standby_replicas=int(has_standbys))
    return Group(clients, tuple(sorted(tasks)), config=config, racks=replicas, changelog_racks=replicas)
