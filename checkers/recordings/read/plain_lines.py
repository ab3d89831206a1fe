"""
Lines of a dump as a machine writes them are read by C (``plain_lines.c``), straight into the table of events.

It is compiled once for a machine, when so much is read that it returns, and kept in the user's cache. Without a
compiler or a cache, every line is read as an odd one is: to the same events, in five times the processor time.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pkgutil
import subprocess
import tempfile
import weakref
from functools import cache as cached
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.event_columns import CODES, STATES, TABLE, Array, Codes
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.record import FREE, NOTHING

SOURCES: Final = ("plain_lines.c", "plain_names.h")
FLAGS: Final = ("-O3", "-w", "-fPIC", "-shared")

_STATES: Final = "".join(f"{'' if state == NOTHING else state.value}\n" for state in STATES).encode()
"""By their codes; the first, of no entry, is none that a line may name."""

_ODD: Final = np.dtype([("row", "i8"), ("start", "i8"), ("end", "i8")])


@cached
def library() -> ctypes.CDLL | None:
    """Return the compiled reader, which is compiled now if it is not yet; None if that cannot be."""
    from oneowner.checkers.engines.explore.building import cache, compiler  # late: short dumps do without

    compile_by = compiler()
    if compile_by is None:
        return None
    by = Path(compile_by).resolve()
    try:
        sources = {name: pkgutil.get_data(__package__, name) or b"" for name in SOURCES}  # a worker of Spark has a zip
        shaped_by = repr((sources, FLAGS, str(by), by.stat().st_mtime if by.exists() else 0)).encode()
        made = cache() / f"plain-lines-{hashlib.sha256(shaped_by).hexdigest()[:32]}.so"
        if not made.exists():
            made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=made.parent) as place:
                for name, source in sources.items():
                    Path(place, name).write_bytes(source)
                text, binary = str(Path(place, SOURCES[0])), str(Path(place, made.name))
                command = [compile_by, *FLAGS, text, "-o", binary]
                subprocess.run(command, capture_output=True, check=True)
                os.replace(binary, made)  # several processes may do so at once
        return _declared(ctypes.CDLL(str(made)))
    except (OSError, Misuse, subprocess.CalledProcessError):
        return None


def _declared(found: ctypes.CDLL) -> ctypes.CDLL | None:
    found.plain_open.restype = found.plain_names.restype = ctypes.c_void_p
    found.plain_row_size.restype = found.plain_count.restype = found.plain_read.restype = ctypes.c_int64
    return found if found.plain_row_size() == TABLE.itemsize else None


class Plain(NamedTuple):
    """What was read of some lines."""

    table: Array
    """A row for each line; those of odd lines hold nothing of use."""
    stamps: Array
    """Sequence ids, and the times at which records were made; -1 if not told."""
    odd: Array
    """Of each odd line: its row, and where it starts and ends in the text."""


class PlainReader:
    """Reads the plain lines of one chunk; names get the codes that the reader of odd lines gives them."""

    def __init__(self, by: ctypes.CDLL, piece: int, chunk: int, keys: Codes, brokers: Codes, producers: Codes) -> None:
        self._library = by
        self._names = [_Names(keys, 0), _Names(brokers, 1), _Names(producers, 1)]
        seed = ctypes.c_uint64(int.from_bytes(os.urandom(8)))
        self._states = ctypes.create_string_buffer(_STATES)  # it is read as long as there is a reader
        opened = by.plain_open(self._states, CODES[FREE], piece, chunk, seed)
        if opened is None:
            raise MemoryError
        self._c = ctypes.c_void_p(opened)
        weakref.finalize(self, by.plain_close, self._c)

    def read(self, text: bytes, line: int) -> Plain:
        """Return the events of whole lines, the first of which is number *line*."""
        count = self._library.plain_count(ctypes.c_char_p(text), ctypes.c_int64(len(text)))
        table, stamps, odd = np.empty(count, TABLE), np.empty((count, 2), np.int64), np.empty(count, _ODD)
        places = (ctypes.c_void_p(array.ctypes.data) for array in (table, stamps, odd))
        size, first = ctypes.c_int64(len(text)), ctypes.c_int64(line)
        odds = self._library.plain_read(self._c, ctypes.c_char_p(text), size, first, *places)
        for kind, names in enumerate(self._names):
            end = ctypes.c_uint64()
            at = self._library.plain_names(self._c, kind, ctypes.byref(end))
            names.learn(at, end.value)
        keys, brokers, producers = self._names
        for names, columns in ((keys, ("key",)), (brokers, ("destination", "source")), (producers, ("producer",))):
            names.recode(table, columns)
        return Plain(table, stamps, odd[:odds])


class _Names:
    """The codes of the names that C numbers; the first number is *first*, and what is below it stays as it is."""

    def __init__(self, codes: Codes, first: int) -> None:
        self._codes = codes
        self._code_of: list[int] = list(range(first))
        self._known = 0
        """Bytes of names that are known."""
        self._is_same = True
        """Whether the numbers of C are the codes."""

    def learn(self, texts: int, end: int) -> None:
        """Give codes to names that are new; *texts* is the address of all of them, *end* how many bytes they are."""
        if end > self._known:
            names = ctypes.string_at(texts + self._known, end - self._known - 1).decode("ascii").split("\n")
            new, first = [self._codes.code(name) for name in names], len(self._code_of)
            self._is_same = self._is_same and new == list(range(first, first + len(new)))
            self._code_of += new
            self._known = end

    def recode(self, table: Array, columns: tuple[str, ...]) -> None:
        """Give columns of numbers the codes; the rows of odd lines may hold any of them."""
        if not self._is_same:
            code_of: Any = np.array(self._code_of, np.int32)
            for name in columns:
                table[name] = code_of[table[name]]
