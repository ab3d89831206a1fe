"""
The channel's history holds every record of every unit in topic order, with its fate.

The whole history of some namespaces is kept, because evidence refers to any of its records. A step is a row of
columns: it is made when a law asks for it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from oneowner.checkers.recordings.fold.unit_memory import range_of
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Origin, Position
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.recordings.scene.message_columns import Message, MessageColumns
from oneowner.model.channel.record import TOMBSTONE, Record
from oneowner.model.channel.resolver import Refusal
from oneowner.model.channel.rules import Storage
from oneowner.model.pulsar.bundles import Range


class Step:
    """One message and its fate."""

    __slots__ = ("_columns", "place")

    def __init__(self, columns: MessageColumns, place: int) -> None:
        self._columns = columns
        self.place = place
        """Its position in the order of the topic, from 0; -1 if it was taken out of its channel."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _alone, (self._columns.storage, self.message, self.held, not self.is_accepted)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        if self._columns is other._columns:
            return self.place == other.place
        return self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.position)

    def __repr__(self) -> str:
        return f"Step{self._all()}"

    def _all(self) -> tuple[Message, Record, Refusal | None]:
        return self.message, self.held, self.refused

    @property
    def message(self) -> Message:
        return self._columns.message(self.place)

    @property
    def position(self) -> Position:
        return self._columns.position(self.place)

    @property
    def origin(self) -> Origin:
        return self._columns.origin(self.place)

    @property
    def message_id(self) -> str:
        return self._columns.message_id(self.place)

    @property
    def time(self) -> int:
        """Epoch milliseconds: publishTime, or when ZooKeeper took the write."""
        return self._columns.time[self.place]

    @property
    def key(self) -> str:
        name: str = self._columns.keys.names[self._columns.key[self.place]]
        return name

    @property
    def printed(self) -> Printed | None:
        """None: a tombstone."""
        return self._columns.printed(self.place)

    @property
    def is_tombstone(self) -> bool:
        return not self._columns.shape[self.place]

    @property
    def record(self) -> Record:
        return self._columns.record(self.place)

    @property
    def made(self) -> int:
        """The creation time in its record: epoch milliseconds, 0 if there is none."""
        return self._columns.made[self.place]

    @property
    def producer(self) -> str:
        """Its name; of a write, the session."""
        name: str = self._columns.producers.names[self._columns.producer[self.place]]
        return name

    @property
    def sequence(self) -> int | None:
        return self._columns.number(self.place)

    @property
    def held(self) -> Record:
        """The unit's entry before it."""
        return self._columns.held(self.place)

    @property
    def refused(self) -> Refusal | None:
        """The reason that every view drops it; None if it becomes the entry."""
        return self._columns.refused(self.place)

    @property
    def is_accepted(self) -> bool:
        return not self._columns.is_refused[self.place]

    @property
    def entry(self) -> Record:
        """The unit's entry after it."""
        return self.record if self.is_accepted else self.held


def _alone(storage: Storage, message: Message, held: Record, is_refused: bool) -> Step:
    """Return a step without its channel: columns of one row, which is their last."""
    columns = MessageColumns(storage)
    columns.append(message)
    columns.judge(0, held, is_refused)
    return Step(columns, -1)


class Steps(Sequence[Step]):
    """Some steps of one channel, as a list of them that is not to be changed."""

    __slots__ = ("_columns", "_places")

    def __init__(self, columns: MessageColumns, places: Sequence[int]) -> None:
        self._columns, self._places = columns, places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Step]:
        columns = self._columns
        return (Step(columns, place) for place in self._places)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Steps: ...
    def __getitem__(self, at: int | slice) -> Step | Steps:
        if isinstance(at, slice):
            return Steps(self._columns, self._places[at])
        return Step(self._columns, self._places[at])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Steps) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    @property
    def accepted(self) -> Steps:
        """Those that became the entry of their units."""
        is_refused = self._columns.is_refused
        return Steps(self._columns, array("i", (place for place in self._places if not is_refused[place])))

    def span(self) -> tuple[int, ...]:
        """Return the earliest and the latest time; none if there are no steps."""
        time = self._columns.time.__getitem__
        return (min(map(time, self._places)), max(map(time, self._places))) if self._places else ()


class History:
    """All steps of one unit in topic order."""

    __slots__ = ("_columns", "key", "places")

    def __init__(self, key: str, columns: MessageColumns) -> None:
        self.key = key
        self.places = array("i")
        """Their positions in the order of the topic."""
        self._columns = columns

    @property
    def steps(self) -> Steps:
        return Steps(self._columns, self.places)

    @property
    def range(self) -> Range:
        return range_of(self.key.rpartition("/")[2])

    @property
    def accepted(self) -> Steps:
        return self.steps.accepted

    @property
    def held(self) -> Record:
        return self.steps[-1].entry if self.places else TOMBSTONE


class Channel:
    """The histories of all units."""

    def __init__(self, columns: MessageColumns | None = None) -> None:
        """:param columns: messages in topic order, each with its fate."""
        self.columns = MessageColumns(Storage.SYSTEM_TOPIC) if columns is None else columns
        self.units: dict[str, History] = {}
        self.by_namespace: dict[str, list[History]] = {}
        names = self.columns.keys.names
        for key, places in _places_of(self.columns.array("key")):
            self._unit(names[key]).places.frombytes(places.astype(np.int32).tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return Channel, (self.columns,)

    @property
    def timeline(self) -> Steps:
        """Every message in topic order."""
        return Steps(self.columns, range(len(self.columns)))

    def at(self, places: Sequence[int]) -> Steps:
        """Return the messages at some places of the timeline."""
        return Steps(self.columns, places)

    def of_namespace(self, namespace: str) -> Sequence[History]:
        """Return the units of one namespace, in the order of their first records."""
        return self.by_namespace.get(namespace, ())

    def _unit(self, key: str) -> History:
        if key not in self.units:
            self.units[key] = History(key, self.columns)
            self.by_namespace.setdefault(key.rpartition("/")[0], []).append(self.units[key])
        return self.units[key]

    def take(self, message: Message, is_refused: bool) -> None:
        """Add the next message in topic order, which a fold has judged."""
        unit, place = self._unit(message.key), len(self.columns)
        before = unit.held
        self.columns.append(message)
        self.columns.judge(place, before, is_refused)
        unit.places.append(place)

    def part(self, steps: Iterable[Step]) -> Channel:
        """Return a channel of some steps, which keep their fates by all records before them."""
        return Channel(self.columns.part([step.place for step in steps]))


def _places_of(keys: Array) -> Iterator[tuple[int, Array]]:
    """Yield each key, in the order in which they come, and the places at which it stands."""
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    parts = np.split(order, begins[1:]) if len(begins) else []
    for places in sorted(parts, key=lambda some: int(some[0])):
        yield int(keys[places[0]]), places
