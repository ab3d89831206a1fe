"""
The channel's history holds every record of every unit in topic order, with what the resolver says of it.

The fold is the audit's: ``refusal`` on what is held. Here the whole history of some namespaces is kept,
because evidence refers to any of its records.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import IO, Final, NamedTuple

from oneowner.checkers.recordings.fold.unit_memory import range_of
from oneowner.checkers.recordings.read.events import Origin, Position
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.model.channel.record import NOTHING, TOMBSTONE, Record, is_absent, owner
from oneowner.model.channel.resolver import Refusal, ownerless, refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.pulsar.bundles import Range


class Message(NamedTuple):
    """One message of the channel, or one write to a unit's node."""

    position: Position
    origin: Origin
    message_id: str
    time: int
    """publishTime, or when ZooKeeper took the write."""
    key: str
    printed: Printed | None
    """None: a tombstone."""
    producer: str
    """Its name; of a write, the session."""
    sequence: int | None

    @property
    def record(self) -> Record:
        return TOMBSTONE if self.printed is None else self.printed.record


class Step(NamedTuple):
    """One message and what became of it."""

    message: Message
    held: Record
    """The unit's entry before it."""
    refused: Refusal | None
    """Why every view drops it; None if it becomes the entry."""

    @property
    def is_accepted(self) -> bool:
        return self.refused is None

    @property
    def entry(self) -> Record:
        """The unit's entry after it."""
        return self.message.record if self.refused is None else self.held


@dataclass(slots=True)
class History:
    """All steps of one unit in topic order."""

    key: str
    steps: list[Step] = field(default_factory=list)

    @property
    def range(self) -> Range:
        return range_of(self.key.rpartition("/")[2])

    @property
    def accepted(self) -> list[Step]:
        return [step for step in self.steps if step.refused is None]

    @property
    def held(self) -> Record:
        return self.steps[-1].entry if self.steps else TOMBSTONE


@dataclass(slots=True)
class Channel:
    """The histories of all units; ``timeline`` is every message in topic order."""

    units: dict[str, History] = field(default_factory=dict)
    timeline: list[Step] = field(default_factory=list)
    by_namespace: dict[str, list[History]] = field(default_factory=dict)

    def of_namespace(self, namespace: str) -> Sequence[History]:
        """Return the units of one namespace, in the order of their first records."""
        return self.by_namespace.get(namespace, ())

    def unit(self, key: str) -> History:
        """Return the history of one unit, a new one if it has none yet."""
        if key not in self.units:
            self.units[key] = History(key)
            self.by_namespace.setdefault(key.rpartition("/")[0], []).append(self.units[key])
        return self.units[key]

    def take(self, message: Message, storage: Storage, is_history: bool = False) -> Step:
        """Add what comes next in topic order; return what became of it."""
        unit, record = self.unit(message.key), message.record
        before = unit.held
        refused = refusal(before, record, storage) or ownerless(before, record, storage)
        step = Step(message, before, None if is_history else refused)
        unit.steps.append(step)
        self.timeline.append(step)
        return step


class Stay(NamedTuple):
    """How long a unit had one entry, by publish times: [since, until), until None to the end of the dump."""

    step: Step
    since: int
    until: int | None
    """Never before ``since``: publish times can go back in topic order, and durations are clamped at 0."""
    ended_by: Step | None

    @property
    def record(self) -> Record:
        return self.step.message.record

    @property
    def owner(self) -> str | None:
        """The broker that owns the unit meanwhile: of Owned the destination, of Splitting the source."""
        return str(owner(self.record)) if owner(self.record) else None


def fold(messages: Iterable[Message], storage: Storage, is_history: bool) -> Channel:
    """Fold *messages*, which come in topic order; in a ZooKeeper history (*is_history*) every write took effect."""
    channel = Channel()
    for message in messages:
        channel.take(message, storage, is_history)
    return channel


BLOCK: Final = 8_192
"""Messages that are written as one: what a pickle knows of its objects is many times as big as they are."""


def write_channel(channel: Channel, stream: IO[bytes]) -> None:
    """Write what ``fold`` made of messages, for ``read_channel``: how many, then the messages in blocks."""
    pickle.dump(len(channel.timeline), stream, 5)
    for first in range(0, len(channel.timeline), BLOCK):
        pickle.dump([(step.message, step.refused) for step in channel.timeline[first : first + BLOCK]], stream, 5)


def read_channel(stream: IO[bytes]) -> Channel:
    """Return the channel that is written in a stream; raise EOFError or UnpicklingError if not all of it is there."""
    channel = Channel()
    held: dict[str, Record] = {}
    number = pickle.load(stream)
    while len(channel.timeline) < number:
        for read, refused in pickle.load(stream):
            message = read._replace(key=intern(read.key), producer=intern(read.producer))
            step = Step(message, held.get(message.key, TOMBSTONE), refused)
            held[message.key] = step.entry
            channel.unit(message.key).steps.append(step)
            channel.timeline.append(step)
    return channel


def stays(unit: History) -> list[Stay]:
    """Return the entries that *unit* had, one after the other; a tombstone ends one and begins none."""
    found: list[Stay] = []
    accepted = unit.accepted
    for number, step in enumerate(accepted):
        following = accepted[number + 1] if number + 1 < len(accepted) else None
        since = step.message.time
        until = None if following is None else max(since, following.message.time)
        if not is_absent(step.message.record) and step.message.record.state != NOTHING:
            found.append(Stay(step, since, until, following))
    return found


def entry_at(unit: History, time: int) -> Step | None:
    """Return the last accepted step of *unit* that was published by *time*, None before the first."""
    latest = [step for step in unit.accepted if step.message.time <= time]
    return latest[-1] if latest else None
