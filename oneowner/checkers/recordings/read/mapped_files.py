"""
A value is written to a file with its long arrays apart: a reader maps the file, and copies none of them.

Processes that map one file share its pages, and the system may drop unused ones.
"""

import mmap
import pickle
import struct
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, TypeVar

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array

T = TypeVar("T")

LEAST: Final = 4_096
"""The least bytes of an array that is stored apart; a shorter one is stored with the rest."""
AT_ONCE: Final = 2**20
"""Bytes of a growing array in memory at once while its type is narrowed."""
_ALIGNED: Final = 64
_END: Final = struct.Struct("<QQ")
"""The offsets of the rest and of the table of arrays: the last bytes of a file."""


def write(value: object, path: Path) -> None:
    """Write a value, whose long parts are NumPy arrays, for ``read``."""
    with path.open("wb") as stream:
        _write(value, stream)


def read(path: str) -> Any:
    """Return the value written to a file; its long arrays must not be changed. Raises if the file is not whole."""
    with open(path, "rb") as stream:
        return _read(stream)


def mapped(value: T) -> T:
    """Return a copy of *value* whose long arrays lie in a file that goes with it."""
    with TemporaryFile() as stream:
        _write(value, stream)
        stream.flush()
        copy: T = _read(stream)
    return copy


class GrowingArray:
    """Whole numbers of one type, which are added part after part to a file that goes with them."""

    def __init__(self) -> None:
        self._stream = TemporaryFile()  # noqa: SIM115 - it is open as long as something may be added
        self._type: Any = None
        self._least = self._most = 0

    def add(self, part: Array) -> None:
        """Add the next numbers, at least one."""
        self._type = part.dtype
        self._least, self._most = min(self._least, int(part.min())), max(self._most, int(part.max()))
        self._stream.write(part.data)

    def mapped(self) -> Array:
        """Return all numbers, in the fewest bytes a number that hold them; no more can be added."""
        own = narrowest(self._least, self._most)
        with self._stream as wide, TemporaryFile() as stream:
            wide.seek(0)
            while some := wide.read(AT_ONCE):
                stream.write(np.frombuffer(some, self._type).astype(own).data)
            stream.flush()
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), own)


def narrowest(least: int, most: int) -> type[np.signedinteger[Any]]:
    """Return the type of fewest bytes that holds all numbers from *least* to *most*."""
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next(kind for kind in kinds if np.iinfo(kind).min <= least <= most <= np.iinfo(kind).max)


def _write(value: object, stream: IO[bytes]) -> None:
    places: list[tuple[int, int]] = []

    def stands_among_the_rest(array: pickle.PickleBuffer) -> bool:
        raw = array.raw()
        if raw.nbytes < LEAST:
            return True
        stream.write(bytes(-stream.tell() % _ALIGNED))
        places.append((stream.tell(), raw.nbytes))
        stream.write(raw)
        return False

    rest = pickle.dumps(value, 5, buffer_callback=stands_among_the_rest)
    ends = stream.tell(), stream.tell() + len(rest)
    stream.write(rest)
    stream.write(pickle.dumps(places, 5))
    stream.write(_END.pack(*ends))


def _read(stream: IO[bytes]) -> Any:
    pages = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    first, second = _END.unpack(pages[-_END.size :])
    places = pickle.loads(pages[second : -_END.size])
    return pickle.loads(pages[first:second], buffers=[pages[begin : begin + size] for begin, size in places])
