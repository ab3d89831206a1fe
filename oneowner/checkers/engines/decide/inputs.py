"""These functions draw the inputs of a decision: all of some sizes, or random ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision


def every_input(decision: Decision, sizes: Bounds) -> Iterator[Any]:
    """Yield every input of some *sizes* in the order of its choices: by the first, then by the second, and so on."""
    chosen: list[tuple[int, int]] = []  # what was chosen, and the most that can be
    while True:
        place = iter(range(len(chosen)))

        def choose(least: int, most: int, known: Iterator[int] = place) -> int:
            check(decision, least, most)
            at = next(known, None)
            if at is None:
                chosen.append((least, most))
                return least
            return chosen[at][0]

        yield decision.draw(choose, sizes)
        while chosen and chosen[-1][0] == chosen[-1][1]:
            chosen.pop()
        if not chosen:
            return
        value, most = chosen.pop()
        chosen.append((value + 1, most))


def random_inputs(decision: Decision, sizes: Bounds, number: int, seed: int) -> Iterator[Any]:
    """Yield so many random inputs of some *sizes*; the same seed gives the same inputs."""
    random = Random(seed)

    def choose(least: int, most: int) -> int:
        check(decision, least, most)
        return random.randint(least, most)

    for _ in range(number):
        yield decision.draw(choose, sizes)


def check(decision: Decision, least: int, most: int) -> None:
    """Raise ValueError for a choice of nothing."""
    if least > most:
        raise ValueError(f"choice refused: from {least} to {most}, by {decision.name}; there is no number to choose")
