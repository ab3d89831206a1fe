"""
``all_paths`` finds every way through a function: it runs it on symbolic values once for each.

At a branch on a symbolic truth the run asks which way to go. The first run goes one way each time; then the function
is run again for every branch not yet taken. What a path has decided prunes what comes later (``facts``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oneowner.checkers.trace.expressions import Expression
from oneowner.checkers.trace.facts import Facts
from oneowner.checkers.trace.leaves import Untraceable, decide

Outcome = Any

MAX_PATHS = 20_000
"""Ways through one function before tracing gives up: something does not prune."""


class Fork:
    """A test, and the paths on either side."""

    __slots__ = ("otherwise", "test", "then")

    def __init__(self, test: Expression, then: Any, otherwise: Any) -> None:
        self.test, self.then, self.otherwise = test, then, otherwise


class Place:
    """A point on the paths through a function: its facts, and the path after either outcome of its test."""

    __slots__ = ("_following", "facts")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._following: dict[bool, Place] = {}

    def after(self, test: Expression, outcome: bool) -> Place:
        if outcome not in self._following:
            self._following[outcome] = Place(self.facts.and_that(test, outcome))
        return self._following[outcome]


def all_paths(
    what: str, run: Callable[[], Outcome], finish: Callable[[Outcome, Facts], Outcome] | None = None
) -> Fork | Outcome:
    """
    Run *run* for every way through it; return its outcomes, arranged by the tests that lead to them.

    *what* names it in complaints; *finish* makes of an outcome what is kept of it, knowing the facts at its end.
    """
    runs = 0
    root = Place(Facts())

    def explore(prefix: list[bool]) -> Fork | Outcome:
        nonlocal runs
        runs += 1
        if runs > MAX_PATHS:
            raise Untraceable(f"more than {MAX_PATHS:,} ways through {what}")
        place, taken = root, list[tuple[Expression, bool]]()

        def answer(test: Expression) -> bool:
            nonlocal place
            known = place.facts.simplified(test)
            if known.is_constant:
                return bool(known.value)
            outcome = prefix[len(taken)] if len(taken) < len(prefix) else True
            taken.append((known, outcome))
            place = place.after(known, outcome)
            return outcome

        decide.append(answer)
        try:
            found: Fork | Outcome = run()
        finally:
            decide.pop()
        if finish is not None:
            found = finish(found, place.facts)
        for number in range(len(taken) - 1, len(prefix) - 1, -1):
            test, _ = taken[number]
            found = Fork(test, found, explore([outcome for _, outcome in taken[:number]] + [False]))
        return found

    return explore([])
