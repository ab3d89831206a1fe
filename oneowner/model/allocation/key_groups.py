"""Flink: which key groups each parallel operator has (``KeyGroupRangeAssignment``)."""

from typing import NamedTuple

from oneowner.model.kernel.decision import Thrown


class Job(NamedTuple):
    """A job: keys are hashed to key groups, and each operator has a range of these."""

    key_groups: int
    operators: int


def first_key_group(key_groups: int, operators: int, index: int) -> int:
    return (index * key_groups + operators - 1) // operators


def last_key_group(key_groups: int, operators: int, index: int) -> int:
    return ((index + 1) * key_groups - 1) // operators


def operator_of(key_groups: int, operators: int, key_group: int) -> int:
    """Return the operator of a key group (``computeOperatorIndexForKeyGroup``); both count from 0."""
    return key_group * operators // key_groups


def key_group_ranges(job: Job) -> tuple[tuple[int, int], ...] | Thrown:
    """
    Return the first and the last key group of each operator (``computeKeyGroupRangeForOperatorIndex``).

    >>> key_group_ranges(Job(10, 4))
    ((0, 2), (3, 4), (5, 7), (8, 9))
    """
    if job.operators > job.key_groups:
        return Thrown("IllegalArgumentException", "the maximum parallelism is smaller than the parallelism")
    return tuple((first_key_group(*job, index), last_key_group(*job, index)) for index in range(job.operators))
