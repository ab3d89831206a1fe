"""
``explore_spark`` visits every state level by level, on a Spark cluster and on disk, and finds what the C engine finds.

Frontier and known states lie in files, in partitions by their keys; a job expands a level, sends what it leads to where
its keys belong, and merges it with what is known there. Small levels are done in the driver. What a level found is
written down when it is whole; a search that was killed goes on after it.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oneowner.checkers.engines.compile.watched import OUT_OF_TIME, Stopped, memory_of_process
from oneowner.checkers.engines.explore.building import digest_of
from oneowner.checkers.engines.explore.exploration import (
    NO_LIMITS,
    Exploration,
    LawResult,
    Limits,
    Progress,
    beyond_budget,
    preparing,
)
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.spark.checkpoint import Checkpoint, checkpoint_in, forget, held
from oneowner.checkers.engines.spark.level_files import Writer, level_file, saying
from oneowner.checkers.engines.spark.library import SOURCE, Library, LibraryBuild, Model, library_build, model_of
from oneowner.checkers.engines.spark.tasks import Back, back_here, level_here
from oneowner.checkers.engines.spark.ways_back import rebuilt
from oneowner.checkers.engines.spark.work import LIBRARY, Run, Summary, Work, end_of
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import actions

if TYPE_CHECKING:
    from oneowner.checkers.engines.spark.cluster import Cluster

SMALL = 50_000
"""States of a level that the driver expands itself: a job takes a quarter of a second of the processors."""
LEAST_MEMORY = 256 * 2**20
"""Bytes that a task's process needs, which has Python, Arrow and NumPy in it."""
OUTSIDE = "a value leaves its domain, which compiled states cannot hold; --engine native shows it"


@dataclass(frozen=True)
class Spread:
    """The cluster of a distributed search, and the folder of its levels."""

    master: str | None = None
    folder: Path | None = None
    """None: a folder of this machine, removed at the end."""
    partitions: int | None = None
    small: int = SMALL


def explore_spark(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
    spread: Spread = Spread(),
) -> tuple[Exploration, str]:
    """
    Visit every state within *bounds*, as ``native.explore`` does; return what was found, and where.

    Limits of memory are those of each process of a task. A budget of states ends the search with the last whole level
    within it. Raise Misuse for a checkpoint of another model, or one on which another search is at work.
    """
    if limits.bytes is not None and limits.bytes < LEAST_MEMORY:
        raise Misuse(f"--max-memory refused: a task of the engine spark needs {LEAST_MEMORY >> 20} MB, it is given"
                     f" {limits.bytes >> 20} MB")  # fmt: skip
    started = time.monotonic()
    build = library_build(bounds, laws, witnesses)
    own = [path.read_text(encoding="utf-8") for path in (SOURCE,)]
    digest = digest_of(bounds, (*laws, *witnesses), [repr(limits.perturbations), *own])
    with ExitStack() as ends:
        said = "" if spread.folder is None else ends.enter_context(held(spread.folder))
        known = None if spread.folder is None else checkpoint_in(spread.folder, digest)
        try:
            with preparing(limits, on_progress) as at:
                build.make(at)
        except Stopped as budget:
            return Exploration.unbegun(bounds, laws, witnesses, str(budget), time.monotonic() - started), "spark"
        folder = spread.folder
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="oneowner-levels-"))
            ends.callback(shutil.rmtree, folder, ignore_errors=True)
        search = _Search(build, folder, limits, spread, on_progress, started)
        search.go(known, digest, stop_at)
        return search.found(), f"spark ({search.where}{said and f'; {said}'})"


class _Search:
    """A search on its way."""

    def __init__(
        self,
        build: LibraryBuild,
        folder: Path,
        limits: Limits,
        spread: Spread,
        on_progress: Callable[[Progress], None] | None,
        started: float,
    ) -> None:
        self._build, self._folder, self._limits, self._spread = build, folder.absolute(), limits, spread
        self._on_progress, self._started = on_progress, started
        self._library = Library.of(build)
        self._model: Model = model_of(self._library)
        self._cluster: Cluster | None = None
        self._known = Checkpoint("", 0)
        self._stopped = ""
        self._is_cut_short = self._has_ended = False

    @property
    def where(self) -> str:
        """Describe the executors of the tasks."""
        return str(self._cluster) if self._cluster else "every level was small enough for the driver"

    def go(self, known: Checkpoint | None, digest: str, stop_at: frozenset[str]) -> None:
        state_laws, step_checks = self._build.checks
        ends = {number for number, name in enumerate([*state_laws, *step_checks]) if name in stop_at}
        try:
            self._place()
            if known is not None:
                known.check(self._folder)
                self._known = known
            else:
                partitions = self._spread.partitions or max(4, 2 * self._cores())
                self._known = self._first(Checkpoint(digest, partitions, runs=[[] for _ in range(partitions)]))
            while not self._known.is_finished and not (
                len(self._known.levels) > 1 and ends & self._known.broken.keys()
            ):
                self._heed()
                self._take()
            self._has_ended = not ends & self._known.broken.keys()
        except Stopped as budget:
            self._stopped = str(budget)
        except EngineError as error:
            self._stopped = str(error)
        except KeyboardInterrupt:
            self._stopped = "interrupted"

    def _place(self) -> None:
        """Put the library where tasks find it."""
        path = self._folder / LIBRARY
        with saying(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=f"{LIBRARY}.")
            with os.fdopen(handle, "wb") as file:
                pickle.dump(self._library, file)
            os.replace(name, path)

    def _cores(self) -> int:
        return os.cpu_count() or 1 if self._spread.master is None else self._on().cores

    def _on(self) -> Cluster:
        if self._cluster is None:
            from oneowner.checkers.engines.spark.cluster import Cluster  # small families need no Spark

            self._cluster = Cluster(self._spread.master)
        return self._cluster

    def _first(self, nothing: Checkpoint) -> Checkpoint:
        """Write the initial states, as the first level."""
        model, first = self._model, 0
        records = model.ordered_once(model.begin())
        summaries = []
        for part in range(nothing.partitions):
            end = model.below(records, end_of(part, nothing.partitions))
            some, tally = records[first:end], model.empty_tally()
            path = level_file(self._folder, 0, part)
            with Writer(path, key=2, state=model.words) as writer:
                writer.write(*model.split(some))
            model.judge(some, tally)
            runs = [Run.at(path, len(some), self._folder)] if len(some) else []
            summaries.append(Summary(part, len(some), runs, tally.tobytes(), 0))
            first = end
        known = nothing.with_level(model, summaries)
        known.write(self._folder)
        return known

    def _take(self) -> None:
        """Take one more level."""
        before, level = self._known, len(self._known.levels) - 1
        work = self._work(level)
        is_small = sum(work.counts) < self._spread.small
        summaries = level_here(work) if is_small else self._on().level(work, self._left())
        after = before.with_level(self._model, summaries)
        if after.outside:
            raise Stopped(OUTSIDE)
        if self._limits.states is not None and after.distinct > self._limits.states:
            self._is_cut_short = True
            raise Stopped(beyond_budget(self._limits.states))
        after.write(self._folder)
        self._known = after
        forget(before, after, self._folder)
        self._tell()

    def _work(self, level: int) -> Work:
        return self._known.work(
            self._folder, self._library.digest, self._limits.perturbations, self._limits.bytes, level
        )

    def _left(self) -> float | None:
        return self._limits.left(self._started).seconds

    def _heed(self) -> None:
        left = self._left()
        if left is not None and left <= 0:
            raise Stopped(OUT_OF_TIME)

    def _tell(self) -> None:
        if self._on_progress is not None:
            known, passed = self._known, time.monotonic() - self._started
            frontier = sum(known.levels[-1])
            counts = (known.distinct, known.tally[0], known.depth, frontier, 0)
            self._on_progress(Progress(*counts, passed, max(known.memory, memory_of_process()), 0.0))

    def _back(self, back: Back) -> Sequence[Run]:
        if sum(back.work.counts) < self._spread.small:
            return back_here(back)
        return self._on().back(back)

    def found(self) -> Exploration:
        """Return what was found; counterexamples are confirmed by the native interpreter."""
        build, model, known = self._build, self._model, self._known
        names = [name for part in build.checks for name in part]
        asked = {law.name for law in build.laws}
        if not known.levels:
            seconds = time.monotonic() - self._started
            return Exploration.unbegun(build.bounds, build.laws, build.witnesses, self._stopped, seconds)
        checks = [number for number, name in enumerate(names) if name in asked]
        steps, bound = rebuilt(known, self._work, model, checks, self._back)
        instances = actions(build.bounds)
        _, _, fired, exercised, _ = (known.tally[place] for place in model.places)
        by_name = {action.name: 0 for action in instances}
        for action, times in zip(instances, fired, strict=False):
            by_name[action.name] += times
        numbers = {name: number for number, name in enumerate(names)}
        results = {}
        for law in build.laws:
            number = numbers.get(law.name, -1)
            taken = tuple(instances[step] for step in steps[number]) if number in steps else None
            if taken is not None:
                confirm(build.bounds, law, taken)
            spent = known.broken[number][1] if taken is not None else 0
            results[law.name] = LawResult(exercised[number] if number >= 0 else 0, taken, spent)
        beyond = f"{BoundReached(bound)} at step {known.beyond[0]}" if known.beyond else ""
        return Exploration(
            bounds=build.bounds,
            laws=results,
            fired=by_name,
            witnesses={witness.name: numbers.get(witness.name, -1) in known.broken for witness in build.witnesses},
            distinct=known.distinct,
            transitions=known.tally[0],
            depth=known.depth,
            terminal=known.tally[1],
            seconds=time.monotonic() - self._started,
            finished=self._has_ended and not known.beyond,
            stopped=self._stopped or beyond,
            is_cut_short=self._is_cut_short,
            memory=max(known.memory, memory_of_process()),
            missed=0.0 if model.is_exact else known.distinct**2 / 2.0**129,
        )
