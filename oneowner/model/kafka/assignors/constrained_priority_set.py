"""``ConstrainedPrioritySet`` gives out the least loaded client that may have a task."""

from collections.abc import Callable, Iterable

from oneowner.model.java.hash_map import listed, of_long
from oneowner.model.java.priority_queue import PriorityQueue
from oneowner.model.kafka.task import TaskId


class ConstrainedPrioritySet:
    """
    Clients, the least loaded first; of equal loads, the lower number.

    It is a binary heap whose keys, the loads, change while clients lie in it, until they are offered again: so now and
    then it gives out another than the least loaded.
    """

    def __init__(self, constraint: Callable[[int, TaskId], bool], weight: Callable[[int], float]) -> None:
        self.constraint = constraint
        self.queue: PriorityQueue[int] = PriorityQueue(lambda client: (weight(client), client))
        self.unique: set[int] = set()

    def poll(self, task: TaskId, also: Callable[[int], bool] = lambda client: True) -> int | None:
        """Take out the next client that fits; the others stay. None: none fits."""
        invalid: list[int] = []
        found = None
        while self.queue:
            client = self.queue.poll()
            self.unique.remove(client)
            if self.constraint(client, task) and also(client):
                found = client
                break
            invalid.append(client)
        self.offer_all(listed(invalid, of_long))
        return found

    def offer_all(self, clients: Iterable[int]) -> None:
        """Put clients in, one after another."""
        for client in clients:
            self.offer(client)

    def offer(self, client: int) -> None:
        """Put a client in, or let it sink or rise to where its load of now belongs."""
        if client in self.unique:
            self.queue.remove(client)
        self.unique.add(client)
        self.queue.offer(client)
