"""
``minimised`` makes shorter counterexamples of long ones: it drops steps (delta debugging, Zeller 2002).

Dropping a step may leave later ones without their occasion, such as the append of a record that nobody publishes any
more: these go with it. What remains is a run of the native interpreter that breaks the same law by its last step.
"""

from __future__ import annotations

from collections.abc import Sequence

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import Law, StateLaw
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import initial_states, step


def minimised(bounds: Bounds, law: Law, steps: Sequence[Action]) -> tuple[Action, ...]:
    """
    Return steps of a run that breaks *law* from which no single step can be dropped, with those that hang on it.

    Steps keep their order, so the result is never longer; *steps* is returned as it is if it does not break the law.
    """
    runs = _Runs(bounds, law)
    kept = runs.breaking([], steps)
    if kept is None:
        return tuple(steps)
    size = max(1, len(kept) // 2)
    while True:
        shorter = _without_chunks(runs, kept, size)
        if size == 1 and len(shorter) == len(kept):
            return shorter
        kept, size = shorter, max(1, min(size, len(shorter)) // 2)


def _without_chunks(runs: _Runs, steps: tuple[Action, ...], size: int) -> tuple[Action, ...]:
    """Drop every chunk of so many steps that can be dropped, from the last one to the first."""
    end = len(steps)
    while end > 0:
        start = max(0, end - size)
        shorter = runs.breaking(steps[:start], steps[end:])
        if shorter is not None:
            steps = shorter
        end = min(start, len(steps))
    return steps


class _Runs:
    """Runs of a model that are to break a law."""

    def __init__(self, bounds: Bounds, law: Law) -> None:
        self.law = law
        self.states = initial_states(bounds)[:1]
        """The states along the steps that were asked for last: most questions begin alike."""
        self.taken: list[Action] = []

    def breaking(self, first: Sequence[Action], then: Sequence[Action]) -> tuple[Action, ...] | None:
        """Return *first* and those of *then* that are enabled, up to the one that breaks the law; None if none does."""
        common = 0
        while common < min(len(first), len(self.taken)) and first[common] == self.taken[common]:
            common += 1
        del self.taken[common:], self.states[common + 1 :]
        if broken(self.law, None, None, self.states[0]):
            return ()
        for action in (*first[common:], *then):
            before = self.states[-1]
            try:
                after = step(before, action)
            except (Disabled, BoundReached):
                continue
            self.taken.append(action)
            self.states.append(after)
            if broken(self.law, before, action, after):
                return tuple(self.taken)
        return None


def broken(law: Law, before: State | None, action: Action | None, after: State) -> bool:
    """Return whether *law* breaks by this step; in an initial state there is none."""
    if isinstance(law, StateLaw):
        return law.when(after) and not law.holds(after)
    if before is None or action is None:
        return False
    return law.when(before, action, after) and not law.holds(before, action, after)
