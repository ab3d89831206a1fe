"""``Judge`` walks families on changed classes, until one differs from the model."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.families import bounds_under, ledger_rows
from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.edges import edges_within
from oneowner.checkers.real_classes.jars import Jars
from oneowner.checkers.real_classes.machine import Machine
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.tours import Tours
from oneowner.checkers.real_classes.walk import MOST_STATES, Difference, Walker, bounds_of, explained
from oneowner.checkers.verdict import EngineError
from tools.mutation.classes.catalogue import BOUNDS

BATCH: Final = 32
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
        bounds = bounds_under(replace(ledger_rows()[name].bounds, **BOUNDS[name]), release, ())
        edges = edges_within(bounds, MOST_STATES)
        self.bounds = bounds_of(bounds)
        self.walker = Walker(bounds, edges)
        self.tours = Tours(edges, chosen(edges, shown(bounds), budget))
        runs = list(self.tours.runs(len(edges.sources)))
        self.batches = [runs[first : first + BATCH] for first in range(0, len(runs), BATCH)]

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


def kill(jars: Jars, folder: Path, families: Iterable[Family]) -> Kill:
    """Walk *families* on the classes of *jars* with those in *folder* before them, until one differs."""
    changed = jars._replace(path=(folder, *jars.path))
    machine: Machine | None = None
    at = ""
    try:
        for family in families:
            at = family.name
            machine = machine or Machine(changed, family.bounds, PATIENCE)
            if (difference := family.difference(machine)) is not None:
                return Kill(By.WALK, at, difference)
    except EngineError as error:
        return Kill(By.ERROR, at, words=str(error))
    finally:
        if machine is not None:
            machine.__exit__(None, None, None)
    return Kill(By.NOTHING)
