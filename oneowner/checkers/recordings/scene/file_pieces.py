"""Pieces of bytes lie one after the other in a file that goes with this process."""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import IO


class FilePieces:
    """Pieces of bytes by their numbers, from 0; a pickle holds their lengths, and no bytes until it gets a file."""

    def __init__(self) -> None:
        self._ends = array("q", [0])
        """The end of each piece, after a leading 0."""
        self._file: IO[bytes] | None = None

    def __getstate__(self) -> array[int]:
        return self._ends

    def __setstate__(self, ends: array[int]) -> None:
        self._ends, self._file = ends, None

    def __getitem__(self, number: int) -> bytes:
        """Return a piece; raise LookupError if none of them is here."""
        first, end = self._ends[number : number + 2]
        if first == end:
            return b""
        if self._file is None:
            raise LookupError("pieces of a file are asked for where it is not")
        return os.pread(self._file.fileno(), end - first, first)

    def add(self, piece: bytes) -> None:
        """Add the next bytes, to be read after ``done``."""
        if self._file is None and piece:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the pieces
        if self._file is not None:
            self._file.write(piece)
        self._ends.append(self._ends[-1] + len(piece))

    def done(self) -> None:
        """Make the added pieces readable."""
        if self._file is not None:
            self._file.flush()

    def write_to(self, path: Path) -> None:
        """Copy all pieces to a file."""
        with path.open("wb") as copy:
            if self._file is not None:
                self._file.seek(0)
                shutil.copyfileobj(self._file, copy, 2**20)

    def read_from(self, path: str) -> None:
        """Take all pieces from a file, from now on."""
        self._file = open(path, "rb")  # noqa: SIM115  # as long as the pieces

    def fill(self, pieces: Iterable[bytes], folder: str) -> None:
        """Take all pieces, in their order, to a file in *folder*; raise ValueError if some are missing."""
        self.drop()
        self._file = tempfile.TemporaryFile(dir=folder or None)  # noqa: SIM115  # until they are dropped
        size = sum(map(self._file.write, pieces))
        if size != self._ends[-1]:
            raise ValueError(f"of {self._ends[-1]} bytes of a file {size} are here")
        self._file.flush()

    def drop(self) -> None:
        """Remove every piece."""
        if self._file is not None:
            self._file.close()
            self._file = None
