"""
Laws of brokers are judged by map over the parts and reduce over their results; tables are built before.

The parts are judged one after the other, or in parallel by processes of this machine, or by tasks on Spark. These read
the run from a file, without the lines of logs, and the lines of their part from another. On a cluster, lines stay with
the executor that read them, and go from there to the task that judges their broker. The outcome is the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Protocol

from oneowner.checkers.memory import free_memory
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS, TABLES
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, Scope
from oneowner.checkers.recordings.read.kept_lines import Block
from oneowner.checkers.recordings.read.mapped_files import read, write
from oneowner.checkers.recordings.read.partition import (
    Executor,
    Keeping,
    copies_folder,
    file_at,
    in_processes,
    in_turn,
    parts_here,
    processes,
)
from oneowner.checkers.recordings.scene.absences import absences_of_run
from oneowner.checkers.recordings.scene.happenings import happenings_of_run
from oneowner.checkers.recordings.scene.packed_logs import PackedLog
from oneowner.checkers.recordings.scene.parts import Parts, brokers_of_parts, is_packed
from oneowner.checkers.recordings.scene.registry import registry_of_run
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import put_together, seen_in

OF_RUN: Final[tuple[Callable[[Scene], Any], ...]] = (registry_of_run, absences_of_run, happenings_of_run)
"""
Tables computed from the lines of all brokers before any law: the judge of a part may have no others.

Every run needs them in the end.
"""

LEAST_AT_ONCE = 500_000
"""Lines of a run that are judged here before processes have started and loaded the channel."""
BYTES_OF_LINE = 300
"""The memory of the columns of a part, for each of its lines, roughly."""
UNKNOWN_MEMORY = 2**33
"""The assumed free memory, in bytes, of a machine that does not report it."""


class Judging(Protocol):
    """The parts of a run, and how they are judged."""

    def tables(self) -> Iterable[Sequence[Any]]:
        """Yield the pieces of all tables, part by part."""

    def mapped(self, by_limits: Scene, laws: Sequence[SceneLaw]) -> Iterable[Sequence[Any]]:
        """Yield the results of *laws* for each part of the same run under other limits, part by part."""


class LocalParts:
    """Parts that are judged in this process, one after the other."""

    def __init__(self, scene: Scene, number: int) -> None:
        self._scene, self._number = scene, number
        self._parts = Parts(scene, number)

    def tables(self) -> Iterator[Sequence[Any]]:
        return (seen_in(part, TABLES) for part in self._parts)

    def mapped(self, by_limits: Scene, laws: Sequence[SceneLaw]) -> Iterator[Sequence[Any]]:
        parts = self._parts if by_limits is self._scene else Parts(by_limits, self._number)
        return ([law.map(part) for law in laws] for part in parts)


class _Task(NamedTuple):
    """One part of a run that another process judges."""

    run: str
    """The file of the run without the lines of logs; those of each broker's log are in a file beside it."""
    part: int
    number: int
    """The number of parts."""
    known: str = ""
    """The file of everything that is worked out before laws are judged: tables, limits, and facts of the whole run."""
    laws: tuple[str, ...] = ()


class RemoteParts:
    """Parts that an executor judges, at once."""

    def __init__(self, scene: Scene, number: int, executor: Executor, folder: Path) -> None:
        self._number, self._executor = number, executor
        self._run, self._known = (folder / f"{folder.name}-{name}" for name in ("run", "known"))
        write(replace(scene), self._run)  # without the tables computed from it
        self._files = [str(self._run)]
        for place, lines in enumerate(scene.said.values()):
            assert isinstance(lines, PackedLog), "logs that others judge are packed"
            lines.store.write_to(Path(f"{self._run}-{place}"))
            self._files.append(f"{self._run}-{place}")

    def tables(self) -> Iterator[Sequence[Any]]:
        tasks = [_Task(str(self._run), part, self._number) for part in range(self._number)]
        return self._executor(_tables_in, tasks, self._files)

    def mapped(self, by_limits: Scene, laws: Sequence[SceneLaw]) -> Iterator[Sequence[Any]]:
        write((by_limits.tables, by_limits.limits, [by_limits.once(work) for work in OF_RUN]), self._known)
        names = tuple(law.name for law in laws)
        tasks = [_Task(str(self._run), part, self._number, str(self._known), names) for part in range(self._number)]
        return self._executor(_mapped_in, tasks, [*self._files, str(self._known)])


@contextmanager
def judging(scene: Scene, number: int, executor: Executor, laws: Sequence[SceneLaw]) -> Iterator[Judging]:
    """Split *scene* into *number* parts: remote ones if *executor* runs elsewhere and its lines can be read there."""
    is_here = executor is in_turn or number == 1 or not is_packed(scene) or laws is not SCENE_LAWS
    lines = sum(map(len, scene.said.values()))
    if is_here or (executor is in_processes and lines < LEAST_AT_ONCE):
        yield LocalParts(scene, number)
        return
    begun = (
        processes(_at_once(number, lines)) if executor is in_processes else _where_lines_are(scene, number, executor)
    )
    with TemporaryDirectory(prefix="oneowner-laws-") as folder, begun as others:
        yield RemoteParts(scene, number, others, Path(folder))


def _at_once(number: int, lines: int) -> int:
    """
    Return the number of processes for a run with so many *lines*: together they take half the free memory.

    The memory of Spark's executors is a matter of their configuration.
    """
    told = free_memory()
    free = UNKNOWN_MEMORY if told is None else told
    return max(1, min(number, free // 2 * number // (BYTES_OF_LINE * max(1, lines))))


def _where_lines_are(scene: Scene, number: int, executor: Executor) -> AbstractContextManager[Executor]:
    """Return an executor placed next to the lines of each part, if these wait anywhere; else *executor*."""
    waiting = {broker: lines.store.items for broker, lines in scene.said.items() if isinstance(lines, PackedLog)}
    items = [[item for broker in own for item in waiting.get(broker, ())] for own in brokers_of_parts(scene, number)]
    return executor.beside(items) if isinstance(executor, Keeping) and any(items) else nullcontext(executor)


@lru_cache(maxsize=1)  # for all parts of it that one process judges
def _run_in(path: str) -> Scene:
    scene: Scene = read(file_at(path))
    for place, lines in enumerate(scene.said.values()):
        assert isinstance(lines, PackedLog), "logs that others judge are packed"
        lines.store.read_from(file_at(f"{path}-{place}"))
    return scene


@lru_cache(maxsize=1)
def _run_with(path: str, known: str) -> Scene:
    """Return a run with its tables, under given limits."""
    tables, limits, of_run = read(file_at(known))
    scene = _run_in(path).with_limits(limits)
    scene.tables = tables
    for work, found in zip(OF_RUN, of_run, strict=True):
        scene.know(work, found)
    return scene


@contextmanager
def _with_lines(part: Scene) -> Iterator[Scene]:
    """Load the lines of a part of a run, which may wait where this runs, and release them afterwards."""
    logs = [lines for lines in part.said.values() if isinstance(lines, PackedLog) and lines.store.items]
    whose = {item: number for number, log in enumerate(logs) for item in log.store.items}
    blocks = ((whose[item], block) for item, block in parts_here() if isinstance(block, Block))
    for number, own in groupby(blocks, key=lambda pair: pair[0]):
        logs[number].store.take((block for _, block in own), copies_folder())
    try:
        yield part
    finally:
        for log in logs:
            log.store.drop()


def _tables_in(task: _Task) -> Iterator[Sequence[Any]]:
    with _with_lines(Parts(_run_in(task.run), task.number).one(task.part)) as part:
        yield seen_in(part, TABLES)


def _mapped_in(task: _Task) -> Iterator[Sequence[Any]]:
    asked = {law.name: law for law in SCENE_LAWS}
    with _with_lines(Parts(_run_with(task.run, task.known), task.number).one(task.part)) as part:
        yield [asked[name].map(part) for name in task.laws]


def fill(scene: Scene, parts: Judging) -> None:
    """Build the tables of a run from the pieces of its *parts*, once."""
    if TABLES[0] not in scene.tables:
        put_together(scene, TABLES, parts.tables())


def outcomes(scene: Scene, laws: Iterable[SceneLaw], parts: Judging) -> Mapping[str, LawOutcome]:
    """Return the outcomes of those *laws* that are judged by broker, by name; other laws may read them."""
    of_brokers = [law for law in laws if law.scope == Scope.BROKER and law.lacks(scene) == ()]
    seen = list(parts.mapped(scene, of_brokers))
    found: dict[str, LawOutcome] = {}
    for number, law in enumerate(of_brokers):
        found[law.name] = scene.know(law.judge, law.reduce(scene, [one[number] for one in seen]))
    return found
