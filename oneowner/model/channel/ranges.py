"""``brokers``, ``units`` and ``pairs`` of a state are what ``any`` and ``all`` may loop over in a law or an action."""

from collections.abc import Iterator
from itertools import combinations

from oneowner.model.channel.state import State
from oneowner.model.kernel.concrete import concrete


@concrete
def brokers(state: State) -> range:
    return range(1, state.bounds.brokers + 1)


@concrete
def units(state: State) -> range:
    return range(1, state.bounds.units + 1)


@concrete
def pairs(state: State) -> Iterator[tuple[int, int]]:
    """Yield every two brokers once, as (one, other) with one < other."""
    return combinations(brokers(state), 2)
