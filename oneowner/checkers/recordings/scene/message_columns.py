"""
Messages of the channel are kept as columns, fifty bytes each: of millions a law looks at few at a time.

Names are codes into lists. Rare fields, such as the children of a split, are kept beside the columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from sys import intern
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import STATES, Columns
from oneowner.checkers.recordings.read.events import Children, Origin, Position
from oneowner.checkers.recordings.read.mapped_files import narrowest
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.model.channel.record import NOBODY, TOMBSTONE, Record, ServiceUnitState
from oneowner.model.channel.resolver import Refusal, ownerless, refusal
from oneowner.model.channel.rules import Storage


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


NOT_TOLD: Final = -(2**63)
"""The sequence id of a message that has none."""
_FORMS: Final = ("{}:{}", "{}:{}:-1", "{}:{}:-1:{}", "zxid:{}")
"""Forms of a message id that follows from the place; any other id is among the extras."""
_EMPTY: Final = TOMBSTONE[:-1]
_NO_EXTRA: Final[tuple[str, Children]] = "", None

_long: Final = partial(array, "q")
_int: Final = partial(array, "i")
_byte: Final = partial(array, "b")
COLUMN: Final = (array, memoryview)
"""The type of a column: the second where it was read from a file."""


@dataclass(slots=True)
class MessageColumns:
    """Messages, each with its fate."""

    storage: Storage
    ledger: array[int] = field(default_factory=_long)
    entry: array[int] = field(default_factory=_long)
    batch: array[int] = field(default_factory=_int)
    piece: array[int] = field(default_factory=_int)
    chunk: array[int] = field(default_factory=_int)
    line: array[int] = field(default_factory=_int)
    form: array[int] = field(default_factory=_byte)
    time: array[int] = field(default_factory=_long)
    key: array[int] = field(default_factory=_int)
    shape: array[int] = field(default_factory=_int)
    """The content of the record except its version."""
    version: array[int] = field(default_factory=_long)
    made: array[int] = field(default_factory=_long)
    """Its creation time, by its own field."""
    producer: array[int] = field(default_factory=_int)
    sequence: array[int] = field(default_factory=_long)
    extra: array[int] = field(default_factory=_int)
    """Its id, if that is written in no usual form, and the children of a split."""
    held_shape: array[int] = field(default_factory=_int)
    held_version: array[int] = field(default_factory=_long)
    is_refused: array[int] = field(default_factory=_byte)
    keys: Codes = field(default_factory=Codes)
    shapes: Codes = field(default_factory=partial(Codes, _EMPTY))
    producers: Codes = field(default_factory=Codes)
    extras: Codes = field(default_factory=partial(Codes, _NO_EXTRA))

    def __len__(self) -> int:
        return len(self.ledger)

    def array(self, name: str) -> Array:
        """Return a column of this name, of 64 bits each; not to be changed."""
        return np.asarray(getattr(self, name)).astype(np.int64, copy=False)

    def __getstate__(self) -> list[Any]:
        """Return the pickled state: narrow arrays, which can lie apart in a file (``mapped_files.py``)."""
        columns = (getattr(self, one.name) for one in fields(self))
        return [_narrow(np.asarray(column)) if isinstance(column, COLUMN) else column for column in columns]

    def __setstate__(self, state: list[Any]) -> None:
        """Restore the pickled state; nothing can be added to it any more."""
        for one, column in zip(fields(self), state, strict=True):
            setattr(self, one.name, column.data if isinstance(column, np.ndarray) else column)

    def append(self, message: Message) -> None:
        """Add a message with its fate open."""
        position, origin, text, time, key, printed, producer, sequence = message
        self.ledger.append(position[0])
        self.entry.append(position[1])
        self.batch.append(position[2])
        self.piece.append(origin.piece)
        self.chunk.append(origin.chunk)
        self.line.append(origin.line)
        form = _form_of(text, position)
        self.form.append(form)
        self.time.append(time)
        self.key.append(self.keys[key])
        self.shape.append(self.shapes[message.record[:-1]])
        self.version.append(message.record.version)
        self.made.append(0 if printed is None else printed.timestamp)
        self.producer.append(self.producers[producer])
        self.sequence.append(NOT_TOLD if sequence is None else sequence)
        self.extra.append(self.extras["" if form >= 0 else text, printed and printed.children])
        self.held_shape.append(0)
        self.held_version.append(TOMBSTONE.version)
        self.is_refused.append(0)

    def append_many(self, events: Columns) -> None:
        """Add messages with their fates open."""
        table, number = events.table, len(events.table)
        for name in ("ledger", "entry", "batch", "piece", "chunk", "line", "time", "version"):
            column: array[int] = getattr(self, name)
            column.frombytes(table[name].astype(column.typecode).tobytes())
        names, size = events.brokers, len(events.brokers)
        states = (table["state"] * 2 + table["force"]).astype(np.int64)
        distinct, shapes = np.unique(
            (states * size + table["destination"]) * size + table["source"], return_inverse=True
        )
        parts = np.unravel_index(distinct, (len(STATES), 2, size, size))
        told = [
            (STATES[state], names[to], names[by], bool(force))
            for state, force, to, by in np.stack(parts, axis=1).tolist()
        ]
        producers = [intern(name) for name in events.producers]
        self.key.frombytes(self.keys.of([intern(key) for key in events.keys])[table["key"]].tobytes())
        self.shape.frombytes(self.shapes.of(told)[shapes].tobytes())
        self.producer.frombytes(self.producers.of(producers)[table["producer"]].tobytes())
        self.made.frombytes(np.maximum(table["made"], 0).tobytes())
        self.sequence.frombytes(np.where(table["sequence"] < 0, NOT_TOLD, table["sequence"]).tobytes())
        forms = np.array([-1, -1, 0, 1, 2])[table["parts"]]
        forms[(table["parts"] > 2) & (table["partition"] != -1)] = -1
        extras = np.zeros(number, np.int32)
        for row in np.flatnonzero((forms < 0) | (table["extra"] != 0)).tolist():
            text, children, _ = events.extras[table["extra"][row]]
            if forms[row] < 0:
                text = text or _id_of(table[row])
                forms[row] = _form_of(text, tuple(table[["ledger", "entry", "batch"]][row].tolist()))
            extras[row] = self.extras["" if forms[row] >= 0 else text, children]
        self.form.frombytes(forms.astype(np.int8).tobytes())
        self.extra.frombytes(extras.tobytes())
        self.held_shape.frombytes(bytes(4 * number))
        self.held_version.frombytes(np.full(number, TOMBSTONE.version, np.int64).tobytes())
        self.is_refused.frombytes(bytes(number))

    def judge(self, place: int, held: Record, is_refused: bool) -> None:
        """Set the entry of a message's unit before it, and whether every view drops the message."""
        self.held_shape[place] = self.shapes[held[:-1]]
        self.held_version[place] = held.version
        self.is_refused[place] = is_refused

    def message(self, place: int) -> Message:
        """Return one message."""
        return Message(
            self.position(place), self.origin(place), self.message_id(place), self.time[place],
            self.keys.names[self.key[place]], self.printed(place), self.producers.names[self.producer[place]],
            self.number(place),
        )  # fmt: skip

    def position(self, place: int) -> Position:
        return self.ledger[place], self.entry[place], self.batch[place]

    def origin(self, place: int) -> Origin:
        return Origin(self.piece[place], self.chunk[place], self.line[place])

    def message_id(self, place: int) -> str:
        form = self.form[place]
        text: str = self.extras.names[self.extra[place]][0] if form < 0 else _FORMS[form].format(*self.position(place))
        return text

    def record(self, place: int) -> Record:
        return self.record_of(self.shape[place], self.version[place])

    def held(self, place: int) -> Record:
        return self.record_of(self.held_shape[place], self.held_version[place])

    def record_of(self, shape: int, version: int) -> Record:
        """Return the record of a shape, by its code, and a version."""
        return _record(self.shapes.names[shape], version) if shape else TOMBSTONE

    def printed(self, place: int) -> Printed | None:
        if not self.shape[place]:
            return None
        return Printed(self.record(place), self.made[place], self.extras.names[self.extra[place]][1])

    def number(self, place: int) -> int | None:
        """Return the sequence id of a message, None if it has none."""
        sequence = self.sequence[place]
        return None if sequence == NOT_TOLD else sequence

    def refused(self, place: int) -> Refusal | None:
        """Return the reason that every view drops a message; None if it becomes the entry."""
        if not self.is_refused[place]:
            return None
        held, record = self.held(place), self.record(place)
        return refusal(held, record, self.storage) or ownerless(held, record, self.storage)

    def forced(self) -> list[int]:
        """Return the places of records that were forced."""
        return self._places([force for *_, force in self.shapes.names])

    def of_state(self, wanted: ServiceUnitState) -> list[int]:
        """Return the places of records of one state."""
        return self._places([state == wanted for state, *_ in self.shapes.names])

    def _places(self, of_shapes: Sequence[bool]) -> list[int]:
        """Return the places of records with the wanted content, the version aside."""
        places: list[int] = np.flatnonzero(np.array(of_shapes, bool)[np.asarray(self.shape)]).tolist()
        return places

    def brokers(self) -> set[str]:
        """Return the brokers that records name."""
        shapes = (self.shapes.names[shape] for shape in set(self.shape))
        return {str(broker) for shape in shapes for broker in shape[1:3] if broker != NOBODY}

    def none(self) -> MessageColumns:
        """Return columns without a message, whose codes are those of these."""
        return MessageColumns(
            self.storage, keys=self.keys, shapes=self.shapes, producers=self.producers, extras=self.extras
        )

    def part(self, places: Sequence[int] | Any) -> MessageColumns:
        """Return those at some places, in the order of these."""
        cut = MessageColumns(self.storage)
        for one in fields(self):
            column, own = getattr(self, one.name), getattr(cut, one.name)
            if isinstance(column, COLUMN):
                own.frombytes(np.asarray(column)[np.asarray(places, np.intp)].astype(own.typecode).tobytes())
            else:
                setattr(cut, one.name, column)
        return cut


def _narrow(column: Array) -> Array:
    """Return the same numbers of as few bytes as hold them all."""
    if not len(column):
        return column
    return column.astype(narrowest(int(column.min()), int(column.max())), copy=False)


def _record(shape: Any, version: int) -> Record:
    state, destination, source, force = shape
    return Record(state, destination, source, force, version)


def _form_of(text: str, position: Position) -> int:
    """Return the form of a message id that follows from its place; -1 for any other id."""
    return next((number for number, form in enumerate(_FORMS) if form.format(*position) == text), -1)


def _id_of(row: Any) -> str:
    """Return a message id in its written form, of the number of parts in the row."""
    parts = (row[name] for name in ("ledger", "entry", "partition", "batch"))
    return ":".join(str(part) for part, _ in zip(parts, range(row["parts"]), strict=False))
