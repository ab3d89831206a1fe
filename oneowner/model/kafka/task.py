"""``TaskId``: a task of Kafka Streams is one partition of one subtopology."""

from typing import NamedTuple

from oneowner.model.java.hash_map import combined


class TaskId(NamedTuple):
    """Tasks are ordered by subtopology, then by partition."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


def task_of(text: str) -> TaskId:
    """
    Return the task that is written so; raise ValueError for another text.

    >>> task_of("0_12")
    TaskId(subtopology=0, partition=12)
    """
    subtopology, partition = text.split("_")
    return TaskId(int(subtopology), int(partition))


def summed_hash(task: TaskId) -> int:
    """Return ``TaskId.hashCode`` of releases before named topologies."""
    return ((task.subtopology << 32) | task.partition) % 0xFFFFFFFF


def combined_hash(task: TaskId) -> int:
    """Return ``TaskId.hashCode`` since then, of a task without a named topology."""
    return combined(task.subtopology, task.partition, 0)
