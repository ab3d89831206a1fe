"""``Work`` is the input of tasks that expand a level; ``Summary`` the result in one partition."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.engines.compile.watched import OUT_OF_MEMORY, memory_of_process
from oneowner.checkers.engines.spark.level_files import level_file, read, saying
from oneowner.checkers.engines.spark.library import WORD, Library, Model, Words, model_of
from oneowner.checkers.verdict import EngineError

RECORDS, TALLY = 0, 1
"""Kinds of blocks."""
BUFFER = 48 * 2**20
"""Bytes of records that a task gathers, unless memory is limited; it needs about three times as much."""
KEYS = 2**64


class Block(NamedTuple):
    """The records that a task sends to a partition."""

    part: int
    kind: int
    body: bytes


class Run(NamedTuple):
    """Keys of one partition, in order, in a file."""

    path: str
    """Below the folder of the checkpoint, which may be moved."""
    rows: int

    @classmethod
    def at(cls, path: Path, rows: int, folder: Path) -> Run:
        """Return the file of this path in the folder of a checkpoint."""
        return cls(str(path.relative_to(folder)), rows)

    def read(self, folder: Path, *names: str) -> Iterator[tuple[Words, ...]]:
        """Yield these columns, batch by batch."""
        return read(folder / self.path, self.rows, *names)


@dataclass(frozen=True)
class Work:
    """The input of tasks that expand a level."""

    folder: str
    digest: str
    """Of the library that lies there."""
    level: int
    counts: Sequence[int]
    """The number of states of each partition of the level."""
    runs: Sequence[Sequence[Run]]
    """The known states, by partition."""
    perturbations: int | None = None
    bytes: int | None = None
    """The most that a process may hold."""

    @property
    def partitions(self) -> int:
        return len(self.counts)

    @property
    def place(self) -> Path:
        return Path(self.folder)

    @property
    def model(self) -> Model:
        return model_at(self.folder, self.digest)

    @property
    def room(self) -> int:
        """The number of records that a task gathers."""
        most = BUFFER if self.bytes is None else min(BUFFER, self.bytes // 8)
        return max(most // (self.model.record * WORD), 4 * self.model.actions)

    def states(self, part: int) -> Iterator[tuple[Words, ...]]:
        """Yield the keys and states of a partition of the level."""
        return read(level_file(self.place, self.level, part), self.counts[part], "key", "state")

    def heed(self) -> None:
        """Raise EngineError beyond the limit of memory."""
        if self.bytes is not None and memory_of_process() > self.bytes:
            raise EngineError(f"{OUT_OF_MEMORY} in a task")


class Summary(NamedTuple):
    """The result of the merge in one partition."""

    part: int
    found: int
    """New states."""
    runs: list[Run]
    tally: bytes
    memory: int
    """The most bytes that the task's process holds."""


LIBRARY = "library.pickle"


@cache
def model_at(folder: str, digest: str) -> Model:
    """Return the model whose library lies in *folder*; raise EngineError if it is another one, or does not run here."""
    path = Path(folder, LIBRARY)
    with saying(path):
        library: Library = pickle.loads(path.read_bytes())
    if library.digest != digest:
        raise EngineError(f"{path}: the library of another model")
    return model_of(library)


def end_of(part: int, partitions: int) -> int:
    """Return the first word of keys with which the next partition begins."""
    return KEYS * (part + 1) // partitions
