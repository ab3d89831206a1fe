"""
Events are kept as columns, to be read, shipped and judged by the thousand.

A row of the table is 104 bytes of numbers; names are codes into lists, and what few events have (children of a split,
an odd message id, how a history wrote) stands beside it. ``rows`` gives the plain tuples that the fold takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from oneowner.checkers.recordings.read.events import Children, Position, Row
from oneowner.model.channel.record import NOBODY, ServiceUnitState

Array = npt.NDArray[Any]

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
``sequence`` is the producer's number, ``made`` when the record was made; -1 if not told. ``parts``: of how many numbers
the message id is written, plainly; 0 if otherwise, then ``extra`` has it.
"""

NUMBERS: Final = ["sequence", "made"]
"""What no law of the channel asks: who has something to compare it with does, and who asks whether a dump is whole."""
NOT_TOLD: Final = -1, -1

STATES: Final = list(ServiceUnitState)
CODES: Final = {state: code for code, state in enumerate(STATES)}
"""A state is the number of its place in the enumeration, as a traced model has it; no entry is 0."""

Extra = tuple[str, Children, str]
"""Message id (empty if it is written plainly), children, how a history wrote it."""
PLAIN: Final[Extra] = "", None, ""

_NAMED: Final = ("key", "destination", "source", "producer", "extra")
_IN_ORDER: Final = ("ledger", "entry", "batch", "piece", "chunk", "line")


class Codes(dict[Any, int]):
    """Numbers for names: a new one gets the next; brokers and producers begin with nobody as 0."""

    def __init__(self, *first: Any) -> None:
        super().__init__({name: code for code, name in enumerate(first)})
        self.names: list[Any] = list(first)

    def __missing__(self, name: Any) -> int:
        self[name] = code = len(self.names)
        self.names.append(name)
        return code

    def code(self, name: Any) -> int:
        """Return the code of a name that nothing is wrong with."""
        code = self.get(name)
        return Codes.__missing__(self, name) if code is None else code

    def of(self, names: Sequence[Any]) -> Array:
        """Return the codes of *names*."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))


class Columns(NamedTuple):
    """Some events; in topic order once they are in a block."""

    table: Array
    keys: list[str]
    brokers: list[Any]
    producers: list[str]
    extras: list[Extra]

    @staticmethod
    def of(rows: Sequence[Row], numbers: Sequence[tuple[int, int]] | None = None) -> Columns:
        """Return *rows* as columns; *numbers* are sequence ids and times of records, -1 if not told."""
        keys, brokers, producers, extras = Codes(), Codes(NOBODY), Codes(""), Codes(PLAIN)
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
        _, keys, brokers, producers, extras = self
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

    def part(self, at: Array | slice) -> Columns:
        """Return the events at some places, with no name that they do not have."""
        table = taken(self.table, at)
        keys, extras = only(self.keys, [table["key"]], 0), only(self.extras, [table["extra"]], 1)
        brokers = only(self.brokers, [table["destination"], table["source"]], 1)
        return Columns(table, keys, brokers, only(self.producers, [table["producer"]], 1), extras)

    def in_topic_order(self) -> Columns:
        """Return the events by place in the topic, then by origin."""
        if len(self.table) < 2 or bool(np.all(follows(self.table))):
            return self
        order = np.lexsort([self.table[name] for name in reversed(_IN_ORDER)])
        return self._replace(table=taken(self.table, order))

    def before(self, position: Position) -> int:
        """Return how many of the events, which are in topic order, lie before *position*."""
        return int(np.count_nonzero(_is_before(self.table, position)))


def taken(table: Array, at: Array | slice) -> Array:
    """Return a copy of the rows at some places."""
    rows = _raw(table)[at].copy() if isinstance(at, slice) else _raw(table).take(at)
    return rows.view(table.dtype)


def _raw(table: Array) -> Array:
    """Return the rows as bytes, to be copied: NumPy copies them field by field otherwise, which takes eight times."""
    return table.view(f"V{table.itemsize}")


Narrow = tuple[int, str, bytes]
"""A column of numbers: the least of them, and the type and bytes of how far each is above it."""


def narrowed(table: Array) -> tuple[int, list[Narrow]]:
    """
    Return a table in as few bytes as its numbers need: of 104 a row mostly 13 are left, and 20 with the numbers.

    Within a block ids, lines and times differ little, and half of the columns not at all.
    """
    found: list[Narrow] = []
    for name in TABLE.names or ():
        column = np.ascontiguousarray(table[name])  # else each look at it loads the rows once more
        low, high = int(column.min()), int(column.max())
        kind = next((kind for kind in ("u1", "u2", "u4") if high - low < 1 << 8 * np.dtype(kind).itemsize), "i8")
        found.append((low, kind, b"") if low == high else (low, kind, _above(column, low, kind).tobytes()))
    return len(table), found


def _above(column: Array, low: int, kind: str) -> Array:
    return column.astype(np.int64) if kind == "i8" else np.subtract(column, low, dtype=np.int64).astype(kind)


def widened(count: int, columns: Iterable[Narrow]) -> Array:
    """Return the table that ``narrowed`` made so little of."""
    table = np.zeros(count, TABLE)
    for name, (low, kind, data) in zip(TABLE.names or (), columns, strict=True):
        if not data or kind == "i8":
            table[name] = np.frombuffer(data, kind) if data else low
        else:
            np.add(np.frombuffer(data, kind), low, out=table[name], dtype=np.int64, casting="unsafe")
    return table


def follows(table: Array) -> Array:
    """Say of every event but the first whether it lies behind the one before it in the topic."""
    (l0, l1), (e0, e1), (b0, b1) = ((table[name][:-1], table[name][1:]) for name in _IN_ORDER[:3])
    answer: Array = (l0 < l1) | ((l0 == l1) & ((e0 < e1) | ((e0 == e1) & (b0 < b1))))
    return answer


def repeated_places(table: Array) -> Array:
    """Return where an event has the place of the one before it, but is of another piece."""
    same = [table[name][:-1] == table[name][1:] for name in _IN_ORDER[:3]]
    return np.flatnonzero(np.logical_and.reduce(same) & (table["piece"][:-1] != table["piece"][1:])) + 1


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the events of several parts, one part after the other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    is_of_one_reader = all(mine is its for part in parts for mine, its in zip(part[1:4], first[1:4], strict=True))
    keys, brokers, producers, extras = Codes(), Codes(NOBODY), Codes(""), Codes(PLAIN)
    whole, end = np.empty(sum(len(part.table) for part in parts), TABLE), 0
    for part in parts:
        begin, end = end, end + len(part.table)
        _raw(whole)[begin:end] = _raw(part.table)
        if is_of_one_reader:
            _code(whole[begin:end], {"extra": extras.of(part.extras)})
        else:
            _code(whole[begin:end], _codings(part, keys.of, brokers.of, producers.of, extras.of))
    if is_of_one_reader:
        return first._replace(table=whole, extras=extras.names)
    return Columns(whole, keys.names, brokers.names, producers.names, extras.names)


Coding = Callable[[Sequence[Any]], Array]


def _codings(part: Columns, keys: Coding, brokers: Coding, producers: Coding, extras: Coding) -> dict[str, Array]:
    of_broker = brokers(part.brokers)
    codes = keys(part.keys), of_broker, of_broker, producers(part.producers), extras(part.extras)
    return dict(zip(_NAMED, codes, strict=True))


def _code(table: Array, codes: Mapping[str, Array]) -> None:
    for name, code in codes.items():
        if not np.array_equal(code, np.arange(len(code))):
            table[name] = code[table[name]]


def only(names: list[Any], columns: Sequence[Array], kept: int) -> list[Any]:
    """Return the names that occur, the first *kept* in any case; give the columns, in place, codes for them."""
    highest = max(int(column.max(initial=-1)) for column in columns)
    if highest < kept:
        return names[:kept]
    code = np.zeros(highest + 1, np.int32)
    for column in columns:
        code[column] = 1
    code[:kept] = 1
    occurs = np.flatnonzero(code)
    if len(occurs) == len(names):
        return names
    code[occurs] = np.arange(len(occurs))
    for column in columns:
        column[:] = code[column]
    return [names[number] for number in occurs.tolist()]


def _is_before(table: Array, position: Position) -> Array:
    ledger, entry, batch = position
    here = (table["entry"] < entry) | ((table["entry"] == entry) & (table["batch"] < batch))
    answer: Array = (table["ledger"] < ledger) | ((table["ledger"] == ledger) & here)
    return answer
