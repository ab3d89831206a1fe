"""
Swarm testing (Groce et al., ISSTA 2012) gives random walks their chance: reproducible numbers, profiles of actions.

A walk that may do everything does the frequent all the time, and leaves nothing undone for long. So every walk follows
a profile. One in four allows every action alike; the others allow each name with even odds and a weight of its own, and
two of these hold back some actions of a name, so that one broker may lag far behind the others. A profile under which
nothing is enabled any more is replaced by another one. ``walk.c`` draws the same walks from the same seed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from oneowner.model.kernel.action import Action

T = TypeVar("T")

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(z: int) -> int:
    """Return the bits of a 64-bit word well mixed: the last step of splitmix64 (Steele et al., OOPSLA 2014)."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


class Chance:
    """The stream of random numbers of one walk; it depends on the seed and the walk's number alone."""

    def __init__(self, seed: int, walk: int) -> None:
        self._state = mixed(mixed(seed) ^ walk)

    def below(self, most: int) -> int:
        """Return one of ``0 .. most - 1``."""
        self._state = self._state + GOLDEN & WORD
        return (mixed(self._state) >> 32) * most >> 32


class Swarm:
    """The choice of a walk's next action: its profile, and the order in which actions are tried."""

    def __init__(self, chance: Chance, actions: Sequence[Action]) -> None:
        self._chance = chance
        self._names = names_of(actions)
        self._instances: list[list[int]] = [[] for _ in range(max(self._names, default=-1) + 1)]
        for number, name in enumerate(self._names):
            self._instances[name].append(number)
        self._weights: list[int] = []  # of each name
        self._allowed: list[bool] = []  # each action
        self._draw()

    def choose(self, attempt: Callable[[int], T | None]) -> tuple[int, T] | None:
        """
        Return an enabled action and the result of *attempt* for it; None if no action is enabled at all.

        A name is drawn by its weight among those of the profile that are enabled, then one of its actions.
        """
        while True:
            left = list(self._weights)
            while total := sum(left):
                at, name = self._chance.below(total), 0
                while at >= left[name]:
                    at -= left[name]
                    name += 1
                for number in self._shuffled(self._instances[name]):
                    after = attempt(number) if self._allowed[number] else None
                    if after is not None:
                        return number, after
                left[name] = 0
            if all(self._weights) and all(self._allowed):
                return None
            self._draw()

    def _draw(self) -> None:
        below = self._chance.below
        kind = below(4)
        self._weights = [1 if kind == 0 else 1 << below(5) if below(2) else 0 for _ in self._instances]
        self._allowed = [kind < 2 or below(4) > 0 for _ in self._names]

    def _shuffled(self, among: list[int]) -> Iterator[int]:
        """Yield each of *among* once in random order; what was yielded goes to the end."""
        for left in range(len(among), 0, -1):
            at = self._chance.below(left)
            among[at], among[left - 1] = among[left - 1], among[at]
            yield among[left - 1]


def names_of(actions: Sequence[Action]) -> list[int]:
    """Return for every action the number of its name: names count from 0 in the order of the actions."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(action.name, len(numbers)) for action in actions]
