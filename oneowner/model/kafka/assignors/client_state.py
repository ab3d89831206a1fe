"""``ClientState``: a client while tasks are dealt out."""

from __future__ import annotations

from collections.abc import Iterable

from oneowner.model.kafka.assignors.group import Assigned, Assignment, Client
from oneowner.model.kafka.task import TaskId


class ClientState:
    """A client, and the tasks that it is given so far."""

    def __init__(self, client: Client) -> None:
        self.number, self.capacity = client.number, client.capacity
        self.lags, self.tags = dict(client.lags), dict(client.tags)
        self.rack = client.rack
        self.active: set[TaskId] = set()
        self.standby: set[TaskId] = set()

    @property
    def count(self) -> int:
        return len(self.active) + len(self.standby)

    @property
    def load(self) -> float:
        """Tasks a thread."""
        return self.count / self.capacity

    @property
    def active_load(self) -> float:
        """Active tasks a thread."""
        return len(self.active) / self.capacity

    def has(self, task: TaskId) -> bool:
        return task in self.active or task in self.standby

    def has_more_room_than(self, other: ClientState) -> bool:
        """Return whether it is loaded less, or as much and has more threads."""
        return (self.load, -self.capacity) < (other.load, -other.capacity)


Clients = dict[int, ClientState]
"""Clients by number, in the order of the map."""


def states_of(clients: Iterable[Client]) -> Clients:
    """Return clients that have no tasks yet."""
    return {client.number: ClientState(client) for client in clients}


def assignment_of(clients: Clients, probing: bool) -> Assignment:
    given = sorted(clients.items())
    return Assignment(
        tuple(Assigned(number, tuple(sorted(one.active)), tuple(sorted(one.standby))) for number, one in given), probing
    )
