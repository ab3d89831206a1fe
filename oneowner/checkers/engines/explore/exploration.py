"""``Exploration`` holds the results of a search; its limits and progress are the same for every engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.engines.compile.watched import At, Doing, watched
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import actions


@dataclass(slots=True)
class LawResult:
    """The search's findings on one law: how often it could have failed, and its least counterexample."""

    exercised: int = 0
    steps: tuple[Action, ...] | None = None
    """The actions of the counterexample; the law fails after the last one."""
    perturbations: int = 0


@dataclass(frozen=True, slots=True)
class Lasso:
    """A run that goes on for ever: after its last step it goes on at step *loop* (from 1), or rests if that is none."""

    steps: tuple[Action, ...]
    loop: int
    trapped: int | None = None
    """The step after which what the law asks for can no longer come."""
    is_dead_end: bool = False
    """True if it rests in a state in which nothing at all is enabled."""

    def __str__(self) -> str:
        """Describe its continuation."""
        if self.loop <= len(self.steps):
            end = f"a fair run repeats steps {self.loop} to {len(self.steps)} for ever"
        elif self.is_dead_end:
            end = f"a run ends in a deadlock after step {len(self.steps)}: nothing is enabled though progress is owed"
        else:
            end = f"a fair run rests for ever after step {len(self.steps)}: nothing that is enabled is owed"
        if self.trapped is not None:
            end += f"; after step {self.trapped} what the law asks for cannot come any more, whatever happens"
        return end


@dataclass(frozen=True, slots=True)
class LiveResult:
    """The graph's findings on a law of liveness: in how many states it asks, and a lasso on which it asks in vain."""

    exercised: int
    lasso: Lasso | None = None
    undecided: str = ""
    """The reason that the law may fail without a lasso: the only one found is due to the bounds."""


@dataclass(slots=True)
class Progress:
    """The progress of a search; passed to the caller about once a second."""

    distinct: int
    transitions: int
    depth: int
    frontier: int
    """States of this level that are still to be expanded."""
    following: int
    """States found for the next level."""
    seconds: float
    memory: int
    """Bytes."""
    rest: float
    """Seconds until the level is finished, if it goes on like this."""
    before: str = ""
    """The work before the first state is visited, in words."""


class Limits(NamedTuple):
    """The limits at which a search gives up, undecided; tracing and compiling are part of it."""

    states: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    perturbations: int | None = None
    """Steps beyond so many perturbations are not taken, as if they were disabled."""

    def left(self, started: float) -> Limits:
        """Return the remaining limits of work that began at this moment of the monotonic clock."""
        if self.seconds is None:
            return self
        return self._replace(seconds=max(0.0, self.seconds - (time.monotonic() - started)))


NO_LIMITS = Limits()


def preparing(limits: Limits, on_progress: Callable[[Progress], None] | None) -> AbstractContextManager[At]:
    """Return a context that keeps tracing and compiling within *limits*, and reports progress (``watched``)."""
    most = budget_of_memory() if limits.bytes is None else limits.bytes

    def tell(doing: Doing) -> None:
        assert on_progress is not None
        on_progress(Progress(0, 0, 0, 0, 0, doing.seconds, doing.memory, doing.rest or 0.0, str(doing)))

    return watched(limits.seconds, most, tell if on_progress else None)


SHARE_OF_MEMORY = 0.6
"""The share of free memory that a search may take by default."""


def budget_of_memory() -> int:
    """Return the number of bytes that a search may take: a share of the free memory."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    except OSError:  # not Linux
        pass
    return int(free * SHARE_OF_MEMORY)


@dataclass(slots=True)
class Exploration:
    """The outcome of one search."""

    bounds: Bounds
    laws: dict[str, LawResult]
    fired: dict[str, int]
    """Enabled steps per action name; 0 for an action that never was enabled."""
    witnesses: dict[str, bool]
    distinct: int = 0
    transitions: int = 0
    depth: int = 0
    terminal: int = 0
    """States in which nothing is enabled."""
    seconds: float = 0.0
    finished: bool = False
    """True if the whole graph was visited (not stopped by a violation or a budget)."""
    stopped: str = ""
    """The budget or bound that kept the search from visiting the whole graph."""
    is_cut_short: bool = False
    """True if it ended at its budget of states."""
    memory: int = 0
    """The most bytes that the searching process held."""
    represented: int | None = None
    """The number of states, where one that was visited stands for all of its orbit."""
    missed: float | None = None
    """The probability that two states share a fingerprint, where fingerprints are compared."""
    perturbations_first: bool = False
    """True if the least counterexample is that of the fewest perturbations, then of the fewest steps."""

    @classmethod
    def unbegun(
        cls, bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], stopped: str, seconds: float
    ) -> Exploration:
        """Return the outcome of a search that did not come to its first state."""
        return cls(
            bounds=bounds,
            laws={law.name: LawResult() for law in laws},
            fired={action.name: 0 for action in actions(bounds)},
            witnesses={witness.name: False for witness in witnesses},
            stopped=stopped,
            seconds=seconds,
        )

    def first_violation(self, among: Sequence[str]) -> str | None:
        """Return the law with the least counterexample among these laws, in their order."""
        violated = [name for name in among if self.laws[name].steps is not None]
        return min(violated, key=lambda name: self._size(self.laws[name]), default=None)

    def _size(self, result: LawResult) -> tuple[int, int]:
        size = len(result.steps or ()), result.perturbations
        return size[::-1] if self.perturbations_first else size


def beyond_budget(states: int) -> str:
    """Return in words that a budget of states is used up."""
    return f"there are more than {states:,} distinct states"
