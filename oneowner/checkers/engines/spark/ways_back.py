"""
The shortest counterexamples are rebuilt by going backwards, level by level, from where laws broke.

States keep no links to those they came from. Where a law is broken first, the levels before it are expanded once more:
a state is on a way if a step of it breaks the law, with the fewest perturbations, or leads to a state that is on one.
The way is then followed forwards by the first action that stays on it; that is the counterexample of a search in one
process, which numbers states as they come. All laws go back together, a bit for each.
"""

from collections.abc import Callable, Sequence

import numpy as np

from oneowner.checkers.engines.spark.checkpoint import Checkpoint
from oneowner.checkers.engines.spark.library import Model, Words
from oneowner.checkers.engines.spark.tasks import Back, ways
from oneowner.checkers.engines.spark.work import Run, Work
from oneowner.checkers.verdict import EngineError

BITS = 64
"""Laws that go back together."""

GoBack = Callable[[Back], Sequence[Run]]


def rebuilt(
    known: Checkpoint, work_at: Callable[[int], Work], model: Model, checks: Sequence[int], go_back: GoBack
) -> tuple[dict[int, list[int]], str]:
    """
    Return, for each of these checks that broke, the numbers of the actions of its least counterexample.

    And the name of the first bound that a step went beyond, if any did.
    """
    asked = [check for check in checks if check in known.broken]
    bounds = known.beyond[1] if known.beyond else []
    name = model.bound_name(bounds[0]) if bounds else ""
    if len(bounds) > 1:  # which was first, only the states tell
        asked.append(model.checks)
    steps: dict[int, list[int]] = {}
    for first in range(0, len(asked), BITS):
        steps.update(_Ways(known, work_at, model, asked[first : first + BITS], go_back).steps())
    if model.checks in steps:
        name = model.bound_name(steps.pop(model.checks)[-1])
    return steps, name


class _Ways:
    """The ways back of some checks."""

    def __init__(
        self, known: Checkpoint, work_at: Callable[[int], Work], model: Model, checks: Sequence[int], go_back: GoBack
    ) -> None:
        self._known, self._work_at, self._model, self._go_back = known, work_at, model, go_back
        self._bits = {check: 1 << bit for bit, check in enumerate(checks)}

    def steps(self) -> dict[int, list[int]]:
        last = max((self._level(check) for check in self._bits), default=-1)
        runs: dict[int, Sequence[Run]] = {last + 1: []}
        for level in range(last, -1, -1):
            question = self._question([check for check in self._bits if self._level(check) == level])
            runs[level] = self._go_back(Back(self._work_at(level), question.tobytes(), runs[level + 1]))
        return {check: self._follow(check, runs) for check in self._bits}

    def _level(self, check: int) -> int:
        """Return the level whose states break a check themselves, or by a step."""
        step = self._found(check)[0]
        return step if check < self._model.state_laws else step - 1

    def _found(self, check: int) -> tuple[int, int]:
        if check == self._model.checks:
            assert self._known.beyond is not None, "a bound is asked for where a step went beyond one"
            return self._known.beyond[0], 0
        return self._known.broken[check]

    def _question(self, checks: Sequence[int]) -> Words:
        size = self._model.checks + 1
        question = np.zeros(2 * size, np.uint64)
        for check in checks:
            question[check], question[size + check] = self._bits[check], self._found(check)[1]
        return question

    def _follow(self, check: int, runs: dict[int, Sequence[Run]]) -> list[int]:
        model, most, last = self._model, self._work_at(0).perturbations, self._level(check)
        state, taken = self._first(self._bits[check], runs[0]), []
        for level in range(last):
            keys, masks = ways(self._work_at(0).place, runs[level + 1])
            action, state = model.follow(state, most, keys, masks, self._bits[check])
            taken.append(action)
        if check >= model.state_laws:
            action, bound = model.breaking(state, most, self._question([check]))
            taken.append(bound if check == model.checks else action)
        if -1 in taken:
            raise EngineError("the way to a state is not found again: this is a bug of the engine spark")
        return taken

    def _first(self, bit: int, runs: Sequence[Run]) -> Words:
        """Return the first initial state on a way."""
        on_way = {
            keys[at].tobytes()
            for run in runs
            for keys, masks in run.read(self._work_at(0).place, "key", "mask")
            for at in range(len(keys))
            if int(masks[at, 0]) & bit
        }
        for record in self._model.begin():
            if record[:2].tobytes() in on_way:
                return np.ascontiguousarray(record[2:])
        raise EngineError("the way to a state is not found again: this is a bug of the engine spark")
