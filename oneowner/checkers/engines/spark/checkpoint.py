"""
``Checkpoint`` is the state of a search after each level: the files of its states, its counts, the broken laws.

It is one JSON file, written whole after each level, in the folder of the levels. A search goes on from it if it is of
the same model, bounds and laws. One search at a time has the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from oneowner.checkers.engines.spark.level_files import level_file, saying
from oneowner.checkers.engines.spark.library import Model
from oneowner.checkers.engines.spark.work import LIBRARY, Run, Summary, Work
from oneowner.checkers.verdict import EngineError, Misuse

NAME = "checkpoint.json"
LOCK = "lock"
URL = re.compile(r"\w[\w+.-]+:/")
"""A scheme and one slash: a path has lost the other."""
SCHEMA = 1


@dataclass
class Checkpoint:
    """The state of the search after the last complete level."""

    digest: str
    """A digest of the model, its bounds, its laws and the code of tasks."""
    partitions: int
    levels: list[list[int]] = field(default_factory=list)
    """The number of states of each partition of each level."""
    runs: list[list[Run]] = field(default_factory=list)
    """The files of the keys that are known, by partition."""
    tally: list[int] = field(default_factory=list)
    broken: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number of check: the steps to where it broke first, and the least perturbations there."""
    beyond: tuple[int, list[int]] | None = None
    """The first step that went beyond bounds, and the numbers of these bounds."""
    outside: bool = False
    memory: int = 0
    schema: int = SCHEMA

    @property
    def depth(self) -> int:
        return len(self.levels) - (2 if self.is_finished else 1)

    @property
    def distinct(self) -> int:
        return sum(map(sum, self.levels))

    @property
    def is_finished(self) -> bool:
        """True if the last level has no states."""
        return bool(self.levels) and not any(self.levels[-1])

    def work(self, folder: Path, library: str, perturbations: int | None, most: int | None, level: int) -> Work:
        return Work(str(folder), library, level, self.levels[level], self.runs, perturbations, most)

    def with_level(self, model: Model, summaries: Sequence[Summary]) -> Checkpoint:
        """Return what is known with one more level."""
        tally = np.array(self.tally, np.uint64) if self.tally else model.empty_tally()
        news = model.empty_tally()
        for summary in summaries:
            model.add(news, np.frombuffer(summary.tally, np.uint64))
        model.add(tally, news)
        in_order = sorted(summaries)
        counts, beyond, _, _, least = (news[place].tolist() for place in model.places)
        step = len(self.levels)
        hit = [number for number, times in enumerate(beyond) if times]
        broken = {check: (step, spent) for check, spent in enumerate(least) if spent < 2**64 - 1}
        return Checkpoint(
            digest=self.digest,
            partitions=self.partitions,
            levels=[*self.levels, [summary.found for summary in in_order]],
            runs=[summary.runs for summary in in_order],
            tally=tally.tolist(),
            broken={**broken, **self.broken},
            beyond=self.beyond or ((step, hit) if hit else None),
            outside=self.outside or counts[2] > 0,
            memory=max([self.memory, *(summary.memory for summary in summaries)]),
        )

    def write(self, folder: Path) -> None:
        path = folder / NAME
        with saying(path):
            text = json.dumps(asdict(self))
            with (folder / f"{NAME}.new").open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, path)

    def check(self, folder: Path) -> None:
        """Raise EngineError if a file is gone that a search needs."""
        files = [(level_file(folder, level, part), count) for level, counts in enumerate(self.levels)
                 for part, count in enumerate(counts)]  # fmt: skip
        files += [(folder / run.path, run.rows) for runs in self.runs for run in runs]
        for path, count in files:
            if count and not path.exists():
                raise EngineError(f"{path} is gone: the checkpoint has lost a part; nothing is concluded")


@contextmanager
def held(folder: Path) -> Iterator[str]:
    """
    Lock a folder, created if missing, for one search; yield a note about it, usually empty.

    The lock is the system's: it ends with the process, however that ends. Raise Misuse if another search has the
    folder, if other files are in it, or if it cannot be written.
    """
    if URL.match(str(folder)):
        raise Misuse(f"checkpoint refused: {folder}: it is a folder that all machines see, not a URL")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        if not (folder / NAME).exists() and not all(map(_is_of_a_beginning, folder.iterdir())):
            raise Misuse(f"checkpoint refused: {folder} is not empty, and holds no {NAME}")
        lock = (folder / LOCK).open("w", encoding="utf-8")
    except OSError as error:
        raise Misuse(f"checkpoint refused: {folder} cannot be written: {error.strerror}") from None
    with lock:
        said = ""
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Misuse(f"checkpoint refused: {folder}: another search goes on there; end that one first") from None
        except OSError as error:
            said = f"{folder} cannot be locked ({error.strerror}): see that no other search goes on there"
        yield said


def checkpoint_in(folder: Path, digest: str) -> Checkpoint | None:
    """
    Return what lies in a folder; None if nothing does.

    Raise Misuse for that of another model, EngineError for one that is damaged.
    """
    path = folder / NAME
    if not path.exists():
        return None
    try:
        with saying(path):
            found = json.loads(path.read_text(encoding="utf-8"))
        known = Checkpoint(**found)
        known.runs = [[Run(*run) for run in runs] for runs in known.runs]
        known.broken = {int(check): (step, spent) for check, (step, spent) in known.broken.items()}
        known.beyond = None if known.beyond is None else (known.beyond[0], known.beyond[1])
    except (ValueError, TypeError) as error:
        raise EngineError(f"{path}: the checkpoint is damaged: {error}; nothing is concluded") from None
    if known.digest != digest:
        raise Misuse(
            f"checkpoint refused: {folder} is of another model, other bounds or laws (its digest is"
            f" {known.digest[:12]}, not {digest[:12]}); name another folder"
        )
    return known


def _is_of_a_beginning(path: Path) -> bool:
    """Return whether a search leaves this file or folder that is killed before it writes its first checkpoint."""
    return path.name.startswith((LIBRARY, NAME, LOCK)) or path == level_file(path.parent, 0, 0).parent


def forget(before: Checkpoint, after: Checkpoint, folder: Path) -> None:
    """Remove files of keys that were merged into others."""
    kept = {run.path for runs in after.runs for run in runs}
    for runs in before.runs:
        for run in runs:
            if run.path not in kept and Path(run.path).name.startswith("keys-"):
                with suppress(OSError):
                    os.unlink(folder / run.path)
