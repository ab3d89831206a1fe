"""Samza: the tasks of each container, by those that it ran before (``GroupByContainerCount``)."""

from typing import NamedTuple

from oneowner.model.kernel.decision import Thrown


class Grouping(NamedTuple):
    """The numbers of tasks and containers; by task its previous container, or nothing."""

    tasks: int
    containers: int
    previous: tuple[int, ...] = ()


Groups = tuple[tuple[int, ...], ...]
"""By container, its tasks."""


def previous_groups(job: Grouping) -> Groups:
    """Return what ran where, by container; nothing where a container is missing."""
    ids = sorted(set(job.previous))
    if ids != list(range(len(ids))) or len(job.previous) != job.tasks:
        return ()
    return tuple(tuple(task for task in by_name(job) if job.previous[task] == one) for one in ids)


def by_name(job: Grouping) -> list[int]:
    """Return the tasks by their names, which are sorted as text: 10 comes before 2."""
    return sorted(range(job.tasks), key=str)


def expected(job: Grouping, container: int) -> int:
    """Return how many tasks a container is to have."""
    return job.tasks // job.containers + (container < job.tasks % job.containers) if container < job.containers else 0


def group_by_container_count(job: Grouping) -> Groups | Thrown:
    """
    Return the tasks of each container: dealt in turn if new, else moved from the fullest ends of too full containers.

    >>> group_by_container_count(Grouping(5, 2))
    ((0, 2, 4), (1, 3))
    """
    if job.tasks < job.containers:
        return Thrown("IllegalArgumentException", "the container count is larger than the task count")
    groups = [list(one) for one in previous_groups(job)]
    if len(groups) <= 1 or job.containers == 1:
        return tuple(tuple(by_name(job)[one :: job.containers]) for one in range(job.containers))
    if len(groups) == job.containers:
        return tuple(map(tuple, groups))
    loose = [group.pop() for one, group in enumerate(groups) for _ in range(expected(job, one), len(group))]
    groups = [*groups, *([] for _ in range(job.containers))][: job.containers]
    for one, group in enumerate(groups):
        group += [loose.pop(0) for _ in range(len(group), expected(job, one))]
    return tuple(map(tuple, groups))
