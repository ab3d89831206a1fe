"""
Laws of every line use numbers: columns of a log, 64 bytes a line, while a line itself takes a kilobyte.

Names are codes into lists. A printed record is a code for everything except its version and its time. A law looks at
columns first, and asks for the few lines that it reports.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, CodedTable, names_of
from oneowner.checkers.recordings.read.observations import LogEvent, Printed

TAKEN: Final = {
    "handle-request": "data",
    "handled": "cur",
    "failed-to-handle": "cur",
    "handler-failed": "data",
    "node-applied": "value",
}
"""Lines for a view that took a record, and the value that holds the record."""
DROPPED: Final = {"skipped": "value", "node-skipped": "value"}
"""The same for a view that dropped one."""
_PRINTED: Final = TAKEN | DROPPED

NOTHING: Final = -1
"""The kind of a tombstone."""
NO_RECORD: Final = -2
"""The kind of a value that is no record of a unit."""
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
"""``counter``: the number of requests that its process has handled, if logged. ``kind``: of the record that it prints.
"""

Kind = tuple[Any, ...]
"""The content of a record except its version: state, both brokers, force, and the ranges of a split in order."""


def kind_of(printed: Printed) -> Kind:
    """Return the kind of a record; the ranges of a split come in no order."""
    children = printed.children
    return *printed.record[:-1], None if children is None else tuple(sorted(children))


def is_long(number: int) -> bool:
    """Return whether a number is a ``long`` in Java."""
    return NO_NUMBER <= number < -NO_NUMBER


@dataclass(slots=True, eq=False)
class LineColumns(CodedTable):
    """Consecutive lines of one log, a row each."""

    ROW = ROW

    events: list[str] = names_of("event")
    threads: list[str] = names_of("thread")
    units: list[Any] = names_of("unit", first=(None,))
    """The first is for lines that name none."""
    kinds: list[Kind] = names_of("kind", below=-NO_RECORD)

    @staticmethod
    def of(lines: Sequence[LogEvent]) -> LineColumns:
        """Return some lines as columns."""
        codes = LineColumns.codes()
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
    def mixed(said: LineColumns, places: Array, others: LineColumns) -> LineColumns:
        """Return the columns of the lines among *others* at these places."""
        between = np.setdiff1d(np.arange(len(said) + len(others)), places, assume_unique=True)
        whole = LineColumns.joined([said, others.part(slice(None))])
        return whole.part(np.argsort(np.append(places, between)))

    def are(self, events: Collection[str]) -> Array:
        """Return for each line whether it is of one of these kinds."""
        wanted = np.array([name in events for name in self.events], bool)
        return wanted[self.table["event"]] if len(wanted) else np.zeros(len(self.table), bool)


_Shown = tuple[int, int, int, Kind | int]
"""The values of a line: the version and the time of its record, the counter, and the record's kind."""


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
    """Return a number for a column; NO_NUMBER for one that no broker can have printed."""
    return value if isinstance(value, int) and is_long(value) else NO_NUMBER
