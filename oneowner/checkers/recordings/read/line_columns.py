"""
What laws of every line go by are numbers: columns of a log, 64 bytes a line, where a line itself takes a kilobyte.

Names are codes into lists. A record that a line prints is a code for all but its version and when it was made. A law
looks at columns first, and asks for the few lines that it has something to say of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.event_columns import Array, Codes
from oneowner.checkers.recordings.read.observations import LogEvent, Printed

TAKEN: Final = {
    "handle-request": "data",
    "handled": "cur",
    "failed-to-handle": "cur",
    "handler-failed": "data",
    "node-applied": "value",
}
"""Lines that say that a view took a record, and which of their values it is."""
DROPPED: Final = {"skipped": "value", "node-skipped": "value"}
"""The same of lines that say that a view dropped one."""
_PRINTED: Final = TAKEN | DROPPED

NOTHING: Final = -1
"""The kind of a tombstone."""
NO_RECORD: Final = -2
"""The kind of what is no record of a unit."""
NO_NUMBER: Final = -(2**63)
_UNHEARD_OF: Final[tuple[Any, ...]] = ()
"""The kind of a record whose numbers no broker can have printed: it is equal to none."""

ROW: Final = np.dtype(
    [
        ("time", "i8"), ("version", "i8"), ("made", "i8"), ("counter", "i8"), ("event", "i4"), ("thread", "i4"),
        ("unit", "i4"), ("kind", "i4"), ("piece", "i4"), ("chunk", "i4"), ("line", "i4"),
    ],
    align=True,
)  # fmt: skip
"""``counter``: how many requests its process has handled, if it says so. ``kind``: of the record that it prints."""

Kind = tuple[Any, ...]
"""What a record says but for its version: state, both brokers, force, and the ranges of a split in order."""


def kind_of(printed: Printed) -> Kind:
    """Return the kind of a record; the ranges of a split come in no order."""
    children = printed.children
    return *printed.record[:-1], None if children is None else tuple(sorted(children))


def is_long(number: int) -> bool:
    """Say whether a number is one of Java's."""
    return NO_NUMBER <= number < -NO_NUMBER


class LineColumns(NamedTuple):
    """Lines that stand together in one log, a row each."""

    table: Array
    events: list[str]
    threads: list[str]
    units: list[Any]
    """The first is that of lines that name none."""
    kinds: list[Kind]

    @staticmethod
    def of(lines: Sequence[LogEvent]) -> LineColumns:
        """Return some lines as columns."""
        codes = Codes(), Codes(), Codes(None), Codes()
        table = np.zeros(len(lines), ROW)
        known: dict[int, _Shown] = {}  # by place in memory: lines of one record have it in common
        shown = [_shown(line, known) for line in lines]
        for at, name in enumerate(("version", "made", "counter")):
            table[name] = [one[at] for one in shown]
        table["kind"] = [kind if isinstance(kind, int) else codes[3][kind] for _, _, _, kind in shown]
        table["time"] = [line.time for line in lines]
        for own, name in zip(codes, ("event", "thread", "unit"), strict=False):
            table[name] = own.of([getattr(line, name) for line in lines])
        origins = np.array([line.origin for line in lines], np.int32).reshape(-1, 3)
        table["piece"], table["chunk"], table["line"] = origins.T
        return LineColumns(table, *(own.names for own in codes))

    @staticmethod
    def joined(parts: Iterable[LineColumns], number: int) -> LineColumns:
        """Return columns of so many lines, which follow on each other."""
        codes = Codes(), Codes(), Codes(None), Codes()
        whole, end = np.zeros(number, ROW), 0
        for part in parts:
            begin, end = end, end + len(part.table)
            whole[begin:end] = part._by(codes)
        return LineColumns(whole, *(one.names for one in codes))

    @staticmethod
    def mixed(parts: Sequence[tuple[LineColumns, Array]]) -> LineColumns:
        """Return columns of lines that stand among each other: of each part there are the places of its lines."""
        codes = Codes(), Codes(), Codes(None), Codes()
        whole = np.zeros(sum(len(places) for _, places in parts), ROW)
        for part, places in parts:
            whole[places] = part.narrowed()._by(codes)
        return LineColumns(whole, *(one.names for one in codes)).narrowed()

    def _names(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield the columns of codes, and the names of each."""
        yield from {"event": self.events, "thread": self.threads, "unit": self.units, "kind": self.kinds}.items()

    def _by(self, codes: Sequence[Codes]) -> Array:
        """Return the rows by other codes of their names."""
        table = self.table.copy()
        for own, (name, names) in zip(codes, self._names(), strict=True):
            known = np.append(own.of(names), [NO_RECORD, NOTHING])  # found by themselves, from the end
            table[name] = known[table[name]]
        return table

    def narrowed(self) -> LineColumns:
        """Return the same lines with no names but theirs, in the order in which they come."""
        table, lists = self.table.copy(), list[list[Any]]()
        for name, names in self._names():
            first = [None] if name == "unit" else []
            codes, places = np.unique(table[name], return_index=True)
            codes = codes[np.argsort(places)]
            codes = codes[codes >= len(first)]
            code_of = np.zeros(len(names) + 2, np.int32)
            code_of[[-1, -2]] = NOTHING, NO_RECORD
            code_of[codes] = np.arange(len(first), len(first) + len(codes))
            table[name] = code_of[table[name]]
            lists.append([*first, *(names[code] for code in codes.tolist())])
        return LineColumns(table, *lists)

    def are(self, events: Collection[str]) -> Array:
        """Say of each line whether it is of one of these kinds."""
        wanted = np.array([name in events for name in self.events], bool)
        return wanted[self.table["event"]] if len(wanted) else np.zeros(len(self.table), bool)


_Shown = tuple[int, int, int, Kind | int]
"""Of a line: the version of its record, when that was made, the counter, and the record's kind."""


def _shown(line: LogEvent, known: dict[int, _Shown]) -> _Shown:
    counter = _number(line.values.get("handled"))
    printed = line.values.get(_PRINTED[line.event]) if line.event in _PRINTED else ""
    if not isinstance(printed, Printed) or line.unit is None:
        return NO_NUMBER, NO_NUMBER, counter, NOTHING if printed is None else NO_RECORD
    if id(printed) not in known:
        version, made = printed.record.version, printed.timestamp
        kind = kind_of(printed) if is_long(version) and is_long(made) else _UNHEARD_OF
        known[id(printed)] = _number(version), _number(made), 0, kind
    version, made, _, shown = known[id(printed)]
    return version, made, counter, shown


def _number(value: Any) -> int:
    """Return a number as a column holds it: none that no broker can have printed."""
    return value if isinstance(value, int) and is_long(value) else NO_NUMBER
