"""
Values that inputs draw from.

Numbers are drawn from few values as often as from many, so that ties, zeros and equal sums happen.
"""

import random
from typing import Any, Final

Row = dict[str, Any]
LOADS: Final = (0.0, 0.05, 0.1, 0.25, 0.5, 0.55, 0.85, 0.9, 1.0, 1.2)
THROUGHPUTS: Final = (0.0, 1.0, 100.0, 1e6, 2e6, 5e6)


def some(chance: random.Random, of: list[str], share: float) -> list[str]:
    """Return some, in most inputs none."""
    return [one for one in of if chance.random() < share] if chance.random() < 0.4 else []
