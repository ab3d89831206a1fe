"""
``attempted`` offers refused steps to the real classes: one that changes what they show is a difference.

A step that leads where another edge of its state leads is none: the model takes that under another name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from oneowner.checkers.real_classes.compared import Difference, Walker
from oneowner.checkers.real_classes.machine import TRY, Machine
from oneowner.checkers.real_classes.refusals import Refusal, Refusals
from oneowner.checkers.real_classes.tours import Tours

BATCH: Final = 64
"""States whose steps are tried at once."""


@dataclass(slots=True)
class Tries:
    """The refused steps that were tried."""

    possible: int = 0
    tried: int = 0
    every: int = 1
    """They are those of every state, of every second one, ..."""
    elsewhere: int = 0
    """Those that lead where another edge leads."""
    taken: int = 0
    """Those that the real classes take, and the model does not."""
    left_out: dict[str, int] = field(default_factory=dict)
    """The refused steps that the script cannot offer, by the reason."""


class _Trier:
    def __init__(self, compared: Walker, machine: Machine, tours: Tours) -> None:
        self._compared, self._machine, self._tours = compared, machine, tours
        self._next: dict[int, set[str]] = {}
        for source, target in zip(compared.sources, compared.targets, strict=True):
            self._next.setdefault(source, set()).add(compared.texts[target])

    def run(self, refused: Sequence[Refusal]) -> list[str]:
        """Return a run that tries the steps of one state."""
        way = self._compared.in_words(self._tours.way(refused[0].state))
        return [*way, *(TRY + self._compared.commands[one.label] for one in refused)]

    def leads_elsewhere(self, one: Refusal, real: str) -> bool:
        return real in self._next.get(one.state, ())

    def explained(self, before: Sequence[Refusal], one: Refusal, count: int, real: str) -> Difference:
        """Explain a step that was taken, alone or, where that shows nothing, after those that were tried before it."""
        compared, way = self._compared, self._tours.way(one.state)
        ((*_, alone),) = self._machine.states([self.run([one])])
        others = before if alone == compared.texts[one.state] else []
        tried, last = self.run([*others, one])[:-1], compared.commands[one.label]
        _, stack = self._machine.explained([*tried, last])
        actions = compared.edges.actions
        path = (*(compared.action(edge) for edge in way), *(actions[it.label] for it in (*others, one)))
        sides = compared.sides_at(one.state, real if others else alone)
        return Difference(actions[one.label].name, count, path, sides, tuple(stack), guard=one.guard)


def attempted(
    compared: Walker, machine: Machine, tours: Tours, refused: Refusals, on_progress: Callable[[str], None] | None
) -> tuple[Tries, list[Difference]]:
    """Try refused steps, each in its state at the end of a shortest way; return what came of them."""
    tries = Tries(refused.possible, every=refused.every, left_out={str(k): n for k, n in refused.left_out.items()})
    trier = _Trier(compared, machine, tours)
    kinds: dict[object, tuple[list[Refusal], Refusal, str]] = {}
    counts: dict[object, int] = {}
    states = [list(group) for _, group in groupby(sorted(refused.chosen), key=lambda one: one.state)]
    states = [group for group in states if tours.reaches(group[0].state)]
    for first in range(0, len(states), BATCH):
        batch = states[first : first + BATCH]
        for group, answers in zip(batch, machine.states([trier.run(one) for one in batch]), strict=True):
            own = answers[-len(group) :]
            tries.tried += len(group)
            for at, (one, real) in enumerate(zip(group, own, strict=True)):
                sides = compared.sides_at(one.state, real)
                if not sides:
                    continue
                if trier.leads_elsewhere(one, real):
                    tries.elsewhere += 1
                    continue
                parts = tuple(side.part.partition(", ")[2] for side in sides)
                kind = compared.edges.actions[one.label].name, one.guard, parts
                kinds.setdefault(kind, (group[:at], one, real))
                counts[kind] = counts.get(kind, 0) + 1
        if on_progress is not None:
            on_progress(f"{tries.tried:,} refused steps tried")
    tries.taken = sum(counts.values())
    found = [trier.explained(before, one, counts[kind], real) for kind, (before, one, real) in kinds.items()]
    return tries, found
