"""
Messages by their numbers, as columns: those that a producer assigned, and the places in the topic.

Of millions of messages nearly all follow on the one before them; a law looks at those alone that do not.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.events import Position
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.message_columns import NOT_TOLD, MessageColumns
from oneowner.model.channel.rules import Storage

_ID: Final = re.compile(r"(\d+):(\d+)(?::-?\d+)?(?::(\d+))?")
_OF_BATCH: Final = 2
"""The form of an id that ends with an index in a batch, among ``message_columns.FORMS``."""


class Numbered(NamedTuple):
    """The messages of one producer that have a sequence id, in topic order."""

    producer: str
    rows: Array
    """Their positions in the timeline of the channel."""
    numbers: Array
    """Their sequence ids."""
    firsts: Array
    """Of each, which of them is the first with its number."""

    def again(self) -> Iterator[tuple[int, int]]:
        """Yield the rows of messages whose number came before, and of the first with it."""
        later = np.flatnonzero(self.firsts < np.arange(len(self.rows)))
        yield from zip(self.rows[later].tolist(), self.rows[self.firsts[later]].tolist(), strict=True)


class Placed(NamedTuple):
    """Messages whose ids contain their places in the topic, in topic order: the output of pulsar-client has none."""

    rows: Array
    """Their positions in the timeline of the channel."""
    ledger: Array
    entry: Array
    batch: Array
    """The index in the batch; -1 outside a batch."""

    def place(self, at: int) -> Position:
        """Return the place of one of them."""
        return int(self.ledger[at]), int(self.entry[at]), int(self.batch[at])

    def of(self, column: Array) -> Array:
        """Return the values of a *column* of the channel for them; not to be changed."""
        return column if len(self.rows) == len(column) else column[self.rows]


def numbered(channel: Channel) -> list[Numbered]:
    """Return the messages that each producer numbered, in the order of their first messages."""
    columns = channel.columns
    rows, numbers = np.flatnonzero(_is_named(columns)), columns.array("sequence")
    found = []
    for own in by_producer(channel, rows[numbers[rows] != NOT_TOLD]):
        told = numbers[own]
        found.append(Numbered(columns.producers.names[columns.producer[own[0]]], own, told, _firsts(told)))
    return found


def alike(channel: Channel) -> list[tuple[int, int]]:
    """
    Return the rows of messages of the topic that have no sequence id and came before, and of the first of each.

    They agree in producer, unit, content, and the milliseconds of the record and of its publishing. A record has its
    creation time, so one producer hardly makes two that are alike; it sends one again.
    """
    columns = channel.columns
    if columns.storage != Storage.SYSTEM_TOPIC:
        return []
    rows = np.flatnonzero(_is_named(columns) & (columns.array("sequence") == NOT_TOLD))
    said = [columns.array(name)[rows] for name in ("producer", "time", "key", "shape", "version", "made", "extra")]
    order = np.lexsort(said[::-1])  # stable: of equal ones the first stays first
    begins = np.ones(len(rows), bool)
    begins[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in said], axis=0)
    firsts = order[np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))]
    again = np.flatnonzero(~begins)
    return sorted(zip(rows[order[again]].tolist(), rows[firsts[again]].tolist(), strict=True))


def _firsts(numbers: Array) -> Array:
    """Return of each number where it stands first."""
    places = np.arange(len(numbers))
    if bool((numbers[1:] > numbers[:-1]).all()):
        return places
    order = np.argsort(numbers, kind="stable")
    is_first = np.concatenate([[True], numbers[order[1:]] != numbers[order[:-1]]])
    firsts = np.empty_like(places)
    firsts[order] = order[np.maximum.accumulate(np.where(is_first, places, 0))]
    return firsts


def by_producer(channel: Channel, rows: Array) -> list[Array]:
    """Return the rows of each producer apart, in the order of their first ones."""
    producers = np.asarray(channel.columns.producer)[rows]
    order = np.argsort(producers, kind="stable")
    starts = np.flatnonzero(np.diff(producers[order])) + 1
    return sorted(np.split(rows[order], starts), key=lambda own: int(own[0])) if len(rows) else []


def placed(channel: Channel) -> Placed:
    """Return the places of the messages whose ids contain them."""
    columns = channel.columns
    form, is_named = np.asarray(columns.form), _is_named(columns)
    ledger, entry, batch = (columns.array(name) for name in ("ledger", "entry", "batch"))
    is_placed = is_named & (form >= 0) & (form <= _OF_BATCH) & (ledger >= 0) & (entry >= 0)
    is_placed &= (form == _OF_BATCH) == (batch >= 0)
    strange = np.flatnonzero(is_named & (form < 0)).tolist()  # ids in no usual form, of which there are few
    if strange:
        ledger, entry, batch = ledger.copy(), entry.copy(), batch.copy()
    for row in strange:
        if (found := _ID.fullmatch(columns.message_id(row))) is not None:
            is_placed[row] = True
            ledger[row], entry[row], batch[row] = int(found[1]), int(found[2]), int(found[3] or -1)
    rows = np.flatnonzero(is_placed)
    lie = Placed(rows, ledger, entry, batch)
    return Placed(rows, lie.of(ledger), lie.of(entry), lie.of(batch))


def _is_named(columns: MessageColumns) -> Array:
    names = np.array([bool(name) for name in columns.producers.names], bool)
    return names[np.asarray(columns.producer)] if len(names) else np.zeros(len(columns), bool)
