"""The axes of simulated runs: traces, shedders, keys of broker.conf and sizes, every combination a task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Final

from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.simulation import conf as keys
from oneowner.checkers.simulation.run import RELEASES
from oneowner.checkers.simulation.traces import Sizes
from oneowner.checkers.sweep.measured_run import loads_of
from oneowner.checkers.sweep.task import Task
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import nearest, oldest_of_major

RELEASE: Final = "4.0.6"


@dataclass(frozen=True, slots=True)
class Simulations:
    """The simulated runs of a sweep."""

    traces: Sequence[str] = ()
    shedders: Sequence[str] = ()
    conf: Mapping[str, Sequence[str]] = field(default_factory=dict)
    brokers: Sequence[int] = ()
    bundles: Sequence[int] = ()
    """The sizes of a generated trace; a recorded one has its own."""
    cycles: Sequence[int] = ()

    def __bool__(self) -> bool:
        return bool(self.traces or self.shedders or self.conf or self.brokers or self.bundles or self.cycles)

    def check(self, releases: Sequence[str]) -> None:
        """Raise Misuse for unknown names; impossible combinations become unknown rows."""
        if not self.traces:
            raise Misuse("shedders, keys of broker.conf and sizes go with --simulate TRACE")
        if not self.shedders:
            raise Misuse(f"name a shedder to simulate: {', '.join(RELEASES)}")
        for shedder in self.shedders:
            pick(RELEASES, shedder, "shedder")
        for release in releases:
            judged_release(release, [name for shedder in self.shedders for name in RELEASES[shedder]])
        for key, values in self.conf.items():
            for value in values:
                keys.check({key: value}, self.shedders)

    def notes(self, releases: Sequence[str]) -> list[str]:
        """Return a note for each release that is judged by the rules of another; the row of a too old one has it."""
        known = [RELEASES[shedder] for shedder in self.shedders]
        return [judged_release(one, some).note for some in known for one in releases if is_judged(one, some)]

    def number(self, releases: Sequence[str], seeds: Sequence[int]) -> int:
        """Return how many tasks there are at most."""
        axes = (self.traces, self.shedders, self.brokers, self.bundles, self.cycles, releases, seeds)
        return prod(len(axis) or 1 for axis in (*axes, *self.conf.values()))

    def tasks(self, releases: Sequence[str], seeds: Sequence[int], max_seconds: float | None) -> Iterator[Task]:
        """Yield the tasks, in the order of the axes."""
        values = [[(key, value) for value in some] for key, some in self.conf.items()]
        usual = Sizes()
        for loads in map(loads_of, self.traces):
            bundles = [0] if loads.is_recorded else self.bundles or [usual.bundles]
            for shedder, named, pairs, brokers, count, cycles, seed in product(
                self.shedders, releases or [RELEASE], product(*values), self.brokers or [usual.brokers], bundles,
                self.cycles or [usual.cycles], seeds or [usual.seed],
            ):  # fmt: skip
                release = nearest(named, RELEASES[shedder]) or named
                yield Task(
                    "simulate", release=release, settings=pairs, seed=seed, max_seconds=max_seconds,
                    trace=loads.trace, file=loads.file, digest=loads.digest, shedder=shedder, brokers=brokers,
                    bundles=count, cycles=cycles,
                )  # fmt: skip


def is_judged(release: str, known: Sequence[str]) -> bool:
    """Return whether the rules of some known release judge *release*."""
    return bool(nearest(release, known) or oldest_of_major(release, known))
