"""Of each law of these decisions, a decide function of which it must fail."""

from collections.abc import Callable
from typing import Any

from oneowner.model.allocation.container_packing import Topology, first_fit_decreasing
from oneowner.model.allocation.fair_shares import Cluster
from oneowner.model.allocation.key_groups import Job, key_group_ranges
from oneowner.model.allocation.replica_goals import Average, Replicas, limits, optimise
from oneowner.model.kernel.decision import Thrown

Decide = Callable[[Any], Any]


def throws(given: Any) -> Thrown:
    return Thrown("IllegalStateException", "a mutant refuses all")


def rounded_down(job: Job) -> tuple[tuple[int, int], ...]:
    """The start of a range is rounded as its end is, so neighbours share a key group."""
    found = [(number * job.key_groups // job.operators, number) for number in range(job.operators)]
    return tuple((first, ((number + 1) * job.key_groups - 1) // job.operators) for first, number in found)


def all_to_the_last(job: Job) -> Any:
    ones = tuple((number, number) for number in range(job.operators - 1))
    return (*ones, (job.operators - 1, job.key_groups - 1))


def equal_shares(cluster: Cluster) -> tuple[int, ...]:
    return tuple(cluster.total // len(cluster.pools) for _ in cluster.pools)


def nothing(cluster: Cluster) -> tuple[int, ...]:
    return tuple(min(pool.least, pool.most) for pool in cluster.pools)


def the_most(cluster: Cluster) -> tuple[int, ...]:
    return tuple(pool.most for pool in cluster.pools)


def lightest_first(cluster: Cluster) -> tuple[int, ...]:
    return tuple(pool.most if pool.weight == 1 else min(pool.least, pool.most) for pool in cluster.pools)


def all_in_the_first(given: Any) -> Any:
    return (tuple(range(given.tasks)), *(() for _ in range(given.containers - 1)))


def reversed_groups(given: Any) -> Any:
    """Fair, but whoever had a task before."""
    order = range(given.tasks - 1, -1, -1)
    return tuple(tuple(order[one :: given.containers]) for one in range(given.containers))


def one_too_few(given: Any) -> Any:
    return (tuple(range(1, given.tasks)),)


def capacity_undone(given: Replicas) -> Any:
    """After the last goal all replicas are on the first broker."""
    found = optimise(given)
    piled = given._replace(at=(1,) * len(given.at))
    return found if isinstance(found, Thrown) else (*found[:-1], piled)


def moved_in_a_circle(given: Replicas) -> Any:
    """Every replica goes to the next broker, for nothing."""
    moved = given._replace(at=tuple(one % given.brokers + 1 for one in given.at))
    return (moved, moved, moved)


def unchanged(given: Replicas) -> Any:
    return (given, given, given)


def wider(given: Average) -> tuple[int, int]:
    least, most = limits(given)
    return least - 1, most + 1


def above(given: Average) -> tuple[int, int]:
    _, most = limits(given)
    return most + 1, most + 1


def one_a_container(given: Topology) -> Any:
    return tuple((number,) for number, one in enumerate(given.components) for _ in range(one.instances))


def all_in_one(given: Topology) -> Any:
    return (sum(one_a_container(given), ()),)


def the_first_is_lost(given: Topology) -> Any:
    found = first_fit_decreasing(given)
    return found if isinstance(found, Thrown) else found[1:]


MUTANTS: dict[tuple[str, str], Decide] = {
    ("key-groups", "each-key-group-has-one-operator"): rounded_down,
    ("key-groups", "key-groups-are-even"): all_to_the_last,
    ("key-groups", "records-go-where-their-state-is"): all_to_the_last,
    ("key-groups", "idle-operators-are-refused"): lambda job: key_group_ranges(Job(job.operators, job.operators)),
    ("fair-shares", "share-is-within-its-limits"): equal_shares,
    ("fair-shares", "heavier-pools-have-more"): lightest_first,
    ("fair-shares", "shares-use-up-the-total"): nothing,
    ("fair-shares", "shares-exceed-by-less-than-a-unit-a-pool"): the_most,
    ("fair-shares", "minimum-shares-come-first"): equal_shares,
    ("fair-shares", "shares-are-the-total"): nothing,
    ("container-grouping", "each-task-has-one-container"): one_too_few,
    ("container-grouping", "containers-are-even-after-a-change"): all_in_the_first,
    ("container-grouping", "fewest-tasks-move"): reversed_groups,
    ("container-grouping", "tasks-stay-while-containers-do"): reversed_groups,
    ("container-grouping", "idle-containers-are-refused"): all_in_the_first,
    ("container-grouping", "containers-are-even"): all_in_the_first,
    ("container-grouping", "fewest-tasks-move-always"): reversed_groups,
    ("replica-goals", "goal-is-never-newly-violated"): capacity_undone,
    ("replica-goals", "violations-fall-in-order"): moved_in_a_circle,
    ("replica-goals", "hard-goals-are-met"): unchanged,
    ("replica-goals", "nothing-moves-where-all-is-met"): moved_in_a_circle,
    ("replica-goals", "hard-goals-are-met-if-they-can-be"): throws,
    ("replica-limits", "limits-enclose-the-average"): above,
    ("replica-limits", "limits-are-within-the-threshold"): wider,
    ("replica-limits", "limits-are-exact"): wider,
    ("container-packing", "each-instance-has-one-container"): the_first_is_lost,
    ("container-packing", "container-is-within-its-capacity"): all_in_one,
    ("container-packing", "no-container-is-opened-too-soon"): one_a_container,
    ("container-packing", "too-large-instances-are-refused"): one_a_container,
    ("container-packing", "fewest-containers-are-used"): one_a_container,
}
"""By decision and law."""
