"""
The channel is folded as it is read, some messages at a time: columns of many lie in files, each of them in one.

The fold is the audit's: ``refusal`` on what is held.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.event_columns import Columns
from oneowner.checkers.recordings.read.mapped_files import GrowingArray
from oneowner.checkers.recordings.scene.channel_history import Channel, is_dropped
from oneowner.checkers.recordings.scene.message_columns import COLUMN, MessageColumns
from oneowner.model.channel.record import TOMBSTONE, Record
from oneowner.model.channel.rules import Storage

MANY: Final = 100_000
"""Messages that are put to a file: ten megabytes of columns."""


class ChannelFold:
    """Folds messages that come in topic order; in a ZooKeeper history (*is_history*) every write took effect."""

    def __init__(self, storage: Storage, is_history: bool) -> None:
        self._is_history = is_history
        self._columns = MessageColumns(storage)
        """Those that lie in no file yet."""
        self._files: dict[str, GrowingArray] = {}
        self._entries: dict[int, Record] = {}

    def take(self, events: Columns) -> None:
        """Fold what comes next."""
        first = len(self._columns)
        self._columns.append_many(events)
        self.judge(self._columns, first)
        if len(self._columns) >= MANY:
            self._put_to_files()

    def judge(self, columns: MessageColumns, first: int = 0) -> None:
        """Say of messages from the *first* on what their entries were before them, and which are dropped."""
        entries, storage = self._entries, columns.storage
        for place in range(first, len(columns)):
            key = columns.key[place]
            held, record = entries.get(key, TOMBSTONE), columns.record(place)
            is_refused = not self._is_history and is_dropped(held, record, storage)
            columns.judge(place, held, is_refused)
            if not is_refused:
                entries[key] = record

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
