"""
What a task does with one partition of a level: expand its states, merge what leads to it with what is known.

Keys are spread evenly, so each partition has a range of them: states are sorted by key, and go where it belongs. What
comes to a partition is sorted in memory, compared with all that was known there, as it lies sorted on disk, and what
is new is judged and written. Where it is more than a buffer holds it goes to disk in ranges of keys, which are then
taken one after the other; so memory does not grow with a level.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from oneowner.checkers.engines.compile.watched import OUT_OF_MEMORY, memory_of_process
from oneowner.checkers.engines.spark.level_files import Writer, keys_file, level_file, read, saying, way_file
from oneowner.checkers.engines.spark.library import WORD, Library, Model, Words, model_of
from oneowner.checkers.verdict import EngineError

RECORDS, TALLY = 0, 1
"""Kinds of blocks."""
RANGES = 64
"""Into which what a partition cannot hold in memory is cut."""
BUFFER = 48 * 2**20
"""Bytes of records that a task gathers, unless memory is limited; it needs about three times as much."""
KEYS = 2**64


class Block(NamedTuple):
    """What a task sends to a partition."""

    part: int
    kind: int
    body: bytes


class Run(NamedTuple):
    """Keys of one partition that are known, in order, in a file."""

    path: str
    rows: int


@dataclass(frozen=True)
class Work:
    """All that tasks need to know in order to expand a level."""

    folder: str
    digest: str
    """Of the library that lies there."""
    level: int
    counts: Sequence[int]
    """How many states each partition of the level has."""
    runs: Sequence[Sequence[Run]]
    """What is known, by partition."""
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
        """How many records a task gathers."""
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
    """What came of the merge in one partition."""

    part: int
    count: int
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


def expand_part(work: Work, part: int) -> Iterator[Block]:
    """Expand the states of a partition; yield sorted records for each partition, and what was counted."""
    model, tally = work.model, work.model.empty_tally()
    out, filled = np.empty((work.room, model.record), np.uint64), 0
    for keys, states in work.states(part):
        first = 0
        while first < len(keys):
            some = keys[first:], states[first:]
            found, taken = model.expand(*some, work.perturbations, out[filled:], tally)
            filled += found
            first += taken
            if first < len(keys):  # there is no room for the steps of another state
                yield from _cut(model, out[:filled], work.partitions)
                filled = 0
        work.heed()
    if tally[3]:
        raise EngineError(
            f"{level_file(work.place, work.level, part)}: the checkpoint is damaged: keys of other states"
        )
    yield from _cut(model, out[:filled], work.partitions)
    yield Block(part, TALLY, tally.tobytes())


def _cut(model: Model, records: Words, partitions: int) -> Iterator[Block]:
    ordered, first = model.ordered_once(records), 0
    for part in range(partitions):
        end = model.below(ordered, end_of(part, partitions))
        if end > first:
            yield Block(part, RECORDS, ordered[first:end].tobytes())
        first = end


def end_of(part: int, partitions: int) -> int:
    """Return the first word of keys with which the next partition begins."""
    return KEYS * (part + 1) // partitions


def merge_part(work: Work, part: int, blocks: Iterable[tuple[int, bytes]]) -> Summary:
    """Find what is new among all that leads to a partition; judge it, and write it."""
    model, tally = work.model, work.model.empty_tally()
    gathered = _Gathered(work, part)
    for kind, body in blocks:
        if kind == TALLY:
            model.add(tally, np.frombuffer(body, np.uint64))
        else:
            gathered.add(np.frombuffer(body, np.uint64).reshape(-1, model.record))
    path = level_file(work.place, work.level + 1, part)
    with Writer(path, key=2, state=model.words) as writer:
        for records in gathered.new():
            model.judge(records, tally)
            writer.write(*model.split(records))
            work.heed()
    runs = [*work.runs[part]]
    if writer.rows:
        runs = merged_runs(work, part, [*runs, Run(str(path), writer.rows)])
    return Summary(part, writer.rows, runs, tally.tobytes(), memory_of_process())


class _Gathered:
    """What leads to a partition: new states in memory, and on disk where that is not enough."""

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
            for (keys,) in read(Path(run.path), run.rows, "key"):
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


def merged_runs(work: Work, part: int, runs: list[Run]) -> list[Run]:
    """Merge the last runs while they are not much smaller than those before them: so there are few."""
    first = len(runs) - 1
    size = runs[-1].rows
    while first > 0 and 2 * size > runs[first - 1].rows:
        first -= 1
        size += runs[first].rows
    if first == len(runs) - 1:
        return runs
    path = keys_file(work.place, work.level + 1, part)
    with Writer(path, key=2) as writer:
        for keys in _merged(work.model, runs[first:]):
            writer.write(keys)
    return [*runs[:first], Run(str(path), writer.rows)]


def _merged(model: Model, runs: Sequence[Run]) -> Iterator[Words]:
    if len(runs) == 1:
        for (keys,) in read(Path(runs[0].path), runs[0].rows, "key"):
            yield keys
        return
    sides = [_merged(model, runs[:-1]), _merged(model, runs[-1:])]
    nothing = np.empty((0, 2), np.uint64)
    heads = [next(side, nothing) for side in sides]
    while len(heads[0]) and len(heads[1]):
        out, *taken = model.merged(*heads)
        yield out
        for at, count in enumerate(taken):
            heads[at] = heads[at][count:]
            if not len(heads[at]):
                heads[at] = next(sides[at], nothing)
    for head, side in zip(heads, sides, strict=True):
        if len(head):
            yield head
        yield from side


@dataclass(frozen=True)
class Back:
    """What tasks need to know in order to find the ways back through a level."""

    work: Work
    question: bytes
    ahead: Sequence[Run]
    """The states of the next level that lie on ways, by partition."""


def back_part(back: Back, part: int) -> Run:
    """Write those states of a partition that lie on the way to where a law breaks, with the laws as bits."""
    work, model = back.work, back.work.model
    keys_ahead, masks_ahead = ways(back.ahead)
    question = np.frombuffer(back.question, np.uint64)
    path = way_file(work.place, work.level, part)
    with Writer(path, key=2, mask=1, state=model.words) as writer:
        for keys, states in work.states(part):
            masks = model.leading(states, work.perturbations, question, keys_ahead, masks_ahead)
            chosen = masks > 0
            writer.write(keys[chosen], masks[chosen].reshape(-1, 1), states[chosen])
            work.heed()
    return Run(str(path), writer.rows)


def ways(runs: Sequence[Run]) -> tuple[Words, Words]:
    """Return the keys on ways through a level, in order, and their bits."""
    found = [batch for run in runs for batch in read(Path(run.path), run.rows, "key", "mask")]
    if not found:
        return np.empty((0, 2), np.uint64), np.empty(0, np.uint64)
    return np.concatenate([keys for keys, _ in found]), np.concatenate([masks for _, masks in found]).ravel()
