"""
Events are kept as columns, to be read, shipped and judged by the thousand.

A row of the table is 104 bytes of numbers; names are codes into lists, and rare values (children of a split, an odd
message id, a history's operation) stand beside it. ``rows`` yields the plain tuples that the fold takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, CodedTable, names_of, taken
from oneowner.checkers.recordings.read.events import Children, Position, Row
from oneowner.model.channel.record import NOBODY, ServiceUnitState

TABLE: Final = np.dtype(
    [
        ("ledger", "i8"), ("entry", "i8"), ("batch", "i8"), ("line", "i8"), ("time", "i8"), ("version", "i8"),
        ("sequence", "i8"), ("made", "i8"),
        ("piece", "i4"), ("chunk", "i4"), ("partition", "i4"), ("key", "i4"), ("destination", "i4"), ("source", "i4"),
        ("producer", "i4"), ("extra", "i4"), ("state", "i1"), ("force", "?"), ("parts", "i1"),
    ],
    align=True,
)  # fmt: skip
"""
``sequence`` is the producer's number, ``made`` the time of the record; -1 if missing. ``parts``: the count of numbers
in a plain message id; 0 for any other id, which ``extra`` then holds.
"""

NUMBERS: Final = ["sequence", "made"]
"""The columns that no law of the channel reads: they serve comparisons, and the check of a dump for completeness."""
NOT_TOLD: Final = -1, -1

STATES: Final = list(ServiceUnitState)
CODES: Final = {state: code for code, state in enumerate(STATES)}
"""A state is the number of its place in the enumeration, as in a traced model; no entry is 0."""

Extra = tuple[str, Children, str]
"""Message id (empty if it is written plainly), children, a history's operation."""
PLAIN: Final[Extra] = "", None, ""

_IN_ORDER: Final = ("ledger", "entry", "batch", "piece", "chunk", "line")


@dataclass(slots=True, eq=False)
class Columns(CodedTable):
    """Some events; in topic order once they are in a block."""

    ROW = TABLE

    keys: list[str] = names_of("key")
    brokers: list[Any] = names_of("destination", "source", first=(NOBODY,))
    producers: list[str] = names_of("producer", first=("",))
    extras: list[Extra] = names_of("extra", first=(PLAIN,))

    @staticmethod
    def of(rows: Sequence[Row], numbers: Sequence[tuple[int, int]] | None = None) -> Columns:
        """Return *rows* as columns; *numbers* are sequence ids and times of records, -1 if missing."""
        keys, brokers, producers, extras = Columns.codes()
        table = np.zeros(len(rows), TABLE)
        for number, row in enumerate(rows):
            (ledger, entry, batch, piece, chunk, line, text, time, key, state, destination, source, force, version,
             children, producer, write) = row  # fmt: skip
            table[number] = (
                ledger, entry, batch, line, time, version, *(numbers[number] if numbers else NOT_TOLD),
                piece, chunk, 0, keys[key], brokers[destination],
                brokers[source], producers[producer], extras[text, children, write], CODES[state], force, 0,
            )  # fmt: skip
        return Columns(table, keys.names, brokers.names, producers.names, extras.names)

    def rows(self, at: Array | None = None) -> list[Row]:
        """Return the events, or those at some places, as the fold takes them."""
        keys, brokers, producers, extras = self.names()
        table = self.table if at is None else taken(self.table, at)
        found: list[Row] = []
        for (ledger, entry, batch, line, time, version, _, _, piece, chunk, partition, key, destination, source,
             producer, extra, state, force, parts) in table.tolist():  # fmt: skip
            text, children, write = extras[extra]
            if parts:
                text = ":".join(map(str, (ledger, entry, partition, batch)[:parts]))
            found.append(
                (
                    ledger, entry, batch, piece, chunk, line, text, time, keys[key], STATES[state],
                    brokers[destination], brokers[source], force, version, children, producers[producer], write,
                )
            )  # fmt: skip
        return found

    def first(self) -> Position:
        """Return the place of the first event in the topic."""
        return self._position(0)

    def last(self) -> Position:
        """Return the place of the last event in the topic."""
        return self._position(-1)

    def _position(self, at: int) -> Position:
        ledger, entry, batch = self.table[at].tolist()[:3]
        return ledger, entry, batch

    def in_topic_order(self) -> Columns:
        """Return the events by place in the topic, then by origin."""
        if len(self.table) < 2 or bool(np.all(follows(self.table))):
            return self
        order = np.lexsort([self.table[name] for name in reversed(_IN_ORDER)])
        return self.with_rows(taken(self.table, order))

    def before(self, position: Position) -> int:
        """Return how many of the events, which are in topic order, lie before *position*."""
        return int(np.count_nonzero(_is_before(self.table, position)))


def follows(table: Array) -> Array:
    """Return for every event but the first whether it lies behind the one before it in the topic."""
    (l0, l1), (e0, e1), (b0, b1) = ((table[name][:-1], table[name][1:]) for name in _IN_ORDER[:3])
    answer: Array = (l0 < l1) | ((l0 == l1) & ((e0 < e1) | ((e0 == e1) & (b0 < b1))))
    return answer


def repeated_places(table: Array) -> Array:
    """Return the indices of events with the place of the one before, but of another piece."""
    same = [table[name][:-1] == table[name][1:] for name in _IN_ORDER[:3]]
    return np.flatnonzero(np.logical_and.reduce(same) & (table["piece"][:-1] != table["piece"][1:])) + 1


def _is_before(table: Array, position: Position) -> Array:
    ledger, entry, batch = position
    here = (table["entry"] < entry) | ((table["entry"] == entry) & (table["batch"] < batch))
    answer: Array = (table["ledger"] < ledger) | ((table["ledger"] == ledger) & here)
    return answer
