"""``Judge`` walks families on changed classes, until one differs from the model."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Self

from oneowner.checkers.catalogue.families import bounds_under, ledger_rows
from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.compared import Difference, Walker
from oneowner.checkers.real_classes.edges import edges_within
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.tours import Tours
from oneowner.checkers.real_classes.walk import MOST_STATES, bounds_of, explained
from oneowner.checkers.verdict import EngineError
from tools.mutation.classes.catalogue import BOUNDS

BATCH: Final = 32
SMALL: Final = 2_500
"""Edges of a graph that is walked whole."""
PATIENCE: Final = 60.0
"""Seconds for a batch; a loop without end takes longer."""


class By(StrEnum):
    """The way in which a mutant is killed."""

    WALK = "walk"
    """Real objects show another state than the model's."""
    ERROR = "error"
    """The class does not load, or the JVM ends: a weak kill."""
    NOTHING = "nothing"


class Kill(NamedTuple):
    """The result for one mutant."""

    by: By
    family: str = ""
    difference: Difference | None = None
    words: str = ""
    """The error."""


class Family:
    """A family with its runs, planned once; each takes some of its edges, in the order of the classes of edges."""

    def __init__(self, name: str, release: str, budget: int) -> None:
        self.name = name
        bounds = bounds_under(replace(ledger_rows()[name].bounds, **BOUNDS.get(name, {})), release, ())
        edges = edges_within(bounds, MOST_STATES)
        self.bounds = bounds_of(bounds)
        self.walker = Walker(bounds, edges)
        self.tours = Tours(
            edges, chosen(edges, shown(bounds), max(budget, SMALL if len(edges.sources) <= SMALL else 0))
        )
        runs = list(self.tours.runs(len(edges.sources)))
        self.batches = [runs[first : first + BATCH] for first in range(0, len(runs), BATCH)]

    def walked(self, machine: Machine) -> int:
        """Walk all runs on classes that are not changed; return the number of edges."""
        machine.bound(self.bounds)
        edges: set[int] = set()
        for runs in self.batches:
            for run, _ in zip(runs, machine.states([self.walker.in_words(run) for run in runs]), strict=True):
                edges.update(run)
        return len(edges)

    def difference(self, machine: Machine) -> Difference | None:
        """Return the difference with the shortest path among the first ones that show."""
        machine.bound(self.bounds)
        for runs in self.batches:
            differing: dict[int, tuple[list[int], str]] = {}
            answers = machine.states([self.walker.in_words(run) for run in runs])
            for run, states in zip(runs, answers, strict=True):
                at = self.walker.first_difference(run, states)
                if at is not None:
                    differing.setdefault(run[at], (run[: at + 1], states[at]))
            if differing:
                return explained(self.walker, machine, self.tours, differing)[0]
        return None


class Judge:
    """Kills mutants in one JVM, in which the changed class takes the place of the original one, and back."""

    def __init__(self, jars: Jars, original: Path) -> None:
        self._jars, self._original = jars, original
        self._machine: Machine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._machine is not None:
            self._machine.__exit__(None, None, None)
            self._machine = None

    def kill(self, changed: Path, families: Iterable[Family], is_static: bool = False) -> Kill:
        """
        Walk *families* with the class in *changed*, until one differs.

        A change *is_static* if it shows only while the class is loaded: then the JVM is a new one.
        """
        at = ""
        if is_static:
            self.__exit__()
        try:
            for family in families:
                at = family.name
                if self._machine is None:
                    jars = self._jars._replace(path=(changed, *self._jars.path)) if is_static else self._jars
                    self._machine = Machine(jars, family.bounds, patience=PATIENCE)
                self._machine.redefine(changed)
                if (difference := family.difference(self._machine)) is not None:
                    return Kill(By.WALK, at, difference)
        except EngineError as error:
            self.__exit__()
            return Kill(By.ERROR, at, words=str(error))
        finally:
            if is_static:
                self.__exit__()
            elif self._machine is not None:
                self._machine.redefine(self._original)
        return Kill(By.NOTHING)
