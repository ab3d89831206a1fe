"""``TaskId``: a task of Kafka Streams is one partition of one subtopology."""

from typing import NamedTuple

from oneowner.model.java.hash_map import combined
from oneowner.model.kernel.batch import InvalidInput


class TaskId(NamedTuple):
    """Tasks are ordered by subtopology, then by partition."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


def task_of(text: str) -> TaskId:
    """
    Return the task that is written so; raise InvalidInput for another text.

    >>> task_of("0_12")
    TaskId(subtopology=0, partition=12)
    """
    subtopology, _, partition = text.partition("_")
    if not (subtopology.isdecimal() and partition.isdecimal()):
        raise InvalidInput(f"task refused: {text}; it is a subtopology and a partition, such as 0_12")
    return TaskId(int(subtopology), int(partition))


def summed_hash(task: TaskId) -> int:
    """Return ``TaskId.hashCode`` of releases before named topologies."""
    return ((task.subtopology << 32) | task.partition) % 0xFFFFFFFF


def combined_hash(task: TaskId) -> int:
    """Return ``TaskId.hashCode`` since then, of a task without a named topology."""
    return combined(task.subtopology, task.partition, 0)
