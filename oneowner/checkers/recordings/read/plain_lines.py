"""
Lines of a dump as a machine writes them are read by C (``plain_lines.c``), straight into the table of events.

Without a compiler or a cache, every line is read as an odd one is: to the same events, in five times the processor
time.
"""

import ctypes
import weakref
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import CODES, STATES, TABLE
from oneowner.checkers.recordings.read.plain_text import NumberedNames, compiled, seed
from oneowner.model.channel.record import FREE, NOTHING

_STATES: Final = "".join(f"{'' if state == NOTHING else state.value}\n" for state in STATES).encode()
"""States by their codes; the first, of no entry, never occurs in a line."""

_ODD: Final = np.dtype([("row", "i8"), ("start", "i8"), ("end", "i8")])


def library() -> ctypes.CDLL | None:
    """Return the compiled reader; None if it cannot be compiled."""
    if (found := compiled("plain_lines.c")) is None:
        return None
    found.plain_open.restype = found.plain_names.restype = ctypes.c_void_p
    found.plain_row_size.restype = found.plain_count.restype = found.plain_read.restype = ctypes.c_int64
    return found if found.plain_row_size() == TABLE.itemsize else None


class Plain(NamedTuple):
    """The result of reading some lines."""

    table: Array
    """A row for each line; those of odd lines are unused."""
    odd: Array
    """For each odd line: its row, and its start and end in the text."""


class PlainReader:
    """Reads the plain lines of one chunk; names get the codes that the reader of odd lines gives them."""

    def __init__(self, by: ctypes.CDLL, piece: int, chunk: int, keys: Codes, brokers: Codes, producers: Codes) -> None:
        self._library = by
        self._names = [NumberedNames(keys), NumberedNames(brokers, 1), NumberedNames(producers, 1)]
        self._states = ctypes.create_string_buffer(_STATES)  # it is used as long as there is a reader
        opened = by.plain_open(self._states, CODES[FREE], piece, chunk, seed())
        if opened is None:
            raise MemoryError
        self._c = ctypes.c_void_p(opened)
        weakref.finalize(self, by.plain_close, self._c)

    def read(self, text: bytes, line: int) -> Plain:
        """Return the events of whole lines, the first of which is number *line*."""
        count = self._library.plain_count(ctypes.c_char_p(text), ctypes.c_int64(len(text)))
        table, odd = np.empty(count, TABLE), np.empty(count, _ODD)
        places = (ctypes.c_void_p(array.ctypes.data) for array in (table, odd))
        size, first = ctypes.c_int64(len(text)), ctypes.c_int64(line)
        odds = self._library.plain_read(self._c, ctypes.c_char_p(text), size, first, *places)
        for kind, names in enumerate(self._names):
            names.learn(self._library.plain_names, self._c, kind)
        keys, brokers, producers = self._names
        for names, columns in ((keys, ("key",)), (brokers, ("destination", "source")), (producers, ("producer",))):
            names.recode(table, columns)
        return Plain(table, odd[:odds])
