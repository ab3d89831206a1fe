"""Reading a channel on from the place at which a watch stopped: lines of a dump, and the order of message ids."""

import zlib
from io import BufferedIOBase
from itertools import islice
from typing import Any

from oneowner.checkers.recordings.read import compression
from oneowner.checkers.recordings.read.compression import ending_of
from oneowner.checkers.recordings.read.dump import position_of
from oneowner.checkers.recordings.read.lines import opened
from oneowner.checkers.verdict import EngineError, Misuse

Place = dict[str, Any]
"""A place in a dump: the offset behind a line, with the size and the checksum of that line."""


def is_compressed(path: str) -> bool:
    """Return whether the ending of a file's name is that of a compression; such a file cannot grow."""
    return bool(ending_of(path))


def topic_order(one: str, other: str) -> int:
    """
    Compare two message ids: negative if *one* is earlier in the topic, 0 if they are the same.

    >>> topic_order("36:0:-1:2", "36:1"), topic_order("36:0", "36:0")
    (-1, 0)
    """
    first, second = position_of(one), position_of(other)
    return (first > second) - (first < second)


class DumpLines:
    """The lines of a dump behind a place; a dump that grows has more of them later."""

    def __init__(self, path: str, grows: bool) -> None:
        """
        Open the dump at its beginning.

        :raises Misuse: it cannot be read.
        """
        self._path, self._grows = path, grows
        self._rest, self._size, self._offset = b"", 0, 0
        self._last: int | None = None
        self._context = opened(path)
        try:
            self._stream: BufferedIOBase = self._context.__enter__()
        except compression.ERRORS as error:
            raise Misuse(f"{path}: {compression.in_words(error)}") from None

    def go_to(self, place: Place) -> bool:
        """Move behind *place*; report whether the line there is the one that the place names."""
        self._offset, self._last = place["offset"], place["last"]
        if not place["offset"]:
            return True
        size = place["size"]
        try:
            if is_compressed(self._path):
                left = place["offset"] - size
                while left > 0 and (read := self._stream.read(min(left, 1 << 20))):
                    left -= len(read)
            else:
                self._stream.seek(place["offset"] - size)
            found = zlib.crc32(self._stream.read(size))
        except compression.ERRORS as error:
            raise Misuse(f"{self._path}: {compression.in_words(error)}") from None
        self._size = size
        return found == self._last

    def read(self, most: int) -> list[bytes]:
        """Return the next lines, *most* at most; the last one of a dump that does not grow may lack its line feed."""
        found: list[bytes] = []
        try:
            for line in islice(self._stream, most):
                self._rest += line
                if not self._rest.endswith(b"\n"):
                    break
                found.append(self._rest)
                self._rest = b""
        except compression.ERRORS as error:
            raise EngineError(f"{self._path}: {compression.in_words(error)}") from None
        if self._rest and not self._grows:
            found.append(self._rest)
            self._rest = b""
        return found

    def place_after(self, lines: list[bytes]) -> Place:
        """Return the place behind *lines*, which follow the last place."""
        self._offset += sum(map(len, lines))
        if lines:
            self._last, self._size = zlib.crc32(lines[-1]), len(lines[-1])
        return {"offset": self._offset, "last": self._last, "size": self._size}

    def close(self) -> None:
        """Close the file."""
        self._context.__exit__(None, None, None)
