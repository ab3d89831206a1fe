"""
Lines that print a record of the channel, as 3.0 to 4.0.x do, are read at once, with their heads, into columns for laws.

Nearly all lines of a log in debug mode are of three statements. C reads such a line in its usual form: in ASCII, with a
record that is no split (``record_lines.c``). Any other line is read by the table of patterns, which also words the
errors; it parses every line accepted here to the same result. Without a compiler it reads all lines.
"""

from __future__ import annotations

import ctypes
import re
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from sys import intern
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.line_columns import ROW, Kind, LineColumns
from oneowner.checkers.recordings.read.log_lines import HEAD, LogLine, name_of, text_of
from oneowner.checkers.recordings.read.log_patterns import Table, Understood
from oneowner.checkers.recordings.read.log_prefixes import Numbered
from oneowner.checkers.recordings.read.log_times import time_of
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.read.plain_text import NumberedNames, compiled, seed
from oneowner.checkers.recordings.read.wanted_lines import LineIndex
from oneowner.model.channel.record import NOBODY, ServiceUnitState

EVENTS: Final = ("handle-request", "handled", "skipped")
"""The statements, by their numbers in C."""

_RECORD: Final = re.compile(r"(\w+), dstBroker=(.*), sourceBroker=(.*), splitServiceUnitToDestBroker=null, force=(\w+)")
_BROKERS: Final = 3
"""The number of brokers among the kinds of names in C."""


def library() -> ctypes.CDLL | None:
    """Return the compiled reader; None if it cannot be compiled."""
    if (found := compiled("record_lines.c")) is None:
        return None
    found.record_open.restype = found.record_names.restype = ctypes.c_void_p
    found.record_row_size.restype = found.record_read.restype = ctypes.c_int64
    return found if found.record_row_size() == ROW.itemsize else None


class RecordText(NamedTuple):
    """All such lines of one text: the laws' columns, and their bytes, from which all else can be read again."""

    columns: LineColumns
    """Their names are those of the file."""
    places: Array
    """Their line numbers in the text, from 0."""
    begins: Array
    """The offset of each line."""
    ends: Array
    text: bytes


@dataclass(frozen=True, slots=True)
class RecordLines:
    """Some consecutive ones of them, from the place *first* to *last*."""

    whole: RecordText
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def part(self, first: int, last: int) -> RecordLines:
        """Return those from one place to another."""
        return RecordLines(self.whole, self.first + first, self.first + last)

    @property
    def table(self) -> Array:
        """Their rows."""
        return self.whole.columns.table[self.first : self.last]

    @property
    def behind(self) -> int:
        """The line of the text after the last of them."""
        return int(self.whole.places[self.last - 1]) + 1

    def raw(self) -> list[bytes]:
        """Return their bytes."""
        _, _, begins, ends, text = self.whole
        places = zip(begins[self.first : self.last].tolist(), ends[self.first : self.last].tolist(), strict=True)
        return [text[begin:end] for begin, end in places]

    def end(self) -> tuple[Origin, bytes]:
        """Return the origin of the last of them, and its bytes."""
        row, (*_, begins, ends, text) = self.table[-1], self.whole
        at = Origin(int(row["piece"]), int(row["chunk"]), int(row["line"]))
        return at, text[begins[self.last - 1] : ends[self.last - 1]]


class RecordReader:
    """Reads such lines of one file, whose names keep their codes throughout."""

    def __init__(self, by: ctypes.CDLL) -> None:
        self.speakers = Counter[str]()
        """The number of lines of each broker."""
        self.spoke = dict[str, int]()
        """The first of these, by its number in the file."""
        self._library = by
        codes = Codes(), Codes(None), Codes(), Codes()
        self._names = [
            NumberedNames(codes[0], read=intern), NumberedNames(codes[1], 1, intern),
            NumberedNames(codes[2], read=_kind), NumberedNames(codes[_BROKERS], read=intern),
        ]  # fmt: skip
        self._lists = [*EVENTS], codes[0].names, codes[1].names, codes[2].names
        self._brokers = codes[_BROKERS].names
        if (opened := by.record_open(seed())) is None:
            raise MemoryError
        self._c = ctypes.c_void_p(opened)
        weakref.finalize(self, by.record_close, self._c)

    def read(self, lines: Numbered, found: LineIndex, place: tuple[int, int, int]) -> RecordText:
        """
        Return those lines of a text that print a record and are usual, of those that were *found* to matter.

        *place* has the piece, the chunk, and the number of the piece's lines before it.
        """
        wanted, begins = np.setdiff1d(found.wanted, found.mixed, True), found.begins
        table, brokers = np.empty(len(wanted), ROW), np.empty(len(wanted), np.int32)
        begins, wanted = (np.ascontiguousarray(places, np.int64) for places in (begins, wanted))
        at_begins, at_wanted, at_table, at_brokers = (
            ctypes.c_void_p(array.ctypes.data) for array in (begins, wanted, table, brokers)
        )
        piece, chunk, before = place
        count = self._library.record_read(
            self._c, ctypes.c_char_p(lines.text), at_begins, at_wanted, ctypes.c_int64(len(wanted)),
            ctypes.c_int32(piece), ctypes.c_int32(chunk), at_table, at_brokers,
        )  # fmt: skip
        table, brokers = table[:count], brokers[:count]
        for kind, names in enumerate(self._names):
            names.learn(self._library.record_names, self._c, kind)
        table["unit"] += 1
        for names, column in zip(self._names, ("thread", "unit", "kind"), strict=False):
            names.recode(table, [column])
        places = table["line"].astype(np.intp)
        table["line"] = np.array(lines.numbers)[places]
        self._note(brokers, table["line"], before)
        return RecordText(LineColumns(table, *self._lists), places, begins[places], begins[places + 1] - 1, lines.text)

    def _note(self, brokers: Array, lines: Array, before: int) -> None:
        """Note the brokers of these lines."""
        for broker, first, number in zip(*np.unique(brokers, return_index=True, return_counts=True), strict=True):
            if broker >= 0:
                self.speakers[self._brokers[broker]] += int(number)
                self.spoke.setdefault(self._brokers[broker], before + int(lines[first]))


def in_order(found: LineIndex, records: RecordText | None) -> Iterator[tuple[int, RecordLines | None]]:
    """Yield the places of lines that were *found* to matter; those that print a record come together."""
    if records is None:
        yield from ((wanted, None) for wanted in found.wanted.tolist())
        return
    taken, places = 0, records.places.tolist()
    others = np.setdiff1d(found.wanted, records.places, True)
    for other, end in zip(others.tolist(), np.searchsorted(records.places, others).tolist(), strict=True):
        if end > taken:
            yield places[taken], RecordLines(records, taken, end)
            taken = end
        yield other, None
    if taken < len(places):
        yield places[taken], RecordLines(records, taken, len(places))


def record_reader(patterns: Table) -> RecordReader | None:
    """Return a reader, if one can be compiled and a table has these statements."""
    if not {pattern.id for pattern in patterns} >= {*EVENTS} or (by := library()) is None:
        return None
    return RecordReader(by)


def _kind(said: str) -> Kind:
    found = _RECORD.fullmatch(said)
    assert found is not None, "it is what C reads"
    state, destination, source, force = found.groups()
    parties = (NOBODY if name in ("", "null") else intern(name) for name in (destination, source))
    return ServiceUnitState(state), *parties, force == "true", None


def said_of(origin: Origin, raw: bytes, patterns: Table) -> LogEvent:
    """Return the full content of such a line."""
    head = HEAD.match(raw)
    assert head is not None, "it was read as a line with a head"
    level, logger, message = (text_of(text) for text in (head[5], head[6], raw[head.end() :]))
    line = LogLine(origin, 0, time_of(*head.group(1, 2, 3)), level, logger, name_of(head[4]), message, None, [])
    found = patterns.understand(line)
    assert isinstance(found, Understood), "what is read at once, the table understands"
    return LogEvent(
        origin, line.time, "", found.pattern.id, line.thread, found.values.get("unit"), found.values, message
    )
