"""``ticks`` and ``stretches`` give a chart of a page the numbers on its axes, and the lines between gaps."""

import math
from collections.abc import Sequence

MOST_POINTS = 1000
"""Points of a line that a chart draws; of more it draws every second, third and so on."""


def ticks(top: float, most: int = 5) -> list[float]:
    """
    Return round numbers from 0 to *top*, at most so many beside 0.

    >>> ticks(100), ticks(7), ticks(1.142)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.0, 2.0, 4.0, 6.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    >>> ticks(0)
    [0.0]
    """
    if top <= 0:
        return [0.0]
    size = 10.0 ** math.floor(math.log10(top / most))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if top / (size * factor) <= most)
    return [number * step for number in range(math.floor(top / step + 1e-9) + 1)]


def stretches(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """
    Return a line as the stretches between its gaps, each a list of points (place, value).

    >>> stretches([1.0, 2.0, None, 4.0])
    [[(0, 1.0), (1, 2.0)], [(3, 4.0)]]
    """
    found: list[list[tuple[int, float]]] = [[]]
    for place in range(0, len(values), stride(len(values))):
        value = values[place]
        if value is not None:
            found[-1].append((place, value))
        elif found[-1]:
            found.append([])
    return [one for one in found if one]


def stride(length: int) -> int:
    """Return the distance between two drawn points of a line."""
    return -(-length // MOST_POINTS) or 1
