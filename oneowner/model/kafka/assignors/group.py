"""``Group``: the input of an assignor, and ``Assignment``, its answer."""

from typing import Final, NamedTuple

from oneowner.model.kafka.task import TaskId

RUNNING: Final = -2
"""The lag of a client that runs the task: ``Task.LATEST_OFFSET``."""
UNKNOWN: Final = -3
"""The lag of a client that did not report it: ``SubscriptionInfo.UNKNOWN_OFFSET_SUM``."""
UNBOUNDED: Final = 2**63 - 1
"""As acceptable lag: every client has caught up."""

Tasks = tuple[TaskId, ...]
TaskRacks = tuple[tuple[TaskId, tuple[tuple[str | None, ...], ...]], ...]
"""Of each task its partitions, and of each of these the racks of its replicas; None of one that has none."""


class Client(NamedTuple):
    """One instance of the application; clients are ordered by number."""

    number: int
    """Its process id is ``new UUID(0, number)``."""
    capacity: int = 1
    """Its threads, at least 1."""
    lags: tuple[tuple[TaskId, int], ...] = ()
    """Of each stateful task: by how many records its copy is behind; of no copy, the whole changelog."""
    previous_active: Tasks = ()
    previous_standby: Tasks = ()
    tags: tuple[tuple[str, str], ...] = ()
    """``client.tag.*``."""
    rack: str | None = None
    """``client.rack``."""


class Config(NamedTuple):
    """Settings of Kafka Streams, with their defaults."""

    acceptable_recovery_lag: int = 10_000
    max_warmup_replicas: int = 2
    num_standby_replicas: int = 0
    rack_aware_assignment_tags: tuple[str, ...] = ()
    rack_aware_assignment_strategy: str = "none"
    """``min_traffic`` and ``balance_subtopology`` look at racks."""
    rack_aware_traffic_cost: int | None = None
    """Of a partition in another rack; None: as the assignor has it."""
    rack_aware_non_overlap_cost: int | None = None
    """Of a task that changes its client; None: as the assignor has it."""


class Rules(NamedTuple):
    """The behaviour that differs by release; the defaults are those of 4.1.1."""

    least_lag: bool = True
    """Where no client has caught up, the least lag decides (KAFKA-13600): ``TaskMovement``."""
    polls_movements: bool = True
    """Movements are taken in the order of their queue, not in that of its array (PR 12585): ``TaskMovement``."""
    standbys_by_tags: bool = True
    """Standbys are spread by tags (KAFKA-6718, KIP-708): ``StandbyTaskAssignorFactory``."""
    racks: bool = True
    """Tasks change clients for the sake of racks (KIP-925): ``RackAwareTaskAssignor``."""
    combined_task_hash: bool = True
    """``TaskId.hashCode`` combines its parts, instead of their sum (KAFKA-12648)."""
    refuses_no_capacity: bool = True
    """``StickyTaskAssignor`` says that there is no capacity, instead of dividing by zero."""


class Group(NamedTuple):
    """Clients in the order of the map that holds them, tasks, settings and rules."""

    clients: tuple[Client, ...]
    stateful: Tasks
    """In the order of the set that holds them, which only ``StickyTaskAssignor`` follows."""
    stateless: Tasks = ()
    config: Config = Config()
    rules: Rules = Rules()
    racks: TaskRacks = ()
    """Of the partitions that a task reads."""
    changelog_racks: TaskRacks = ()
    """Of the partitions that a standby restores from."""


class Assigned(NamedTuple):
    """The tasks of one client, sorted."""

    client: int
    active: Tasks = ()
    standby: Tasks = ()


class Assignment(NamedTuple):
    """The tasks of every client, by number, and the leader's wish for a probing rebalance."""

    clients: tuple[Assigned, ...]
    probing: bool = False
