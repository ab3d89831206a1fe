"""
Readers of plain lines are in C: a source is compiled once for a machine, when the input justifies it.

The compiled library is kept in the user's cache. Names get numbers in C, and here the codes that columns have for them.
"""

import ctypes
import hashlib
import os
import pkgutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache as cached
from pathlib import Path
from typing import Any, Final

import numpy as np

from oneowner.checkers.native_code import cache, compiler
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.verdict import Misuse

SHARED: Final = "plain_text.h"
FLAGS: Final = ("-O3", "-w", "-fPIC", "-shared")


@cached
def compiled(source: str) -> ctypes.CDLL | None:
    """Return the library of a source in this folder, compiled now if necessary; None if that is impossible."""
    compile_by = compiler()
    if compile_by is None:
        return None
    by = Path(compile_by).resolve()
    try:
        sources = {name: pkgutil.get_data(__package__, name) or b"" for name in (source, SHARED)}  # Spark's is a zip
        shaped_by = repr((sources, FLAGS, str(by), by.stat().st_mtime if by.exists() else 0)).encode()
        made = cache() / f"{Path(source).stem}-{hashlib.sha256(shaped_by).hexdigest()[:32]}.so"
        if not made.exists():
            made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=made.parent) as place:
                for name, text in sources.items():
                    Path(place, name).write_bytes(text)
                binary = str(Path(place, made.name))
                command = [compile_by, *FLAGS, str(Path(place, source)), "-o", binary]
                subprocess.run(command, capture_output=True, check=True)
                os.replace(binary, made)  # several processes may do so at once
        return ctypes.CDLL(str(made))
    except (OSError, Misuse, subprocess.CalledProcessError):
        return None


def seed() -> ctypes.c_uint64:
    """Return the seed for hashes of names: no input can be crafted whose names all collide."""
    return ctypes.c_uint64(int.from_bytes(os.urandom(8)))


class NumberedNames:
    """The codes of the names that C numbers; the first number is *first*, and lower numbers stay unchanged."""

    def __init__(self, codes: Codes, first: int = 0, read: Callable[[str], Any] = str) -> None:
        """*read* converts a text to the value that has a code."""
        self._codes, self._read = codes, read
        self._code_of: list[int] = list(range(first))
        self._known = 0
        """Bytes of names that are known."""
        self._is_same = True
        """True if the numbers of C are the codes."""

    def learn(self, names: Any, reader: ctypes.c_void_p, kind: int) -> None:
        """Assign codes to new names of a kind; *names* is C's function that returns all of them."""
        end = ctypes.c_uint64()
        texts = names(reader, kind, ctypes.byref(end))
        if end.value > self._known:
            told = ctypes.string_at(texts + self._known, end.value - self._known - 1).decode("ascii").split("\n")
            new, first = [self._codes.code(self._read(name)) for name in told], len(self._code_of)
            self._is_same = self._is_same and new == list(range(first, first + len(new)))
            self._code_of += new
            self._known = end.value

    def recode(self, table: Array, columns: Sequence[str]) -> None:
        """Replace numbers in columns by the codes; numbers below 0 stay unchanged."""
        if not self._is_same:
            code_of: Any = np.array([*self._code_of, -1], np.int32)
            for name in columns:
                numbers = table[name]
                table[name] = np.where(numbers < 0, numbers, code_of[numbers])
