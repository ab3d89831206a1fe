"""Small inputs of all of these decisions."""

from dataclasses import dataclass

from oneowner.model.allocation.container_grouping import Grouping
from oneowner.model.allocation.container_packing import Component, Topology
from oneowner.model.allocation.fair_shares import Cluster, Pool
from oneowner.model.allocation.key_groups import Job
from oneowner.model.allocation.replica_goals import Average, Replicas
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose


@dataclass(frozen=True, slots=True)
class JobSizes(Bounds):
    """The size of a job."""

    key_groups: int = size(24, "how many key groups it has at most (its maximum parallelism)", least=1)


def some_job(choose: Choose, sizes: JobSizes) -> Job:
    """Return a job, of which the operators may be one more than the key groups."""
    key_groups = choose(1, sizes.key_groups)
    return Job(key_groups, choose(1, key_groups + 1))


@dataclass(frozen=True, slots=True)
class PoolSizes(Bounds):
    """The size of a cluster."""

    pools: int = size(2, "how many pools there are at most")
    total: int = size(4, "how much there is to be shared at most")
    share: int = size(2, "the largest minimum share; a maximum share may be one more", least=1)


def some_cluster(choose: Choose, sizes: PoolSizes) -> Cluster:
    """Return pools of weight 1 or 2; a minimum share may be above the maximum share."""
    total, count = choose(0, sizes.total), choose(0, sizes.pools)
    drawn = [(choose(1, 2), choose(0, sizes.share), choose(1, sizes.share + 1)) for _ in range(count)]
    return Cluster(total, tuple(Pool(float(weight), least, most) for weight, least, most in drawn))


@dataclass(frozen=True, slots=True)
class GroupingSizes(Bounds):
    """The size of a job."""

    tasks: int = size(5, "how many tasks it has at most", least=1)
    containers: int = size(3, "in how many containers its tasks may have been before", least=1)


def some_grouping(choose: Choose, sizes: GroupingSizes) -> Grouping:
    """Return a job whose tasks ran nowhere or anywhere; it may have one container too many."""
    tasks = choose(1, sizes.tasks)
    containers, was_run = choose(1, tasks + 1), choose(0, 1)
    previous = [choose(0, sizes.containers - 1) for _ in range(tasks if was_run else 0)]
    return Grouping(tasks, containers, tuple(previous))


@dataclass(frozen=True, slots=True)
class ReplicaSizes(Bounds):
    """The size of a cluster."""

    brokers: int = size(3, "how many brokers it has at most", least=1)
    partitions: int = size(2, "how many partitions of two replicas it has at most", least=1)


def some_replicas(choose: Choose, sizes: ReplicaSizes) -> Replicas:
    """Return replicas that lie anywhere; a broker has room for one, or for all but one of them, or for more."""
    brokers, replicas = choose(1, sizes.brokers), 2 * choose(1, sizes.partitions)
    capacity = choose(1, replicas)
    return Replicas(brokers, capacity, tuple(choose(1, brokers) for _ in range(replicas)))


@dataclass(frozen=True, slots=True)
class TopologySizes(Bounds):
    """The size of a topology."""

    components: int = size(2, "how many components it has at most", least=1)
    instances: int = size(4, "how many instances a component has at most", least=1)
    ram: int = size(3, "how much memory an instance takes at most, in GB", least=1)
    capacity: int = size(8, "how much memory a container has at most, in GB", least=1)


def some_topology(choose: Choose, sizes: TopologySizes) -> Topology:
    """Return components of at most a few instances each."""
    capacity, count = choose(1, sizes.capacity), choose(1, sizes.components)
    return Topology(tuple(Component(choose(1, sizes.instances), choose(1, sizes.ram)) for _ in range(count)), capacity)


@dataclass(frozen=True, slots=True)
class AverageSizes(Bounds):
    """The size of a cluster."""

    replicas: int = size(100, "how many replicas it has at most")
    brokers: int = size(2, "how many brokers it has at most", least=1)


def some_average(choose: Choose, sizes: AverageSizes) -> Average:
    """Return replicas of some brokers, by the threshold that is the default, or by a wider one."""
    return Average(choose(1, sizes.brokers), choose(0, sizes.replicas), (1.1, 1.5)[choose(0, 1)])
