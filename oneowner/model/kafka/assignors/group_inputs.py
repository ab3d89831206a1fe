"""Small groups: the lag of each client or its former tasks, and settings; some with racks."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.kafka.assignors.group import RUNNING, UNKNOWN, Client, Config, Group, Tasks
from oneowner.model.kafka.assignors.rack_aware import BALANCE_SUBTOPOLOGY, MIN_TRAFFIC
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

ACCEPTABLE: Final = 1
LAGS: Final = (RUNNING, 5, 9, UNKNOWN)
"""Of which the first alone has caught up."""


@dataclass(frozen=True, slots=True)
class GroupSizes(Bounds):
    """The size of a group, and the number of lags."""

    clients: int = size(2, "how many clients there are at most", least=1)
    tasks: int = size(2, "how many stateful tasks there are at most")
    threads: int = size(2, "how many threads the first client has at most", least=1)
    standbys: int = size(1, "how many standbys are asked for at most")
    warmups: int = size(1, "how many warm-ups there may be at most", least=1)
    lags: int = size(4, "how many different lags there are", least=1)


@dataclass(frozen=True, slots=True)
class HistorySizes(Bounds):
    """The size of a group with known former owners."""

    clients: int = size(3, "how many clients there are at most", least=1)
    tasks: int = size(3, "how many stateful tasks there are at most")
    standbys: int = size(1, "how many standbys are asked for at most")
    warmups: int = size(2, "how many warm-ups there may be at most", least=1)


def some_lags(choose: Choose, sizes: GroupSizes) -> Group:
    """Return a group with any lags, and a stateless task, or without."""
    count, tasks = choose(1, sizes.clients), some_tasks(choose, sizes.tasks)
    threads = choose(1, sizes.threads)
    config = some_config(choose, sizes.standbys, sizes.warmups)
    stateless = (TaskId(9, 0),) if choose(0, 1) else ()
    most = min(sizes.lags, len(LAGS)) - 1
    clients = tuple(
        Client(number, threads if number == 1 else 1, tuple((task, LAGS[choose(0, most)]) for task in tasks))
        for number in range(1, count + 1)
    )
    return Group(clients, tasks, stateless, config)


def some_history(choose: Choose, sizes: HistorySizes) -> Group:
    """Return a group each of whose tasks has run on one of its clients, or on none; no other has a copy."""
    count, tasks = choose(1, sizes.clients), some_tasks(choose, sizes.tasks)
    config = some_config(choose, sizes.standbys, sizes.warmups)
    owners = [choose(0, count) for _ in tasks]
    clients = []
    for number in range(1, count + 1):
        had = tuple(task for task, owner in zip(tasks, owners, strict=True) if owner == number)
        lags = tuple((task, RUNNING if task in had else LAGS[-2]) for task in tasks)
        clients.append(Client(number, lags=lags, previous_active=had))
    return Group(tuple(clients), tasks, config=config)


def some_tasks(choose: Choose, most: int) -> Tasks:
    return tuple(TaskId(0, number) for number in range(choose(0, most)))


def some_config(choose: Choose, standbys: int, warmups: int) -> Config:
    return Config(ACCEPTABLE, choose(1, warmups), choose(0, standbys))


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
