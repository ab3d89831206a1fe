"""
The channel is folded as it is read, many messages at a time; long columns lie in files, each of them in one.

The fold is the audit's: the resolver of the model, traced into a formula on columns. Units that the formula cannot
settle, and short channels, which are not worth tracing, go to ``refusal`` itself, message by message.
"""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.fold.column_formulas import FIELDS, HIGHEST, traced_refusal
from oneowner.checkers.recordings.fold.settling import settle
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import CODES, Columns
from oneowner.checkers.recordings.read.mapped_files import GrowingArray
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.message_columns import COLUMN, MessageColumns
from oneowner.model.channel.record import NOBODY, TOMBSTONE
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage

MANY: Final = 100_000
"""Messages beyond which columns go to a file: ten megabytes of them."""
FEW: Final = 1_000
"""Fewer messages than that are judged one by one: tracing the resolver takes longer."""
VERSION: Final = len(FIELDS) - 1
"""The field of a record that its shape does not fix."""


class ChannelFold:
    """Folds messages that come in topic order; in a ZooKeeper history (*is_history*) every write took effect."""

    def __init__(self, storage: Storage, is_history: bool) -> None:
        self._is_history = is_history
        self._columns = MessageColumns(storage)
        """Those that lie in no file yet."""
        self._files: dict[str, GrowingArray] = {}
        self._shape, self._version = np.zeros(0, np.int32), np.zeros(0, np.int64)
        """The entry of each unit, by the code of its key."""

    def take(self, events: Columns) -> None:
        """Fold the next rows."""
        first = len(self._columns)
        self._columns.append_many(events)
        self.judge(self._columns, first)
        if len(self._columns) >= MANY:
            self._put_to_files()

    def judge(self, columns: MessageColumns, first: int = 0) -> None:
        """Note the entry that each message from the *first* on found, and whether the resolver refuses it."""
        if first == len(columns):
            return
        self._meet(len(columns.keys.names))
        keys = np.array(columns.key)[first:]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.append(True, keys[1:] != keys[:-1])
        begins, unit, number = np.flatnonzero(starts), np.cumsum(starts) - 1, len(keys)
        met = keys[begins]
        # Behind the rows come the entries that the units held before.
        shape = np.append(np.array(columns.shape)[first:][order], self._shape[met])
        version = np.append(np.array(columns.version)[first:][order], self._version[met])
        version[shape == 0] = TOMBSTONE.version
        refused, held, latest, unsettled = settle(unit, begins, self._judge_by(columns, shape, version, number))
        last = latest[np.append(begins[1:], number) - 1]
        last = np.where(last >= begins, last, number + np.arange(len(begins)))
        if not self._is_history:
            odd = np.unique(np.append(unsettled, self._odd(unit, version)))
            self._one_by_one(columns, odd, np.append(begins, number), shape, version, (refused, held, last))
        for name, found in (("held_shape", shape[held]), ("held_version", version[held]), ("is_refused", refused)):
            np.frombuffer(getattr(columns, name), getattr(columns, name).typecode)[first + order] = found
        self._shape[met], self._version[met] = shape[last], version[last]

    def _meet(self, number: int) -> None:
        more = number - len(self._shape)
        self._shape = np.append(self._shape, np.zeros(more, np.int32))
        self._version = np.append(self._version, np.full(more, TOMBSTONE.version))

    def _judge_by(self, columns: MessageColumns, shape: Array, version: Array, number: int) -> Any:
        """Return the function that judges rows by those that they find."""
        if self._is_history or number < FEW:
            return lambda rows, held: np.zeros(len(rows), bool)
        formula, brokers = traced_refusal(columns.storage), Codes(NOBODY)
        told = [(CODES[state], brokers[to], brokers[by], force) for state, to, by, force in columns.shapes.names]
        of_shapes = np.array(told, np.int64)

        def is_refused(rows: Array, held: Array) -> Array:
            def column(place: int) -> Array:
                side, field = divmod(place, len(FIELDS))
                at = rows if side else held
                values: Array = version[at] if field == VERSION else of_shapes[shape[at], field]
                return values

            return formula.of(column, len(rows))

        return is_refused

    def _odd(self, unit: Array, version: Array) -> Array:
        """Return the units that no formula can judge: all of few messages, and those with enormous versions."""
        if len(unit) < FEW:
            return np.unique(unit)
        whose = np.append(unit, np.arange(len(version) - len(unit)))
        return whose[(version > HIGHEST) | (version < -HIGHEST)]

    @staticmethod
    def _one_by_one(
        columns: MessageColumns, units: Iterable[int], begins: Array, shape: Array, version: Array,
        found: tuple[Array, Array, Array],
    ) -> None:  # fmt: skip
        """Judge the rows of some units by the resolver itself, and correct their entries in *found*."""
        refused, held, last = found
        for unit in map(int, units):
            entry = len(refused) + unit
            for row in range(int(begins[unit]), int(begins[unit + 1])):
                before, record = (columns.record_of(int(shape[at]), int(version[at])) for at in (entry, row))
                why = refusal(before, record, columns.storage) or ownerless(before, record, columns.storage)
                held[row], refused[row] = entry, why is not None
                entry = entry if refused[row] else row
            last[unit] = entry

    def _put_to_files(self) -> None:
        names = [one.name for one in fields(self._columns) if isinstance(getattr(self._columns, one.name), COLUMN)]
        for name in names:
            self._files.setdefault(name, GrowingArray()).add(np.asarray(getattr(self._columns, name)))
        self._columns = self._columns.none()

    def channel(self) -> Channel:
        """Return the channel, when all was taken."""
        if self._files and len(self._columns):
            self._put_to_files()
        mapped: dict[str, Any] = {name: file.mapped().data for name, file in self._files.items()}
        return Channel(replace(self._columns, **mapped))


def fold(columns: MessageColumns, is_history: bool) -> Channel:
    """Fold messages in topic order, all of which are in memory."""
    ChannelFold(columns.storage, is_history).judge(columns)
    return Channel(columns)
