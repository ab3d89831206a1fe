"""Records that brokers still have to publish in the order of the log, each queue that of one process."""

from __future__ import annotations

from collections.abc import Iterable

from oneowner.checkers.recordings.explain.recording import RegistryStep
from oneowner.checkers.recordings.explain.unit_groups import Append, Observed
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State


class RecordsAhead:
    """The observed records of each process that a search has not come to yet."""

    def __init__(self, timeline: Iterable[Observed], bounds: Bounds) -> None:
        self.in_store = bounds.storage == Storage.METADATA_STORE
        self.is_unflushed = bounds.short_flushes > 0
        self.process = dict.fromkeys(range(1, bounds.brokers + 1), 0)
        """The number of each broker's process."""
        self.is_over = False
        """True at the end of the log: then no broker has anything more to publish."""
        self._queues: dict[tuple[int, int], list[Append]] = {}
        for seen in timeline:
            if isinstance(seen, Append) and not seen.is_given:
                self._queues.setdefault((seen.written.broker, seen.written.process), []).append(seen)

    def copy(self) -> RecordsAhead:
        """Return the same records, for another attempt at an observation."""
        twin = RecordsAhead.__new__(RecordsAhead)
        twin.in_store, twin.is_over, twin.process = self.in_store, self.is_over, dict(self.process)
        twin.is_unflushed = self.is_unflushed
        twin._queues = {process: list(queue) for process, queue in self._queues.items()}
        return twin

    def queue(self, actor: int) -> list[Append]:
        """Return the records still to come from the process of *actor*."""
        return self._queues.setdefault((actor, self.process.get(actor, 0)), [])

    def made_by(self, step: RegistryStep, actor: int) -> int:
        """
        Return how many of its next records *actor* may have made before *step*: those of an earlier time.

        A process that ends has made all; one that unregisters, after flushes that were too short, its forced records.
        """
        queue = self.queue(actor)
        if step.action == "crash" and step.broker == actor:
            return len(queue)
        earlier = sum(one.written.time < step.time for one in queue)
        if not self.is_unflushed or step.action != "unregister" or step.broker != actor:
            return earlier
        return max((number for number, one in enumerate(queue, 1) if one.written.record.force), default=earlier)

    def fits(self, state: State, actor: int) -> bool:
        """Return whether the outbox of *actor* is a prefix of its records to come; anything behind these is lost."""
        if self.in_store:
            return state.outbox[actor].length <= 3
        return all(self.is_due(state, actor, number) for number in range(1, state.outbox[actor].length + 1))

    def is_due(self, state: State, actor: int, number: int) -> bool:
        """Return whether the publish of that *number* in the outbox of *actor* is its record of that number to come."""
        queue = self.queue(actor)
        if number > len(queue):
            return not self.in_store and not self.is_over
        publish = state.outbox[actor][number]
        return publish.unit == queue[number - 1].unit and publish.record == queue[number - 1].written.record
