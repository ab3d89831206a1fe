"""
The place of every message of a channel, and the messages that are equal in all printed fields.

Lines that print a record are joined all at once: unit, kind, version and time of making are numbers, which are compared
as they are, behind a sorted column of their hashes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.line_columns import Kind, LineColumns, is_long, kind_of
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.message_columns import MessageColumns
from oneowner.checkers.recordings.scene.scene import Scene

_places: Final = partial(array, "i")
_ODD: Final = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64)
"""Numbers without a pattern, by which columns are mixed into one."""
_AT_ONCE: Final = 2**18
"""Lines that are joined at once: intermediate results take 200 bytes each."""
_HALF: Final = np.uint64(32)


class Equal(NamedTuple):
    """Of some lines, the records that they may be."""

    first: Array
    """The place of the first of them; -1: the channel has none."""
    number: Array
    """Their number."""
    several: dict[int, tuple[int, ...]]
    """Their places, where they are more than one, by the line's place among these lines."""


class Places:
    """The place of every message of a channel, and the messages that are equal in all printed fields."""

    def __init__(self, scene: Scene) -> None:
        self.timeline = scene.channel.timeline
        columns = self.columns = scene.channel.columns
        shapes, keys = columns.array("shape"), columns.array("key")
        self._erased: dict[int, array[int]] = defaultdict(_places)
        """Of each unit, the places of its tombstones, in order."""
        for place in np.flatnonzero(shapes == 0).tolist():
            self._erased[columns.key[place]].append(place)
        told = np.flatnonzero(shapes)
        self._kinds, kinds = _kinds(columns, told)
        rows = np.stack([keys[told], kinds, columns.array("version")[told], columns.array("made")[told]])
        mixed = _mixed(rows)
        order = np.argsort(mixed, kind="stable")
        self._mixed, self._rows = mixed[order], rows[:, order]
        self._told = told[order].astype(np.int32)
        """The places of records that are no tombstones, in the order of their hashes, then of the topic."""

    def equal(self, unit: str, printed: Printed) -> tuple[Step, ...]:
        """Return the records of *unit* that print like this, in the order of the topic."""
        numbers = printed.record.version, printed.timestamp
        if not all(map(is_long, numbers)):
            return ()
        row = self.columns.keys.get(unit, -1), self._kinds.get(kind_of(printed), -1), *numbers
        mixed = _mixed(np.array(row, np.int64)[:, None])
        begin, end = (int(np.searchsorted(self._mixed, mixed, side)[0]) for side in ("left", "right"))
        return tuple(self.timeline[place] for place in self._like([*row], begin, end))

    def _like(self, row: list[int], begin: int, end: int) -> tuple[int, ...]:
        """Return the places of those from *begin* to *end*, of whose rows the same is mixed, that are like a row."""
        return tuple(int(self._told[at]) for at in range(begin, end) if self._rows[:, at].tolist() == row)

    def of_lines(self, lines: LineColumns) -> Equal:
        """Return the records that *lines* may be, of which each prints one of a unit, or a tombstone."""
        number, first = np.zeros(len(lines.table), np.int32), np.full(len(lines.table), -1, np.int32)
        several: dict[int, tuple[int, ...]] = {}
        units = np.array([self.columns.keys.get(unit, -1) for unit in lines.units], np.int64)
        kinds = np.array([self._kinds.get(kind, -1) for kind in lines.kinds], np.int64)
        for begin in range(0, len(lines.table) if len(self._told) else 0, _AT_ONCE):
            table = lines.table[begin : begin + _AT_ONCE]
            own = np.append(kinds, [-1, -1])[table["kind"]]  # a line without a record is equal to none
            rows = np.stack([units[table["unit"]], own, table["version"], table["made"]])
            mixed = _mixed(rows)
            begins, ends = np.searchsorted(self._mixed, mixed), np.searchsorted(self._mixed, mixed, "right")
            at = np.minimum(begins, len(self._told) - 1)
            is_one = (ends - begins == 1) & (self._rows[:, at] == rows).all(axis=0)
            number[begin : begin + len(table)] = is_one
            first[begin : begin + len(table)] = np.where(is_one, self._told[at], -1)
            for line in np.flatnonzero(ends - begins > 1).tolist():
                found = self._like(rows[:, line].tolist(), int(begins[line]), int(ends[line]))
                number[begin + line], first[begin + line] = len(found), found[0] if found else -1
                if len(found) > 1:
                    several[begin + line] = found
        return Equal(first, number, several)

    def tombstone(self, unit: str, after: int, before: int) -> int | None:
        """Return the place of the first tombstone of *unit* between two places."""
        places = self._erased.get(self.columns.keys.get(unit, -1), ())
        found = bisect_right(places, after)
        return places[found] if found < len(places) and places[found] < before else None


def places_of(scene: Scene) -> Places:
    """Return where every message of the scene's channel stands."""
    return scene.of_run(Places)


def _kinds(columns: MessageColumns, told: Array) -> tuple[Codes, Array]:
    """Return the kinds of the records at some places, and the code of each."""
    split = Codes(None)
    children = split.of([_in_order(children) for _, children in columns.extras.names])
    pairs = columns.array("shape")[told] << _HALF.astype(np.int64)
    pairs |= children[columns.array("extra")[told]]
    distinct, codes = np.unique(pairs, return_inverse=True)
    kinds, names = Codes(), list[Kind]()
    for pair in distinct.tolist():
        names.append((*columns.shapes.names[pair >> 32], split.names[pair & 0xFFFFFFFF]))
    return kinds, kinds.of(names)[codes].astype(np.int64)


def _in_order(children: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if children is None else tuple(sorted(children))


def _mixed(rows: Array) -> Array:
    """Return one number of each column of *rows*, seldom the same of two that differ."""
    mixed = np.zeros(rows.shape[1], np.uint64)
    for row, odd in zip(rows, _ODD, strict=True):
        mixed = (mixed ^ row.astype(np.uint64)) * odd
        mixed ^= mixed >> _HALF
    return mixed
