"""``Gathered`` is what leads to a partition: new states in memory, and on disk where that is not enough."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from oneowner.checkers.engines.spark.level_files import saying
from oneowner.checkers.engines.spark.library import Words
from oneowner.checkers.engines.spark.work import KEYS, Work

RANGES = 64
"""Of keys, into which what a partition cannot hold in memory is cut."""


class Gathered:
    """The new states of a partition: in memory, and on disk where that is not enough."""

    def __init__(self, work: Work, part: int) -> None:
        self._work, self._part, self._model = work, part, work.model
        self._buffer, self._filled = np.empty((0, work.model.record), np.uint64), 0
        self._spilled: tempfile.TemporaryDirectory[str] | None = None

    def add(self, records: Words) -> None:
        while len(records):
            if self._filled + len(records) > len(self._buffer) < self._work.room:
                grown = min(self._work.room, max(2 * len(self._buffer), self._filled + len(records)))
                bigger = np.empty((grown, self._model.record), np.uint64)
                bigger[: self._filled] = self._buffer[: self._filled]
                self._buffer = bigger
            some = records[: len(self._buffer) - self._filled]
            self._buffer[self._filled : self._filled + len(some)] = some
            self._filled += len(some)
            records = records[len(some) :]
            if self._filled == self._work.room:
                self._make_room()

    def new(self) -> Iterator[Words]:
        """Yield what is new, in order."""
        if self._spilled is None:
            yield self._unknown()
            return
        self._spill(self._unknown())
        self._buffer = np.empty((0, self._model.record), np.uint64)
        with self._spilled as folder:
            for at in range(RANGES):
                path = Path(folder, str(at))
                if path.exists():
                    with saying(path):
                        records = np.fromfile(path, np.uint64).reshape(-1, self._model.record)
                    yield self._model.ordered_once(records)

    def _make_room(self) -> None:
        new = self._unknown()
        if len(new) > len(self._buffer) // 2:
            self._spill(new)
            self._filled = 0
        else:
            self._buffer[: len(new)] = new
            self._filled = len(new)

    def _unknown(self) -> Words:
        """Return those of the buffer that are not known, in order, each once."""
        records = self._model.ordered_once(self._buffer[: self._filled])
        is_known = np.zeros(len(records), np.uint8)
        for run in self._work.runs[self._part] if len(records) else ():
            at = 0
            for (keys,) in run.read(self._work.place, "key"):
                at = self._model.mark_known(records, keys, is_known, at)
                if at == len(records):
                    break
        return self._model.without_known(records, is_known)

    def _spill(self, records: Words) -> None:
        if self._spilled is None:
            self._spilled = tempfile.TemporaryDirectory(prefix="oneowner-")
        first = 0
        for at in range(RANGES):
            share = at + 1 + self._part * RANGES
            end = self._model.below(records, KEYS * share // (RANGES * self._work.partitions))
            path = Path(self._spilled.name, str(at))
            with saying(path), path.open("ab") as file:
                file.write(records[first:end].data)
            first = end
