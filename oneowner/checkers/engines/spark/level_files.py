"""
The states of a level lie on disk, a file for each partition, in the order of their keys; so do keys that are known.

A file is Arrow's: keys of 16 bytes, and packed states or bits of laws beside them. It is written under another name
first, so that one that is there is whole.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa

from oneowner.checkers.engines.spark.library import WORD, Words
from oneowner.checkers.verdict import EngineError

ROWS = 2**16
"""Rows of a batch: what is read at once."""


def level_file(folder: Path, level: int, part: int) -> Path:
    """Return where the states of a partition of a level are."""
    return folder / f"level-{level:05}" / f"part-{part:05}.arrow"


def keys_file(folder: Path, level: int, part: int) -> Path:
    """Return where keys are that were merged when this level was found."""
    return folder / f"level-{level:05}" / f"keys-{part:05}.arrow"


def way_file(folder: Path, level: int, part: int) -> Path:
    """Return where the states of a level are that lie on the ways back."""
    return folder / "ways" / f"level-{level:05}-part-{part:05}.arrow"


class Writer:
    """Writes columns of words, batch by batch, to a file that is there when it is whole."""

    def __init__(self, path: Path, **widths: int) -> None:
        """Take the file's name, and the words of each column."""
        self._path = path
        self._types = {name: pa.binary(width * WORD) for name, width in widths.items()}
        self.rows = 0

    def __enter__(self) -> Writer:
        with saying(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, self._name = tempfile.mkstemp(dir=self._path.parent)
            self._file = os.fdopen(handle, "wb")
            self._arrow = pa.ipc.new_file(self._file, pa.schema(self._types))
        return self

    def write(self, *columns: Words) -> None:
        with saying(self._path):
            for first in range(0, len(columns[0]), ROWS):
                some = [np.ascontiguousarray(column[first : first + ROWS]) for column in columns]
                arrays = [
                    pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)])
                    for kind, rows in zip(self._types.values(), some, strict=True)
                ]
                self._arrow.write_batch(pa.RecordBatch.from_arrays(arrays, list(self._types)))
            self.rows += len(columns[0])

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with saying(self._path):
            try:
                if kind is None:
                    self._arrow.close()
                    self._file.flush()
                    os.fsync(self._file.fileno())
                    os.replace(self._name, self._path)
            finally:
                self._file.close()
                if os.path.exists(self._name):
                    os.unlink(self._name)


def read(path: Path, rows: int, *names: str) -> Iterator[tuple[Words, ...]]:
    """Yield these columns of a file, batch by batch; raise EngineError if it has not so many rows."""
    if not rows:
        return
    seen = 0
    with saying(path), pa.OSFile(str(path)) as file:
        arrow = pa.ipc.open_file(file)
        included = [arrow.schema.get_field_index(name) for name in names]
        arrow = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=included))
        for at in range(arrow.num_record_batches):
            batch = arrow.get_batch(at)
            seen += len(batch)
            yield tuple(_words(batch.column(name)) for name in names)
    if seen != rows:
        raise EngineError(f"{path}: {seen:,} rows are there, {rows:,} were written: the checkpoint is damaged")


def _words(column: pa.FixedSizeBinaryArray) -> Words:
    width = column.type.byte_width // WORD
    whole = np.frombuffer(column.buffers()[1], np.uint64)[column.offset * width :]
    return whole[: len(column) * width].reshape(len(column), width)


@contextmanager
def saying(path: Path) -> Iterator[None]:
    """Report in one line why a file cannot be written or read."""
    try:
        yield
    except OSError as error:
        why = error.strerror or " ".join(str(error).split())
        raise EngineError(f"{platform.node()}: {path}: {why}; nothing is concluded") from error
    except pa.ArrowInvalid as error:
        words = " ".join(str(error).split())[:200]
        raise EngineError(f"{platform.node()}: {path}: the checkpoint is damaged: {words}") from error
