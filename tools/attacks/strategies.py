"""
Hypothesis strategies for state machines: sizes that no search can visit, and preferred actions of a run.

Nothing here depends on the meaning of an action or a bound: ``Bounds`` determines which sizes go together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action
from oneowner.spec.channel.system import SYSTEM

T = TypeVar("T")

LARGEST: Mapping[str, int] = {"brokers": 6, "units": 8, "window": 60, "pending": 4, "closings": 4}
"""The growth of sizes that every model has."""

MOST = 12
"""The growth of the budget of a perturbation that a family has; one that it has not stays 0."""

ROOM = {"versions": 99}
"""Sizes that only have to be large enough: a step that needs more is not taken."""

SOUGHT = 40
"""In how many places an action of some name is sought before one of the next name."""

NUMBERS = st.integers(0, 2**16 - 1)
"""A rule's draw: its start in an order. The range is not that of the order, which a shrunk run changes."""


def ranges(bounds: Bounds) -> dict[str, tuple[int, int]]:
    """
    Return from where to where each size may grow.

    >>> ranges(Bounds(brokers=3, crashes=1))["crashes"], ranges(Bounds(brokers=3))["brokers"]
    ((1, 12), (3, 6))
    """
    budgets = {name: MOST for name in SYSTEM.budgets if getattr(bounds, name)}
    found = {}
    for name, most in {**LARGEST, **budgets}.items():
        own = getattr(bounds, name)
        found[name] = own, max(own, most)
    return found


def sizes(bounds: Bounds) -> st.SearchStrategy[dict[str, int]]:
    """Sizes to set anew in *bounds*: each is left alone as often as not, for most mistakes show in a small model."""
    drawn = {name: st.just(least) | st.integers(least, most) for name, (least, most) in ranges(bounds).items()}
    return st.fixed_dictionaries(drawn).map(lambda wanted: allowed(bounds, wanted))


def allowed(bounds: Bounds, wanted: Mapping[str, int]) -> dict[str, int]:
    """
    Return those of the *wanted* sizes that are new and that *bounds* accept, one after the other.

    >>> allowed(Bounds(lookups=1), {"brokers": 4, "units": 8, "lookups": 3})
    {'versions': 99, 'brokers': 4, 'lookups': 3}
    """
    kept: dict[str, int] = {}
    for name, value in {**ROOM, **wanted}.items():
        if value == getattr(bounds, name):
            continue
        try:
            bounds_with(bounds, {**kept, name: value})
        except Misuse:
            continue
        kept[name] = value
    return kept


class Swarm:
    """
    The order in which a run tries actions (swarm testing: Groce et al., ISSTA 2012).

    Eager are the actions of some names, but for those with an argument that is held back, so that one broker may lag
    far behind the others. The rest is tried only when no eager action is enabled: postponed actions come late, and a
    run does not end before the model does.
    """

    def __init__(self, actions: Sequence[Action], names: Sequence[str], held: frozenset[tuple[str, int]]) -> None:
        eager: dict[str, list[int]] = {name: [] for name in names}
        rest: dict[str, list[int]] = {}
        for number, action in enumerate(actions):
            is_eager = action.name in eager and held.isdisjoint(action.arguments)
            (eager if is_eager else rest).setdefault(action.name, []).append(number)
        self._passes = [[group for group in groups.values() if group] for groups in (eager, rest)]

    def order(self, name: int, place: int) -> Iterator[int]:
        """
        Yield the number of every action, some twice: first the name at *name*, and of it first the action at *place*.

        To ask whether an action is enabled is what takes time, so of each name only a few are asked at first.
        """
        for most in (SOUGHT, None):
            for groups in self._passes:
                for group in rotated(groups, name):
                    yield from rotated(group, place)[:most]


def rotated(items: list[T], by: int) -> list[T]:
    """
    Return *items* from the place *by* on, and then those before it.

    >>> rotated(["a", "b", "c"], 5)
    ['c', 'a', 'b']
    """
    at = by % len(items) if items else 0
    return items[at:] + items[:at]


def swarms(actions: Sequence[Action]) -> st.SearchStrategy[Swarm]:
    """Swarms of *actions*: all names or some, in any order; nothing is held back, or a few."""
    names = list(dict.fromkeys(action.name for action in actions))
    arguments = list(dict.fromkeys(pair for action in actions for pair in action.arguments))
    some = st.lists(st.sampled_from(names), min_size=1, unique=True)
    held = st.frozensets(st.sampled_from(arguments), max_size=3) if arguments else st.just(frozenset())
    return st.builds(Swarm, st.just(actions), st.permutations(names) | some, held)
