"""
The Python engine runs the traced model as generated Python on columns; without a C compiler it takes over.

It takes thousands of states at a time, but numbers and judges them in the order of the native search, and so finds
the same. States are compared whole: nothing is hashed away.
"""

import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.engines.compile.column_program import Written, written
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.compile.watched import Stopped
from oneowner.checkers.engines.explore.breadth_first import Search
from oneowner.checkers.engines.explore.exploration import (
    NO_LIMITS,
    Exploration,
    Limits,
    Progress,
    beyond_budget,
    preparing,
)
from oneowner.checkers.engines.explore.known_states import KnownStates, Words
from oneowner.checkers.engines.explore.native import confirm
from oneowner.checkers.engines.explore.state_columns import (
    Column,
    Columns,
    Expansion,
    Model,
    Outside,
    Rows,
    Steps,
)
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.guards import BoundReached
from oneowner.model.kernel.law import Law, StateLaw, Witness

DEFAULT_MAX_STATES = 30_000_000
"""States that are visited unless more are asked for: about 4 GiB."""

BATCH = 1 << 15
"""States that are expanded at a time: few enough for their columns to stay in the cache."""

Judge = Callable[[Columns, Columns], Sequence[Column]]
"""Answers the checks of some steps, by the states before and after."""

Violation = tuple[int, int, int]
"""Perturbations, the state before the last step, and that step's action; -1 for the state itself."""

OUTSIDE = "a value leaves its domain, which traced models cannot hold; --engine native shows it"


def explore_generated(
    bounds: Bounds,
    laws: Sequence[Law],
    witnesses: Sequence[Witness] = (),
    stop_at: frozenset[str] = frozenset(),
    limits: Limits = NO_LIMITS,
    on_progress: Callable[[Progress], None] | None = None,
    model: Written | None = None,
) -> Exploration:
    """Visit every state within *bounds*, as ``native.explore`` does; a *model* is all this, traced already."""
    started = time.monotonic()
    try:
        with preparing(limits, on_progress) as at:
            traced = model or written(trace(bounds, laws, witnesses, at=at))
            at("compiling")
            ready = Model(traced)
    except Stopped as budget:
        return Exploration.unbegun(bounds, laws, witnesses, str(budget), time.monotonic() - started)
    within = limits.left(started)._replace(states=limits.states or DEFAULT_MAX_STATES)
    found = _ByColumns(ready, bounds, laws, witnesses, stop_at, within, on_progress).run()
    for law in laws:
        steps = found.laws[law.name].steps
        if steps is not None:
            confirm(bounds, law, steps)
    return found


class _ByColumns(Search):
    """The search over generated functions, batch by batch."""

    def __init__(self, model: Model, bounds: Bounds, laws: Sequence[Law], *more: Any) -> None:
        super().__init__(bounds, laws, *more)
        self._model = model
        self._state_laws = [law.name for law in laws if isinstance(law, StateLaw)]
        self._step_checks = model.step_checks
        self._known = KnownStates(self._model.words)
        self._parents, self._reached_by = array("q"), array("q")  # of every state; no action for an initial one

    @property
    def distinct(self) -> int:
        return self._known.count

    def path(self, number: int) -> tuple[Action, ...]:
        steps: list[Action] = []
        while (place := self._reached_by[number]) >= 0:
            steps.append(self.actions[place])
            number = self._parents[number]
        return tuple(reversed(steps))

    def visit(self) -> bool:
        packed = self._model.initial()
        self._discover(packed, np.zeros(len(packed), np.int64), np.full(len(packed), -1))
        first, end = 0, self.distinct
        while first < end:
            began = time.monotonic()
            for at in range(first, end, BATCH):
                last = min(at + BATCH, end)
                try:
                    self._expand(at, self._known.states[at:last])
                except Outside:
                    raise Stopped(OUTSIDE) from None
                if time.monotonic() - self.reported >= 1.0:
                    self.report(began, last - first, end - last, self.distinct - end)
            first, end = end, self.distinct
            if first < end:
                self.result.depth += 1
            if self.is_to_end:
                return False
        return True

    def _expand(self, first: int, packed: Words) -> None:
        """Take every step from these states: count it, judge it and discover where it leads."""
        found, beyond = self._model.expand(packed, self.limits.perturbations)
        if beyond:
            self.beyond(BoundReached(min(beyond)[2]))
        end = self._discover(found.packed, first + found.rows, found.places)
        self._judge_steps(first, found, end)
        if end == len(found.rows):
            self.result.terminal += int((found.counts == 0).sum())
        else:  # the last step is counted, but the state that it leads to is one too many
            self.result.terminal += int((found.counts[: found.rows[end - 1]] == 0).sum())
            raise Stopped(beyond_budget(self.distinct))

    def _discover(self, packed: Words, parents: Rows, places: Rows) -> int:
        """Add the states that are new, and judge them; return how many steps there is room for."""
        assert self.limits.states is not None
        end = len(packed)
        news = np.flatnonzero(self._known.add(packed)[1])
        first = self.distinct - len(news)
        room = self.limits.states - first
        if room < len(news):
            end, news = int(news[room]) + 1, news[:room]
            self._known.count = self.limits.states
        self._parents.frombytes(parents[news].astype(np.int64).tobytes())
        self._reached_by.frombytes(places[news].astype(np.int64).tobytes())
        if self._state_laws and news.size:
            states = self._model.unpacked(packed[news])
            self._break(
                self._tally(self._state_laws, self._model.judge_state(states), states, first + np.arange(len(news)))
            )
        return end

    def _judge_steps(self, first: int, found: Expansion, end: int) -> None:
        """Count and judge the steps that come before *end*; those with the same checks at once."""
        alike: dict[Judge, list[Steps]] = defaultdict(list)
        ends = np.cumsum([len(some.rows) for some in found.steps])[:-1]
        for steps, ranks in zip(found.steps, np.split(found.ranks, ends) if found.steps else (), strict=True):
            some = steps if end == len(found.rows) else steps.at(np.flatnonzero(ranks < end))
            count = len(some.rows)
            self.result.fired[self.actions[some.place].name] += count
            self.result.transitions += count
            if count and self._step_checks[some.place]:
                alike[self._model.judge[some.place]].append(some)
        broken: list[tuple[str, Violation]] = []
        for judge, together in alike.items():
            rows = np.concatenate([some.rows for some in together])
            before = found.states.ordered(rows)
            after = self._model.unpacked(np.concatenate([some.packed for some in together]))
            numbers = first + rows
            places = np.repeat([some.place for some in together], [len(some.rows) for some in together])
            checks = self._step_checks[together[0].place]
            broken += self._tally(checks, judge(before, after), after, numbers, places)
        self._break(broken)

    def _break(self, broken: Iterable[tuple[str, Violation]]) -> None:
        """Note the least violation of each law among those of one batch, whichever steps were judged together."""
        for law, (spent, number, place) in sorted(broken):
            self.break_law(law, number, None if place < 0 else self.actions[place], spent)

    def _tally(
        self,
        checks: Sequence[str],
        answers: Sequence[Column],
        after: Columns,
        numbers: Rows,
        places: NDArray[np.int64] | None = None,
    ) -> Iterator[tuple[str, Violation]]:
        """Count the answers of each check, note that a witness was reached, yield the least violation of a law."""
        for name, given in zip(checks, answers, strict=True):
            answer = np.broadcast_to(given, after.length)
            if name in self.result.witnesses:
                self.result.witnesses[name] |= bool((answer == 2).any())
                continue
            self.result.laws[name].exercised += int(np.count_nonzero(answer))
            broken = np.flatnonzero(answer == 2)
            if broken.size:
                spent = self._model.spent(after)[broken]
                order = np.lexsort((numbers[broken] if places is None else places[broken], numbers[broken], spent))
                least = broken[order[0]]
                place = -1 if places is None else int(places[least])
                yield name, (int(spent[order[0]]), int(numbers[least]), place)
