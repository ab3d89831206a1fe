"""``Exploration`` holds what a search finds; what it is allowed and tells on its way is the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds


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
    """Whether it rests in a state in which nothing at all is enabled."""

    def __str__(self) -> str:
        """Say in words how it goes on."""
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
    """Why there is no lasso and the law may fail all the same: the only one found is due to the bounds."""


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


class Limits(NamedTuple):
    """The limits at which a search gives up, undecided."""

    states: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    perturbations: int | None = None
    """Steps beyond so many perturbations are not taken, as if they were disabled."""


NO_LIMITS = Limits()


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
    """Whether the whole graph was visited (not stopped by a violation or a budget)."""
    stopped: str = ""
    """The budget or bound that kept the search from visiting the whole graph."""
    is_cut_short: bool = False
    """Whether it ended at its budget of states."""
    memory: int = 0
    """The most bytes that the searching process held."""
    represented: int | None = None
    """How many states there are, where one that was visited stands for all of its orbit."""
    missed: float | None = None
    """How likely it is that a state was taken for another one, where fingerprints of states may be compared."""
    perturbations_first: bool = False
    """Whether the least counterexample is that of the fewest perturbations, then of the fewest steps."""

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


OUT_OF_MEMORY = "the budget of memory is used up"
OUT_OF_TIME = "the budget of time is used up"
